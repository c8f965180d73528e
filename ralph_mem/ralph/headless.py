"""The headless loop: a fresh agent for each iteration, in a process group of its own, until it is time to stop."""

import os
import shlex
import time

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import agent, display, files, leftovers, passing, runs, starting, stopping
from ralph_mem.ralph.loop import MEANWHILE, now_ms
from ralph_mem.ralph.run import HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.hosts.claude_code.launch import Answer
    from ralph_mem.ralph.loop import Loop, Told
    from ralph_mem.ralph.run import Run
    from ralph_mem.ralph.starting import Prospect, Wish

TICK_S = 0.1  # how soon a stop is noticed in a pause
# A client that does not tell when its limit ends is asked again after so long, doubled each time up to an hour.
FIRST_WAIT_MS, LONGEST_WAIT_MS = 60_000, 3_600_000
LEAST_SECONDS = 1.0


def start(
    project: "Project",
    values: "dict[str, Any]",
    wished: "Wish",
    prospect: "Prospect",
    is_wanted: "Callable[[Loop], bool]",
    told: "Told | None" = None,
) -> "Run | None":
    """Start a run and work until it ends; returns it. Its checks have been accepted. Raises LoopError and SnapshotError.

    `is_wanted` is asked where all checks pass already; where it says no, nothing is left of the run, and nothing is returned.
    """
    run_id = runs.new_id()
    with runs.Lock(project), runs.Heartbeat(project, run_id):
        begun = starting.start(project, values, wished, prospect, HEADLESS, run_id=run_id, told=told)
        if begun.green and not is_wanted(begun.loop):
            starting.discard(begun.loop)
            return None
        return _work(begun.loop)


def resume(project: "Project", values: "dict[str, Any]", run: "Run", told: "Told | None" = None, **bounds: "Any") -> "Run":
    """Let a run go on and work until it ends; returns it. `bounds` are fields of Limits. Raises LoopError."""
    stopping.check(project, run, bounds)
    last_beat = stopping.last_beat(project, run)
    with runs.Lock(project), runs.Heartbeat(project, run.id):
        return _work(stopping.resume(project, values, run, HEADLESS, last_beat, told=told, **bounds))


def _work(loop: "Loop") -> "Run":
    """Work until the run ends. Ctrl-C and a request to stop end the agent at once; what it has done is kept and told."""
    try:
        while loop.is_running():
            _pass(loop)
    except KeyboardInterrupt:
        if loop.is_running():
            passing.end(loop, "user_stop", "interrupted by Ctrl-C")
    return loop.run


def _pass(loop: "Loop") -> None:
    """Run one iteration, or wait for the end of a rate limit."""
    answer = ask(loop, passing.begin(loop))
    if answer.kind == launch.RATE_LIMITED:
        _wait(loop, answer)
        return
    if answer.kind == launch.MISSING:
        passing.end(loop, "agent_error", answer.why)
        return
    decided = passing.conclude(loop, answer)
    if decided.go_on and not _pause(loop, loop.run.limits.cooldown_ms):
        passing.end(loop, "user_stop", "asked to stop")


def ask(loop: "Loop", prompt: str) -> "Answer":
    """Give the agent its prompt and what is left of time and money."""
    seconds = max(LEAST_SECONDS, loop.seconds_left())
    around = {**os.environ, paths.LOOP.decode(): f"{loop.run.id}/{loop.run.next_number()}", leftovers.MARK: loop.run.id}
    command = shlex.join(loop.option("agent") or [])

    def told(line: str) -> None:
        loop.told(MEANWHILE + line)

    if command:
        return agent.run_command(command, prompt, loop.project.top, around, seconds, told=told, stopped=lambda: _asked(loop))
    cost = loop.run.limits.cost
    return launch.run(
        prompt,
        loop.project.top,
        around,
        seconds,
        cost=None if cost is None else max(0.01, cost - loop.run.cost()),
        allow=allowed(loop),
        told=told,
        stopped=lambda: _asked(loop),
    )


def allowed(loop: "Loop") -> "list[str]":
    """Return the permission rules of the agent: the checks that the person accepted, and what they allowed besides."""
    checks = [f"Bash({shlex.join(each.argv)}:*)" for each in loop.criteria() if each.argv]
    return [*checks, *(loop.option("allow") or [])]


def _asked(loop: "Loop") -> bool:
    return runs.is_asked_to_stop(loop.project, loop.run.id)


def _wait(loop: "Loop", answer: "Answer") -> None:
    """Wait until a rate limit is over, which costs no iteration; a limit that outlasts the run ends it."""
    at = now_ms()
    if loop.option("snapshot"):  # what it had done by then is the loop's, also where the loop ends here
        try:
            files.take(loop, "rate limit")
        except SnapshotError as error:
            passing.end(loop, "snapshot_failed", f"{error} ({error.hint})")
            return
    unknown = at + min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** len(loop.run.waits))
    until = answer.resets_at if answer.resets_at > at else unknown
    loop.note("waiting", until=until, why=answer.why, cost=answer.cost)
    decided = passing.decide(loop)
    if decided.go_on and not _pause(loop, until - at, "the rate limit ends in"):
        passing.end(loop, "user_stop", "asked to stop")


def _pause(loop: "Loop", span_ms: int, why: str = "") -> bool:
    """Wait; returns False as soon as somebody asks the loop to stop."""
    until, said = now_ms() + span_ms, 0
    while now_ms() < until:
        if _asked(loop):
            return False
        left = -(-(until - now_ms()) // 1000)
        if why and left != said:
            loop.told(f"{MEANWHILE}{why} {display.span(left * 1000)}")
            said = left
        time.sleep(min(TICK_S, max(0.0, (until - now_ms()) / 1000)))
    return not _asked(loop)
