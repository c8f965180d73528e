"""Keep the loose objects of repositories in one database.

A file of each would take far longer to make than to read. They are named as in a copy of a repository, and kept as git has them.
"""

import os
import sqlite3
from contextlib import closing, contextmanager, suppress

from ralph_mem.core import paths
from ralph_mem.ralph.snapshot import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

NAME = "loose.db"
# Loose objects have some kB: several fit into a page of this size.
PAGE = 16_384
SCHEMA = """CREATE TABLE objects (id INTEGER PRIMARY KEY, path BLOB NOT NULL, bytes INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX by_path ON objects (path, bytes);"""
PUT = "INSERT OR IGNORE INTO objects (path, bytes, data) VALUES (?, ?, ?)"
# A file of git's that holds an object can be read by all, and written by nobody.
MODE = 0o444


def is_loose(path: str) -> bool:
    """Say whether an object file holds one object, by its path in a copy."""
    folder, _, name = path.rpartition("/")
    return len(folder.rpartition("/")[2]) == 2 and len(name) > 30 and folder[:-3].endswith("objects")


def keep(store: str, common: str, held: str, sizes: "dict[str, int]") -> None:
    """Keep files of a common folder, by their paths below it with their sizes, all or none; those that are kept stay as they are.

    Git may pack objects meanwhile: what is gone is left out. Raises OSError.
    """
    with _open(store) as db:
        there = set(db.execute("SELECT path, bytes FROM objects"))
        named = ((os.fsencode(held + path), path, size) for path, size in sizes.items())
        missing = [each for each in named if (each[0], each[2]) not in there]
        if not missing:
            return
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM objects WHERE path = ?", [(name,) for name, _, _ in missing] if there else [])
        db.executemany(PUT, _read(common, missing))
        db.execute("COMMIT")


def _read(common: str, missing: "Iterable[tuple[bytes, str, int]]") -> "Iterator[tuple[bytes, int, bytes]]":
    for name, path, size in missing:
        with suppress(FileNotFoundError):
            file = os.open(f"{common}/{path}", READ)
            try:
                data = os.read(file, size + 1)
            finally:
                os.close(file)
            if len(data) == size:
                yield name, size, data


def put_back(store: str, chosen: "dict[str, str]") -> int:
    """Write objects, by their paths in the copy, to files that are not there; returns how many are kept here. Raises OSError."""
    if not chosen or not is_there(store):
        return 0
    number = 0
    with _open(store) as db:
        for path, target in chosen.items():
            for (data,) in db.execute("SELECT data FROM objects WHERE path = ?", (os.fsencode(path),)):
                _write(target, data)
                number += 1
    return number


def _write(target: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    draft = f"{target}.{os.getpid()}~"
    paths.remove(draft)
    try:
        with open(draft, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), MODE)
        os.replace(draft, target)
    except OSError:
        paths.remove(draft)
        raise


def sweep(store: str, wanted: "Collection[str]") -> None:
    """Drop all but these, and give back what they took. Raises OSError."""
    if not is_there(store):
        return
    with _open(store) as db:
        names = {os.fsencode(path) for path in wanted}
        gone = [row for row in db.execute("SELECT path FROM objects") if row[0] not in names]
        db.execute("PRAGMA secure_delete = ON")  # who forgets a text wants its bytes gone
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM objects WHERE path = ?", gone)
        db.execute("COMMIT")
        db.executescript("VACUUM" if gone else "PRAGMA incremental_vacuum")


def is_there(store: str) -> bool:
    """Say whether anything is kept here."""
    return os.path.lexists(f"{store}/{NAME}")


@contextmanager
def _open(store: str) -> "Iterator[Any]":
    """Open the database, or make it, also in the place of one that is damaged; its errors are raised as those of a file."""
    path = f"{store}/{NAME}"
    try:
        if not _is_sound(path):
            _make(store, path)
        with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as db:
            yield db
    except sqlite3.DatabaseError as error:
        raise OSError(None, f"{path}: {error}") from error


def _is_sound(path: str) -> bool:
    if not os.path.lexists(path):
        return False
    with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as db:
        try:
            db.execute("SELECT path, bytes FROM objects ORDER BY path, bytes LIMIT 1")
        except sqlite3.OperationalError as error:  # it is busy, or the disk is full; an empty file has no table
            return "no such table" not in str(error)
        except sqlite3.DatabaseError:
            return False
    return True


def _make(store: str, path: str) -> None:
    paths.make_folder(store)
    draft = f"{path}.new"
    paths.remove(draft)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(draft, isolation_level=None)) as db:
        db.execute(f"PRAGMA page_size = {PAGE}")
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.executescript(SCHEMA)
    paths.remove(f"{path}-journal")  # of one that was damaged
    os.rename(draft, path)
