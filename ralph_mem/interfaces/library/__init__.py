"""The entrance for programs in Python, which read and write a project's memory as the command line does."""
