"""The database of a memory with its connection, its schema and its locks."""
