"""Examine databases in a project that are not known to be ours, and set them aside."""

import posix
import time

from ralph_mem.core import fast, notices, paths
from ralph_mem.core.errors import StoreError
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.store import connection
from ralph_mem.memory.store.locks import Alone, Quiet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

NAME = "memory.db"
ASIDE = paths.ASIDE
HALF = "-half"  # at the end of its name: not all of it is set aside yet
TIME_DIGITS = 19  # of a time in nanoseconds, until the year 2286
STEPS = 20_000  # as in check.py
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
    """Note an unknown database that is ours, else set it aside as a session starts, or raise StoreError at other times."""
    if seals.kind_of(f"{project.folder}/{NAME}"):
        with Alone(paths.data_home()):
            if is_ours(project, starting):
                return
            with Quiet(project.folder):
                why = judged(project, starting)
                if why:
                    _refuse_or_set_aside(project, why, starting)


def is_ours(project: "Project", starting: bool) -> bool:
    """Say whether a database is ours, and note it then, while sessions work in it, but none of another home exchanges it."""
    with Quiet(project.folder, paths.SHARED):
        return not judged(project, starting)


def judged(project: "Project", starting: bool) -> str:
    """Return why a database is not ours, nothing where it is, which is noted. For whoever is alone in the folder."""
    path = f"{project.folder}/{NAME}"
    if starting and seals.kind_of(path + JOURNAL):
        part_with(project, JOURNAL, "of which we have none")
    # another session may have looked meanwhile, and begun a new one
    if connection.is_known(project.folder) or not seals.kind_of(path):
        return ""
    why = _why_unknown(project, path)
    if not why:
        seals.note(project.folder)
    return why


def part_with(project: "Project", end: str, why: str) -> bool:
    """Set aside what lies beside a database, under a name of which SQLite takes no notice, and tell it; says whether it did."""
    path = project.folder + "/memory.db"
    if not seals.kind_of(path + end):
        return False
    posix.rename(path + end, f"{path}{ASIDE}{time.time_ns()}{end}")
    notices.note(project.root, f"memory.db{end}, {why}, came with this folder: it is set aside, as it would change the memory")
    return True


def refuse_or_set_aside(project: "Project", why: str, starting: bool) -> None:
    """Set a database aside as a session starts; at any other time raise StoreError."""
    with Quiet(project.folder):
        _refuse_or_set_aside(project, why, starting)


def _refuse_or_set_aside(project: "Project", why: str, starting: bool) -> None:
    if not starting:
        raise connection.not_used(project.folder, why)
    put_aside(project)
    tell_strange(project, why)


def put_aside(project: "Project") -> str:
    """Rename the database and its log, for whoever is alone in the folder; returns its new path. Raises OSError.

    The database goes first, so that nobody works in it without its log, and under a name that says that the log is still to come:
    who finds it after a kill goes on (restore_own.py).
    """
    path = f"{project.folder}/{NAME}"
    aside = f"{path}{ASIDE}{time.time_ns()}"
    posix.rename(path, aside + HALF)
    finish(path, aside)
    return aside


def finish(path: str, aside: str) -> None:
    """Have the log follow a database that is half set aside, unless another one is in its place. Raises OSError."""
    for end in LOG_ENDS if not seals.kind_of(path) else ():
        if seals.kind_of(path + end):
            posix.rename(path + end, aside + end)
    posix.rename(aside + HALF, aside)
    for each in [aside, *[aside + end for end in LOG_ENDS]]:
        if seals.kind_of(each) == seals.REGULAR:
            try:
                posix.chmod(each, 0o600)
            except OSError:  # another user's, such as that of a container
                pass


def tell_strange(project: "Project", why: str) -> None:
    """Have the session start tell that a database was set aside for a new one."""
    tell(project, f"a memory came with this folder ({why}): it is set aside, and a new one begun; `ralph-mem trust` shows it")


def tell(project: "Project", line: str) -> None:
    """Have the session start tell a line, before what it would tell anyway."""
    notices.note(project.root, "; ".join([text for text in (line, notices.take(project.root)) if text]))


def aside(project: "Project") -> "list[str]":
    """Return the databases that were set aside in a project, the latest first."""
    found = [name for name in paths.names(project.folder) if name.startswith(NAME + ASIDE) and is_time(name.rpartition("-")[2])]
    return [f"{project.folder}/{name}" for name in sorted(found, reverse=True)]


def has_aside(project: "Project") -> bool:
    """Say whether anything was set aside in a project, be it half."""
    return any([name.startswith(NAME + ASIDE) for name in paths.names(project.folder)])


def is_time(text: str) -> bool:
    """Say whether the end of a name is a time as we write it, in nanoseconds."""
    return text.isascii() and text.isdigit() and len(text) == TIME_DIGITS


def seal_earlier(opened: "connection.Store", project: "Project") -> bool:
    """Seal an open database from before there were seals, which the registry knows in this place; says whether it does."""
    if was_ours(opened.property("project_id"), project):
        seals.put(opened)
        return True
    return False


