"""Bring what a loop did in its room into the person's files, as one step that can be taken back."""

import functools
import os
from collections import namedtuple

from ralph_mem.core import news
from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.ralph import files, pending, progress, record, rollback_lines, rolling_back, runs, stop_reasons
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.room import making, merging
from ralph_mem.ralph.snapshot import LINK, others, restoring, rollback_plan, store, taking
from ralph_mem.ralph.tasks import boxes
from ralph_mem.ralph.watching import commits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.snapshot import Change
    from ralph_mem.ralph.snapshot.restoring import Report
    from ralph_mem.ralph.snapshot.rollback_plan import Plan
    from ralph_mem.ralph.snapshot.store import Snapshots

    OnStep = Callable[[str], None] | None

Result = namedtuple("Result", "number what")
Result.__doc__ = """A state of a room that can be brought: the number of its snapshot, and what it is in words."""

MOVED = "once the folder is there again, or a session of your agent was begun where it lies now, "
OF_OTHERS = ("checks ", files.RESUMED)  # begin the label of a snapshot of what the checks left behind, or the person brought


def result_of(run: "record.Run", to: str = "") -> Result:
    """Return what is to be brought: the end of a run, `best`, or an iteration by its number. Raises LoopError."""
    if not run.room:
        raise LoopError(f"{run.id} worked in your own files", "`ralph-mem ralph rollback` shows the way back")
    if to == rolling_back.BEST:
        best = progress.best(run)
        found, what = [best] if best else [], "the best iteration (the start is the best)"
    elif to:
        found, what = [each for each in run.iterations if str(each.number) == to], f"iteration {to}"
    else:
        found, what = run.iterations[-1:], "an iteration"
    if not found or not found[0].snapshot:
        raise LoopError(
            f"there is no snapshot of {what} of {run.id}", "`ralph-mem ralph status --history` lists the iterations of a run"
        )
    return Result(int(found[0].snapshot), f"iteration {found[0].number} of {run.id}")


def preview(project: "Project", values: "dict[str, Any]", run: "record.Run", to: str) -> "tuple[str, Plan, merging.Merged]":
    """Return what would be brought, and what that would do to the person's files. Raises LoopError and SnapshotError."""
    _see_nobody(project)
    pending.settle(project, values, run)
    result = result_of(run, to)
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find_of(run.id, result.number)
        now = taking.take(snapshots, restoring.PREVIEW, run.id, files.scope_of(values)).id
        merged = _merged(snapshots, run, result, now)
        return result.what, _plan(snapshots, merged, now), merged


def apply(
    project: "Project", values: "dict[str, Any]", run: "record.Run", to: str, on_step: "OnStep" = None
) -> "tuple[str, Report, merging.Merged]":
    """Bring a result into the person's files, after a snapshot of what is there now. Raises LoopError and SnapshotError.

    What the person changed too stays and is named, or both changes are taken where they are in different lines.
    """
    _see_nobody(project)
    pending.settle(project, values, run)
    result = result_of(run, to)
    with Lock(project):
        return _applied(project, values, run, result, on_step)


def _see_nobody(project: "Project") -> None:
    busy = runs.busy(project)
    if busy:
        raise LoopError(f"{busy.run} is at work", "`ralph-mem ralph stop` first")


def _applied(
    project: "Project", values: "dict[str, Any]", run: "record.Run", result: Result, on_step: "OnStep", by_itself: bool = False
) -> "tuple[str, Report, merging.Merged]":
    """Do it; the caller holds the lock. What no person has looked at throws away nothing that they have not committed."""
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find_of(run.id, result.number)
        safety = taking.take(snapshots, restoring.safety_label(snapshots), run.id, files.scope_of(values)).id
        merged = _merged(snapshots, run, result, safety)
        if by_itself:
            others.hold_back(snapshots, run.id, merged)
        plan = _plan(snapshots, merged, safety)
        target = taking.write_down(snapshots, restoring.APPLIED, run.id, merged.wanted, merged.content)
        begun = {"snapshot": result.number, "target": target, "safety": safety, "words": result.what}
        pending.note(project, run, "applying", **begun)
        report = restoring.execute(snapshots, plan, target, safety, on_step)
        merged = merged._replace(mixed=[path for path in merged.mixed if path in report.restored])
        pending.applied(project, values, run, begun, report, len(merged.mixed))
        brought = commits.bring(project, run)
        if brought:
            pending.note(project, run, "brought", **brought)
        if not making.is_needed(run):
            making.let_go(project, run.id, snapshots)
    return result.what, report, merged


