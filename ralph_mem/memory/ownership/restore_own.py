"""Put a memory of ours that was set aside back into its place.

To two homes that work on one project, such as a container's, each other's memory is a stranger's: a start looks for its own.
"""

import posix
import time

from ralph_mem.core import paths
from ralph_mem.core.errors import StoreError
from ralph_mem.memory.ownership import foreign, seals
from ralph_mem.memory.rows import tombstones
from ralph_mem.memory.store import connection
from ralph_mem.memory.store.locks import Alone, Quiet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

# Two homes leave one or two; to look at one takes up to a tenth of a second, where it was made to take long.
MOST_LOOKED_AT = 16
LOG, EMPTY_LOG = ("-wal", "-shm"), "PRAGMA wal_checkpoint(TRUNCATE)"
TURNS = (
    "this project's memory is in use from another home, such as a container's ({}): that one is set aside, and yours is back;"
    " to share one, give both the same XDG_DATA_HOME"
)
BACK = "the memory of this project was not in its place: yours, which lay beside it, is back"
COPIED = "; another program has the former file open, so a copy took its place: what is new is seen once it is opened again there"
COPY = "copy"  # at the end of a name: no time, so nothing that was set aside


def meet(project: "Project", starting: bool) -> None:
    """As `strangers.meet`, where something lies aside: ours comes back, into an empty place or, at a start, into a stranger's.

    What a kill left half set aside is finished first. Raises OSError, StoreError.
    """
    path = f"{project.folder}/{foreign.NAME}"
    with Alone(paths.data_home()):
        if not _halves(project.folder) and seals.kind_of(path) and foreign.is_ours(project, starting):
            return
        why, found, ours = _exchanged(project, starting)
    if found:
        foreign.tell(project, (TURNS.format(why) if why else BACK) + (COPIED if ours != found else ""))
    elif why:
        foreign.tell_strange(project, why)


def _exchanged(project: "Project", starting: bool) -> "tuple[str, str, str]":
    """Set a stranger's database aside, and put ours in its place; returns why the one, where the other had been, and what of it
    took the place: itself or a copy.
    """
    path = f"{project.folder}/{foreign.NAME}"
    with Quiet(project.folder):
        for half in _halves(project.folder):
            foreign.finish(path, half)
        why = foreign.judged(project, starting)
        if why and not starting:
            raise connection.not_used(project.folder, why)
        found = _ours(project) if why or not seals.kind_of(path) else ""
        ours = apart(project, found) if found else ""
        if why:
            foreign.put_aside(project)
        if found:
            put_in_place(project, ours)
        if ours != found:
            remove(found)
    return why, found, ours


def look_again(project: "Project") -> None:
    """Look at a memory into whose folder a pull may have written, and note that. Raises OSError, StoreError.

    A database that git tracks is set aside; of a log that it tracks, whose pages have no seal, the memory is rid.
    """
    if not connection.exists(project.folder):
        return
    if foreign.is_tracked(project):
        with Quiet(project.folder):
            if foreign.is_database_tracked(project):
                foreign.put_aside(project)
                foreign.tell_strange(project, "git tracks it")
                return
            if any([foreign.part_with(project, end, "which git tracks") for end in foreign.LOG_ENDS]):
                _renew(project)
    seals.note_again(project.folder)


def _halves(folder: str) -> "list[str]":
    """Return what databases will be called that are half set aside."""
    names = [name for name in posix.listdir(folder) if name.startswith(foreign.NAME + foreign.ASIDE)]
    return [f"{folder}/{name[: -len(foreign.HALF)]}" for name in sorted(names) if name.endswith(foreign.HALF)]


def put_in_place(project: "Project", aside: str) -> None:
    """Make a database that is one file the memory of a project: a kill leaves it here or there."""
    path = f"{project.folder}/{foreign.NAME}"
    for end in foreign.LOG_ENDS:
        if seals.kind_of(path + end):  # of a memory that somebody deleted: it would be played into this one
            posix.rename(path + end, f"{path}{foreign.ASIDE}{time.time_ns()}{end}")
    posix.rename(aside, path)
    seals.note(project.folder)


