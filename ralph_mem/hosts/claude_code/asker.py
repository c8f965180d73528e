"""Say whether a person or a model has typed a command."""

from ralph_mem.core import descendants
from ralph_mem.hosts.claude_code import session


def is_a_model() -> bool:
    """Say whether a model started this process, or what started it, with a tool of its session; else a person did."""
    return bool(descendants.inherited(session.SESSION))
