"""Have a loop pause and go on, and tell its agent what a person says to it."""

import time

from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import record, runs, stop_reasons, telling
from ralph_mem.ralph.record import GUARD, HEADLESS, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run

TICK_S = 0.1
SAYS = "paused; `ralph-mem ralph continue` goes on"
MOST_CHARACTERS = 2_000  # a quarter of what a prompt has room for in a session
OPENING = "The person who started this adds, to be followed like the goal:"


def pause(project: "Project") -> "Run":
    """Ask the loop at work to pause once its iteration is done; returns its run. Raises LoopError where there is none."""
    live = _at_work(project)
    runs.ask(project, live.run, runs.PAUSE)
    return runs.find(project, live.run)


def asked_to_pause(run: "Run") -> str:
    """Say what becomes of a run that was asked to pause."""
    return f"{run.id} pauses once its iteration is done; `ralph-mem ralph continue` goes on."


def go_on(project: "Project") -> "Run":
    """Let a loop go on that pauses or was asked to; returns its run. Raises LoopError where that is none, or a session has it."""
    live = _at_work(project)
    run = runs.find(project, live.run)
    if not (run.is_paused() or is_asked_to_pause(project, live.run)):
        raise LoopError(f"{live.run} does not pause", "`ralph-mem ralph status` shows how it stands")
    if run.is_paused() and live.mode != HEADLESS:
        raise LoopError(f"{live.run} pauses in a session, which has to go on with it", "type /ralph continue in that session")
    runs.ask_no_more(project, live.run, runs.PAUSE)
    return run


def _at_work(project: "Project") -> "runs.Live":
    live = runs.live(project)
    if live is None or live.mode == GUARD or not runs.is_alive(project, live):
        raise LoopError("no loop is at work here", "`ralph-mem ralph status` shows how the last one stands")
    return live


def is_asked_to_pause(project: "Project", run_id: str) -> bool:
    """Say whether a run was asked to pause and not yet to go on."""
    return runs.is_asked(project, run_id, runs.PAUSE)


def begin_pause(loop: "Loop") -> None:
    """Stand still: from now on no time counts."""
    if not loop.run.is_paused():
        loop.note("paused")


def end_pause(loop: "Loop") -> None:
    """Go on: the clock runs again."""
    runs.ask_no_more(loop.project, loop.run.id, runs.PAUSE)
    if loop.run.is_paused():
        loop.note("continued")


def pause_where_asked(loop: "Loop", tells: "Callable[[dict[str, int]], None]") -> bool:
    """Pause where that was asked, until it is to go on; returns False as soon as somebody asks the loop to stop.

    `tells` hears how the run stands, for status lines, when it begins to pause and when it goes on.
    """
    if not is_asked_to_pause(loop.project, loop.run.id):
        return True
    begin_pause(loop)
    tells(telling.state_in_words(loop.run))
    loop.told(SAYS)
    while is_asked_to_pause(loop.project, loop.run.id):
        if loop.is_asked_to_stop():
            return False
        time.sleep(TICK_S)
    end_pause(loop)
    tells(telling.state_in_words(loop.run))
    return True


def give_hint(project: "Project", values: "dict[str, Any]", text: str) -> "Run":
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


def hint_kept(run: "Run") -> str:
    """Say what becomes of a hint that was given."""
    when = "with its next iteration" if run.status == RUNNING else "once it goes on with `ralph-mem ralph resume`"
    return f"{run.id} is told {when}."


def hint_lines(run: "Run", number: int, tag: str) -> "list[str]":
    """Return what the prompt of an iteration tells of them, nothing where nothing was said."""
    said = run.hints_for(number)
    return ["", OPENING, f"<hint-{tag}>", *said, f"</hint-{tag}>"] if said else []
