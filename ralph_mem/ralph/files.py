"""Take the snapshots of a run, put protected files back, and roll the run back."""

from collections import namedtuple

from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.ralph import changes, display, experience, progress, record, runs, stop_reasons
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.snapshot import FILE, ignoring, listing, restoring, store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.runs import Loop
    from ralph_mem.ralph.snapshot import Change, Entry, Taken
    from ralph_mem.ralph.snapshot.listing import Scope
    from ralph_mem.ralph.snapshot.store import Snapshots

    Content = Callable[[Change], "bytes | None"]
    from collections.abc import Callable

    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot.restoring import Plan, Report


def protected_among(found: "Sequence[Change]", patterns: "Sequence[str]") -> "list[Change]":
    """Return the changes of protected paths, in their order: what was added is to go, the rest to be as it was.

    Patterns are as in .gitignore, without `!`: `tests/**`, `*.lock`, `/Makefile`, `ci/`.
    """
    return [change for change in found if is_protected(change.path, patterns)]


def is_protected(path: bytes, patterns: "Sequence[str]") -> bool:
    """Say whether a path, as seen from the top of the project, is protected."""
    name = path.decode("utf-8", "surrogateescape")
    return any([path_rules.matches(name, pattern) for pattern in patterns])


MEGABYTE = 1_048_576
# What is compared line by line; a larger file is named alone.
MOST_BYTES_COMPARED = 262_144

After = namedtuple("After", "snapshot tree changed tampered")
After.__doc__ = """The files as an iteration left them: the number of their snapshot and the hash of the tree (0 and empty without
snapshots), what it changed as `changes.described` tells it, and lines about edits to what judges it."""
NOT_KEPT = After(0, "", [], [])


def scope_of(settings: "dict[str, Any]", forced: bool = False) -> "Scope":
    """Return what a snapshot takes in, as the settings have it."""
    return listing.DEFAULT._replace(
        include_ignored=tuple(settings["snapshot.include_ignored"]),
        most_file_bytes=settings["snapshot.max_file_mb"] * MEGABYTE,
        quota_bytes=settings["snapshot.quota_mb"] * MEGABYTE,
        forced=forced,
    )


def refuse(project: "Project") -> None:
    """Raise SnapshotError for a tree that gets no snapshot, such as the home folder."""
    listing.refuse(project.top, listing.DEFAULT)


def take(loop: "Loop", label: str) -> "Taken":
    """Take a snapshot for a run; what a crash left of a rollback is finished first. Raises SnapshotError."""
    snapshots = store.open_store(loop.project)
    try:
        restoring.recover(snapshots)
        return taking.take(snapshots, label, run=loop.run.id, scope=scope_of(loop.settings))
    finally:
        snapshots.close()


def after(loop: "Loop", number: int) -> After:
    """Take the snapshot of an iteration and tell what it changed; protected files are put back first. Raises SnapshotError."""
    if not loop.option("snapshot"):
        return NOT_KEPT
    snapshots = store.open_store(loop.project)
    try:
        restoring.recover(snapshots)
        snapshots.find(last_snapshot(loop))  # a store that was deleted is made anew, and begins with other numbers
        before = restoring.last_of(snapshots, loop.run.id)
        taken = taking.take(snapshots, f"iteration {number}", run=loop.run.id, scope=scope_of(loop.settings))
        found = snapshots.differences(before, taken.id)
        tampered = [*ignoring.changed(snapshots, loop.run.id), *_tampered(loop, snapshots, found)]
        changed = changes.described(found, *_contents(snapshots), loop.project, loop.settings)
        taken, again = _protected(loop, snapshots, taken)
        return After(taken.id, taken.tree, changed, [*again, *tampered])
    finally:
        snapshots.close()


def settle(loop: "Loop", number: int) -> "Taken | None":
    """Take in what the checks of an iteration left behind: it is the loop's, not the person's, nor the next agent's.

    Number 0 are the checks before the first iteration. Returns the snapshot, None without one.
    """
    if loop.option("snapshot"):
        try:
            return take(loop, f"checks {number}")
        except SnapshotError as error:  # the agent's own work is safe: a rollback keeps what the checks wrote, and names it
            loop.told(f"what the checks left is in no snapshot: {error}")
    return None


