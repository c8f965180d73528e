"""Order the agents of a run, of which the next one works once the one before gets nowhere."""

from ralph_mem.ralph.agents import presets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.record import Run

# What ends a run for what its agent did, and so may go better with another one; a rate limit is that of one agent as well.
TURNS = frozenset(("no_progress", "oscillation", "regression", "agent_error", "silent", "permission_denied", "rate_limited"))


def agents(run: "Run") -> "list[list[str]]":
    """Return the agents of a run as commands, in their order; no words for claude."""
    return [run.options.get("agent") or [], *(run.options.get("others") or [])]


def now(run: "Run") -> "list[str]":
    """Return the agent whose turn it is."""
    every = agents(run)
    return every[min(run.turn, len(every) - 1)]


def following(run: "Run") -> "list[str] | None":
    """Return the agent that would be next, None after the last one."""
    every = agents(run)
    return every[run.turn + 1] if run.turn + 1 < len(every) else None


def told(run: "Run") -> str:
    """Return in a line who works now and how many there are, nothing where there is only one."""
    every = agents(run)
    return f"agent: {presets.label(now(run))} ({min(run.turn, len(every) - 1) + 1} of {len(every)})" if len(every) > 1 else ""
