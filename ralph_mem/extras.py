"""Extras: what is missing where an optional package was not installed."""

from ralph_mem.core.errors import RalphMemError


class MissingExtra(RalphMemError):
    """A package that only an extra of ralph-mem brings."""
