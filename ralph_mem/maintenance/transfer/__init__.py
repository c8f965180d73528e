"""Exports: what is remembered as a file of one's own, to keep, to read, or to take along to another machine, and back."""
