"""Store the snapshots of a tree in one SQLite file outside the project.

One writes at a time, and never blocks those who read.

A row of `past` holds from its first snapshot to its last; one of `present` from its first to the newest, and remembers what
`stat` said. So a path that does not change costs nothing, whatever the number of snapshots.
"""

import os
import sqlite3
from hashlib import blake2b

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.memory.store import connection
from ralph_mem.ralph.snapshot import Change, Entry, Taken, blobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project

DIGEST_BYTES = 16
# Stores of earlier releases lack it: their snapshots know no links.
TABLE = """CREATE TABLE IF NOT EXISTS links (path BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER, twins BLOB NOT NULL,
    PRIMARY KEY (path, first)) WITHOUT ROWID"""
IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'links'"
AT = "SELECT path, twins FROM links WHERE first <= :at AND (last IS NULL OR last >= :at)"
TOUCHED = "SELECT path FROM links WHERE (first > :low AND first <= :high) OR (last >= :low AND last < :high)"
STORED = "SELECT 1 FROM present WHERE path = ? AND kind = 'file' AND why = ''"
REMOVE = (
    "DELETE FROM links WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE number BETWEEN links.first AND coalesce(links.last, number))"
)


def write(snapshots: "Snapshots", number: int, groups: "Iterable[list[bytes]]") -> None:
    """Write which paths are names of one file in snapshot `number`, as part of the transaction that runs."""
    snapshots.query(TABLE)
    now: dict[bytes, bytes] = {}
    for group in groups:
        names = sorted(path for path in group if snapshots.query(STORED, (path,)))
        if len(names) > 1:
            now.update(dict.fromkeys(names, blake2b(b"\0".join(names), digest_size=DIGEST_BYTES).digest()))
    before = dict(snapshots.query("SELECT path, twins FROM links WHERE last IS NULL"))
    for path in [path for path in before if before[path] != now.get(path)]:
        snapshots.query("UPDATE links SET last = ? WHERE path = ? AND last IS NULL", (number - 1, path))
    for path in [path for path in now if now[path] != before.get(path)]:
        snapshots.query("INSERT INTO links VALUES (?, ?, NULL, ?)", (path, number, now[path]))


def of(snapshots: "Snapshots", number: int) -> "dict[bytes, bytes]":
    """Return what tells the names of a file from those of others, for each path of a snapshot that shares one."""
    return dict(snapshots.query(AT, {"at": number})) if snapshots.query(IS_THERE) else {}


def touched_links(snapshots: "Snapshots", low: int, high: int) -> "list[bytes]":
    """Return the paths that shared a file with others in one of two snapshots, or between them, and not in all."""
    return [row[0] for row in snapshots.query(TOUCHED, {"low": low, "high": high})] if snapshots.query(IS_THERE) else []


def sweep(snapshots: "Snapshots") -> None:
    """Delete the rows of snapshots that are gone, as part of the transaction that runs."""
    if snapshots.query(IS_THERE):
        snapshots.query(REMOVE)


VERSION = 1
# A snapshot takes a second or less; who waits longer than a reader's patience is told.
READ_WAIT_S = 5.0
SCHEMA = """
CREATE TABLE properties (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE snapshots (number INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, run TEXT NOT NULL, tree TEXT NOT NULL,
    files INTEGER NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL, began_ns INTEGER NOT NULL);
CREATE TABLE present (path BLOB PRIMARY KEY, first INTEGER NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL,
    size INTEGER NOT NULL, digest BLOB NOT NULL, why TEXT NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE past (path BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL,
    size INTEGER NOT NULL, digest BLOB NOT NULL, why TEXT NOT NULL, PRIMARY KEY (path, first)) WITHOUT ROWID;
CREATE VIEW entries AS SELECT path, first, NULL AS last, kind, mode, size, digest, why FROM present
    UNION ALL SELECT path, first, last, kind, mode, size, digest, why FROM past;
CREATE INDEX present_folders ON present (path) WHERE kind = 'folder';
CREATE INDEX present_unstored ON present (path) WHERE why != '';
CREATE INDEX past_unstored ON past (path) WHERE why != '';
CREATE TABLE ignored (path BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE blobs (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, form TEXT NOT NULL, bytes INTEGER NOT NULL, data BLOB);
CREATE INDEX blobs_beside ON blobs (digest, bytes) WHERE data IS NULL;
"""
HOLDS = "first <= :at AND (last IS NULL OR last >= :at)"
ENTRY = "kind, mode, size, digest, why = ''"
PLACE = "place "  # begins the property that says where the tree of a run lies


