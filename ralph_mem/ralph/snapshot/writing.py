"""Writing the rows of one snapshot: what changed closes the row that held until now, and opens another."""

from hashlib import blake2b

from ralph_mem.ralph.snapshot import FILE, Entry, blobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from ralph_mem.ralph.snapshot.reading import Read
    from ralph_mem.ralph.snapshot.store import Snapshots

MODULUS = 1 << 128
PROPERTY = "tally"


class Tally:
    """The hash is a sum over the entries, so that their order means nothing and a path can be taken out again."""

    __slots__ = ("bytes", "files", "hash")

    def __init__(self, told: str = "") -> None:
        self.hash, self.files, self.bytes = [int(word, 16) for word in told.split()] if told else (0, 0, 0)

    def add(self, path: bytes, entry: Entry, times: int = 1) -> None:
        """Count a path in, or out again with -1."""
        facts = b"%s\0%s %o %d %s" % (path, entry.kind.encode(), entry.mode, entry.stored, entry.digest)
        number = int.from_bytes(blake2b(facts, digest_size=16).digest(), "big")
        self.hash = (self.hash + times * number) % MODULUS
        self.files += times
        self.bytes += times * (entry.size if entry.kind == FILE and entry.stored else 0)

    def tree(self) -> str:
        """Return the hash of the tree: equal for two trees when all paths, modes and bytes are."""
        return f"{self.hash:032x}"

    def keep(self, snapshots: "Snapshots") -> None:
        """Keep it as that of the rows that are present, as part of the transaction that runs."""
        snapshots.set_property(PROPERTY, f"{self.hash:x} {self.files:x} {self.bytes:x}")


def of_present(snapshots: "Snapshots") -> Tally:
    """Return the tally of the rows that are present."""
    return Tally(snapshots.property(PROPERTY) or "")


def recount(snapshots: "Snapshots") -> None:
    """Count the rows that are present anew, as after some were taken out. They are part of the transaction that runs."""
    tally = Tally()
    for path, *facts in snapshots.query("SELECT path, kind, mode, size, digest, why = '' FROM present"):
        tally.add(path, Entry(*facts))
    tally.keep(snapshots)


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
        self.tally = of_present(snapshots)
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
    return {row[0]: Entry(row[1], row[2], row[3], row[4], bool(row[5])) for row in rows}
