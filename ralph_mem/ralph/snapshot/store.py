"""Store the snapshots of a tree in one SQLite file outside the project. One writes at a time, and blocks no reader.

A row of `past` holds from its first snapshot to its last, one of `present` to the newest: what does not change costs nothing.
"""

import os
import sqlite3
from contextlib import contextmanager
from struct import Struct

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import Change, Entry, Taken, blobs, database, links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from ralph_mem.core.project import Project

# Whoever works beside others on one store waits longer for its turn.
WAIT_S = 5.0
HOLDS = "first <= :at AND (last IS NULL OR last >= :at)"
ENTRY = "kind, mode, size, digest, why = ''"
# What of a stat is kept of each path: size, when it was written and changed, inode, mode.
KEY, CHANGED = Struct("<qqqQI"), 2
PLACE = "place "  # begins the property that says where the tree of a run lies


BEGIN_ANEW = "your files stay as they are; `ralph-mem ralph start` begins another run"


class SnapshotsGone(SnapshotError):
    """What a run had in its snapshots is not there any more."""


def gone(run: str) -> SnapshotsGone:
    """Return the error that the snapshots of a run are gone."""
    told = f"the snapshots of {run} are gone: deleted with the folder that held them, or to keep within the quota"
    return SnapshotsGone(told, BEGIN_ANEW)


