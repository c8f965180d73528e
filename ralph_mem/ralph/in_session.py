"""Decide at each Stop of the session that started a loop whether the agent goes on.

It never acts in another session, in a subagent, or while the client has work in the background; it is gone when its session is.
"""

import contextlib
import gc
import os
import time

from ralph_mem.core import descendants, news
from ralph_mem.core import project as projects
from ralph_mem.core.errors import LoopError, RalphMemError, StoreError
from ralph_mem.core.format import count
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import archive, launch
from ralph_mem.hosts.claude_code import session as client_session
from ralph_mem.memory.rows import turns
from ralph_mem.memory.store import connection as database
from ralph_mem.ralph import display, files, leftovers, passing, prompt, rolling_back, runs, stop_reasons, telling
from ralph_mem.ralph.attribution import tool_events
from ralph_mem.ralph.criteria import PASSED, Verdict, evidence, passed
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.record import GUARD, HEADLESS, Run
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.watchdog import Watchdog
from ralph_mem.ralph.watching import steering, transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# The client cuts what is longer than 10,000 characters: thirty lines of these, and the output of the first check that failed.
MOST_TESTS, MOST_LINE, MOST_OUTPUT = 30, 160, 3_500
MOST_OF_RECORD = 16_777_216  # of the client's own record of the session, from its end: a second's reading
PAUSES = "the loop pauses, /ralph continue goes on"
OFF = "recording was switched off since the {} began, by you or by its agent: /mem resume records again, /mem doctor says by what"


def guard_step(
    seen: "projects.Activity", project: "projects.Project", settings: "dict[str, Any]", live: "runs.Live"
) -> "dict[str, str]":
    """Answer the end of a turn with what fails, once a turn; nothing where all checks pass, or where they were told already."""
    if seen.again:
        return {}
    loop = Loop(project, settings, live.run)
    with Watchdog():
        verdicts = passing.judge(loop, seen.text)
    with contextlib.suppress(LoopError):  # what fails is told all the same
        loop.note("guarded", verdicts=[dict(verdict._asdict()) for verdict in verdicts])
    lost = guarding.lost_since(loop)
    told = (
        f"ralph-mem: {'; '.join(lost)}; `ralph-mem ralph rollback {live.run}` shows what of git comes back, once the guard is off"
    )
    shown = {"message": told} if lost else {}
    return shown if passed(verdicts) else {"context": failing_now(verdicts, loop.run), **shown}


def failing_now(verdicts: "list[Verdict]", run: "Run") -> str:
    """Return what fails, as it was run just now: evidence for the agent, not the person's words."""
    failing, tag = evidence.failures(verdicts), prompt.tag_of(run)
    lines = [f"- {' '.join(f'{label}: {message}'.split())[:MOST_LINE]}" for label, (_, message) in failing.items()]
    more = [f"- and {len(lines) - MOST_TESTS} more"] if len(lines) > MOST_TESTS else []
    first = next((verdict for verdict in verdicts if verdict.status != PASSED and verdict.excerpt.strip()), None)
    output = [f"<output-{tag}>", first.excerpt.replace(tag, "")[-MOST_OUTPUT:], f"</output-{tag}>"] if first else []
    opening = "ralph-mem ran the checks of this project just now, and they do not pass. What fails is not done:"
    return "\n".join([opening, *lines[:MOST_TESTS], *more, *output])


def stop(project: "projects.Project", session: str) -> bool:
    """Take the guard away from a session; says whether there was one."""
    live = runs.live(project)
    if not live or live.owner != session:
        return False
    runs.clear_live(project, live.run)
    return True


# The client cuts what a hook says at 10,000 characters; tokens are estimated, so this leaves room.
MOST_CHARACTERS = 9_000
# The end of a background task begins a turn of the same work with another id; its prompt is the client's.

NOTIFICATION = "notification"


def step(seen: "projects.Activity", project: "projects.Project", settings: "dict[str, Any]") -> "dict[str, str]":
    """Answer the end of a turn: with what the agent is told to go on, with a line for the person at the end, or not at all."""
    gc.enable()  # the door switches it off for processes that are gone at once
    live = runs.live(project)
    if not live or not _is_ours(live, seen) or seen.waiting:  # the turn only pauses until something in the background is done
        return {}
    if live.mode != GUARD and not _is_same_work(live, seen, project):
        return {}
    said = guard_step(seen, project, settings, live) if live.mode == GUARD else _loop_step(seen, project, settings, live)
    return said if live.off or effective.recording(project, settings) else _with_off(said, project, live)


def _with_off(said: "dict[str, str]", project: "projects.Project", live: "runs.Live") -> "dict[str, str]":
    """Return an answer with the line, told once, that nothing is recorded any more."""
    now = runs.live(project)
    if now and now.run == live.run:
        runs.write_live(project, now._replace(off=1))
    line = OFF.format("guard" if live.mode == GUARD else "loop")
    return {**said, "message": f"{said['message']}; {line}" if said.get("message") else f"ralph-mem: {line}"}


def _loop_step(
    seen: "projects.Activity", project: "projects.Project", settings: "dict[str, Any]", live: "runs.Live"
) -> "dict[str, str]":
    try:
        loop = Loop(project, settings, live.run)
    except RalphMemError:  # its record is gone, and with it what to go on from
        runs.clear_live(project, live.run)
        raise
    if not loop.is_running():
        runs.clear_live(project, live.run)
    if not loop.is_running() or loop.run.is_paused():
        return {}
    return _passed(loop, live, seen)


