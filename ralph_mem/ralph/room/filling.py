"""Fill a room with the files of a snapshot, and copy others into it by reflinks where possible.

They come from the person's tree where that still has them, else from the store.
"""

import os
import stat
import time

from ralph_mem.core import paths
from ralph_mem.ralph.snapshot import CREATE, FILE, FOLDER, LINK, READ, Entry, blobs, trees
from ralph_mem.ralph.snapshot.walk import key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ralph_mem.ralph.snapshot.store import Snapshots

# What the person's tree was when its keys were taken: a path with this key still holds what its row says.
KEYS = "SELECT path, key FROM present WHERE first <= ? AND key != x''"
OWNERS = 0o700
# Two threads fill two cores; fewer files are copied sooner by one.
THREADS, WORTH_THREADS, BATCH = 2, 400, 200
PIECE = 1_048_576
NO_CLONES: "set[tuple[int, int]]" = set()  # pairs of file systems that have refused: asked once


def fill(snapshots: "Snapshots", number: int, source: str, room: str) -> "tuple[list[bytes], list[bytes]]":
    """Make every path of a snapshot in a room, which is empty. Raises as the store does.

    Returns the paths that could not be made, and the links that are not as the snapshot has them: from a room they would lead to
    the person's files, or nowhere.

    What the snapshot saw without storing it, as a large file, is copied from the source. `finish` is to be called once all else
    that belongs into the room is there.
    """
    entries = snapshots.entries(number)
    work = _Filling(snapshots, os.fsencode(source), os.fsencode(room), _keys(snapshots, number, source))
    for path in sorted(entries):
        if not work.is_for_threads(path, entries[path]):
            work.make(path, entries[path])
    work.make_others(entries)
    return work.missing, work.led


def finish(snapshots: "Snapshots", number: int, room: str, led: "Collection[bytes]") -> None:
    """Give the folders of a room their modes, and note what it looks like, so that the next snapshot reads no file but `led`."""
    base, entries = os.fsencode(room) + b"/", snapshots.entries(number)
    for path in sorted([path for path, entry in entries.items() if entry.kind == FOLDER], reverse=True):
        os.chmod(base + path, entries[path].mode)
    found = []
    for path, entry in entries.items():
        if (entry.stored or entry.kind == FOLDER) and path not in led:
            try:
                found.append((path, key_of(os.lstat(base + path))))
            except OSError:
                continue
    trees.note(snapshots, os.fsencode(room), found, time.time_ns())


def _keys(snapshots: "Snapshots", number: int, source: str) -> "dict[bytes, bytes]":
    """Return the keys by which paths of the source are known to be as the snapshot has them."""
    return dict(snapshots.query(KEYS, (number,))) if trees.is_of(snapshots, os.fsencode(source)) else {}


def led(path: bytes, told: bytes, source: bytes, room: bytes) -> bytes:
    """Return what a link says in a room; both folders end in a slash.

    One into the person's tree by its whole path leads to the same in the room, one out of it where it led.
    """
    target = os.path.normpath(os.path.join(os.path.dirname(source + path), told))
    if not (target + b"/").startswith(source):
        return target
    return room + target[len(source) :] if os.path.isabs(told) else told


