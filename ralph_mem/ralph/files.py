"""The files of a run: a snapshot of each iteration, what it changed, and the protected ones put back before the checks."""

from collections import namedtuple

from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph import changes, tampering
from ralph_mem.ralph.snapshot import FILE, ignoring, listing, restoring, store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.snapshot import Change, Entry, Taken
    from ralph_mem.ralph.snapshot.listing import Scope
    from ralph_mem.ralph.snapshot.store import Snapshots

    Content = Callable[[Change], "bytes | None"]


def of(changes: "Sequence[Change]", patterns: "Sequence[str]") -> "list[Change]":
    """Return the changes of protected paths, in their order: what was added is to go, the rest to be as it was.

    Patterns are as in .gitignore, without `!`: `tests/**`, `*.lock`, `/Makefile`, `ci/`.
    """
    return [change for change in changes if is_protected(change.path, patterns)]


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
        snapshots.find(last_of(loop))  # a store that was deleted is made anew, and begins with other numbers
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


def last_of(loop: "Loop") -> int:
    """Return the number of the snapshot that the next iteration begins with."""
    kept = [each.snapshot for each in loop.run.iterations if each.snapshot]
    return int(kept[-1] if kept else loop.run.start_snapshot)


def _tampered(loop: "Loop", snapshots: "Snapshots", found: "list[Change]") -> "list[str]":
    return tampering.look(found, *_contents(snapshots), loop.criteria())


def _protected(loop: "Loop", snapshots: "Snapshots", taken: "Taken") -> "tuple[Taken, list[str]]":
    """Put protected files back as they were at the start, and take the snapshot again where there were any."""
    patterns = loop.option("protect") or []
    found = of(snapshots.differences(loop.run.start_snapshot, taken.id), patterns) if patterns else []
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