def _merged(snapshots: "Snapshots", run: "record.Run", result: Result, now: int) -> "merging.Merged":
    """Return what brings a result; of one that was applied before it is what came since, and what was in conflict then.

    Of a plan that the person changed before they let the run go on it is what came since that.
    """
    from ralph_mem.ralph.room import ignored  # lazy: a hook that only shows or stops a loop brings no result

    paths, room = of_agents(snapshots, run.id), merging.Room(run.room, _led(snapshots, run))
    there = [each for each in run.applied if not each.get("remains")]
    last, again = (there[-1]["snapshot"], _open_conflicts(snapshots, run, there[-1])) if there else (run.base, set())
    since = {path: run.base if path in again else last for path in paths}
    plan = os.fsencode(boxes.name_of(run))
    if plan in since and run.plan_snapshot <= result.number:
        since[plan] = max(since[plan], run.plan_snapshot)
    of_each = {base: {path for path in paths if since[path] == base} for base in {last, *since.values()}}
    parts = [merging.merge(snapshots, base, result.number, now, only, room) for base, only in of_each.items()]
    merged = functools.reduce(merging.together, parts)
    merged.conflicts.update(dict.fromkeys(ignored.written(snapshots, run), ignored.WHY))
    return merged


def _led(snapshots: "Snapshots", run: "record.Run") -> "dict[bytes, Change]":
    """Return the links that the room of a run had otherwise than the person, as changes from theirs to its own."""
    changes = snapshots.differences(run.start_snapshot, run.base)
    return {each.path: each for each in changes if each.before and each.after and each.before.kind == each.after.kind == LINK}


def _open_conflicts(snapshots: "Snapshots", run: "record.Run", last: "dict[str, Any]") -> "set[bytes]":
    """Return the paths that the last result had changed and that stayed as the person had them, or could not be written."""
    written = {change.path for change in snapshots.differences(last["safety"], last["target"])}
    differ = {change.path for change in snapshots.differences(last["target"], last["snapshot"])}
    changed = {change.path for change in snapshots.differences(run.base, last["snapshot"])}
    return changed & differ - written | {path for path in changed if path.decode("utf-8", "replace") in last["conflicts"]}


def of_agents(snapshots: "Snapshots", run_id: str) -> "set[bytes]":
    """Return the paths that the agent, or the loop itself, changed in a room: what only the checks write stays there."""
    taken = [each for each in snapshots.taken(run_id) if restoring.is_of_the_loop(each.label)]
    pairs = [(one.id, other.id) for one, other in zip(taken, taken[1:]) if not other.label.startswith(OF_OTHERS)]
    found: set[bytes] = set()
    for one, other in pairs:
        left = others.between(snapshots, run_id, one, other)
        found |= {change.path for change in snapshots.differences(one, other)} - left
    return found


def _plan(snapshots: "Snapshots", merged: "merging.Merged", now: int) -> "Plan":
    plan, mixed = rollback_plan.decide(merging.changes_of(snapshots, merged, now), {}), {*merged.mixed}
    actions = [each._replace(why=rollback_plan.MERGED) if each.path in mixed else each for each in plan.actions]
    return plan._replace(actions=actions, kept=sorted([*plan.kept, *merged.conflicts.items()]))


def at_end(loop: "Loop") -> None:
    """Bring the result of a loop that has succeeded, where that is wanted; the loop holds the lock. Trouble is told, not raised."""
    run = loop.run
    if not run.room or run.status != stop_reasons.SUCCESS or loop.option("apply") == "never" or not run.iterations:
        return
    try:
        what, report, merged = _applied(loop.project, loop.settings, run, result_of(run), None, by_itself=True)
    except (RalphMemError, OSError) as error:
        where = "" if os.path.isdir(run.folder) else MOVED
        told = [f"its result is not in your files: {error}", f"{where}`ralph-mem ralph apply` brings it"]
    else:
        told = rollback_lines.applied(what, report, len(merged.mixed), run)
    loop.told("\n".join(told))  # as one: a line that is indented would be over with the next
    if run.applied and run.applied[-1]["conflicts"]:
        news.tell(loop.project.root, f"{len(run.applied[-1]['conflicts'])} of its files are in conflict with yours and not applied")
