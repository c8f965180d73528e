"""Rolling back a run: its files as they were at its start, at its best iteration, or at any other; and back again."""

from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import display, experience, progress, record, runs, stop_reasons
from ralph_mem.ralph.files import scope_of
from ralph_mem.ralph.loop import now_ms
from ralph_mem.ralph.snapshot import restoring, store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.run import Run
    from ralph_mem.ralph.snapshot.planning import Plan
    from ralph_mem.ralph.snapshot.restoring import Report
    from ralph_mem.ralph.snapshot.store import Snapshots

START, BEST, UNDO = "start", "best", "undo"


def target_of(run: "Run", to: str) -> "tuple[int, str]":
    """Return the snapshot that is meant, and what it is in words. Raises LoopError where there is none.

    `to` is `start`, `best`, `undo` (what was there before the last rollback), or the number of an iteration.
    """
    if to == START:
        number, what = run.start_snapshot, f"the start of {run.id}"
    elif to == BEST:
        best = progress.best(run)
        number, what = (
            (best.snapshot, f"iteration {best.number}, the best") if best else (run.start_snapshot, "the start, which is the best")
        )
    elif to == UNDO:
        number = run.rolled_back[-1]["safety"] if run.rolled_back else 0
        what = "what was there before the last rollback"
    else:
        found = [each for each in run.iterations if str(each.number) == to]
        number, what = (found[0].snapshot if found else 0), f"iteration {to}"
    if not number:
        raise LoopError(f"there is no snapshot of {what}", "`ralph-mem ralph status --history` lists the iterations of a run")
    return int(number), what


def last_of(snapshots: "Snapshots", settings: "dict[str, Any]", run: "Run", force: bool) -> "int | None":
    """Return the snapshot after which every change is the person's own, None for the newest of the run.

    Of an iteration that was cut off there is none. With `force` it is one of now, so that its changes go back with the rest.
    """
    if not force or not was_killed(run):
        return None
    return int(taking.take(snapshots, restoring.PREVIEW, run=run.id, scope=scope_of(settings)).id)


def preview(project: "Project", settings: "dict[str, Any]", run: "Run", to: str, force: bool = False) -> "tuple[str, Plan]":
    """Return what a rollback would lead to, and what it would do. Raises LoopError and SnapshotError."""
    target, what = _ready(project, run, to)
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find(target)  # before another one can get its number, in a store that was deleted
        last = last_of(snapshots, settings, run, force)
        return what, restoring.preview(snapshots, target, last, run=run.id, scope=scope_of(settings), force=force)


def roll_back(
    project: "Project",
    settings: "dict[str, Any]",
    run: "Run",
    to: str,
    force: bool = False,
    on_step: "Callable[[str], None] | None" = None,
) -> "tuple[str, Report]":
    """Put the files back, after a snapshot of what is there now; returns what it led to, and the report.

    What the person changed after the loop is kept and named. Raises LoopError and SnapshotError.
    """
    target, what = _ready(project, run, to)
    with runs.Lock(project), store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find(target)  # before another one can get its number, in a store that was deleted
        last = last_of(snapshots, settings, run, force)
        report = restoring.roll_back(snapshots, target, last, run=run.id, scope=scope_of(settings), force=force, on_step=on_step)
    kept = privacy.protect([path.decode("utf-8", "replace") for path, _ in report.kept], project, settings)[0]
    record.append(runs.path_of(project, run.id), {
        "what": "rolled_back", "at": now_ms(), "to": to, "target": target, "safety": report.safety,
        "restored": len(report.restored), "deleted": len(report.deleted), "kept": len(report.kept), "kept_paths": kept,
    })  # fmt: skip
    experience.keep_rollback(project, settings, runs.find(project, run.id))
    return what, report


def if_wanted(project: "Project", settings: "dict[str, Any]", run: "Run") -> "list[str]":
    """Put the files back after a run that failed, where the settings want that; returns lines that tell of it."""
    if not settings["ralph.auto_rollback"] or run.status != stop_reasons.FAILED or not run.start_snapshot:
        return []
    what, report = roll_back(project, settings, run, START)
    return ["ralph.auto_rollback is on:", *display.rolled_back(what, report, run)]


def _ready(project: "Project", run: "Run", to: str) -> "tuple[int, str]":
    busy = runs.busy(project)
    if busy:
        raise LoopError(f"{busy.run} is at work on these files", "`ralph-mem ralph stop` first")
    return target_of(run, to)


def was_killed(run: "Run") -> int:
    """Return the number of the iteration that was cut off by a kill, a full disk or the end of its session, 0 where none was.

    What changed since it began nobody can tell from the person's own edits: a rollback keeps it unless forced.
    """
    done = run.iterations[-1].number if run.iterations else 0
    never_at_work = run.waiting or run.reason == "agent_error"
    return run.begun if run.begun > done and not never_at_work else 0
