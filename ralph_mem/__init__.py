"""A memory and a loop for a coding agent."""

from ralph_mem.core.release import VERSION as __version__

__all__ = ["__version__"]
