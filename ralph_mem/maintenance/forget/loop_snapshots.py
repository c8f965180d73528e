"""Search the snapshots, copies of git and rooms of loops for a forgotten text, and delete a run's.

Most projects have had no loop, and what reads snapshots is loaded for those that had one.
"""

import os
from collections import namedtuple
from contextlib import suppress

from ralph_mem.core import paths, places
from ralph_mem.maintenance.forget import verifier, verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.memory.store import connection
    from ralph_mem.ralph.snapshot import store as stores

# Of a run that is at work, and whether it was deleted; `partly` says that only shorter lines of it are there, which files have
# for reasons of their own; `where` names what holds it.
Held = namedtuple("Held", "run busy deleted partly where", defaults=(("snapshots",),))
UNDECIDED = "undecided_snapshots"  # the property with the runs that were found to hold what is forgotten, and were not deleted
SHARED = "objects"  # of a copy of git: what the runs of a tree have in common
RUNS = """
SELECT DISTINCT s.run FROM entries AS e JOIN snapshots AS s ON s.number >= e.first AND (e.last IS NULL OR s.number <= e.last)
WHERE {}"""


def runs_that_hold(
    project: "Project", needles: "verify.Needles", named: "Sequence[str]" = (), everything: bool = False
) -> "list[Held]":
    """Return the runs of which a snapshot, the copy of git or the room holds one of the pieces, or what was typed, in a file or in
    its name; also those that are named, or all, of which nothing but a record may be left.

    Raises SnapshotError for snapshots that are damaged.
    """
    kept = (paths.SNAPSHOTS, paths.GIT_COPIES, paths.ROOMS, *[paths.LOOPS] * everything)
    if not any([os.path.lexists(f"{paths.data_home()}/{place}/{paths.key_of(project.tree)}") for place in kept]):
        return []
    from ralph_mem.ralph import runs  # lazy: as said above

    found: dict[str, list[str]] = {}
    partly: dict[str, list[str]] = {}
    for what, (there, telling, others) in _places(project, needles, everything).items():
        for run in [run for run in there if everything or run in telling or run in named]:
            found.setdefault(run, []).append(what)
        for run in [run for run in there if run in others]:
            partly.setdefault(run, []).append(what)
    live = runs.live(project)
    at_work = live.run if live and runs.is_alive(project, live) else ""
    where = {**partly, **found}
    return [Held(run, run == at_work, False, run not in found, tuple(where[run])) for run in dict.fromkeys([*found, *partly])]


def _places(project: "Project", needles: "verify.Needles", everything: bool) -> "dict[str, tuple[list[str], list[str], list[str]]]":
    """Return by what loops keep: the runs of which there is any, those that have what tells, those that have shorter lines."""
    from ralph_mem.core import rooms  # lazy: as said above
    from ralph_mem.ralph import runs  # lazy: as above
    from ralph_mem.ralph.git import copies  # lazy: as above

    telling = [*needles.long_pieces(), *needles.typed()]
    others = [piece for piece in needles.pieces if piece not in telling]
    return {
        "snapshots": _in_snapshots(project, telling, others),
        "copy of git": _in_folder(copies.folder_of(project), telling, others),
        "room": _in_folder(rooms.folder_of(project.tree), telling, others),
        "record": ([run.id for run in runs.all(project)] if everything else [], [], []),
    }


def _in_snapshots(project: "Project", telling: "list[str]", others: "list[str]") -> "tuple[list[str], list[str], list[str]]":
    from ralph_mem.ralph.snapshot import store  # lazy: as said above

    opened = store.open_to_read(project)
    if opened is None:
        return [], [], []
    with opened:
        there = [run for (run,) in opened.query("SELECT DISTINCT run FROM snapshots ORDER BY number")]
        return there, _runs(opened, telling), _runs(opened, others)


def _in_folder(folder: str, telling: "list[str]", others: "list[str]") -> "tuple[list[str], list[str], list[str]]":
    """Look into a folder in which runs have one each; what they have in common counts for all."""
    there = [name for name in paths.names(folder) if name != SHARED and os.path.isdir(f"{folder}/{name}")]
    found: dict[str, list[str]] = {}
    for path in verify.inside(folder) if telling or others else ():
        below = path[len(folder) + 1 :]
        found.setdefault(below.partition("/")[0], []).extend(_held_by(path, below, [*telling, *others]))
    found = {run: [*found.get(run, []), *found.get(SHARED, [])] for run in there}
    telling_runs = [run for run, texts in found.items() if any([text in telling for text in texts])]
    return there, telling_runs, [run for run, texts in found.items() if texts]


def _held_by(path: str, name: str, texts: "list[str]") -> "list[str]":
    held = [text for text in texts if text in verify.lower(name)]
    with suppress(OSError):  # gone by now, or closed to us
        held += verifier.packed(path, texts)
    return held


def files_that_hold(files: "Sequence[str]", needles: "verify.Needles") -> "list[str]":
    """Return those of the files that loops keep whose raw bytes hold one of the long pieces, or what was typed."""
    texts = [*needles.long_pieces(), *needles.typed()]
    stores = [path for path in files if f"/{paths.SNAPSHOTS}/" in path]
    held = verify.holding(stores, {verify.PIECES: texts})
    return [path for path in files if path in held or (path not in stores and _held_by(path, "", texts))]


def delete_runs(project: "Project", held: "list[Held]", everything: bool = False) -> "list[Held]":
    """Delete the snapshots, copies of git and rooms of runs, but for one that is at work; returns all, with whether they went.

    With `everything` all else goes that loops left of a tree, such as their records, unless one is at work.
    Raises SnapshotError; then some may be deleted, and the next forget goes on.
    """
    doomed = [each.run for each in held if not each.busy]
    if not doomed:
        return held
    from ralph_mem.ralph.git import copies  # lazy: as said above
    from ralph_mem.ralph.room import making  # lazy: as above
    from ralph_mem.ralph.snapshot import store, taking  # lazy: as above

    with store.open_store(project) as opened:
        opened.query("PRAGMA secure_delete = ON")
        for run in doomed:
            taking.delete_run(opened, run)
            making.let_go(project, run, opened)
        copies.forget(project, *doomed)
        # rows that moved within a page leave their bytes behind
        opened.query("VACUUM")
        opened.query("PRAGMA wal_checkpoint(TRUNCATE)")
    for place in [place for place in places.IN_DATA_HOME if place.whose == places.TREE and everything and len(doomed) == len(held)]:
        making.remove_folder(f"{paths.data_home()}/{place.name}/{paths.key_of(project.tree)}")
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
