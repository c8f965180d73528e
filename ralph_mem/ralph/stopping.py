"""Ask a loop at work to stop, wherever it runs, and end one whose process is gone."""

import copy
import os
import time

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import criteria, decision, files, leftovers, passing, pending, prospects, runs, stop_reasons
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.record import GUARD, HEADLESS, IN_SESSION, INTERRUPTED, RUNNING, Run
from ralph_mem.ralph.room import making
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.snapshot import restoring, store
from ralph_mem.ralph.tasks import amending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Told

# The agent is ended within half a second; what it has done is then snapshotted, which takes seconds in a large tree.
PATIENCE_S = 30.0
TICK_S = 0.05


def stop(project: "Project", values: "dict[str, Any]", why: str = "stopped by hand") -> "Run":
    """Stop the loop of a tree; returns its run as it ended. Raises LoopError where there is none, or it does not stop.

    An interrupted run is ended too. A loop in a session is ended at once: its agent may finish its turn.
    """
    live = runs.live(project)
    if live and live.mode == HEADLESS and runs.is_alive(project, live):
        runs.ask(project, live.run, runs.STOP)
        return _stopped(project, live.run)
    run = runs.find(project, live.run) if live else runs.latest(project)
    if run is None or (not live and run.status != INTERRUPTED):
        raise LoopError("no loop is at work here", "`ralph-mem ralph runs` lists the earlier ones")
    return _ended(project, values, run, why)


def _stopped(project: "Project", run_id: str) -> "Run":
    until = time.monotonic() + PATIENCE_S
    while runs.busy(project):
        if time.monotonic() > until:
            raise LoopError(f"{run_id} does not stop", "`ralph-mem ralph status` names its process")
        time.sleep(TICK_S)
    return runs.find(project, run_id)


def _ended(project: "Project", values: "dict[str, Any]", run: "Run", why: str) -> "Run":
    leftovers.end(run.id)
    if run.mode == HEADLESS:  # the agent of a session may finish its turn
        files.settle_cut_off(project, values, run)
    loop = Loop(project, values, run.id)
    if run.status == INTERRUPTED and loop.run.since:  # its clock stopped when it was last heard of
        loop.note("paused", at=run.last_seen)
    if loop.is_running() and run.mode != GUARD:
        passing.end(loop, "user_stop", why)
    runs.clear_live(project, run.id)
    return runs.find(project, run.id)


# Those that are for the whole run: to go on does not begin them anew.
LIMITS = ("max_iterations", "max_duration", "max_cost")


def resume(
    project: "Project", values: "dict[str, Any]", run: "Run", mode: str, last_beat: int, owner: str = "",
    told: "Told | None" = None, **bounds: "Any",
) -> Loop:  # fmt: skip
    """Let a run go on with what was left of its limits, or with new ones; returns it at work. Raises LoopError.

    `bounds` are fields of Limits, as `allow` permission rules beside those that it has, which a person has accepted
    (`prospects.again`), and as `amended` a plan that they have changed (`amending.of`). What a killed loop left running is ended
    first, and a rollback that a crash cut off is finished. The caller has asked for `check` and `last_beat`, both before it took
    the lock, and holds that now.
    """
    leftovers.end(run.id)
    finish_rollback(project)
    settled = pending.settle(project, values)
    if IN_SESSION in (mode, run.mode):  # what the next session records tells nothing of this one
        files.settle_cut_off(project, values, run)
    loop = Loop(project, values, run.id, told)
    for line in settled:
        loop.told(line)
    if loop.option("snapshot") and not files.last_snapshot(loop.run):  # it was killed before there was one
        files.begin(loop)
    if mode == HEADLESS and not making.is_there(loop):
        making.enter(loop)
    if loop.option("snapshot") and not loop.run.room:
        files.note_between(loop)
    amended = bounds.get("amended") or {}
    more = {"allow": prospects.allowed(run, bounds.get("allow", ())), "denials": decision.DENIALS, **amended.get("options", {})}
    if amended and loop.run.room:
        amended = {**amended, "plan_snapshot": _brought(loop, amended["options"]["plan"])}
    loop.note(
        "resumed", folder=project.top, last_beat=last_beat, limits=_with(run, bounds)._asdict(), mode=mode, owner=owner,
        nonce=os.urandom(4).hex(), options=more,
        **{name: amended[name] for name in ("plan", "proven", "plan_snapshot") if name in amended},
    )  # fmt: skip
    return loop


