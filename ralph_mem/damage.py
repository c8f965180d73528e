"""Damage: says in a few words what is wrong with the file of a memory, by looking at all of it."""

import posix
import time

from ralph_mem.core import blueprint, paths, schema, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

STEP_OPERATIONS = 100_000
LAST_NUMBER = 2**62
INDEXES = ("memory_fts", "observations_fts")
# What SQLite says where the file may well be whole; a damaged one it words in many ways.
OTHER_CAUSES = ("locked", "unable to open", "readonly", "disk I/O", "interrupted", "is full", "not authorized")


def of(folder: str, seconds: float = 3600) -> str:
    """Return what is wrong with the memory in a `.ralph-mem`, nothing where it is whole or cannot be looked at now.

    A database of a newer release, or of another program, is not damaged. Nobody else may write meanwhile.
    """
    path = folder + "/memory.db"
    try:
        size = posix.stat(path).st_size
    except OSError:
        return ""
    if not size:
        return "it is empty, but its log is not" if _bytes_of(path + "-wal") else ""
    try:
        return _with(path, "ro", seconds, _fault) or _with(path, "rw", seconds, _fault_of_indexes)
    except (store.sqlite.Error, MemoryError) as error:
        what = str(error) or type(error).__name__
        return "" if any([words in what for words in OTHER_CAUSES]) else what


def _with(path: str, mode: str, seconds: float, look: "Callable[[Any], str]") -> str:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = store.sqlite.connect(f"file://{quoted}?mode={mode}", uri=True, timeout=0.5, isolation_level=None)
    try:
        end = time.monotonic() + seconds
        db.set_progress_handler(lambda: time.monotonic() > end, STEP_OPERATIONS)
        return look(db)
    finally:
        db.close()


def _fault(db: "Any") -> str:
    version = _version(db)
    if not version:
        return ""
    (fault,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if fault != "ok":
        return " ".join(fault.split())
    gone = blueprint.missing(db, version)
    if gone:
        return f"schema {version} without {gone[0]}, as a migration leaves it that was broken off"
    ahead = _ahead(db, version)
    return f"schema {version} with {ahead} of a later one, as a migration leaves it that was broken off" if ahead else ""


def _version(db: "Any") -> int:
    """Return the schema version of a database of ours; 0 for a newer one, somebody else's, and one that is being made."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    return version if version <= schema.VERSION and application == schema.APPLICATION_ID else 0


def _fault_of_indexes(db: "Any") -> str:
    if _version(db):
        db.execute("BEGIN IMMEDIATE")
        for index in INDEXES:
            # FTS5's own check passes over a lost list of segments, into which nothing can be written any more
            db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            db.execute(f"INSERT INTO {index} (rowid, title) VALUES (?, 'trial')", (LAST_NUMBER,))
        db.execute("SAVEPOINT written")  # FTS5 holds back what is inserted until here
        db.execute("ROLLBACK")
    return ""


def _ahead(db: "Any", version: int) -> str:
    """Return something of this release's schema that an older one has already: to migrate it would fail."""
    if version == schema.VERSION:
        return ""
    wanted, still = set(blueprint.added_since(version)), set(blueprint.missing(db, schema.VERSION))
    return next(iter(sorted(wanted - still)), "")


def _bytes_of(path: str) -> int:
    return posix.stat(path).st_size if paths.exists(path) else 0
