"""The command line, as a person or a script runs it."""
