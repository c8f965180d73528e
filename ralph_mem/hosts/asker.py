"""Say whether a person or a model has typed a command."""

import os

from ralph_mem.core import descendants
from ralph_mem.hosts import known, others
from ralph_mem.hosts.claude_code import session

# What clients are agreeing on for the shells of their agents; so is one known of which we know nothing else.
AGREED = "AI_AGENT"
STREAMS = (0, 1, 2)


def variables() -> "tuple[str, ...]":
    """Return the variables that clients set in the shells of their agents."""
    return (
        session.SESSION,
        session.IN_SHELL,
        *[others.shape_of(host).IN_SHELL for host in known.OTHERS + known.BY_DOCUMENTS],
        AGREED,
    )


def is_a_model() -> bool:
    """Say whether a model started this process, or what started it, with a tool of its session, as far as a client shows it."""
    return bool(descendants.inherited(*variables()))


def is_a_person() -> bool:
    """Say whether a person typed this, at a terminal from which one of its streams comes or to which one goes.

    The shell of a client that we do not know has none, and no script that runs by itself has one: nobody can tell them apart.
    """
    return any(map(os.isatty, STREAMS)) and not is_a_model()