def _ours(project: "Project") -> str:
    """Return the latest database aside that is this project's, sealed, and not in git, its log emptied; nothing without one."""
    if foreign.is_tracked(project):
        return ""
    secret = seals.key()
    for path in foreign.aside(project)[:MOST_LOOKED_AT]:
        if _is_file_of_ours(path):
            number, held = foreign.claims_of(path)
            if seals.is_seal(held, secret) and foreign.was_ours(number, project) and _is_rid(project, path):
                return path
    return ""


def apart(project: "Project", path: str) -> str:
    """Return the path of a database of ours as one file that no other program has open: the one given, or else of a copy of it.

    A viewer of databases that has a file open keeps the log that it found. Back in its place, such a file would get that log
    written over what is newer, and when the viewer closes, SQLite would remove the log in that place, which is ours by then. Both
    are left alone where another file has taken the place. Raises StoreError where that cannot be done just now, and OSError.
    """
    draft = f"{project.folder}/{foreign.NAME}{foreign.ASIDE}{COPY}"
    remove(draft)  # of one that was killed
    try:
        with _opened(path) as db:
            db.execute(EMPTY_LOG).fetchone()
        if not any([seals.kind_of(path + end) for end in LOG]):  # whoever closes a database last removes them
            return path
        _copy(path, draft)
    except connection.sqlite.Error as error:
        remove(draft)
        raise StoreError(f"cannot put {path} in its place just now: {error}", "close the programs that have it open") from error
    return draft


def _renew(project: "Project") -> None:
    """Put a copy in the place of a memory whose log was taken away, where another program has both open."""
    path = f"{project.folder}/{foreign.NAME}"
    ours = apart(project, path)
    if ours != path:
        for end in foreign.LOG_ENDS:
            paths.remove(path + end)
        put_in_place(project, ours)


def remove(path: str) -> None:
    """Remove a database with what lies beside it."""
    for end in ("", *foreign.LOG_ENDS):
        paths.remove(path + end)


def _copy(path: str, draft: str) -> None:
    """Copy a database as it is at one moment, log and all, page by page and down to the disk."""
    posix.close(posix.open(draft, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600))
    with _opened(path) as source, _opened(draft) as target:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target)
        target.execute("PRAGMA journal_mode = WAL").fetchone()


class _opened:  # noqa: N801 - read as a function
    """A database that is known to be ours, opened to be changed, as a context manager."""

    def __init__(self, path: str) -> None:
        self.db = connection.sqlite.connect(connection.address_of(path), timeout=foreign.WAIT_S, isolation_level=None, uri=True)

    def __enter__(self) -> "Any":
        self.db.execute("PRAGMA trusted_schema = OFF")
        return self.db

    def __exit__(self, *_: object) -> None:
        self.db.close()


def _is_file_of_ours(path: str) -> bool:
    """Say whether a database and its log are files of this user's and of one name each, and look like what they are."""
    for end in ("", *foreign.LOG_ENDS):
        try:
            state = posix.lstat(path + end)
        except OSError:
            if not end:
                return False
            continue
        if end == foreign.JOURNAL or state.st_mode & seals.KIND != seals.REGULAR:
            return False
        if state.st_nlink > 1 or state.st_uid != posix.geteuid():
            return False
    return seals.bytes_of(path, 16).startswith(b"SQLite format 3\0")


def _is_rid(project: "Project", path: str) -> bool:
    """Take out of a database that is known to be ours what was forgotten since it was set aside, and empty its log.

    Says whether that could be done: not in a damaged one. Raises StoreError where it cannot be done just now.
    """
    try:
        with _opened(path) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] == connection.SCHEMA_VERSION:
                _forget(project, db)
            db.execute(EMPTY_LOG).fetchone()
    except connection.sqlite.Error as error:
        if foreign.is_for_now(error):
            raise StoreError(f"cannot put {path} in its place just now: {error}") from error
        return False
    return True


def _forget(project: "Project", db: "Any") -> None:
    """Take out what was forgotten since, which a forget could name but not reach."""
    if tombstones.is_empty():
        return
    db.execute("PRAGMA foreign_keys = ON")
    opened = connection.Store(project.folder, db, -1)
    opened.begin(durable=True)
    try:
        tombstones.sweep(opened, paths.key_of(project.root))
        opened.commit()
    finally:
        opened.roll_back()
