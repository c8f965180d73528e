"""Look into a memory without changing it, however broken, locked or new it is."""

import posix
from collections import namedtuple

from ralph_mem.core.errors import StoreError
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.rows import records as write
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.project import Activity, Project

# A writer never keeps a reader waiting; what does is a program that has locked the whole file, and that may stay.
WAIT_SECONDS = 1.0
# What a damaged index makes SQLite ask for is at times more memory than there is.
FAILURES = (connection.sqlite.Error, MemoryError)

OK, EMPTY, NEWER, LOCKED, BROKEN, UNREADABLE, STOPPED = "ok", "empty", "newer", "locked", "broken", "unreadable", "stopped"
# How SQLite's messages begin where the file may well be whole; a damaged one it words in many ways, some of which quote the file.
# Python before 3.11 has no codes.
CAUSES = {
    LOCKED: ("database is locked", "database table is locked", "database schema is locked", "locking protocol"),
    UNREADABLE: ("unable to open", "attempt to write", "disk I/O error", "database or disk is full"),
    STOPPED: ("interrupted", "not authorized"),
}
DAMAGED = ("malformed", "not a database")  # what it says then, and where a file may be mended
REPAIR = "`ralph-mem doctor --repair` shows what can be done"

# `state` is one of the first six above, `id` the project's; `at` is the time of the last event in milliseconds, or 0. What
# cannot be known is None.
Glance = namedtuple("Glance", "state id sessions turns observations at")


def connect(folder: str) -> "Any":
    """Open the database in a folder for reading alone. SQLite may say only at the first query that it cannot."""
    # where we cannot write SQLite could not make a log; who else writes there has one
    way = "mode=ro" if posix.access(folder, posix.W_OK) or _has_log(folder) else "immutable=1"
    address = connection.address_of(f"{folder}/memory.db", way)
    return connection.sqlite.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)


def is_read_only(folder: str) -> bool:
    """Say whether a folder that is there lies on a file system on which nothing can be written."""
    try:
        return not posix.access(folder, posix.W_OK) and bool(posix.statvfs(folder).f_flag & posix.ST_RDONLY)
    except OSError:
        return False


def opened(folder: str, wait_ms: int) -> "connection.Store":
    """Open the database in a folder for reading alone, as it lies there; the lock keeps anybody from putting another in its place.

    Of one that we alone cannot write a copy in memory is opened, unless it is too large for that. Raises StoreError for one that
    is not known to be ours, of another schema, or kept busy longer than that.
    """
    held, db = connection.lock(folder, wait_ms) if posix.access(folder, posix.W_OK) else -1, None
    try:
        if connection.is_known(folder):  # only now that it stays
            db = (None if held >= 0 or is_read_only(folder) else read(folder)) or connect(folder)
        return _checked(connection.Store(folder, db, held))
    except (StoreError, *FAILURES) as error:
        if db is not None:
            db.close()
        if held >= 0:
            posix.close(held)
        if isinstance(error, StoreError):
            raise
        raise unusable(error, folder) from error


def _checked(found: "connection.Store") -> "connection.Store":
    if found.db is None:
        raise connection.not_used(found.folder)
    version = found.one("PRAGMA user_version")[0]
    if version > connection.SCHEMA_VERSION:
        raise connection.newer(found.folder, version)
    if version < connection.SCHEMA_VERSION:
        what = f"{found.folder}/memory.db has schema {version}, this release knows {connection.SCHEMA_VERSION}"
        raise StoreError(what, "the next session start brings it up to date")
    found.execute("PRAGMA query_only = ON")
    return found


def is_gone(path: "str | PathLike[str]") -> bool:
    """Say whether nothing is there; what cannot be looked at, behind a closed folder or on a silent server, is not gone."""
    try:
        posix.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def of(folder: str) -> Glance:
    """Look into the database of a folder that has one."""
    try:
        db = connect(folder)
        try:
            return _look(db)
        finally:
            db.close()
    except FAILURES as error:
        return Glance(why(error), None, None, None, None, None)


def _look(db: "Any") -> Glance:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if not version:
        return Glance(EMPTY, None, 0, 0, 0, 0)
    (number,) = db.execute("SELECT value FROM properties WHERE key = 'project_id'").fetchone() or (None,)
    return Glance(NEWER if version > connection.SCHEMA_VERSION else OK, number, *db.execute(kinds.OF_MEMORY).fetchone())


def why(error: BaseException) -> str:
    """Return the state that an error of SQLite tells of: locked, unreadable, stopped by us, or else broken."""
    return next((state for state, words in CAUSES.items() if str(error).startswith(words)), BROKEN)


def is_damaged(error: "BaseException | None") -> bool:
    """Say whether an error of SQLite tells of a file that is damaged, and not only of one that is another program's."""
    return isinstance(error, connection.sqlite.Error) and any([word in str(error) for word in DAMAGED])


def unusable(error: BaseException, folder: str = "") -> StoreError:
    """Return what to raise where SQLite cannot use a memory: one explanation for whoever meets it, with the path if it is known."""
    what = f"{folder}/memory.db" if folder else "memory.db"
    if is_damaged(error):
        return StoreError(f"{what} is damaged: {error}", REPAIR)
    return StoreError(f"{what} cannot be used now: {error}", "try again; `ralph-mem doctor` says more")


# What is copied within the 200 ms that a prompt may take.
LARGEST = 64_000_000
WAIT_S = 0.2


def answer(
    module: "ModuleType | None", records: "list[dict[str, Any]]", seen: "Activity", project: "Project", settings: "dict[str, Any]"
) -> "dict[str, str]":
    """Return the answer to an event whose memory cannot be written, nothing where it can, or where there is no answer."""
    if (
        module is None
        or posix.access(project.folder, posix.W_OK)
        or not connection.exists(project.folder)
        or not connection.is_known(project.folder)
    ):
        return {}
    db = read(project.folder)
    if db is None:
        return {}
    try:
        opened = connection.Store(project.folder, db, -1)
        for record in records:
            write.apply(opened, record)
        found: dict[str, str] = module.answer(opened, seen, project, settings)
    except Exception:  # noqa: BLE001 - a last try, whose failure is told by the first
        return {}
    finally:
        db.close()
    return found


def read(folder: str) -> "Any":
    """Return a copy in memory of a database that can only be read, or None.

    SQLite's way to read it depends on the log: with one it needs `mode=ro`, and without one only `immutable` will do, which
    passes over a log.
    """
    ways = ["mode=ro"] if _has_log(folder) else ["mode=ro", "immutable=1"]
    for way in ways:
        copy = connection.sqlite.connect(":memory:", isolation_level=None)
        try:
            address = connection.address_of(folder + "/memory.db", way)
            db = connection.sqlite.connect(address, timeout=WAIT_S, uri=True, isolation_level=None)
            try:
                (size,) = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
                if size <= LARGEST:
                    db.backup(copy)
                    if copy.execute("PRAGMA user_version").fetchone()[0] == connection.SCHEMA_VERSION:
                        return copy
            finally:
                db.close()
        except connection.sqlite.Error:
            pass
        copy.close()
    return None


def _has_log(folder: str) -> bool:
    try:
        return posix.stat(folder + "/memory.db-wal").st_size > 0
    except OSError:
        return False
