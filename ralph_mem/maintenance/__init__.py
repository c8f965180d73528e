"""What a person does with a memory as a whole: repair, forget, move, look after."""