class _Filling:
    """A room that is being filled."""

    def __init__(self, snapshots: "Snapshots", source: bytes, room: bytes, keys: "dict[bytes, bytes]") -> None:
        self._snapshots, self._source, self._room, self._keys = snapshots, source + b"/", room + b"/", keys
        self._shared: dict[bytes, bytes] = {}  # of hard links: the path of the file that their names share
        self._others: list[bytes] = []
        self.missing: list[bytes] = []
        self.led: list[bytes] = []

    def is_for_threads(self, path: bytes, entry: Entry) -> bool:
        """Say whether a path is a file of its own that the source should still have: those wait for `make_others`."""
        waits = entry.kind == FILE and not entry.twins and path in self._keys
        if waits:
            self._others.append(path)
        return waits

    def make_others(self, entries: "dict[bytes, Entry]") -> None:
        """Copy the files that wait, by threads: the file system takes the time. What the source lacks comes otherwise."""
        if len(self._others) < WORTH_THREADS:
            failed = self._copied(self._others)
        else:
            from concurrent.futures import ThreadPoolExecutor  # lazy: brings logging along, and few rooms have so many files

            parts = [self._others[at : at + BATCH] for at in range(0, len(self._others), BATCH)]
            with ThreadPoolExecutor(THREADS) as pool:
                failed = [path for part in pool.map(self._copied, parts) for path in part]
        for path in failed:
            self._file(path, entries[path])

    def _copied(self, chosen: "list[bytes]") -> "list[bytes]":
        """Copy files from the source; returns those that it has no more as they were."""
        return [path for path in chosen if not self._copy(path)]

    def _copy(self, path: bytes) -> bool:
        key = self._keys.get(path)
        return copy_file(self._source + path, self._room + path, (lambda found: key_of(found) == key) if key else None)

    def make(self, path: bytes, entry: Entry) -> None:
        """Make a path as an entry has it."""
        if entry.kind == FOLDER:
            os.mkdir(self._room + path, OWNERS)
        elif entry.kind == LINK and entry.stored:
            self._link(path, self._snapshots.content(entry))
        elif entry.kind == FILE:
            self._file(path, entry)
        elif not self._special(path):
            self.missing.append(path)

    def _link(self, path: bytes, told: bytes) -> None:
        wanted = led(path, told, self._source, self._room)
        self.led += [path] if wanted != told else []
        os.symlink(wanted, self._room + path)

    def _file(self, path: bytes, entry: Entry) -> None:
        if entry.twins in self._shared and entry.twins:
            os.link(self._room + self._shared[entry.twins], self._room + path)
            return
        if (path in self._keys or not entry.stored) and self._copy(path):
            pass
        elif entry.stored:
            self._from_store(path, entry)
        else:
            self.missing.append(path)
            return
        self._shared.setdefault(entry.twins, path)

    def _from_store(self, path: bytes, entry: Entry) -> None:
        written = os.open(self._room + path, CREATE, 0o600)
        try:
            self._snapshots.write_content(entry, written)
            os.fchmod(written, entry.mode)
        finally:
            os.close(written)

    def _special(self, path: bytes) -> bool:
        """Make a FIFO where there is one; sockets and devices are their makers'."""
        try:
            found = os.lstat(self._source + path)
            if stat.S_ISFIFO(found.st_mode):
                os.mkfifo(self._room + path, stat.S_IMODE(found.st_mode))
        except OSError:
            return False
        return stat.S_ISFIFO(found.st_mode)


def copy_file(source: "str | bytes", target: "str | bytes", is_right: "Callable[[os.stat_result], bool] | None" = None) -> bool:
    """Copy a regular file with its mode and time; says whether that was possible, and leaves nothing where it was not.

    With `is_right` it has to be so before and after it was read. Raises OSError for the target.
    """
    try:
        file = os.open(source, READ)
    except OSError:
        return False
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or (is_right and not is_right(found)):
            return False
        written = os.open(target, CREATE, stat.S_IMODE(found.st_mode) & 0o777)
        try:
            made = os.fstat(written)
            _fill_file(written, file, (found.st_dev, made.st_dev))
            settle(written, found, made)
        finally:
            os.close(written)
        after = os.fstat(file)
    finally:
        os.close(file)
    if (is_right and not is_right(after)) or (after.st_size, after.st_mtime_ns) != (found.st_size, found.st_mtime_ns):
        os.unlink(target)
        return False
    return True


def settle(written: int, found: os.stat_result, made: "os.stat_result | None" = None) -> None:
    """Give an open file mode and time of another: a build tool goes by times. `made` is what it was made as."""
    if made is None or made.st_mode != found.st_mode:
        os.fchmod(written, stat.S_IMODE(found.st_mode))
    os.utime(written, ns=(found.st_atime_ns, found.st_mtime_ns))


def _fill_file(written: int, file: int, pair: "tuple[int, int]") -> None:
    if pair not in NO_CLONES:
        if paths.clone(file, written):
            return
        NO_CLONES.add(pair)
    while True:
        piece = os.read(file, PIECE)
        if not piece:
            return
        blobs.write(written, piece)
