"""A memory and a loop for a coding agent."""

from ralph_mem.core.release import VERSION as __version__  # noqa: N811 - as packages are asked for it

__all__ = ["__version__"]
