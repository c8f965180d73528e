"""Run a loop with a fresh agent for each iteration, Claude Code or a command of the user."""

import shlex
import time

from ralph_mem.core import news, paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.format import duration
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import files, lock, options, passing, prospects, record, runs, starting, stopping, telling
from ralph_mem.ralph.agents import command as any_agent
from ralph_mem.ralph.agents import held_home, presets
from ralph_mem.ralph.attribution import explaining
from ralph_mem.ralph.git import guarding
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.loop import MEANWHILE, Loop
from ralph_mem.ralph.record import HEADLESS, Run
from ralph_mem.ralph.room import applying, parallel, walls
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.snapshot import store
from ralph_mem.ralph.tasks import from_json, task_at_hand
from ralph_mem.ralph.watchdog import Watchdog
from ralph_mem.ralph.watching import steering, transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Told

TICK_S = 0.1  # how soon a stop is noticed in a pause
# A client that does not tell when its limit ends is asked again after so long, doubled each time up to an hour.
FIRST_WAIT_MS, LONGEST_WAIT_MS = 60_000, 3_600_000
LEAST_SECONDS = 1.0


def start(
    project: "Project", values: "dict[str, Any]", wished: "options.Wish", prospect: "prospects.Prospect",
    is_wanted: "Callable[[Loop], bool]", told: "Told | None" = None,
) -> "Run | None":  # fmt: skip
    """Start a run and work to its end; None where all passes and `is_wanted` says no. Raises LoopError, SnapshotError."""
    run_id, wished = runs.new_id(), parallel.share(wished)
    followed = transcript.Following(project, values, run_id, told)
    with (
        Lock(project),
        Watchdog(),
        lock.Heartbeat(project, run_id) as heart,
        followed,
        explaining.watching(project, run_id, wished._asdict(), followed) as writes,
    ):
        begun = starting.start(project, values, wished, prospect, HEADLESS, run_id=run_id, told=followed)
        if begun.green and not is_wanted(begun.loop):
            starting.discard(begun.loop)
            return None
        begun.loop.writes = writes
        return _with_others(begun.loop, heart, wished)


def _with_others(loop: "Loop", heart: "lock.Heartbeat", wished: "options.Wish") -> "Run":
    """Work, beside other attempts where that is wished; returns the run that has reached the goal, else this one."""
    if wished.parallel < 2 or not loop.is_running():
        return _work(loop, heart)
    loop.is_beside = True
    others = parallel.Attempts(loop.project, loop.run.id)
    order = {**wished._asdict(), "goal": loop.run.goal, "limits": wished.limits._asdict(), "parallel": 1}
    loop.told(f"beside it: {', '.join(others.begin(order, wished.parallel - 1))}")
    run = others.winner(_work(loop, heart))
    if run.id != loop.run.id:
        loop.told(f"{run.id} has reached the goal")
        loop = Loop(loop.project, loop.settings, run.id, loop.told)
        applying.at_end(loop)
    others.let_go(run.id)
    loop.told(others.spent())
    telling.of_end(loop)
    return loop.run


def attempt(
    project: "Project", values: "dict[str, Any]", wished: "options.Wish", prospect: "prospects.Prospect", run_id: str
) -> None:
    """Work beside another run, which applies what the first one of them has reached. Raises LoopError, SnapshotError."""
    store.WAIT_S = parallel.PATIENCE_S
    with Watchdog():
        loop = starting.start(project, values, wished, prospect, HEADLESS, run_id=run_id).loop
        heart = lock.Heartbeat(project, run_id)  # the other one's says that this is alive too
        while loop.is_running():
            _pass(loop, heart)
    parallel.tell_lead(project, loop.run)


def resume(project: "Project", values: "dict[str, Any]", run: "Run", told: "Told | None" = None, **bounds: "Any") -> "Run":
    """Let a run go on and work until it ends; returns it. `bounds` are as for `stopping.resume`. Raises LoopError."""
    stopping.check(project, run, bounds)
    last_beat = stopping.last_beat(project, run)
    followed = transcript.Following(project, values, run.id, told)
    with (
        Lock(project),
        Watchdog(),
        lock.Heartbeat(project, run.id) as heart,
        followed,
        explaining.watching(project, run.id, run.options, followed) as writes,
    ):
        loop = stopping.resume(project, values, run, HEADLESS, last_beat, told=followed, **bounds)
        loop.writes = writes
        return _work(loop, heart)


