"""Search the snapshots of loops for a forgotten text, and delete those of a run that holds it.

Most projects have had no loop, and what reads snapshots is loaded for those that had one.
"""

import os
from collections import namedtuple

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.maintenance.forget import verify
    from ralph_mem.memory.store import connection
    from ralph_mem.ralph.snapshot import store as stores

# Of a run that is at work, and whether it was deleted; `partly` says that only shorter lines of it are there, which files have
# for reasons of their own.
Held = namedtuple("Held", "run busy deleted partly")
UNDECIDED = "undecided_snapshots"  # the property with the runs that were found to hold what is forgotten, and were not deleted
RUNS = """
SELECT DISTINCT s.run FROM entries AS e JOIN snapshots AS s ON s.number >= e.first AND (e.last IS NULL OR s.number <= e.last)
WHERE {}"""


def runs_that_hold(
    project: "Project", needles: "verify.Needles", named: "Sequence[str]" = (), everything: bool = False
) -> "list[Held]":
    """Return the runs of which a snapshot holds one of the pieces, or what was typed, in a file or in its name; also those that
    are named, or all.

    Raises SnapshotError for snapshots that are damaged.
    """
    if not os.path.lexists(f"{paths.data_home()}/{paths.SNAPSHOTS}/{paths.key_of(project.tree)}"):
        return []
    from ralph_mem.ralph import runs  # lazy: as said above
    from ralph_mem.ralph.snapshot import store  # lazy: as above

    opened = store.open_to_read(project)
    if opened is None:
        return []
    with opened:
        telling = [*needles.long_pieces(), *needles.typed()]
        there = [run for (run,) in opened.query("SELECT DISTINCT run FROM snapshots ORDER BY number")]
        found = there if everything else [*_runs(opened, telling), *[run for run in there if run in named]]
        partly = _runs(opened, [piece for piece in needles.pieces if piece not in telling])
    live = runs.live(project)
    at_work = live.run if live and runs.is_alive(project, live) else ""
    return [Held(run, run == at_work, False, run not in found) for run in dict.fromkeys([*found, *partly])]


def delete_runs(project: "Project", held: "list[Held]") -> "list[Held]":
    """Delete the snapshots and rooms of runs, but for one that is at work; returns all, with whether they were deleted.

    Raises SnapshotError; then some may be deleted, and the next forget goes on.
    """
    doomed = [each.run for each in held if not each.busy]
    if not doomed:
        return held
    from ralph_mem.ralph.room import making  # lazy: as said above
    from ralph_mem.ralph.snapshot import store, taking  # lazy: as above

    with store.open_store(project) as opened:
        opened.query("PRAGMA secure_delete = ON")
        for run in doomed:
            taking.delete_run(opened, run)
            making.let_go(project, run, opened)
        # rows that moved within a page leave their bytes behind
        opened.query("VACUUM")
        opened.query("PRAGMA wal_checkpoint(TRUNCATE)")
    return [each._replace(deleted=each.run in doomed) for each in held]


def _runs(opened: "stores.Snapshots", texts: "list[str]") -> "list[str]":
    pieces = [text.encode() for text in texts]
    found: dict[str, None] = {}
    for digest in _blobs_that_hold(opened, pieces) if pieces else ():
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("e.digest = ?"), (digest,))]))
    names = b"\0".join([bytes(path) for (path,) in opened.query("SELECT DISTINCT path FROM entries")]).lower()
    for piece in [piece for piece in pieces if piece in names]:
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("instr(lower(e.path), ?)"), (piece,))]))
    return list(found)


def _blobs_that_hold(opened: "stores.Snapshots", pieces: "list[bytes]") -> "Iterator[bytes]":
    from ralph_mem.ralph.snapshot import FILE, Entry, blobs  # lazy: as said above

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


def undecided(opened: "connection.Store") -> "list[str]":
    """Return the runs that hold what a forget took from a memory, and of which nobody has decided yet."""
    return str(opened.property(UNDECIDED) or "").split()


def note_undecided(opened: "connection.Store", held: "list[Held]") -> None:
    """Keep which runs hold what is forgotten: their names only, since the text is gone by then."""
    before = undecided(opened)
    left = dict.fromkeys([*before, *[each.run for each in held if not each.partly]])
    for each in held:
        if each.deleted:
            left.pop(each.run, None)
    if list(left) != before:
        opened.set_property(UNDECIDED, " ".join(left) or None)