class Snapshots:
    """An open store. `top` is the folder whose files it holds, as bytes; `folder` is where it lies.

    One that was opened to write holds the lock until `close`.
    """

    __slots__ = ("db", "folder", "lock", "top")

    def __init__(self, folder: str, top: bytes, db: "Any", lock: int) -> None:
        self.folder = folder
        self.top = top
        self.db = db
        self.lock = lock

    def query(self, sql: str, values: "Any" = ()) -> "list[Any]":
        """Run one statement and return its rows. Raises SnapshotError where the store cannot be read or written."""
        try:
            return list(self.db.execute(sql, values))
        except sqlite3.Error as error:
            raise failure(self.folder, error) from error

    def property(self, key: str) -> "Any":
        """Return a fact about this store, or None."""
        rows = self.query("SELECT value FROM properties WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def set_property(self, key: str, value: object) -> None:
        """Set a fact about this store, as part of the transaction that runs."""
        self.query("INSERT OR REPLACE INTO properties VALUES (?, ?)", (key, value))

    def see_place(self, run: str, is_first: bool = False) -> None:
        """Note where the tree lies as a run begins, later see that it still does. Raises SnapshotError.

        A link that took the place of the folder leads to files that are none of ours.
        """
        place = os.path.realpath(self.top)
        known = None if is_first else self.property(PLACE + run)
        if known not in (None, place):
            told = f"{os.fsdecode(self.top)} leads to another folder than before: {os.fsdecode(place)}"
            raise SnapshotError(told, "put back what was there")
        self.set_property(PLACE + run, place)

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

    def run_of(self, number: int) -> str:
        """Return the run that a snapshot belongs to. Raises SnapshotError when there is no such snapshot."""
        for row in self.query("SELECT run FROM snapshots WHERE number = ?", (number,)):
            return str(row[0])
        raise SnapshotError(f"there is no snapshot {number}", "it may have been removed to keep within the quota")

    def entries(self, number: int) -> "dict[bytes, Entry]":
        """Return every path of a snapshot with its entry. Raises SnapshotError when there is no such snapshot."""
        self.find(number)
        rows = self.query(f"SELECT path, {ENTRY} FROM entries WHERE {HOLDS}", {"at": number})
        twins = of(self, number)
        return {row[0]: entry_of(row[1:])._replace(twins=twins.get(row[0], b"")) for row in rows}

    def differences(self, older: int, newer: int) -> "list[Change]":
        """Return what differs between two snapshots, sorted by path. Raises SnapshotError when one of them is not there."""
        self.find(older)
        self.find(newer)
        low, high = sorted((older, newer))
        sql = """SELECT path FROM present WHERE first > :low AND first <= :high
            UNION SELECT path FROM past WHERE (first > :low AND first <= :high) OR (last >= :low AND last < :high)"""
        found = {row[0] for row in self.query(sql, {"low": low, "high": high})}
        touched = sorted(found.union(touched_links(self, low, high)))
        before, after = self._some(older, touched), self._some(newer, touched)
        pairs = [(path, before.get(path), after.get(path)) for path in touched]
        return [_change(*pair) for pair in pairs if pair[1] != pair[2]]

    def content(self, entry: Entry) -> bytes:
        """Return the bytes of a file, or the target of a link. Raises SnapshotError when they are not stored, or damaged."""
        return b"".join(blobs.pieces(self, entry))

    def write_content(self, entry: Entry, file: int) -> None:
        """Write the bytes of a file to an open descriptor, piece by piece. Raises SnapshotError as `content`, and OSError."""
        for piece in blobs.pieces(self, entry):
            data = memoryview(piece)
            while data:
                data = data[os.write(file, data) :]

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

    def _some(self, number: int, chosen: "Sequence[bytes]") -> "dict[bytes, Entry]":
        sql = f"SELECT {ENTRY} FROM entries WHERE path = :path AND {HOLDS}"
        found = ((path, self.query(sql, {"path": path, "at": number})) for path in chosen)
        twins = of(self, number)
        return {path: entry_of(rows[0])._replace(twins=twins.get(path, b"")) for path, rows in found if rows}


def folder_of(project: "Project") -> str:
    """Return the folder of a tree's snapshots. Raises SnapshotError where there is no home to keep them in."""
    home = paths.data_home()
    if not home:
        raise SnapshotError("there is no home folder to keep snapshots in", "set HOME or XDG_DATA_HOME")
    return f"{home}/{paths.SNAPSHOTS}/{paths.key_of(project.top)}"


def open_store(project: "Project", wait_s: float = 5.0) -> Snapshots:
    """Open the store of a tree to write, or make it. Waits for another writer, then raises SnapshotError.

    What a writer that was killed left behind is swept up. Raises SnapshotError too for a store that is damaged or newer.
    """
    folder = folder_of(project)
    try:
        paths.make_folder(folder)
        lock = _lock(folder, wait_s)
    except OSError as error:
        raise SnapshotError(f"cannot write to {folder}: {error.strerror}", "is it yours, and is there room?") from error
    try:
        if not os.path.lexists(f"{folder}/store.db"):
            _make(folder)
        opened = Snapshots(folder, os.fsencode(project.top), _connect(folder), lock)
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
    db = _connect(folder)
    db.execute("PRAGMA query_only = ON")
    return Snapshots(folder, os.fsencode(project.top), db, -1)


def failure(folder: str, error: "Exception") -> SnapshotError:
    """Return what a person is told about an error of SQLite or the file system."""
    told = str(error)
    if "full" in told or "No space" in told:
        return SnapshotError("the disk is full: nothing was stored", "make room, then try again; former snapshots are as they were")
    if "malformed" in told or "not a database" in told:
        return _damaged(folder)
    return SnapshotError(f"the snapshots in {folder} cannot be used: {told}", "is the folder yours, and is there room?")


def _damaged(folder: str) -> SnapshotError:
    hint = f"it was left as it is; to begin anew without the former snapshots: mv '{folder}' '{folder}.damaged'"
    return SnapshotError(f"{folder}/store.db is damaged", hint)


def _lock(folder: str, wait_s: float) -> int:
    """Hold the lock of the one writer; it goes with the process. Raises SnapshotError and OSError."""
    file = paths.open_lock(folder)
    if paths.lock(file, wait_s=wait_s):
        return file
    os.close(file)
    raise SnapshotError("another process works on the snapshots of this project", "wait until it is done, then try again")


def _make(folder: str) -> None:
    """Make an empty store under another name and give it its own in the end: one that is there is never half made."""
    draft = f"{folder}/store.db.new"
    for end in ("", "-wal", "-shm", "-journal"):
        paths.remove(draft + end)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        db = sqlite3.connect(draft, isolation_level=None)
        try:
            # so that what a deleted run took goes back to the disk
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        finally:
            db.close()
        os.rename(draft, f"{folder}/store.db")
    except (sqlite3.Error, OSError) as error:
        raise failure(folder, error) from error


def _connect(folder: str) -> "Any":
    try:
        # mode=rw: a store that vanishes in between is not made anew, and empty
        db = sqlite3.connect(connection.address_of(folder + "/store.db"), timeout=READ_WAIT_S, isolation_level=None, uri=True)
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        db.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        raise failure(folder, error) from error
    if version == VERSION:
        return db
    db.close()
    if not version:  # an empty file; ours have had their version from the beginning
        raise _damaged(folder)
    raise SnapshotError(f"{folder}/store.db was written by a newer release (version {version})", "update the plugin")


def entry_of(row: "Iterable[Any]") -> Entry:
    """Return an entry of its columns, as `ENTRY` names them."""
    kind, mode, size, digest, stored = row
    return Entry(kind, mode, size, digest, bool(stored))


def _change(path: bytes, before: "Entry | None", after: "Entry | None") -> Change:
    what = "added" if before is None else "deleted" if after is None else "changed"
    return Change(path, what, before, after)
