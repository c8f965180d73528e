"""Roll a run back to a state of its files, shown first, and as much as is the loop's."""

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import files, pending, progress, record, rollback_lines, runs, stop_reasons
from ralph_mem.ralph.git import putting_back, way_back
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.snapshot import restoring, rollback_plan, store, taking
from ralph_mem.ralph.tasks import standing_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project

    Kept = list[tuple[bytes, str]]

START, BEST, UNDO, TASK = "start", "best", "undo", "task-"


def option_of(to: str) -> str:
    """Return the option of a rollback that means this, empty for the start."""
    if to.startswith(TASK):
        return f"--task {to.removeprefix(TASK)}"
    return {START: "", BEST: "--best", UNDO: "--undo"}.get(to, f"--to {to}")


def target_of(run: "record.Run", to: str) -> "tuple[int, str]":
    """Return the snapshot that is meant, and what it is in words. Raises LoopError where there is none.

    `to` is `start`, `best`, `undo` (what was there before the last rollback), the number of an iteration, or `task-3` for the
    moment at which that task was begun.
    """
    if run.room and to != UNDO:
        number, what = _of_room(run, to)
    elif to == START:
        number, what = run.start_snapshot, f"the start of {run.id}"
    elif to == BEST:
        best = progress.best(run)
        number, what = (
            (best.snapshot, f"iteration {best.number}, the best") if best else (run.start_snapshot, "the start, which is the best")
        )
    elif to == UNDO:
        number = run.rolled_back[-1]["safety"] if run.rolled_back else 0
        what = "what was there before the last rollback"
    elif to.startswith(TASK):
        number, what = _begun(run, to.removeprefix(TASK))[1], f"the beginning of task {to.removeprefix(TASK)}"
    else:
        found = [each for each in run.iterations if str(each.number) == to]
        number, what = (found[0].snapshot if found else 0), f"iteration {to}"
    if not number:
        raise LoopError(f"there is no snapshot of {what}", "`ralph-mem ralph status --history` lists the iterations of a run")
    return int(number), what


def _begun(run: "record.Run", number: str) -> "tuple[int, int]":
    """Return the number of the iteration before a task was begun, and the snapshot of that moment."""
    keys = [told["key"] for told in run.plan if str(told["number"]) == number]
    begun = standing_of(run).begun
    if not keys or keys[0] not in begun:
        what = f"task {number} was not begun" if keys else f"there is no task {number} in the plan of {run.id}"
        raise LoopError(what, "`ralph-mem ralph status` shows the plan of a run")
    return int(begun[keys[0]][0]), int(begun[keys[0]][1])


def _of_room(run: "record.Run", to: str) -> "tuple[int, str]":
    """Return what was there before the result of a run in a room was applied: nothing else of it is in the person's files."""
    if to != START:
        which = f"--to {_begun(run, to.removeprefix(TASK))[0]}`" if to.startswith(TASK) else "--best`, or with `--to N`,"
        hint = f"`ralph-mem ralph apply {run.id} {which} brings one into your files"
        raise LoopError(f"the iterations of {run.id} are in its room", hint)
    if not run.applied:
        return 0, f"the start of {run.id}"
    which = f"the last of {len(run.applied)} results of {run.id}" if run.applied[1:] else run.id
    return run.applied[-1]["safety"], f"what was there before {which} was applied"


def has_nothing_here(run: "record.Run", to: str) -> bool:
    """Say whether a rollback would have nothing to do, since nothing of the run came out of its room."""
    return bool(run.room and to == START and not run.applied)


def rolled_from(snapshots: "store.Snapshots", settings: "dict[str, Any]", run: "record.Run", to: str, force: bool) -> "int | None":
    """Return the snapshot after which every change is the person's own, None for the newest of the run.

    Of an iteration that was cut off there is none. With `force` it is one of now, so that its changes go back with the rest.
    Of a run in a room it is what applying the result led to that is taken out; of an undo what the rollback found.
    """
    if run.room:
        return int(run.rolled_back[-1]["safety"] if to == UNDO else run.applied[-1]["target"])
    if force and run.cut_off():
        return int(taking.take(snapshots, restoring.PREVIEW, run=run.id, scope=files.scope_of(settings)).id)
    return max(int(run.rolled_back[-1]["safety"]), restoring.last_of(snapshots, run.id)) if to == UNDO else None


def _checked_ns(run: "record.Run") -> int:
    """Return until when checks may have left something behind in the person's files, 0 for never: those of a room ran there."""
    return 0 if run.room else files.checked_ns(run)


def preview_rollback(
    project: "Project", settings: "dict[str, Any]", run: "record.Run", to: str, force: bool = False, everything: bool = False
) -> "tuple[str, rollback_plan.Plan]":
    """Return what a rollback would lead to, and what it would do, to git too. Raises LoopError and SnapshotError."""
    pending.settle(project, settings, run)
    if has_nothing_here(run, to):
        return f"the start of {run.id}, of which nothing was applied", rollback_plan.Plan([], [])
    of_git = _told(_git_plan(project, run, to, force)) if not run.start_snapshot else []
    if of_git:  # no files are kept, git is
        return f"the start of {run.id}", rollback_plan.Plan([], [], of_git)
    target, what = _ready(project, run, to)
    files.settle_cut_off(project, settings, run)
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find_of(run.id, target)
        last = rolled_from(snapshots, settings, run, to, force)
        plan = restoring.preview(
            snapshots,
            target,
            last,
            run=run.id,
            scope=files.scope_of(settings),
            force=force,
            until_ns=_checked_ns(run),
            everything=everything,
        )
        plan = plan._replace(kept=_by_whom(project, snapshots, run, plan.kept))
    return what, plan._replace(git=_told(_git_plan(project, run, to, force)))


