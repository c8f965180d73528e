"""Keep the bytes of files and targets of links once by their digest, large ones beside the database."""

import errno
import os
import zlib
from collections import namedtuple
from hashlib import blake2b

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph_mem.ralph.snapshot import Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

# Above this SQLite is slower than the file system, and a database that grows by it is slow to give it back.
LARGEST_ROW = 1_048_576
PIECE = 1_048_576
# The quickest level: 2 is a third slower for a twentieth less.
LEVEL = 1
# A window of 16 KiB and small tables pack nearly as well as zlib's defaults, whose 268 kB the kernel has to map and clear anew for
# each blob: half as much work as the packing itself.
WINDOW_BITS, MEMORY_LEVEL = 14, 7
DIGEST_BYTES = 32
# How a blob is kept: as it is or packed in its row, or packed in a file.
RAW, PACKED, FILE = "raw", "packed", "file"

Blob = namedtuple("Blob", "digest form bytes data")
Blob.__doc__ = """A blob as the database keeps it: `bytes` is what it takes on the disk, `data` is None for one in a file."""


def digest_of(data: bytes) -> bytes:
    """Return what tells these bytes from any others."""
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


def pack(digest: bytes, data: bytes) -> Blob:
    """Return the blob of a few bytes, packed where that makes them smaller."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, WINDOW_BITS, MEMORY_LEVEL)
    packed = packer.compress(data) + packer.flush()
    if len(packed) < len(data):
        return Blob(digest, PACKED, len(packed), packed)
    return Blob(digest, RAW, len(data), data)


def pack_file(snapshots: "Snapshots", file: int) -> "tuple[Blob, int]":
    """Read an open file to its end into a blob beside the database; returns it with the bytes that were read.

    It is on the disk for good before this returns, since the transaction that names it may survive a power cut. Raises OSError.
    """
    draft = f"{snapshots.folder}/blobs/draft-{os.getpid()}-{file}"
    paths.make_folder(os.path.dirname(draft))
    out = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        digest, size = _pack_into(out, file)
        name = file_of(snapshots.folder, digest)
        paths.make_folder(os.path.dirname(name))
        os.rename(draft, name)
        _sync_folder(os.path.dirname(name))
        return Blob(digest, FILE, os.fstat(out).st_size, None), size
    except OSError:
        paths.remove(draft)
        raise
    finally:
        os.close(out)


def _pack_into(out: int, file: int) -> "tuple[bytes, int]":
    told, packer, size = blake2b(digest_size=DIGEST_BYTES), zlib.compressobj(LEVEL), 0
    while True:
        piece = os.read(file, PIECE)
        told.update(piece)
        size += len(piece)
        write(out, packer.compress(piece) if piece else packer.flush())
        if not piece:
            os.fsync(out)
            return told.digest(), size


def write(out: int, data: bytes) -> None:
    """Write all bytes to an open descriptor. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(out, left) :]


def _sync_folder(folder: str) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def file_of(folder: str, digest: bytes) -> str:
    """Return the file of a large blob in a store's folder."""
    name = digest.hex()
    return f"{folder}/blobs/{name[:2]}/{name}"


def add(snapshots: "Snapshots", found: "Iterable[Blob]") -> None:
    """Keep blobs, as part of the transaction that runs; those that are there are left alone."""
    sql = "INSERT OR IGNORE INTO blobs (digest, form, bytes, data) VALUES (?, ?, ?, ?)"
    snapshots.db.executemany(sql, found)


def pieces(snapshots: "Snapshots", entry: "Entry") -> "Iterator[bytes]":
    """Yield the bytes of an entry. Raises SnapshotError when they are not stored, or not what they were."""
    rows = snapshots.query("SELECT form, data FROM blobs WHERE digest = ?", (entry.digest,)) if entry.stored else []
    if not rows:
        raise SnapshotError("the content of this path is not in the store", "it was seen, and not stored")
    form, data = rows[0]
    told = blake2b(digest_size=DIGEST_BYTES)
    try:
        row = (zlib.decompress(data) if form == PACKED else data,) if data is not None else ()
        for piece in row or from_file(file_of(snapshots.folder, entry.digest)):
            told.update(piece)
            yield piece
    except (OSError, zlib.error) as error:
        raise _damaged(snapshots) from error
    if told.digest() != entry.digest:
        raise _damaged(snapshots)


def from_file(path: str) -> "Iterator[bytes]":
    """Yield the bytes of a large blob, unpacked. Raises OSError and zlib.error."""
    unpacker = zlib.decompressobj()
    with open(path, "rb") as file:
        packed = file.read(PIECE)
        while packed:
            # a file of zeros unpacks to a thousand times its size: never more than a piece at once
            yield unpacker.decompress(packed, PIECE)
            packed = unpacker.unconsumed_tail or file.read(PIECE)
    yield unpacker.flush()


def _damaged(snapshots: "Snapshots") -> SnapshotError:
    return SnapshotError(f"a stored file in {snapshots.folder} is damaged", "roll back to another snapshot, which may have it")


def sweep(snapshots: "Snapshots") -> None:
    """Remove the files of large blobs that no row names: a writer was killed, or a snapshot deleted. The caller holds the lock."""
    top = f"{snapshots.folder}/blobs"
    try:
        with os.scandir(top) as found:
            entries = list(found)
    except OSError:
        return
    named = {bytes(row[0]).hex() for row in snapshots.query("SELECT digest FROM blobs WHERE data IS NULL")}
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            paths.remove(entry.path)
            continue
        for name in os.listdir(entry.path):
            if name not in named:
                paths.remove(f"{entry.path}/{name}")


def bytes_on_disk(snapshots: "Snapshots") -> int:
    """Return what the store takes: the pages of the database that are in use, and the files beside it."""
    (pages,), (free,), (size,) = [snapshots.query(f"PRAGMA {name}")[0] for name in ("page_count", "freelist_count", "page_size")]
    beside = snapshots.query("SELECT coalesce(sum(bytes), 0) FROM blobs WHERE data IS NULL")[0][0]
    return int((pages - free) * size + beside)


def is_full(error: OSError) -> bool:
    """Say whether an error means that there is no room, rather than that something cannot be read."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
