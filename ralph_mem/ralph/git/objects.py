"""Keep the loose objects of repositories in one database, and find those that a copy has and a repository lacks.

A file of each would take far longer to make than to read. They are named as in a copy of a repository, and kept as git has them.
"""

import os
import sqlite3
from contextlib import closing, contextmanager, suppress

from ralph_mem.core import paths
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.snapshot import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

    from ralph_mem.ralph.git.repository import Repository

PACK, INDEX = ".pack", ".idx"
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


def missing(store: str, fixed: "Iterable[str]", repository: "Repository") -> "list[str]":
    """Return which `fixed` files of a copy are to be put back, by their paths in it: all that are gone where git cannot be asked.

    A pack that git has made another one of is not among them.
    """
    inside, below = f"{repository.held}objects/", len(repository.held)
    gone = [path for path in fixed if path.startswith(inside) and not os.path.lexists(f"{repository.common}/{path[below:]}")]
    loose = {path: "".join(path.split("/")[-2:]) for path in gone if "/pack/" not in path}
    found = _lacking(repository, loose)
    for pack in [path for path in gone if path.endswith(INDEX)]:
        if _lacking(repository, dict.fromkeys(_ids_of(repository, f"{store}/{pack}"), pack), by_id=True):
            found += [path for path in gone if path.startswith(pack[: -len(INDEX)] + ".")]
    return sorted(set(found) | {path for path in gone if path.endswith(PACK) and path[: -len(PACK)] + INDEX not in gone})


def _ids_of(repository: "Repository", index: str) -> "list[str]":
    """Return the ids in a pack."""
    try:
        with open(index, "rb") as file:
            said = repositories.ask(repository, "show-index", given=file.read())[1]
    except OSError:
        return []
    return [line.split()[1].decode() for line in said.splitlines() if len(line.split()) > 1]


def _lacking(repository: "Repository", wanted: "dict[str, str]", by_id: bool = False) -> "list[str]":
    """Return the paths of those objects that git does not find."""
    ids = wanted if by_id else {name: path for path, name in wanted.items()}
    if not ids:
        return []
    given = "".join([f"{name}\n" for name in ids]).encode()
    code, said = repositories.ask(repository, "cat-file", "--batch-check", "--buffer", given=given)
    if code:
        return list(dict.fromkeys(ids.values()))
    lost = [line.split()[0].decode() for line in said.splitlines() if line.endswith(b" missing")]
    return list(dict.fromkeys([ids[name] for name in lost if name in ids]))