def _is_ours(live: "runs.Live", seen: "projects.Activity") -> bool:
    """Say whether this stop is that of the session which started the loop; without an owner nobody is."""
    return live.mode != HEADLESS and bool(live.owner) and live.owner == seen.session and not seen.agent_id


def _is_same_work(live: "runs.Live", seen: "projects.Activity", project: "projects.Project") -> bool:
    """Say whether this turn is the loop's: its own, or one that the end of a background task began.

    Esc leaves no event: a turn of the person's own words since then means that they took over.
    """
    if not live.turn or not seen.turn or live.turn == seen.turn:
        return True
    try:
        opened = database.connect(project.folder, database.TOOL_WAIT_MS)
    except StoreError:
        return False
    try:
        kind = turns.kind_stored(opened, seen.turn)
    finally:
        opened.close()
    return kind == NOTIFICATION


def _passed(loop: Loop, live: "runs.Live", seen: "projects.Activity") -> "dict[str, str]":
    live = live._replace(turn=seen.turn, beat=now_ms())
    runs.write_live(loop.project, live)
    leftovers.end(live.run)  # the client ends a hook that takes too long by a signal that nobody can catch
    if runs.is_asked(loop.project, live.run, runs.STOP):
        passing.end(loop, "user_stop", "asked to stop")
    else:
        answer = launch.Answer(kind=launch.DONE, message=seen.text)
        transcript.keep(loop, transcript.Heard(archive.done_lately(live.owner, loop.begun, MOST_OF_RECORD)), answer)
        loop.writes = tool_events.of_session(loop, files.checked_ns(loop.run))
        with Watchdog():  # that signal ends this hook alone, and not what a check has started
            decided = passing.conclude(loop, answer)
        if decided.go_on and steering.is_asked_to_pause(loop.project, live.run):
            steering.begin_pause(loop)
            runs.write_live(loop.project, live._replace(**telling.state_in_words(loop.run)))
            return {"message": f"ralph-mem: {telling.round_in_words(loop.run)}; {PAUSES}"}
        if decided.go_on:
            return _onwards(loop, again=not live.whole)
    return _over(loop)


def _over(loop: Loop) -> "dict[str, str]":
    """Let go of the session, and tell the person how it ended; where they want it, the files of a failed run go back."""
    runs.clear_live(loop.project, loop.run.id)
    more = rolling_back.roll_back_if_wanted(loop.project, loop.settings, loop.run)
    return {"message": " ".join(f"ralph-mem: {said(loop)} {'; '.join(more)}".split())}


def _onwards(loop: Loop, again: bool) -> "dict[str, str]":
    time.sleep(loop.run.limits.cooldown_ms / 1000)
    try:
        text = passing.begin(loop, MOST_CHARACTERS, again)
    except RalphMemError as error:
        passing.end(loop, "agent_error", str(error))
        return _over(loop)
    live = runs.live(loop.project)
    if live and live.run == loop.run.id:
        runs.write_live(loop.project, live._replace(whole=0, **telling.state_in_words(loop.run)))
    shown = {"message": f"ralph-mem: {telling.round_in_words(loop.run)}"} if effective.attended() else {}
    return {"context": text, **shown}


def said(loop: Loop) -> str:
    """Say in one line how a run ended and what to do next."""
    run = loop.run
    told = f"{run.id} {run.status} after {count(len(run.iterations), 'iteration')}: {stop_reasons.REASONS[run.reason].says}"
    told += f" ({display.rendered(run.why, display.MOST_WHY)})" if run.why and run.status != stop_reasons.SUCCESS else ""
    (step,) = runs.with_id(loop.project, run, [stop_reasons.next_step(run.reason, run)])
    step = step.replace("ralph-mem ralph ", "/ralph ")
    return " ".join(f"{told}; {step}".split())[:600]


def take_over(
    project: "projects.Project", run_id: str, mode: str, owner: str, turn: str, client: "tuple[int, int]",
    state: "dict[str, int] | None" = None,
) -> None:  # fmt: skip
    """Bind a run to the session that asked for it.

    `client` is the client's process and when that began, `state` what a status line tells of the run.
    """
    pid, born = client
    runs.write_live(project, runs.Live(run_id, mode, owner, pid, born, turn, now_ms(), **(state or {})))


def around_us() -> str:
    """Return the loop of the session whose tool started this process, in the folder where that was; empty for none."""
    session = descendants.inherited(client_session.SESSION)
    live = runs.live(projects.find(os.getcwd())) if session else None
    return str(live.run) if live and live.mode != HEADLESS and live.owner == session else ""


def compacted(seen: "projects.Activity", project: "projects.Project") -> None:
    """Have the next round told as a whole: a compaction has taken from the session what it was told of its loop."""
    live = runs.live(project)
    if live and _is_ours(live, seen):
        runs.write_live(project, live._replace(whole=1))


def end(seen: "projects.Activity", project: "projects.Project") -> None:
    """End the loop or guard of a session that ends: nobody would go on with it."""
    live = runs.live(project)
    if not live or not _is_ours(live, seen):
        return
    leftovers.end(live.run)
    loop = Loop(project, {}, live.run)
    if loop.is_running():
        loop.note("end", status=stop_reasons.status_of("owner_lost"), reason="owner_lost", why=seen.reason)
        news.tell(project.root, telling.end_in_words(loop.run))
    runs.clear_live(project, live.run)
