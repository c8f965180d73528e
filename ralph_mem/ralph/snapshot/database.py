"""Make and open the database of snapshots, and hold the lock of its one writer."""

import os
import sqlite3

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


def lock(folder: str, wait_s: float) -> int:
    """Hold the lock of the one writer; it goes with the process. Raises SnapshotError and OSError."""
    file = paths.open_lock(folder)
    if paths.lock(file, wait_s=wait_s):
        return file
    os.close(file)
    raise SnapshotError("another process works on the snapshots of this project", "wait until it is done, then try again")


def make(folder: str) -> None:
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


def connect(folder: str) -> "Any":
    """Return the open database of a store. Raises SnapshotError for one that is damaged, newer, or gone."""
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
