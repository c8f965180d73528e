"""Write what is remembered to a file of one's own, and read it back."""
