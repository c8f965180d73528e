"""Keep what a person says to a loop, and tell it to the agent once, with the next prompt."""

from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import record, runs, stop_reasons
from ralph_mem.ralph.record import RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run

MOST_CHARACTERS = 2_000  # a quarter of what a prompt has room for in a session
OPENING = "The person who started this adds, to be followed like the goal:"


def give(project: "Project", values: "dict[str, Any]", text: str) -> "Run":
    """Keep a hint for the run of this tree that works or can go on, redacted; returns that. Raises LoopError."""
    if not text.strip():
        raise LoopError("a hint needs words", 'ralph-mem ralph hint "look at tax.py first"')
    if len(text) > MOST_CHARACTERS:
        raise LoopError(f"the hint has {len(text)} characters, at most {MOST_CHARACTERS} fit", "write it into a file and name that")
    run = runs.latest(project)
    if run is None or run.status == stop_reasons.SUCCESS:
        raise LoopError("no loop is at work here", 'say it in the goal: `ralph-mem ralph start "GOAL"`')
    (safe,) = privacy.protect([text.strip()], project, values)[0]
    record.append(runs.path_of(project, run.id), {"what": "hint", "at": runs.now_ms(), "text": safe})
    return run


def kept(run: "Run") -> str:
    """Say what becomes of a hint that was given."""
    when = "with its next iteration" if run.status == RUNNING else "once it goes on with `ralph-mem ralph resume`"
    return f"{run.id} is told {when}."


def lines(run: "Run", number: int, tag: str) -> "list[str]":
    """Return what the prompt of an iteration tells of them, nothing where nothing was said."""
    said = run.hints_for(number)
    return ["", OPENING, f"<hint-{tag}>", *said, f"</hint-{tag}>"] if said else []
