"""A glance: what is in a memory, read without changing it, however broken, locked or new it is."""

import contextlib
import sqlite3
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import store

# A writer never keeps a reader waiting; what does is a program that has locked the whole file, and that may stay.
WAIT_SECONDS = 1.0
# What a damaged index makes SQLite ask for is at times more memory than there is.
FAILURES = (sqlite3.Error, MemoryError)
COUNTS = """
SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM observations),
    max(coalesce((SELECT max(coalesce(ended_at, started_at)) FROM sessions), 0),
        coalesce((SELECT max(created_at, coalesce(ended_at, 0)) FROM turns ORDER BY id DESC LIMIT 1), 0),
        coalesce((SELECT created_at FROM observations ORDER BY id DESC LIMIT 1), 0))"""

OK, EMPTY, NEWER, LOCKED, BROKEN, UNREADABLE = "ok", "empty", "newer", "locked", "broken", "unreadable"

# `state` is one of the six above, `id` the project's; `at` is the time of the last event in milliseconds, or 0. What
# cannot be known is None.
Glance = namedtuple("Glance", "state id sessions turns observations at")


def connect(folder: str) -> sqlite3.Connection:
    """Open the database in a folder for reading alone. SQLite may say only at the first query that it cannot."""
    address = Path(folder, "memory.db").absolute().as_uri() + "?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)


def is_gone(path: str | Path) -> bool:
    """Say whether nothing is there; what cannot be looked at, behind a closed folder or on a silent server, is not gone."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def of(folder: str) -> Glance:
    """Look into the database of a folder that has one."""
    try:
        with contextlib.closing(connect(folder)) as db:
            return _look(db)
    except FAILURES as error:
        return Glance(why(error), None, None, None, None, None)


def _look(db: sqlite3.Connection) -> Glance:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if not version:
        return Glance(EMPTY, None, 0, 0, 0, 0)
    (number,) = db.execute("SELECT value FROM properties WHERE key = 'project_id'").fetchone() or (None,)
    return Glance(NEWER if version > store.SCHEMA_VERSION else OK, number, *db.execute(COUNTS).fetchone())


def why(error: BaseException) -> str:
    """Return the state that an error of SQLite tells of; Python before 3.11 has no codes, the messages are SQLite's own."""
    what = str(error)
    if "locked" in what:
        return LOCKED
    return UNREADABLE if any(words in what for words in ("unable to open", "readonly", "disk I/O")) else BROKEN


def amount(size: int) -> str:
    """Return a number of bytes as people say it."""
    for unit, bytes_of_it in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= bytes_of_it:
            return f"{size / bytes_of_it:.1f} {unit}"
    return f"{size} bytes"


def when(at: int) -> str:
    """Return a time in milliseconds as the day and the time of day where the person is; nothing for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at / 1000)) if at else ""


def count(number: int, what: str) -> str:
    """Return a number of things as people say it."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
