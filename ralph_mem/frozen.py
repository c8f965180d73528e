"""Frozen: snapshots of loops that hold a text, since the person's own files did. A run is deleted as a whole or not at all.

Standard library only: the skill uses it.
"""

from collections import namedtuple

from ralph_mem.ralph import runs
from ralph_mem.snapshot import FILE, Entry, blobs, quota, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.core.project import Project
    from ralph_mem.needles import Needles
    from ralph_mem.snapshot.store import Snapshots

# Of a run that is at work, and whether it was deleted.
Held = namedtuple("Held", "run busy deleted")
RUNS = """
SELECT DISTINCT s.run FROM entries AS e JOIN snapshots AS s ON s.number >= e.first AND (e.last IS NULL OR s.number <= e.last)
WHERE {}"""


def runs_that_hold(project: "Project", needles: "Needles") -> "list[Held]":
    """Return the runs of which a snapshot holds one of the longer pieces, in a file or in its name.

    Raises SnapshotError for snapshots that are damaged.
    """
    opened = store.open_to_read(project)
    if opened is None:
        return []
    with opened:
        found = _runs(opened, needles)
    live = runs.live(project)
    at_work = live.run if live and runs.is_alive(project, live) else ""
    return [Held(run, run == at_work, False) for run in found]


def delete_runs(project: "Project", held: "list[Held]") -> "list[Held]":
    """Delete the snapshots of runs, but for one that is at work; returns all, with whether they were deleted.

    Raises SnapshotError; then some may be deleted, and the next forget goes on.
    """
    if not any([not each.busy for each in held]):
        return held
    with store.open_store(project) as opened:
        opened.query("PRAGMA secure_delete = ON")
        for each in held:
            if not each.busy:
                quota.delete_run(opened, each.run)
        # rows that moved within a page leave their bytes behind
        opened.query("VACUUM")
        opened.query("PRAGMA wal_checkpoint(TRUNCATE)")
    return [each._replace(deleted=not each.busy) for each in held]


def _runs(opened: "Snapshots", needles: "Needles") -> "list[str]":
    pieces = [piece.encode() for piece in needles.long_pieces()]
    found: dict[str, None] = {}
    for digest in _blobs_that_hold(opened, pieces) if pieces else ():
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("e.digest = ?"), (digest,))]))
    names = b"\0".join([bytes(path) for (path,) in opened.query("SELECT DISTINCT path FROM entries")]).lower()
    for piece in [piece for piece in pieces if piece in names]:
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("instr(lower(e.path), ?)"), (piece,))]))
    return list(found)


def _blobs_that_hold(opened: "Snapshots", pieces: "list[bytes]") -> "Iterator[bytes]":
    for (digest,) in opened.query("SELECT digest FROM blobs"):
        if _holds(blobs.pieces(opened, Entry(FILE, 0, 0, digest, True)), pieces):
            yield digest


def _holds(parts: "Iterator[bytes]", pieces: "list[bytes]") -> bool:
    end, longest = b"", max(map(len, pieces))
    for part in parts:
        text = end + part.lower()
        if any([piece in text for piece in pieces]):
            return True
        end = text[-longest:]
    return False
