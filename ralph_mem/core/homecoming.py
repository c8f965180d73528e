"""Homecoming: a memory of ours that was set aside takes its place again.

Who works on a project from a home of their own as well, such as a container's, has another key there: to each the other's memory
is a stranger's, and is set aside. So a start that sets one aside, or that finds none, looks for its own.
"""

import posix
import time

from ralph_mem.core import paths, seals, store, strangers, tombstones
from ralph_mem.core.errors import StoreError
from ralph_mem.core.quiet import Alone, Quiet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

# Two homes leave one or two; to look at one takes up to a tenth of a second, where it was made to take long.
MOST_LOOKED_AT = 16
TURNS = (
    "this project's memory is in use from another home, such as a container's ({}): that one is set aside, and yours is back;"
    " to share one, give both the same XDG_DATA_HOME"
)
BACK = "the memory of this project was not in its place: yours, which lay beside it, is back"


def meet(project: "Project", starting: bool) -> None:
    """As `strangers.meet`, where something lies aside: ours comes back, into an empty place or, at a start, into a stranger's.

    What a kill left half set aside is finished first. Raises OSError, StoreError.
    """
    path = f"{project.folder}/{strangers.NAME}"
    with Alone(paths.data_home()):
        if not _halves(project.folder) and seals.kind_of(path) and strangers.is_ours(project, starting):
            return
        why, found = _exchanged(project, starting)
    if found:
        strangers.tell(project, TURNS.format(why) if why else BACK)
    elif why:
        strangers.tell_strange(project, why)


def _exchanged(project: "Project", starting: bool) -> "tuple[str, str]":
    """Set a stranger's database aside, and put ours in its place; returns why the one, and where the other had been."""
    path = f"{project.folder}/{strangers.NAME}"
    with Quiet(project.folder):
        for half in _halves(project.folder):
            strangers.finish(path, half)
        why = strangers.judged(project, starting)
        if why and not starting:
            raise strangers.refusal(project, why)
        found = _ours(project) if why or not seals.kind_of(path) else ""
        if why:
            strangers.put_aside(project)
        if found:
            _put_in_place(project, found)
    return why, found


def _halves(folder: str) -> "list[str]":
    """Return what databases will be called that are half set aside."""
    names = [name for name in posix.listdir(folder) if name.startswith(strangers.NAME + strangers.ASIDE)]
    return [f"{folder}/{name[: -len(strangers.HALF)]}" for name in sorted(names) if name.endswith(strangers.HALF)]


def _put_in_place(project: "Project", aside: str) -> None:
    """Make a database that is one file the memory of a project: a kill leaves it here or there."""
    path = f"{project.folder}/{strangers.NAME}"
    for end in strangers.LOG_ENDS:
        if seals.kind_of(path + end):  # of a memory that somebody deleted: it would be played into this one
            posix.rename(path + end, f"{path}{strangers.ASIDE}{time.time_ns()}{end}")
    posix.rename(aside, path)
    seals.note(project.folder)


def _ours(project: "Project") -> str:
    """Return the latest database aside that is this project's and bears our seal, its log emptied into it; nothing without one.

    What git tracks may hold anything, whatever seal it bears.
    """
    if strangers.is_tracked(project):
        return ""
    secret = seals.key()
    for path in strangers.aside(project)[:MOST_LOOKED_AT]:
        if _is_file_of_ours(path):
            number, held = strangers.claims_of(path)
            if seals.is_seal(held, secret) and strangers.was_ours(number, project) and _is_one_file(project, path):
                return path
    return ""


def _is_file_of_ours(path: str) -> bool:
    """Say whether a database and its log are files of this user's and of one name each, and look like what they are."""
    for end in ("", *strangers.LOG_ENDS):
        try:
            state = posix.lstat(path + end)
        except OSError:
            if not end:
                return False
            continue
        if end == strangers.JOURNAL or state.st_mode & seals.KIND != seals.REGULAR:
            return False
        if state.st_nlink > 1 or state.st_uid != posix.geteuid():
            return False
    return seals.bytes_of(path, 16).startswith(b"SQLite format 3\0")


def _is_one_file(project: "Project", path: str) -> bool:
    """Empty the log of a database that is known to be ours into it; says whether it is one file then.

    What was forgotten since it was set aside goes. Raises StoreError where that cannot be done just now.
    """
    db = None
    try:
        db = store.sqlite.connect(strangers.address_of(path) + "?mode=rw", timeout=strangers.WAIT_S, isolation_level=None, uri=True)
        db.execute("PRAGMA trusted_schema = OFF")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == store.SCHEMA_VERSION:
            _forget(project, db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except store.sqlite.Error as error:
        if str(error).startswith(strangers.NOT_NOW):
            raise StoreError(f"cannot put {path} in its place just now: {error}") from error
        return False
    finally:
        if db is not None:
            db.close()
    return not _bytes_of(path + "-wal")


def _forget(project: "Project", db: "Any") -> None:
    """Take out what was forgotten since, which a forget could name but not reach."""
    if tombstones.is_empty():
        return
    db.execute("PRAGMA foreign_keys = ON")
    opened = store.Store(project.folder, db, -1)
    opened.begin(durable=True)
    try:
        tombstones.sweep(opened, paths.key_of(project.root))
        opened.commit()
    finally:
        opened.roll_back()


def _bytes_of(path: str) -> int:
    try:
        return posix.lstat(path).st_size
    except OSError:
        return 0
