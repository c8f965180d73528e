"""What a person does with a memory as a whole, such as to repair, forget, move and look after it."""