def last_snapshot(loop: "Loop") -> int:
    """Return the number of the snapshot that the next iteration begins with."""
    kept = [each.snapshot for each in loop.run.iterations if each.snapshot]
    return int(kept[-1] if kept else loop.run.start_snapshot)


def _tampered(loop: "Loop", snapshots: "Snapshots", found: "list[Change]") -> "list[str]":
    return changes.tampering(found, *_contents(snapshots), loop.criteria())


def _protected(loop: "Loop", snapshots: "Snapshots", taken: "Taken") -> "tuple[Taken, list[str]]":
    """Put protected files back as they were at the start, and take the snapshot again where there were any."""
    patterns = loop.option("protect") or []
    found = protected_among(snapshots.differences(loop.run.start_snapshot, taken.id), patterns) if patterns else []
    if not found:
        return taken, []
    names = [change.path for change in found]
    start = loop.run.start_snapshot
    restoring.roll_back(snapshots, start, taken.id, run=loop.run.id, scope=scope_of(loop.settings), force=True, only=names)
    again = taking.take(snapshots, taken.label, run=loop.run.id, scope=scope_of(loop.settings))
    return again, [f"protected, put back: {name.decode('utf-8', 'backslashreplace')}" for name in names]


def _contents(snapshots: "Snapshots") -> "tuple[Content, Content]":
    return lambda change: _content(snapshots, change.before), lambda change: _content(snapshots, change.after)


def _content(snapshots: "Snapshots", entry: "Entry | None") -> "bytes | None":
    if entry is None or entry.kind != FILE or not entry.stored or entry.size > MOST_BYTES_COMPARED:
        return None
    try:
        return snapshots.content(entry)
    except SnapshotError:  # its loss is told where it matters, when it is to be put back
        return None


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


def rolled_from(snapshots: "Snapshots", settings: "dict[str, Any]", run: "Run", force: bool) -> "int | None":
    """Return the snapshot after which every change is the person's own, None for the newest of the run.

    Of an iteration that was cut off there is none. With `force` it is one of now, so that its changes go back with the rest.
    """
    if not force or not was_killed(run):
        return None
    return int(taking.take(snapshots, restoring.PREVIEW, run=run.id, scope=scope_of(settings)).id)


def preview_rollback(
    project: "Project", settings: "dict[str, Any]", run: "Run", to: str, force: bool = False
) -> "tuple[str, Plan]":
    """Return what a rollback would lead to, and what it would do. Raises LoopError and SnapshotError."""
    target, what = _ready(project, run, to)
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find(target)  # before another one can get its number, in a store that was deleted
        last = rolled_from(snapshots, settings, run, force)
        return what, restoring.preview(snapshots, target, last, run=run.id, scope=scope_of(settings), force=force)


def roll_back(
    project: "Project", settings: "dict[str, Any]", run: "Run", to: str, force: bool = False,
    on_step: "Callable[[str], None] | None" = None,
) -> "tuple[str, Report]":  # fmt: skip
    """Put the files back, after a snapshot of what is there now; returns what it led to, and the report.

    What the person changed after the loop is kept and named. Raises LoopError and SnapshotError.
    """
    target, what = _ready(project, run, to)
    with runs.Lock(project), store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        snapshots.find(target)  # before another one can get its number, in a store that was deleted
        last = rolled_from(snapshots, settings, run, force)
        report = restoring.roll_back(snapshots, target, last, run=run.id, scope=scope_of(settings), force=force, on_step=on_step)
    kept = privacy.protect([path.decode("utf-8", "replace") for path, _ in report.kept], project, settings)[0]
    record.append(runs.path_of(project, run.id), {
        "what": "rolled_back", "at": now_ms(), "to": to, "target": target, "safety": report.safety,
        "restored": len(report.restored), "deleted": len(report.deleted), "kept": len(report.kept), "kept_paths": kept,
    })  # fmt: skip
    experience.keep_rollback(project, settings, runs.find(project, run.id))
    return what, report


def roll_back_if_wanted(project: "Project", settings: "dict[str, Any]", run: "Run") -> "list[str]":
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
