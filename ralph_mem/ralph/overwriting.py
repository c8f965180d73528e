"""Bring into the snapshots of a run what its agent overwrote of a person's."""

import time

from ralph_mem.ralph.attribution import overwritten
from ralph_mem.ralph.attribution.writes import Writes
from ralph_mem.ralph.snapshot import FILE, Entry, blobs, ignoring, others, restoring, rollback_plan, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.attribution.overwritten import Kept
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.snapshot.store import Snapshots

HAS_IT = "SELECT 1 FROM entries WHERE path = ? AND digest = ? LIMIT 1"


def settle(loop: "Loop", snapshots: "Snapshots") -> "list[str]":
    """Write a snapshot of what was overwritten since the last one, just before the next; returns it in lines.

    Raises SnapshotError.
    """
    if isinstance(loop.writes, Writes) and loop.writes.overwritten:
        loop.writes.overwritten.since_ns = time.time_ns()
    if not loop.run.start_snapshot:
        return []
    kept = overwritten.taken_from(loop.project, loop.run.id)
    found = {each.path: (each, blobs.digest_of(each.data)) for each in _wanted(loop, snapshots, kept)}
    new = {path: told for path, told in found.items() if not snapshots.query(HAS_IT, (path, told[1]))}
    if new:
        wanted: dict[bytes, Entry | None] = {
            path: Entry(FILE, each.mode, len(each.data), digest, True) for path, (each, digest) in new.items()
        }
        content = [blobs.pack(digest, each.data) for each, digest in new.values()]
        number = taking.write_down(snapshots, restoring.OVERWRITTEN, loop.run.id, wanted, content)
        others.note(snapshots, loop.run.id, number, others.OVERWRITTEN, new)
    names = [path.decode("utf-8", "backslashreplace") for path in sorted(new)]
    return [f"overwrote what you had written meanwhile, which a rollback brings back: {name}" for name in names]


def _wanted(loop: "Loop", snapshots: "Snapshots", kept: "dict[bytes, Kept]") -> "list[Kept]":
    """Leave out what no snapshot takes in."""
    rules = ignoring.of_run(snapshots, loop.run.id) if kept else None
    if rules is None:
        return [*kept.values()]
    above = {path: {*rollback_plan.folders_above(path)} for path in kept}
    try:
        out = rules.ignored({**dict.fromkeys(set().union(*above.values()), True), **dict.fromkeys(kept, False)})
    finally:
        rules.close()
    out |= {row[0] for row in snapshots.query("SELECT path FROM ignored")}
    return [each for each in kept.values() if out.isdisjoint({each.path, *above[each.path]})]