def _brought(loop: Loop, plan: str) -> int:
    """Bring the plan that a person changed into the room; returns the snapshot from which it is changed there."""
    if loop.run.begun >= loop.run.next_number():  # what the agent had done when it was cut off is not the person's
        files.take(loop, f"iteration {loop.run.begun}{files.CUT_OFF}")
    amending.bring(loop.project.top, loop.place.top, plan)
    return int(files.take(loop, files.RESUMED).id)


def last_beat(project: "Project", run: "Run") -> int:
    """Return when a run was last heard of, in ms, 0 where nobody has noted it."""
    live = runs.live(project)
    return int(live.beat) if live and live.run == run.id else 0


def check(project: "Project", run: "Run", bounds: "dict[str, Any]", mode: str = HEADLESS) -> None:
    """Raise LoopError for a run that cannot go on: a limit that it has reached has to be raised by `bounds`."""
    busy = runs.busy(project)
    if busy:
        raise runs.in_the_way(busy)
    if mode != HEADLESS and run.options.get("here") is False:
        raise LoopError(
            f"{run.id} works in a room of its own, not in a session", "`ralph-mem ralph resume` in a terminal, or --headless"
        )
    if run.mode == GUARD or run.status == RUNNING:
        raise LoopError(f"{run.id} is no run to resume", "`ralph-mem ralph runs` lists them")
    if run.reason == "broken_criteria":
        raise LoopError(f"{run.id} has never begun: {run.why}", _next(project, run.reason, run))
    if run.status == stop_reasons.SUCCESS:
        raise LoopError(f"{run.id} has reached its goal", '`ralph-mem ralph start "GOAL"` begins another')
    files.look_for_last(project, run)
    raised = copy.copy(run)
    raised.limits = _with(run, bounds)
    for reason, why_of in decision.ORDER:
        why = why_of(raised, now_ms()) if reason in LIMITS else ""
        if why:
            raise LoopError(f"{run.id} cannot go on: {why}", _next(project, reason, raised))


def _next(project: "Project", reason: str, run: "Run") -> str:
    return runs.with_id(project, run, [stop_reasons.next_step(reason, run)])[0]


def _with(run: "Run", bounds: "dict[str, Any]") -> "stop_reasons.Limits":
    return run.limits._replace(
        **{name: value for name, value in bounds.items() if name in run.limits._fields and value is not None}
    )


def finish_rollback(project: "Project") -> None:
    """Finish what a crash left of a rollback. Raises SnapshotError."""
    if store.is_there(project):
        with store.open_store(project) as snapshots:
            restoring.recover(snapshots)


# What ends a run between two decisions, or before the first.
WITHOUT_DECISION = {"snapshot_failed", "owner_lost", "user_stop", "agent_error", "rate_limited", "broken_criteria"}


def replay(entries: "list[dict[str, Any]]") -> "list[str]":
    """Return in lines where the record and today's `decide` differ, nothing for a record that they agree on."""
    run, told, differences = Run(), {}, []
    for entry in entries:
        what = entry.get("what")
        if what == "decision":
            told = entry
            differences += _decided_anew(run, entry)
        elif what == "resumed":
            told = {}
        elif what == "begun" and told and not told.get("go_on"):
            differences.append(f"iteration {entry.get('number')} was begun although the loop had decided to stop")
        elif what == "end":
            was_green = not run.iterations and criteria.passed(run.baseline) and entry.get("reason") == "success"
            differences += [] if was_green else _end_differs(entry, told)
        run.add(entry)
    return differences + [f"line {number} of the record is damaged" for number in run.damaged]


def _decided_anew(run: Run, entry: "dict[str, Any]") -> "list[str]":
    again = decision.decide(run, int(entry.get("now") or 0))
    if again.go_on == entry.get("go_on") and again.reason == entry.get("reason", ""):
        return []
    then, now = _name(bool(entry.get("go_on")), str(entry.get("reason"))), _name(again.go_on, again.reason)
    return [f"after iteration {entry.get('number')}: recorded {then}, decided now {now}{f' ({again.why})' if again.why else ''}"]


def _name(go_on: bool, reason: str) -> str:
    return "go on" if go_on else f"stop for {reason}"


def _end_differs(entry: "dict[str, Any]", told: "dict[str, Any]") -> "list[str]":
    reason = entry.get("reason")
    if reason in WITHOUT_DECISION or (told and not told.get("go_on") and told.get("reason") == reason):
        return []
    last = _name(bool(told.get("go_on")), str(told.get("reason"))) if told else "none"
    return [f"the run ended for {reason}, but its last decision was: {last}"]
