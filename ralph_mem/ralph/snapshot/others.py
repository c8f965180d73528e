"""Keep which paths a person or checks changed while a run was at work, and not its agent."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.snapshot.store import Snapshots

# Overwritten is what a person wrote and the agent then took away, in one iteration: that it did so is its doing.
PERSON, CHECKS, OVERWRITTEN = "person", "checks", "overwritten"
TABLE = "CREATE TABLE IF NOT EXISTS others (run TEXT NOT NULL, number INTEGER NOT NULL, who TEXT NOT NULL, path BLOB NOT NULL)"
IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'others'"
SINCE = f"SELECT path, max(number) FROM others WHERE run = ? AND who IN ('{PERSON}', '{OVERWRITTEN}') AND number > ? GROUP BY path"
BETWEEN = (
    f"SELECT path, max(number) FROM others WHERE run = ? AND who != '{OVERWRITTEN}' AND number > ? AND number <= ? GROUP BY path"
)


def note(snapshots: "Snapshots", run: str, number: int, who: str, paths: "Iterable[bytes]") -> None:
    """Write down what differs in a snapshot from the one before it without the agent's doing. Raises SnapshotError."""
    rows = [(run, number, who, path) for path in paths]
    if rows:
        with snapshots.transaction() as db:
            db.execute(TABLE)
            db.executemany("INSERT INTO others VALUES (?, ?, ?, ?)", rows)


def since(snapshots: "Snapshots", run: str, target: int) -> "dict[bytes, int]":
    """Return the paths that a person changed after a snapshot, while a run was at work, each with the snapshot that has it last."""
    return _paths(snapshots, SINCE, (run, target))


def between(snapshots: "Snapshots", run: str, older: int, newer: int) -> "set[bytes]":
    """Return the paths that others than the agent changed after one snapshot and up to another, and the agent not after them."""
    found = _paths(snapshots, BETWEEN, (run, older, newer))
    earlier = {number: [path for path, at in found.items() if at == number] for number in {*found.values()} - {newer}}
    again = {path for number, paths in earlier.items() for path in _differing(snapshots, paths, number, newer)}
    return {*found} - again


def _differing(snapshots: "Snapshots", paths: "list[bytes]", older: int, newer: int) -> "list[bytes]":
    then, now = snapshots.some(older, paths), snapshots.some(newer, paths)
    return [path for path in paths if then.get(path) != now.get(path)]


def _paths(snapshots: "Snapshots", sql: str, values: "tuple[str | int, ...]") -> "dict[bytes, int]":
    return dict(snapshots.query(sql, values)) if snapshots.query(IS_THERE) else {}


def forget(snapshots: "Snapshots", run: str) -> None:
    """Delete the rows of a run, as part of the transaction that runs."""
    if snapshots.query(IS_THERE):
        snapshots.query("DELETE FROM others WHERE run = ?", (run,))