class Snapshots:
    """An open store. `top` is the folder whose files it holds, as bytes; `folder` is where it lies.

    One that was opened to write holds the lock until `close`. `is_room` says that the top is the room of a loop, and not the
    tree that the store is of.
    """

    __slots__ = ("db", "folder", "is_room", "lock", "top")

    def __init__(self, folder: str, top: bytes, db: "Any", lock: int, is_room: bool = False) -> None:
        self.folder = folder
        self.top = top
        self.is_room = is_room
        self.db = db
        self.lock = lock

    def query(self, sql: str, values: "Any" = ()) -> "list[Any]":
        """Run one statement and return its rows. Raises SnapshotError where the store cannot be read or written."""
        try:
            return list(self.db.execute(sql, values))
        except sqlite3.Error as error:
            raise database.failure(self.folder, error) from error

    @contextmanager
    def transaction(self) -> "Iterator[Any]":
        """Do all of what is in it, on the disk, or nothing and raise SnapshotError; yields the database."""
        try:
            self.db.execute("BEGIN IMMEDIATE")
            yield self.db
            self.db.execute("COMMIT")
        except sqlite3.Error as error:
            raise database.failure(self.folder, error) from error
        finally:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")

    def property(self, key: str) -> "Any":
        """Return a fact about this store, or None."""
        rows = self.query("SELECT value FROM properties WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def set_property(self, key: str, value: object) -> None:
        """Set a fact about this store, as part of the transaction that runs."""
        self.query("INSERT OR REPLACE INTO properties VALUES (?, ?)", (key, value))

    def see_place(self, run: str, is_first: bool = False) -> None:
        """Note where the tree lies, and see that no link leads there now that did not as a run began. Raises SnapshotError.

        A link that took the place of the folder leads to files that are none of ours. A folder that was moved is the same one.
        """
        place, name = os.path.realpath(self.top), f"{PLACE}{run}{' room' if self.is_room else ''}"
        known = None if is_first else self.property(name)
        if known not in (None, place) and place != self.top:
            told = f"{os.fsdecode(self.top)} leads to another folder than before: {os.fsdecode(place)}"
            raise SnapshotError(told, "put back what was there")
        self.set_property(name, place)

    def at(self, top: bytes, is_room: bool) -> "Snapshots":
        """Return this store over another tree of it, on the same database and under the same lock; it is not to be closed."""
        return Snapshots(self.folder, top, self.db, self.lock, is_room)

    def taken(self, run: str = "") -> "list[Taken]":
        """Return the snapshots of a run, or all of them, in the order in which they were taken."""
        sql = "SELECT number, label, tree, files, bytes, seconds FROM snapshots WHERE ?1 = '' OR run = ?1 ORDER BY number"
        return [Taken._make([*row, self._unstored(row[0])]) for row in self.query(sql, (run,))]

    def find(self, number: int) -> Taken:
        """Return a snapshot by its number. Raises SnapshotError when there is none."""
        sql = "SELECT number, label, tree, files, bytes, seconds FROM snapshots WHERE number = ?"
        for row in self.query(sql, (number,)):
            return Taken._make([*row, self._unstored(number)])
        raise SnapshotError(f"there is no snapshot {number}", "it may have been removed to keep within the quota")

    def find_of(self, run: str, number: int) -> Taken:
        """Return a snapshot of a run. Raises SnapshotsGone, also where a store that was made anew has the number for another."""
        if self.query("SELECT run FROM snapshots WHERE number = ?", (number,)) != [(run,)]:
            raise gone(run)
        return self.find(number)

    def run_of(self, number: int) -> str:
        """Return the run that a snapshot belongs to. Raises SnapshotError when there is no such snapshot."""
        for row in self.query("SELECT run FROM snapshots WHERE number = ?", (number,)):
            return str(row[0])
        raise SnapshotError(f"there is no snapshot {number}", "it may have been removed to keep within the quota")

    def entries(self, number: int) -> "dict[bytes, Entry]":
        """Return every path of a snapshot with its entry. Raises SnapshotError when there is no such snapshot."""
        self.find(number)
        rows = self.query(f"SELECT path, {ENTRY} FROM entries WHERE {HOLDS}", {"at": number})
        twins = links.of(self, number)
        return {row[0]: entry_of(row[1:])._replace(twins=twins.get(row[0], b"")) for row in rows}

    def differences(self, older: int, newer: int) -> "list[Change]":
        """Return what differs between two snapshots, sorted by path. Raises SnapshotError when one of them is not there."""
        self.find(older)
        self.find(newer)
        low, high = sorted((older, newer))
        sql = """SELECT path FROM present WHERE first > :low AND first <= :high
            UNION SELECT path FROM past WHERE (first > :low AND first <= :high) OR (last >= :low AND last < :high)"""
        found = {row[0] for row in self.query(sql, {"low": low, "high": high})}
        touched = sorted(found.union(links.touched(self, low, high)))
        before, after = self.some(older, touched), self.some(newer, touched)
        pairs = [(path, before.get(path), after.get(path)) for path in touched]
        return [_change(*pair) for pair in pairs if pair[1] != pair[2]]

    def changed_ns(self, path: bytes) -> int:
        """Return when a path changed last by the newest snapshot's look, one that is gone by the folder above it; 0 if unknown.

        Of what a snapshot only sees it is by a look of now.
        """
        while path:
            for (key,) in self.query("SELECT key FROM present WHERE path = ?", (path,)):
                return int(KEY.unpack(key)[CHANGED]) if key else self._changed_by_now(path)
            path = path.rpartition(b"/")[0]
        return os.stat(self.top).st_ctime_ns

    def _changed_by_now(self, path: bytes) -> int:
        try:
            return os.lstat(self.top + b"/" + path).st_ctime_ns
        except OSError:
            return 0

    def seen(self, path: bytes) -> "tuple[int, int, int] | None":
        """Return size, time of the last write in ns and inode of a path by the newest snapshot's look, None where it has none."""
        for (key,) in self.query("SELECT key FROM present WHERE path = ?", (path,)):
            size, modified_ns, _, inode, _ = KEY.unpack(key) if key else (0, 0, 0, 0, 0)
            return (size, modified_ns, inode) if key else None
        return None

    def content(self, entry: Entry) -> bytes:
        """Return the bytes of a file, or the target of a link. Raises SnapshotError when they are not stored, or damaged."""
        return b"".join(blobs.pieces(self, entry))

    def write_content(self, entry: Entry, file: int) -> None:
        """Write the bytes of a file to an open descriptor, piece by piece. Raises SnapshotError as `content`, and OSError."""
        for piece in blobs.pieces(self, entry):
            blobs.write(file, piece)

    def close(self) -> None:
        """Close the store and let go of the lock."""
        self.db.close()
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def __enter__(self) -> "Snapshots":  # noqa: PYI034 - typing has no Self before 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unstored(self, number: int) -> "list[tuple[bytes, str]]":
        sql = f"""SELECT path, why FROM present WHERE why != '' AND first <= :at
            UNION ALL SELECT path, why FROM past WHERE why != '' AND {HOLDS} ORDER BY path"""
        return [tuple(row) for row in self.query(sql, {"at": number})]

    def some(self, number: int, chosen: "Sequence[bytes]") -> "dict[bytes, Entry]":
        """Return some paths of a snapshot with their entries; those that it does not have are left out."""
        sql = f"SELECT {ENTRY} FROM entries WHERE path = :path AND {HOLDS}"
        found = ((path, self.query(sql, {"path": path, "at": number})) for path in chosen)
        twins = links.of(self, number)
        return {path: entry_of(rows[0])._replace(twins=twins.get(path, b"")) for path, rows in found if rows}


def is_there(project: "Project") -> bool:
    """Say whether a tree has snapshots."""
    return os.path.lexists(f"{folder_of(project)}/store.db")


def folder_of(project: "Project") -> str:
    """Return the folder of a tree's snapshots. Raises SnapshotError where there is no home to keep them in."""
    home = paths.data_home()
    if not home:
        raise SnapshotError("there is no home folder to keep snapshots in", "set HOME or XDG_DATA_HOME")
    return f"{home}/{paths.SNAPSHOTS}/{paths.key_of(project.tree)}"


def open_store(project: "Project", wait_s: "float | None" = None) -> Snapshots:
    """Open the store of a tree to write, or make it. Waits for another writer, then raises SnapshotError.

    What a writer that was killed left behind is swept up. Raises SnapshotError too for a store that is damaged or newer.
    """
    folder = folder_of(project)
    try:
        paths.make_folder(folder)
        lock = database.lock(folder, WAIT_S if wait_s is None else wait_s)
    except OSError as error:
        raise SnapshotError(f"cannot write to {folder}: {error.strerror}", "is it yours, and is there room?") from error
    try:
        if not os.path.lexists(f"{folder}/store.db"):
            database.make(folder)
        opened = Snapshots(folder, os.fsencode(project.top), database.connect(folder), lock, project.top != project.tree)
    except BaseException:
        os.close(lock)
        raise
    blobs.sweep(opened)
    return opened


def open_to_read(project: "Project") -> "Snapshots | None":
    """Open the store of a tree to read while another process may write; None where there is none. Raises as `open_store`."""
    folder = folder_of(project)
    if not os.path.lexists(f"{folder}/store.db"):
        return None
    db = database.connect(folder)
    db.execute("PRAGMA query_only = ON")
    return Snapshots(folder, os.fsencode(project.top), db, -1, project.top != project.tree)


def entry_of(row: "Iterable[Any]") -> Entry:
    """Return an entry of its columns, as `ENTRY` names them."""
    kind, mode, size, digest, stored = row
    return Entry(kind, mode, size, digest, bool(stored))


def _change(path: bytes, before: "Entry | None", after: "Entry | None") -> Change:
    what = "added" if before is None else "deleted" if after is None else "changed"
    return Change(path, what, before, after)
