"""Strangers: databases that lie in a project and are not known to be ours, looked at with care and set aside.

Loaded where there is one, where the user has no key yet, and by the command line.
"""

import fcntl
import posix
import time

from ralph_mem.core import paths, quick, seals, store, trouble
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store

ASIDE = ".unknown-"
STEPS = 20_000  # as in provenance.py
# Ours keep a log; a journal is played back into whatever database lies beside it.
JOURNAL = "-journal"
LOG_ENDS = ("-wal", "-shm", JOURNAL)
# What a statement and a value of ours never reach; before Python 3.11 nothing keeps a single one from being huge.
LARGEST_TEXT = 1_000_000
LIMIT_LENGTH, LIMIT_SQL_LENGTH = 0, 1
WAIT_S = 0.1
# As schema.py has it; a view or a generated column of this name could run for ever.
PROPERTIES = "CREATE TABLE properties ( key TEXT PRIMARY KEY, value ) WITHOUT ROWID"
# 50,000 files in a repository make an index of some 5 MB.
LARGEST_INDEX = 33_554_432


def meet(project: "Project", starting: bool) -> None:
    """Look at a database that is not known: it is noted where it is ours after all, and else set aside as a session starts.

    Raises StoreError for one that is not ours at any other time.
    """
    with Alone(paths.data_home()):
        path = project.folder + "/memory.db"
        if starting and seals.kind_of(path + JOURNAL):
            _part_with(project, JOURNAL, "of which we have none")
        # another session may have looked meanwhile, and begun a new one
        if store.is_known(project.folder) or not seals.kind_of(path):
            return
        why = _why_unknown(project, path)
        if why:
            refuse_or_set_aside(project, why, starting)
        else:
            seals.note(project.folder)


def look_again(project: "Project") -> None:
    """Look at a memory into whose folder a pull may have written, and note that. Raises OSError.

    A database that git tracks is set aside; of a log that it tracks, whose pages have no seal, the memory is rid.
    """
    if not store.exists(project.folder):
        return
    if is_tracked(project):
        if _is_database_tracked(project):
            set_aside(project, "git tracks it")
            return
        for end in LOG_ENDS:
            _part_with(project, end, "which git tracks")
    seals.note(project.folder)


def _part_with(project: "Project", end: str, why: str) -> None:
    """Set aside what lies beside a database, under a name of which SQLite takes no notice, and tell it."""
    path = project.folder + "/memory.db"
    if seals.kind_of(path + end):
        posix.rename(path + end, f"{path}{ASIDE}{time.time_ns()}{end}")
        trouble.note(project.root, f"memory.db{end}, {why}, came with this folder: it is set aside, as it would change the memory")


def refuse_or_set_aside(project: "Project", why: str, starting: bool) -> None:
    """Set a database aside as a session starts; at any other time raise StoreError."""
    if not starting:
        what = f"{project.folder}/memory.db is not used ({why})"
        raise StoreError(what, "the next session start sets it aside and begins a new one; `ralph-mem trust` shows it then")
    set_aside(project, why)


def set_aside(project: "Project", why: str, silently: bool = False) -> str:
    """Rename the database and its log, for the owner alone, and tell why; returns its new path. Raises OSError."""
    path = project.folder + "/memory.db"
    aside = f"{path}{ASIDE}{time.time_ns()}"
    for end in LOG_ENDS:  # first, so that no new database ever finds a stranger's log
        if seals.kind_of(path + end):
            posix.rename(path + end, aside + end)
    posix.rename(path, aside)
    for each in [aside, *[aside + end for end in LOG_ENDS]]:
        if seals.kind_of(each) == seals.REGULAR:
            posix.chmod(each, 0o600)
    if silently:
        return aside
    line = f"a memory came with this folder ({why}): it is set aside, and a new one begun; `ralph-mem trust` shows it"
    trouble.note(project.root, "; ".join([text for text in (line, trouble.take(project.root)) if text]))
    return aside


def aside(project: "Project") -> "list[str]":
    """Return the databases that were set aside in a project, the latest first."""
    try:
        names = posix.listdir(project.folder)
    except OSError:
        return []
    found = [name for name in names if name.startswith("memory.db" + ASIDE) and not name.endswith(LOG_ENDS)]
    return [f"{project.folder}/{name}" for name in sorted(found, reverse=True)]


