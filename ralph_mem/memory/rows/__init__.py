"""The rows of a memory: written, indexed, changed and deleted."""