def is_tracked(project: "Project") -> bool:
    """Say whether git has the memory of a project in its index, by reading that."""
    if not project.common:
        return False
    index = seals.bytes_of(project.common + "/index", LARGEST_INDEX)
    return f"{paths.STATE}/memory.db".encode() in index or _is_short(index)


def is_database_tracked(project: "Project") -> bool:
    """Say whether git has the database itself in its index, not only what lies beside it."""
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
    has_magic = seals.bytes_of(path, 16).startswith(b"SQLite format 3\0")
    if has_magic and is_tracked(project):
        return "git tracks it"
    number, held = claims_of(path) if has_magic else (None, "")
    ours = seals.is_seal(held, seals.key()) or (held is None and was_ours(number, project))
    if ours or (held == "" and moved_from(project) and not is_tracked(project)):  # a damaged one
        return ""
    return "not made by you here" if has_magic else "no database"


def number_of(project: "Project") -> str:
    """Return the id of the memory in a project that its seal or a move proves ours; nothing where neither does, or it is locked."""
    path = f"{project.folder}/{NAME}"
    if seals.kind_of(path) != seals.REGULAR:
        return ""
    try:
        number, held = claims_of(path)
        return str(number) if seals.is_seal(held, seals.key()) else moved_from(project)
    except StoreError:
        return ""


def moved_from(project: "Project") -> str:
    """Return the id of the memory that a session knew elsewhere as this very file in this very folder: both have moved together.

    Nothing is read in it, so a damaged one is known by that too; a copy is not, nor what came in its place.
    """
    here, file = posix.stat(project.root), posix.lstat(f"{project.folder}/{NAME}")
    folder, found = f"{paths.data_home()}/{paths.PROJECTS}", []
    for name in paths.names(folder):
        known = _entry(name)
        if [known.get("device"), known.get("inode")] != [here.st_dev, here.st_ino]:
            continue
        roots = {str(known.get("path")), str(known.get("seen"))}
        if project.root in roots:  # it has not moved since
            return ""
        verdicts = [connection.verdict_of(paths.data_home(), f"{root.rstrip('/')}/{paths.STATE}", file.st_ino) for root in roots]
        if any([paths.read(path) == verdict for path, verdict in verdicts]):
            found.append((posix.stat(f"{folder}/{name}").st_mtime_ns, name.partition(".")[0]))
    return max(found)[1] if found else ""


def _entry(name: str) -> "dict[str, Any]":
    """Return what a file of the registry says, nothing where it cannot be understood."""
    try:
        known = fast.loads(paths.read(f"{paths.data_home()}/{paths.PROJECTS}/{name}"))
    except ValueError:
        return {}
    return known if isinstance(known, dict) else {}


def claims_of(path: str) -> "tuple[Any, Any]":
    """Return the id and the seal that an unknown database claims. Raises StoreError where it cannot be read just now."""
    db = None
    try:
        db = connection.sqlite.connect(connection.address_of(path, "mode=ro"), timeout=WAIT_S, isolation_level=None, uri=True)
        if hasattr(db, "setlimit"):
            db.setlimit(LIMIT_LENGTH, LARGEST_TEXT)
            db.setlimit(LIMIT_SQL_LENGTH, LARGEST_TEXT)
        db.execute("PRAGMA trusted_schema = OFF")
        return _asked(db)
    except (connection.sqlite.Error, ValueError, TypeError, OverflowError) as error:
        if is_for_now(error):
            raise StoreError(f"cannot look at {path} just now: {error}") from error
        return None, ""
    finally:
        if db is not None:
            db.close()


def is_for_now(error: BaseException) -> bool:
    """Say whether an error tells nothing of who made a database, as a disk that is full or a lock that is held."""
    from ralph_mem.memory import inspect  # lazy: only where a database lies that nobody knows, and cannot be read

    return inspect.why(error) in (inspect.LOCKED, inspect.UNREADABLE)


def _asked(db: "Any") -> "tuple[Any, Any]":
    db.set_progress_handler(lambda: True, STEPS)
    shapes = db.execute("SELECT type, sql FROM sqlite_master WHERE name = 'properties' LIMIT 2").fetchall()
    if [(kind, " ".join(str(sql).split())) for kind, sql in shapes] != [("table", PROPERTIES)]:
        return None, ""
    told = dict(db.execute("SELECT key, value FROM properties WHERE key IN ('project_id', 'seal') LIMIT 2").fetchall())
    return told.get("project_id"), told.get(seals.SEAL)


def was_ours(number: object, project: "Project") -> bool:
    """Say whether the registry has this project's id in this place: a memory from before there were seals."""
    if not (isinstance(number, str) and number.startswith("project-") and number.replace("-", "").isalnum()):
        return False
    known = _entry(f"{number}.json")
    try:
        here = posix.stat(project.root)
    except OSError:
        return False
    by_path = project.root in (known.get("path"), known.get("seen"))
    return by_path or [here.st_dev, here.st_ino] == [known.get("device"), known.get("inode")]