def seal_earlier(opened: "Store", project: "Project") -> bool:
    """Seal an open database from before there were seals, which the registry knows in this place; says whether it does."""
    if _was_ours(opened.property("project_id"), project):
        seals.put(opened)
        return True
    return False


def is_tracked(project: "Project") -> bool:
    """Say whether git has the memory of a project in its index, by reading that."""
    if not project.common:
        return False
    index = seals.bytes_of(project.common + "/index", LARGEST_INDEX)
    return f"{paths.STATE}/memory.db".encode() in index or _is_short(index)


def _is_database_tracked(project: "Project") -> bool:
    index = seals.bytes_of(project.common + "/index", LARGEST_INDEX)
    return f"{paths.STATE}/memory.db\0".encode() in index or _is_short(index)


def _is_short(index: bytes) -> bool:
    """Say whether an index of version 4 has our database: it leaves out what a path has in common with the one before it."""
    return index[4:8] == b"\0\0\0\4" and b"memory.db\0" in index and paths.STATE.encode() in index


def _why_unknown(project: "Project", path: str) -> str:
    """Say why a database is not ours; nothing where it is."""
    if seals.kind_of(path) != seals.REGULAR:
        return "no regular file"
    if not posix.lstat(path).st_size:  # what a session start leaves that is killed at once
        return ""
    if not seals.bytes_of(path, 16).startswith(b"SQLite format 3\0"):
        return "no database"
    if is_tracked(project):
        return "git tracks it"
    number, held = _claims_of(project.folder)
    ours = seals.is_seal(held, seals.key()) or (held is None and _was_ours(number, project))
    return "" if ours else "not made by you here"


# A disk that is full or a lock that is held says nothing of who made a database.
NOT_NOW = (
    "disk I/O error", "database is locked", "database or disk is full", "unable to open", "attempt to write", "locking protocol",
)  # fmt: skip


def _claims_of(folder: str) -> "tuple[Any, Any]":
    """Return the project's id and the seal that an unknown database claims, read only, in little time."""
    quoted = folder.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = None
    try:
        db = store.sqlite.connect(f"file://{quoted}/memory.db?mode=ro", timeout=WAIT_S, isolation_level=None, uri=True)
        if hasattr(db, "setlimit"):
            db.setlimit(LIMIT_LENGTH, LARGEST_TEXT)
            db.setlimit(LIMIT_SQL_LENGTH, LARGEST_TEXT)
        db.execute("PRAGMA trusted_schema = OFF")
        return _asked(db)
    except (store.sqlite.Error, ValueError, TypeError, OverflowError) as error:
        if str(error).startswith(NOT_NOW):
            raise StoreError(f"cannot look at {folder}/memory.db just now: {error}") from error
        return None, ""
    finally:
        if db is not None:
            db.close()


def _asked(db: "Any") -> "tuple[Any, Any]":
    db.set_progress_handler(lambda: True, STEPS)
    shapes = db.execute("SELECT type, sql FROM sqlite_master WHERE name = 'properties' LIMIT 2").fetchall()
    if [(kind, " ".join(str(sql).split())) for kind, sql in shapes] != [("table", PROPERTIES)]:
        return None, ""
    told = dict(db.execute("SELECT key, value FROM properties WHERE key IN ('project_id', 'seal') LIMIT 2").fetchall())
    return told.get("project_id"), told.get(seals.SEAL)


def _was_ours(number: object, project: "Project") -> bool:
    """Say whether the registry has this project's id in this place: a memory from before there were seals."""
    if not (isinstance(number, str) and number.startswith("project-") and number.replace("-", "").isalnum()):
        return False
    try:
        known = quick.loads(paths.read(f"{paths.data_home()}/projects/{number}.json"))
        here = posix.stat(project.root)
        by_path = project.root in (known.get("path"), known.get("seen"))
        return by_path or [here.st_dev, here.st_ino] == [known.get("device"), known.get("inode")]
    except (OSError, ValueError, AttributeError):
        return False


class Alone:
    """Keeps other sessions that look at an unknown memory waiting, as a context manager: one alone sets it aside."""

    def __init__(self, folder: str) -> None:
        self.file = posix.open(folder, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)

    def __enter__(self) -> None:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX)
        except OSError:  # a file system without locks
            pass

    def __exit__(self, *_: object) -> None:
        posix.close(self.file)
