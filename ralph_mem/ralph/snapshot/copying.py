"""Write the files of a snapshot into an empty folder, from the store alone."""

import os
import zlib
from collections import deque, namedtuple

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import CREATE, FOLDER, LINK, blobs
from ralph_mem.ralph.snapshot.store import HOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from concurrent.futures import Future
    from typing import Any

    from ralph_mem.ralph.snapshot.store import Snapshots

# zlib and the file system work beside the interpreter. Fewer files are written sooner by one thread.
THREADS, WORTH_THREADS = 2, 400
# Files that a thread takes at once, and how many such parts are in memory.
BATCH, AHEAD = 200, 4
FOLDERS = f"SELECT path, mode FROM entries WHERE kind = '{FOLDER}' AND {HOLDS} ORDER BY path"
FILES = f"""SELECT entries.path, entries.kind, entries.mode, entries.digest, blobs.form, blobs.data FROM entries
    JOIN blobs ON blobs.digest = entries.digest WHERE entries.kind IN ('file', 'link') AND entries.why = '' AND {HOLDS}"""


Piece = namedtuple("Piece", "kind mode data")
Piece.__doc__ = """A file or link to be written: its permission bits, and its bytes or its target."""


def write_tree(snapshots: "Snapshots", number: int, folder: str, instead: "Mapping[bytes, Piece | None]") -> int:
    """Write a snapshot into an empty folder; returns how many files and links that were. Raises SnapshotError.

    `instead` has a Piece for each path that comes otherwise than the snapshot has it, None for one that does not come. What was
    seen without being stored is left out. Digests are not looked at: what is damaged shows where it is put back.
    """
    count, top = snapshots.find(number).files, os.fsencode(folder) + b"/"
    try:
        folders = snapshots.query(FOLDERS, {"at": number})
        for path, _ in folders:
            os.mkdir(top + path, 0o700)
        rows = (row for row in snapshots.db.execute(FILES, {"at": number}) if row[0] not in instead)
        written = _write(snapshots.folder, top, rows, THREADS if count >= WORTH_THREADS else 0)
        for path, piece in instead.items():
            if piece is not None:
                write_piece(top + path, piece)
        for path, mode in reversed(folders):
            os.chmod(top + path, mode | 0o700)
    except (OSError, zlib.error) as error:
        raise SnapshotError(f"the files of snapshot {number} cannot be copied to {folder}: {error}") from error
    return written


def write_piece(path: bytes, piece: Piece) -> None:
    """Write a file or link anew, with the folders that lead to it. Raises OSError."""
    remove(path)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if piece.kind == LINK:
        os.symlink(piece.data, path)
        return
    file = os.open(path, CREATE, 0o600)
    try:
        blobs.write(file, piece.data)
        os.fchmod(file, piece.mode | 0o600)
    finally:
        os.close(file)


def remove(path: bytes) -> None:
    """Delete a file or link, if it is there. Raises OSError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _write(store: str, top: bytes, rows: "Iterable[Any]", threads: int) -> int:
    count = 0
    if not threads:
        return sum([_write_batch(store, top, [row]) for row in rows])
    from concurrent.futures import ThreadPoolExecutor  # lazy: brings logging along, and few runs have so many files

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[int]] = deque()
        for batch in _batches(rows):
            waiting.append(pool.submit(_write_batch, store, top, batch))
            count += waiting.popleft().result() if len(waiting) > AHEAD else 0
        return count + sum([each.result() for each in waiting])


def _batches(rows: "Iterable[Any]") -> "Iterator[list[Any]]":
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def _write_batch(store: str, top: bytes, rows: "list[Any]") -> int:
    for path, kind, mode, digest, form, data in rows:
        if kind == LINK:
            os.symlink(b"".join(_pieces(store, digest, form, data)), top + path)
            continue
        file = os.open(top + path, CREATE, mode | 0o600)
        try:
            for piece in _pieces(store, digest, form, data):
                blobs.write(file, piece)
        finally:
            os.close(file)
    return len(rows)


def _pieces(store: str, digest: bytes, form: str, data: "bytes | None") -> "Iterator[bytes]":
    if data is None:
        yield from blobs.from_file(blobs.file_of(store, digest))
    else:
        yield zlib.decompress(data) if form == blobs.PACKED else data