def _by_whom(project: "Project", snapshots: "store.Snapshots", run: "record.Run", kept: "Kept") -> "Kept":
    """Return what is kept, with the run instead of the person where a later result of another one is what is there now."""
    taken = [each.id for each in snapshots.taken()]
    last = run.applied[-1]["target"] if run.applied else restoring.last_of(snapshots, run.id)
    whose: dict[bytes, str] = {}
    for other in [each for each in runs.all(project) if each.id != run.id]:
        for result in [each for each in other.applied if each["target"] > last and {each["target"], each["safety"]} <= {*taken}]:
            since = {change.path for change in snapshots.differences(result["target"], taken[-1])}
            found = {change.path for change in snapshots.differences(result["safety"], result["target"])}
            whose.update(dict.fromkeys(found - since, f"by {other.id}"))
    return [(path, why.replace("by you", whose.get(path, "by you"))) for path, why in kept]


def has_work(plan: "rollback_plan.Plan") -> bool:
    """Say whether a rollback would change anything."""
    return bool(plan.actions) or any([verb != "keep" for verb, _ in plan.git])


def _git_plan(project: "Project", run: "record.Run", to: str, force: bool) -> "way_back.Plan":
    if to == UNDO:
        return way_back.undoing(project, run.id)
    best = progress.best(run) if to == BEST else None
    number = int(to) if to.isdecimal() else best.number if best else 0
    plan = way_back.plan_of(project, run.id, number, force)
    return way_back.losses(plan) if run.mode == record.GUARD and not force else plan


def _told(plan: "way_back.Plan") -> "list[tuple[str, str]]":
    return [*[("git", action.says) for action in plan.actions], *[("keep", line) for line in plan.kept]]


def _roll_git_back(
    project: "Project", settings: "dict[str, Any]", run: "record.Run", to: str, force: bool
) -> "list[tuple[str, str]]":
    plan = _git_plan(project, run, to, force)
    most_bytes = settings["ralph.git_backup_mb"] * files.MEGABYTE
    done, failed = putting_back.carry_out(project, run.id, plan.actions, most_bytes)
    if any([action.kind == states.REPOSITORY for action in plan.actions]):  # what was still there of it may be otherwise
        plan = _git_plan(project, run, to, force)
        more = putting_back.carry_out(project, run.id, plan.actions, most_bytes)
        done, failed = done + more[0], more[1]
    return [*[("git", line) for line in done], *[("keep", line) for line in [*failed, *plan.kept]]]


def roll_back(  # noqa: PLR0913, PLR0917 - a rollback has as many options as its command
    project: "Project", settings: "dict[str, Any]", run: "record.Run", to: str, force: bool = False,
    on_step: "Callable[[str], None] | None" = None, git: bool = False, everything: bool = False,
) -> "tuple[str, restoring.Report]":  # fmt: skip
    """Put the files back, after a snapshot of what is there now; returns what it led to, and the report.

    What the person changed after the loop is kept and named. With `git` what the loop took from git or moved in it comes back
    too, after a copy, before the files. Raises LoopError and SnapshotError.
    """
    pending.settle(project, settings, run)
    if has_nothing_here(run, to):
        return f"the start of {run.id}, of which nothing was applied", restoring.Report(0, [], [], [], [], 0)
    if git and not run.start_snapshot and _told(_git_plan(project, run, to, force)):
        with Lock(project):
            of_git = _roll_git_back(project, settings, run, to, force)
        return f"the start of {run.id}", restoring.Report(0, [], [], [], [], 0, of_git)
    target, what = _ready(project, run, to)
    files.settle_cut_off(project, settings, run)
    with Lock(project), store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find_of(run.id, target)
        last = rolled_from(snapshots, settings, run, to, force)
        of_git = _roll_git_back(project, settings, run, to, force) if git else []
        begun = {"to": to, "words": what, "target": target, "git": len([line for verb, line in of_git if verb == "git"])}
        begun.update({"iteration": _begun(run, to.removeprefix(TASK))[0]} if to.startswith(TASK) else {})
        report = restoring.roll_back(
            snapshots,
            target,
            last,
            run=run.id,
            scope=files.scope_of(settings),
            force=force,
            on_step=on_step,
            until_ns=_checked_ns(run),
            everything=everything,
            begins=lambda safety: pending.note(project, run, "rolling_back", **{**begun, "safety": safety}),
        )
        report = report._replace(git=of_git)
        kept = _by_whom(project, snapshots, run, report.kept)
        pending.rolled_back(project, settings, run, {**begun, "safety": report.safety}, report)
    return what, report._replace(kept=kept)


def roll_back_if_wanted(project: "Project", settings: "dict[str, Any]", run: "record.Run") -> "list[str]":
    """Put the files back after a run that failed, where the settings want that; returns lines that tell of it."""
    if run.room or not settings["ralph.auto_rollback"] or run.status != stop_reasons.FAILED or not run.start_snapshot:
        return []
    what, report = roll_back(project, settings, run, START)
    return ["ralph.auto_rollback is on:", *rollback_lines.rolled_back(what, report, run)]


def _ready(project: "Project", run: "record.Run", to: str) -> "tuple[int, str]":
    busy = runs.busy(project)
    if busy:
        raise LoopError(f"{busy.run} is at work on these files", "`ralph-mem ralph stop` first")
    return target_of(run, to)
