"""Search the snapshots of loops for a text, and delete all those of a run that holds it."""

from ralph_mem.ralph import runs
from ralph_mem.ralph.room import making
from ralph_mem.ralph.snapshot import FILE, Entry, blobs, store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.maintenance.forget import verify

RUNS = """
SELECT DISTINCT s.run FROM entries AS e JOIN snapshots AS s ON s.number >= e.first AND (e.last IS NULL OR s.number <= e.last)
WHERE {}"""


def runs_that_hold(
    project: "Project", needles: "verify.Needles", named: "Sequence[str]" = (), everything: bool = False
) -> "tuple[list[str], list[str], str]":
    """Return the runs of which a snapshot holds what was typed or a long piece, those that hold a short one, and that at work.

    The first are those that are named, too, or all. Raises SnapshotError for snapshots that are damaged.
    """
    opened = store.open_to_read(project)
    if opened is None:
        return [], [], ""
    with opened:
        telling = [*needles.long_pieces(), *needles.typed()]
        there = [run for (run,) in opened.query("SELECT DISTINCT run FROM snapshots ORDER BY number")]
        found = there if everything else [*_runs(opened, telling), *[run for run in there if run in named]]
        partly = _runs(opened, [piece for piece in needles.pieces if piece not in telling])
    live = runs.live(project)
    return found, partly, live.run if live and runs.is_alive(project, live) else ""


def delete_runs(project: "Project", doomed: "list[str]") -> None:
    """Delete the snapshots and the rooms of runs. Raises SnapshotError; then some may be deleted."""
    with store.open_store(project) as opened:
        opened.query("PRAGMA secure_delete = ON")
        for run in doomed:
            taking.delete_run(opened, run)
            making.let_go(project, run, opened)
        # rows that moved within a page leave their bytes behind
        opened.query("VACUUM")
        opened.query("PRAGMA wal_checkpoint(TRUNCATE)")


def _runs(opened: "store.Snapshots", texts: "list[str]") -> "list[str]":
    pieces = [text.encode() for text in texts]
    found: dict[str, None] = {}
    for digest in _blobs_that_hold(opened, pieces) if pieces else ():
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("e.digest = ?"), (digest,))]))
    names = b"\0".join([bytes(path) for (path,) in opened.query("SELECT DISTINCT path FROM entries")]).lower()
    for piece in [piece for piece in pieces if piece in names]:
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("instr(lower(e.path), ?)"), (piece,))]))
    return list(found)


def _blobs_that_hold(opened: "store.Snapshots", pieces: "list[bytes]") -> "Iterator[bytes]":
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
