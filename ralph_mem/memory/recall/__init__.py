"""Find what is remembered, rank it, and write it as text."""
