"""Read the files that changed in a tree, and write them as the rows of a snapshot."""

import os
from collections import deque, namedtuple
from hashlib import blake2b
from stat import S_ISBLK, S_ISCHR, S_ISFIFO, S_ISSOCK

from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, OTHER, READ, Entry, blobs
from ralph_mem.ralph.snapshot.placing import Folders, parent
from ralph_mem.ralph.snapshot.walk import GONE, key_of, kind_of, mode_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator
    from concurrent.futures import Future
    from typing import Any

    from ralph_mem.ralph.snapshot.store import Snapshots


# A file that is written to all the time is given up after so many looks.
TRIES = 3
# zlib, blake2b and the file system run beside the interpreter: two threads fill two cores. Fewer files are done sooner by one.
THREADS, WORTH_THREADS = 2, 64
# What is read and not yet written is in memory: so many files or bytes at once, and so many batches ahead.
BATCH, BATCH_BYTES, AHEAD = 32, 1_048_576, 4
CHANGING = "changes while it is read"
MIB = 1_048_576

Read = namedtuple("Read", "path entry key why blob")
Read.__doc__ = """A path that was read: its entry and key, why it is not stored (empty when it is), and the blob to keep or None."""


class Reader:
    """Reads the files of a tree for a store. `is_held` says whether that has a digest already; several threads ask it."""

    __slots__ = ("_is_held", "_most_file_bytes", "_snapshots")

    def __init__(self, snapshots: "Snapshots", most_file_bytes: int, is_held: "Callable[[bytes], bool]") -> None:
        self._snapshots = snapshots
        self._most_file_bytes = most_file_bytes
        self._is_held = is_held

    def read(self, chosen: "dict[bytes, os.stat_result]") -> "Generator[Read, None, None]":
        """Read paths as they come, a few batches at a time. One that is gone in the meantime is left out.

        Raises OSError when the disk is full.
        """
        if len(chosen) < WORTH_THREADS:
            for batch in _batches(chosen):
                yield from self._read_batch(batch)
            return
        from concurrent.futures import ThreadPoolExecutor  # lazy: brings logging along, and a forget takes no snapshot

        with ThreadPoolExecutor(THREADS) as pool:
            waiting: deque[Future[list[Read]]] = deque()
            for batch in _batches(chosen):
                waiting.append(pool.submit(self._read_batch, batch))
                if len(waiting) > AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()

    def _read_batch(self, batch: "dict[bytes, os.stat_result]") -> "list[Read]":
        with Folders(self._snapshots.top) as folders:
            found = [self._read_one(folders, path, st) for path, st in batch.items()]
        return [each for each in found if each]

    def _read_one(self, folders: Folders, path: bytes, st: os.stat_result) -> "Read | None":
        kind = kind_of(st)
        if kind == FOLDER:
            return Read(path, Entry(FOLDER, mode_of(st), 0, b"", True), key_of(st), "", None)
        if kind == OTHER or (kind == FILE and st.st_size > self._most_file_bytes):
            return unstored(path, st, _why(st, self._most_file_bytes))
        try:
            folder = folders.at(parent(path))
        except OSError as error:
            return None if error.errno in GONE else unstored(path, st, f"cannot be read: {error.strerror}")
        name = path.rpartition(b"/")[2]
        try:
            return self._read_link(folder, name, path, st) if kind == LINK else self._read_file(folder, name, path, st)
        except FileNotFoundError:
            return None
        except OSError as error:
            if blobs.is_full(error):
                raise
            return unstored(path, st, f"cannot be read: {error.strerror}")

    def _read_link(self, folder: int, name: bytes, path: bytes, st: os.stat_result) -> Read:
        target = os.readlink(name, dir_fd=folder)
        digest = blobs.digest_of(target)
        return Read(path, Entry(LINK, mode_of(st), len(target), digest, True), key_of(st), "", self._blob(digest, target))

    def _read_file(self, folder: int, name: bytes, path: bytes, st: os.stat_result) -> Read:
        """Read a file until it is the same before and after."""
        for _ in range(TRIES):
            file = os.open(name, READ, dir_fd=folder)
            try:
                read = self._read_open(file, st)
                after = os.fstat(file)
            finally:
                os.close(file)
            if read and key_of(after) == key_of(st):
                digest, blob = read
                return Read(path, Entry(FILE, mode_of(st), st.st_size, digest, True), key_of(st), "", blob)
            st = after
            if kind_of(st) != FILE or st.st_size > self._most_file_bytes:
                break
        return unstored(path, st, CHANGING)

    def _read_open(self, file: int, st: os.stat_result) -> "tuple[bytes, blobs.Blob | None] | None":
        """Return digest and blob of an open file, or None when it has another size than was said."""
        if st.st_size > blobs.LARGEST_ROW:
            blob, size = blobs.pack_file(self._snapshots, file)
            return (blob.digest, blob) if size == st.st_size else None
        # one byte more, to learn in one call whether that is the end
        data = os.read(file, st.st_size + 1)
        if len(data) != st.st_size:
            return None
        digest = blobs.digest_of(data)
        return digest, self._blob(digest, data)

    def _blob(self, digest: bytes, data: bytes) -> "blobs.Blob | None":
        return None if self._is_held(digest) else blobs.pack(digest, data)


def _batches(chosen: "dict[bytes, os.stat_result]") -> "Iterator[dict[bytes, os.stat_result]]":
    batch: dict[bytes, os.stat_result] = {}
    size = 0
    for path in sorted(chosen):
        batch[path] = chosen[path]
        size += min(chosen[path].st_size, blobs.LARGEST_ROW)
        if len(batch) >= BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = {}, 0
    yield batch


def unstored(path: bytes, st: "os.stat_result | None", why: str) -> Read:
    """Return a path that is seen only: size and time stand for its bytes, so that a change shows. It has no key: look again."""
    if st is None:
        return Read(path, Entry(OTHER, 0, 0, b"", False), b"", why, None)
    kind = kind_of(st)
    # not hashed: a path that cannot be put back is not worth reading gigabytes at each snapshot
    digest = blobs.digest_of(b"%d %d" % (st.st_size, st.st_mtime_ns)) if kind == FILE else b""
    return Read(path, Entry(kind, mode_of(st), st.st_size if kind == FILE else 0, digest, False), b"", why, None)


def _why(st: os.stat_result, most_file_bytes: int) -> str:
    kinds = ((S_ISFIFO, "a FIFO"), (S_ISSOCK, "a socket"), (S_ISCHR, "a device"), (S_ISBLK, "a device"))
    for is_kind, name in kinds:
        if is_kind(st.st_mode):
            return name
    return f"larger than {most_file_bytes / MIB:g} MiB"


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
        self.tally = Tally(snapshots.property(PROPERTY) or "")
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
