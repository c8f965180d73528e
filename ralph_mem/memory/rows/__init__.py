"""Write, index, change and delete the rows of a memory."""
