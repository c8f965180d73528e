"""The loop in a session: at each Stop of the session that started it, the checks decide whether the agent goes on.

It never acts in another session, in a subagent, or while the client has work in the background; it is gone when its session is.
"""

import gc
import time

from ralph_mem import claude
from ralph_mem.core import store as database
from ralph_mem.core.errors import RalphMemError, StoreError
from ralph_mem.ralph import guard, leftovers, passing, rolling_back, runs, stop_reasons
from ralph_mem.ralph.loop import Loop, now_ms
from ralph_mem.ralph.run import GUARD, HEADLESS, IN_SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project
    from ralph_mem.ralph.runs import Live

# The client cuts what a hook says at 10,000 characters; tokens are estimated, so this leaves room.
MOST_CHARACTERS = 9_000
# The end of a background task begins a turn of the same work with another id; its prompt is the client's.
KIND = "SELECT kind FROM turns WHERE event_id = ?"
NOTIFICATION = "notification"


def step(event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Answer a Stop: with what the agent is told to go on, with a line for the person at the end, or not at all."""
    gc.enable()  # the door switches it off for processes that are gone at once
    live = runs.live(project)
    if not live or not _is_ours(live, event) or _is_waiting(event):
        return None
    if live.mode == GUARD:
        return guard.step(event, project, settings, live)
    if not _is_same_work(live, event, project):
        return None
    try:
        loop = Loop(project, settings, live.run)
    except RalphMemError:  # its record is gone, and with it what to go on from
        runs.clear_live(project, live.run)
        raise
    if not loop.is_running():
        runs.clear_live(project, live.run)
        return None
    return _passed(loop, live, event)


def _is_ours(live: "Live", event: "Event") -> bool:
    """Say whether this stop is that of the session which started the loop; without an owner nobody is."""
    return live.mode != HEADLESS and bool(live.owner) and live.owner == event.session and not event.text("agent_id")


def _is_waiting(event: "Event") -> bool:
    """Say whether the turn only pauses until something in the background is done."""
    return bool(event.fields.get("background_tasks") or event.fields.get("session_crons"))


def _is_same_work(live: "Live", event: "Event", project: "Project") -> bool:
    """Say whether this turn is the loop's: its own, or one that the end of a background task began.

    Esc leaves no event: a turn of the person's own words since then means that they took over.
    """
    if not live.turn or not event.turn or live.turn == event.turn:
        return True
    try:
        opened = database.connect(project.folder, database.TOOL_WAIT_MS)
    except StoreError:
        return False
    try:
        found = opened.one(KIND, (event.turn,))
    finally:
        opened.close()
    return bool(found) and found[0] == NOTIFICATION


def _passed(loop: Loop, live: "Live", event: "Event") -> "dict[str, Any]":
    runs.write_live(loop.project, live._replace(turn=event.turn, beat=now_ms()))
    leftovers.end(live.run)  # the client ends a hook that takes too long by a signal that nobody can catch
    if runs.is_asked_to_stop(loop.project, live.run):
        passing.end(loop, "user_stop", "asked to stop")
    else:
        decided = passing.conclude(loop, claude.Answer(kind=claude.DONE, message=event.text("last_assistant_message")))
        if decided.go_on:
            return _onwards(loop)
    return _over(loop)


def _over(loop: Loop) -> "dict[str, Any]":
    """Let go of the session, and tell the person how it ended; where they want it, the files of a failed run go back."""
    runs.clear_live(loop.project, loop.run.id)
    more = rolling_back.if_wanted(loop.project, loop.settings, loop.run)
    return {"systemMessage": " ".join(f"ralph-mem: {said(loop)} {'; '.join(more)}".split())}


def _onwards(loop: Loop) -> "dict[str, Any]":
    time.sleep(loop.run.limits.cooldown_ms / 1000)
    try:
        text = passing.begin(loop, MOST_CHARACTERS)
    except RalphMemError as error:
        passing.end(loop, "agent_error", str(error))
        return _over(loop)
    return {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": text}}


def said(loop: Loop) -> str:
    """Say in one line how a run ended and what to do next."""
    run = loop.run
    told = f"{run.id} {run.status} after {len(run.iterations)} iterations: {stop_reasons.REASONS[run.reason].says}"
    told += f" ({run.why})" if run.why and run.status != stop_reasons.SUCCESS else ""
    return " ".join(f"{told}; {stop_reasons.next_step(run.reason, run)}".split())[:600]


def take_over(project: "Project", run_id: str, mode: str, owner: str, turn: str, client: "tuple[int, int]") -> None:
    """Bind a run to the session that asked for it. `client` is the client's process and when that began."""
    pid, born = client
    runs.write_live(project, runs.Live(run_id, mode, owner, pid, born, turn, now_ms()))


def end(event: "Event", project: "Project") -> None:
    """End the loop of a session that ends: nobody would go on with it."""
    live = runs.live(project)
    if not live or not _is_ours(live, event):
        return
    leftovers.end(live.run)
    if live.mode == IN_SESSION:
        loop = Loop(project, {}, live.run)
        if loop.is_running():
            loop.note("end", status=stop_reasons.status_of("owner_lost"), reason="owner_lost", why=event.text("reason"))
    runs.clear_live(project, live.run)
