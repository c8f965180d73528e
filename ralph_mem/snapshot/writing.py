"""Writing the rows of one snapshot: what changed closes the row that held until now, and opens another."""

from ralph_mem.snapshot import Entry, blobs, tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from ralph_mem.snapshot.reading import Read
    from ralph_mem.snapshot.store import Snapshots

# Rows, and bytes of blobs, that are written at once.
TOGETHER, TOGETHER_BYTES = 256, 4_194_304
# From here on it is quicker to read all rows than to look for each.
MANY = 500
OLD = "SELECT path, kind, mode, size, digest, why = '' FROM present"
CLOSE = "INSERT INTO past SELECT path, first, ?, kind, mode, size, digest, why FROM present WHERE path = ?"
DROP = "DELETE FROM present WHERE path = ?"
OPEN = "INSERT OR REPLACE INTO present VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
TOUCH = "UPDATE present SET key = ? WHERE path = ?"


class Writer:
    """Writes the rows of snapshot `number`, as part of the transaction that runs; `tally` is that of the rows so far.

    Errors of SQLite are not translated: whoever owns the transaction does that.
    """

    __slots__ = ("_blobs", "_bytes", "_closed", "_number", "_opened", "_snapshots", "_touched", "old", "tally")

    def __init__(self, snapshots: "Snapshots", number: int, chosen: "Collection[bytes]") -> None:
        self.tally = tally.of_present(snapshots)
        self.old = _old(snapshots, chosen)
        self._snapshots = snapshots
        self._number = number
        self._blobs: list[blobs.Blob] = []
        self._bytes = 0
        self._closed: list[tuple[int, bytes]] = []
        self._opened: list[tuple[Any, ...]] = []
        self._touched: list[tuple[bytes, bytes]] = []

    def put(self, read: "Read") -> None:
        """Write a path as it is now."""
        old, new = self.old.get(read.path), read.entry
        if read.blob:
            self._blobs.append(read.blob)
            self._bytes += len(read.blob.data or b"")
        if old == new:
            self._touched.append((read.key, read.path))
        else:
            if old:
                self.tally.add(read.path, old, -1)
                self._closed.append((self._number - 1, read.path))
            self.tally.add(read.path, new)
            self._opened.append((read.path, self._number, *new[:4], read.why, read.key))
        if len(self._opened) >= TOGETHER or self._bytes >= TOGETHER_BYTES:
            self.flush()

    def drop(self, path: bytes) -> None:
        """Write that a path is gone; one that was never there is none."""
        old = self.old.get(path)
        if old:
            self.tally.add(path, old, -1)
            self._snapshots.db.execute(CLOSE, (self._number - 1, path))
            self._snapshots.db.execute(DROP, (path,))

    def flush(self) -> None:
        """Write what has been put aside."""
        db = self._snapshots.db
        blobs.add(self._snapshots, self._blobs)
        db.executemany(CLOSE, self._closed)
        db.executemany(OPEN, self._opened)
        db.executemany(TOUCH, self._touched)
        self._blobs, self._closed, self._opened, self._touched = [], [], [], []
        self._bytes = 0


def _old(snapshots: "Snapshots", chosen: "Collection[bytes]") -> "dict[bytes, Entry]":
    """Return the rows that hold until now, of those paths at least."""
    if len(chosen) > MANY:
        rows = list(snapshots.db.execute(OLD))
    else:
        rows = [row for path in chosen for row in snapshots.db.execute(OLD + " WHERE path = ?", (path,))]
    return {row[0]: Entry._make([*row[1:5], bool(row[5])]) for row in rows}