def _work(loop: "Loop", heart: "lock.Heartbeat") -> "Run":
    """Work until the run ends. Ctrl-C and a request to stop end the agent at once; what it has done is kept and told."""
    try:
        while loop.is_running():
            if steering.pause_where_asked(loop, heart.tells):
                _pass(loop, heart)
            else:
                passing.end(loop, "user_stop", "asked to stop")
    except KeyboardInterrupt:
        if loop.is_running():
            guarding.cut_off(loop, just_now=True)
            passing.end(loop, "user_stop", "interrupted by Ctrl-C")
    applying.at_end(loop)
    return loop.run


def _pass(loop: "Loop", heart: "lock.Heartbeat") -> None:
    """Run one iteration, or wait for the end of a rate limit."""
    prompt = passing.begin(loop)
    heart.tells(telling.state_in_words(loop.run))
    loop.told(f"{MEANWHILE}the agent is at work")  # or the last check would be told until it says something
    heard, held = transcript.Heard(), held_home.HeldHome(loop.path)
    with walls.around(loop, is_agent=True):
        answer = ask(loop, prompt, heard)
    if held.put_back() and _home_was_lost(loop):
        return
    transcript.keep(loop, heard, answer)
    if answer.kind == launch.RATE_LIMITED:
        _wait(loop, answer)
        return
    never_at_work = answer.kind == launch.MISSING or (answer.kind == launch.LOCKED_OUT and not answer.tokens)
    if never_at_work and presets.next_after(loop.run) is None:
        passing.end(loop, "agent_error", answer.why)
        return
    decided = passing.conclude(loop, answer)
    if decided.go_on and not _pause(loop, loop.run.limits.cooldown_ms):
        passing.end(loop, "user_stop", "asked to stop")


LOST = "the data folder of ralph-mem was deleted while the agent worked; its key and what you trusted are back"


def _home_was_lost(loop: "Loop") -> bool:
    """Say that the agent took the data home away, to whoever listens and to the next session; end a run without its snapshots."""
    loop.told(f"look: {LOST}")
    gone = bool(loop.option("snapshot")) and not store.is_there(loop.place)
    if gone:
        loop.note("snapshots_gone")
        passing.end(loop, "snapshot_failed", f"{LOST}, snapshots{', its room' if loop.run.room else ''} and backups are not")
    else:
        news.tell(loop.project.root, LOST)
    return gone


def ask(loop: "Loop", prompt: str, heard: "transcript.Heard") -> "launch.Answer":
    """Give the agent its prompt and what is left of time and money; `heard` gets what it tells."""
    limits = loop.run.limits
    seconds, silence = max(LEAST_SECONDS, min(limits.iteration_ms / 1000, loop.seconds_left())), limits.silence_ms / 1000
    around = {**loop.environment(), paths.LOOP.decode(): f"{loop.run.id}/{loop.run.next_number()}"}
    agent = presets.at_turn(loop.run)

    def told(line: str) -> None:
        heard(line)
        loop.told(MEANWHILE + line)

    if not presets.is_claude(agent):
        return any_agent.run(shlex.join(agent), prompt, loop.place.top, around, seconds, told, loop.is_asked_to_stop, silence)
    cost = limits.cost
    return launch.run(
        prompt,
        loop.place.top,
        around,
        seconds,
        cost=None if cost is None else max(0.01, cost - loop.run.cost()),
        allow=allowed(loop),
        more=presets.options(agent),
        told=told,
        stopped=loop.is_asked_to_stop,
        silence=silence,
    )


def allowed(loop: "Loop") -> "list[str]":
    """Return the permission rules of the agent: the checks that the person accepted, and what they allowed besides."""
    task = task_at_hand(loop.run)
    of_task = [check.criterion for check in from_json(task).checks] if task else []
    checks = [f"Bash({shlex.join(each.argv)}:*)" for each in [*loop.criteria(), *of_task] if each.argv]
    return [*checks, *(loop.option("allow") or [])]


def _wait(loop: "Loop", answer: "launch.Answer") -> None:
    """Wait until a rate limit is over, which costs no iteration; a limit that outlasts the run ends it."""
    at = now_ms()
    guarding.cut_off(loop, just_now=True)
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
    if decided.reason == record.NEXT_AGENT:
        return
    if decided.go_on and not _pause(loop, until - at, "the rate limit ends in"):
        passing.end(loop, "user_stop", "asked to stop")


def _pause(loop: "Loop", span_ms: int, why: str = "") -> bool:
    """Wait; returns False as soon as somebody asks the loop to stop."""
    until, said = now_ms() + span_ms, 0
    while now_ms() < until:
        if loop.is_asked_to_stop():
            return False
        left = -(-(until - now_ms()) // 1000)
        if why and left != said:
            loop.told(f"{MEANWHILE}{why} {duration(left * 1000)}")
            said = left
        time.sleep(min(TICK_S, max(0.0, (until - now_ms()) / 1000)))
    return not loop.is_asked_to_stop()
