"""A memory and a loop for a coding agent."""

__version__ = "0.1.0"
