"""Tell which changes of a tree were written by programs of a loop; what is left is the person's."""

import itertools
import os
from contextlib import contextmanager

from ralph_mem.core import paths
from ralph_mem.ralph import record, runs
from ralph_mem.ralph.attribution import listening, overwritten, writes
from ralph_mem.ralph.snapshot import FILE, FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.attribution.tool_events import ToolEvents
    from ralph_mem.ralph.attribution.writes import Writes
    from ralph_mem.ralph.runs import Told
    from ralph_mem.ralph.snapshot import Change
    from ralph_mem.ralph.snapshot.store import Snapshots


ALL_IS_THE_LOOPS = "what you change here while the loop works counts as the loop's, and a rollback takes it"
NOT_HERE, NOT_WANTED = "this system does not tell who writes", "--no-attribution"


@contextmanager
def watching(project: "Project", run_id: str, options: "Mapping[str, Any]", told: "Told") -> "Iterator[Writes | None]":
    """Hear what programs write that are started meanwhile; None where the tree is not shared, or nobody hears, which is told.

    What a run had heard that was cut off counts too. Where it is not cut off this time, nothing is left of that.
    """
    shared, wanted = options.get("here", True), options.get("attribution", True)
    if not shared or not wanted or not listening.is_possible():
        if shared:
            told(f"{ALL_IS_THE_LOOPS}: {NOT_HERE if wanted else NOT_WANTED}")
        yield None
        return
    path = writes.path_of(project, run_id)
    heard = writes.left_by(project, run_id) or writes.anew(path)
    heard.overwritten = overwritten.Overwritten(overwritten.path_of(project, run_id), project.top)
    try:
        with listening.Listener(heard):
            yield heard
    finally:
        heard.close()
        if not record.fold(record.read(runs.path_of(project, run_id))).cut_off():
            paths.remove(path)
            paths.remove(overwritten.path_of(project, run_id))


def unexplained(written: "Writes | ToolEvents", top: str, found: "Iterable[Change]", snapshots: "Snapshots") -> "list[bytes]":
    """Return the paths of changes that no program of the loop explains, by this or another name of the file, seen from the top."""
    real, changes = os.path.realpath(top).rstrip("/"), [*found]
    paths = {each.path for each in changes if written.explains(f"{real}/{os.fsdecode(each.path)}", *_told(each, snapshots))}
    ours = {_twins(each) for each in changes if each.path in paths}
    names = {*itertools.chain(*ours)} - {b""}
    return [each.path for each in changes if each.path not in paths and not _is_by_another_name(each, ours, names)]


def _twins(change: "Change") -> "tuple[bytes, bytes]":
    """Return by what the names of a file are known, before and after."""
    before, after = [each.twins if each else b"" for each in (change.before, change.after)]
    return before, after


def _is_by_another_name(change: "Change", ours: "Collection[tuple[bytes, bytes]]", names: "set[bytes]") -> bool:
    """Say whether a file is otherwise since the loop wrote to it by another name, or whether only such a name came or went.

    `ours` are the files that the loop changed, before and after, and `names` has both.
    """
    before, after = _twins(change)
    if change.before and change.after and change.before._replace(twins=after) == change.after:
        return before in names or after in names
    return bool(before and after) and (before, after) in ours


def _told(change: "Change", snapshots: "Snapshots") -> "tuple[int, bool, int]":
    """Return when a path changed last, whether that says less, and the state of a file.

    What is gone has no time, a folder that of what is in it.
    """
    is_file = change.after is not None and change.after.kind == FILE
    seen = snapshots.seen(change.path) if is_file else None
    at = snapshots.changed_ns(change.path)
    return at, change.after is None or change.after.kind == FOLDER, writes.state_by(*seen) if seen else 0
