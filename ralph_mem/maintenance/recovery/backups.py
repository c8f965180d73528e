"""Copy a memory into the user's data home, at most once a day, and keep three copies.

A Stop makes one in bounded time, so this is standard library only, and loads little.
"""

import posix
import time
from collections import namedtuple

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import StoreError
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project

    Tell = Callable[[int, int], object]

MADE_AT, FAULT = "backed_up_at", "backup_fault"  # properties of a database: when one was last tried, and why there is none
DAY_MS = 86_400_000
KEPT = 3
# What a Stop may take once a day. Measured: 30 MB are copied and checked in 0.3 s, most of it the check.
LARGEST_UNASKED, UNASKED_S = 64_000_000, 2.0
STEP_PAGES, STEP_OPERATIONS = 512, 100_000
PRIVATE = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC

# `number` is the id of the memory that it is of, which is another one where that was deleted and begun anew.
Backup = namedtuple("Backup", "path number at bytes")


class Late(Exception):
    """A backup takes longer than somebody can wait."""


def keep(opened: "connection.Store", now: int) -> None:
    """Make the day's backup of a memory, and of that of all projects; never raises for what is wrong with either."""
    _keep(opened, now)
    if opened.folder != paths.config_home():
        try:
            everywhere = connection.connect_global(0)
        except StoreError:
            return
        if everywhere and abs(now - (everywhere.property(MADE_AT) or 0)) > DAY_MS:
            _keep(everywhere, now)
        if everywhere:
            everywhere.close()


def _keep(opened: "connection.Store", now: int) -> None:
    fault = ""
    try:
        if opened.one("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")[0] > LARGEST_UNASKED:
            fault = f"larger than {LARGEST_UNASKED // 1_000_000} MB"
        else:
            make(opened, now, UNASKED_S)
    except (Late, OSError, StoreError, connection.sqlite.Error) as error:
        fault = str(error) or type(error).__name__
    try:
        opened.set_property(MADE_AT, now)
        opened.set_property(FAULT, fault or None)
    except connection.sqlite.Error:  # the next Stop tries both again
        pass


def make(opened: "connection.Store", now: int, seconds: float = 3600, kind: str = "", tell: "Tell" = max) -> str:
    """Copy a memory as it is now; returns where to. `tell` hears how many pages are copied, and of how many.

    Raises Late, OSError, or StoreError for one that is damaged.
    """
    home, number = paths.data_home(), opened.property("project_id")
    if not home or not number:
        home = paths.environment("HOME") or "not set"
        raise StoreError(f"there is no place for backups: HOME is {home}", "set HOME to a folder of yours, by its whole path")
    paths.make_folder(f"{home}/{paths.BACKUPS}")
    name = f"{number}-{kind}{time.strftime('%Y-%m-%d', time.gmtime(now / 1000))}"
    path = f"{home}/{paths.BACKUPS}/{name}.db"
    copy(opened.db, path, time.monotonic() + seconds, tell)
    prune(number, kind, name)
    return path


def copy(db: "Any", path: str, end: float = float("inf"), tell: "Tell" = max) -> None:
    """Copy an open database into a file for its owner alone, whole or not at all, while others go on writing.

    Page by page: what page 1 says of the rest is then true of the database as well, which a repair may need.
    """
    draft = f"{path}.{posix.getpid()}"
    paths.remove(draft)
    posix.close(posix.open(draft, PRIVATE, 0o600))
    try:
        target = connection.sqlite.connect(draft, isolation_level=None)
        try:
            _fill(db, target, end, tell)
        finally:
            target.close()
        _flush(draft)
        posix.rename(draft, path)
    finally:
        for leftover in (draft, draft + "-wal", draft + "-shm", draft + "-journal"):
            paths.remove(leftover)


def _fill(db: "Any", target: "Any", end: float, tell: "Tell") -> None:
    def on_time(_: int, left: int, pages: int) -> None:
        tell(pages - left, pages)
        if time.monotonic() > end:
            raise Late("it takes too long")

    target.execute("PRAGMA synchronous = OFF")
    begun = not db.in_transaction
    if begun:  # one state of it, whoever writes meanwhile
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    try:
        db.backup(target, pages=STEP_PAGES, progress=on_time)
    finally:
        if begun:
            db.execute("ROLLBACK")
    target.execute("PRAGMA journal_mode = DELETE").fetchone()
    target.set_progress_handler(lambda: time.monotonic() > end, STEP_OPERATIONS)
    try:
        fault = target.execute("PRAGMA quick_check(1)").fetchone()[0]
    except connection.sqlite.OperationalError as error:
        raise Late("it takes too long") from error
    if fault != "ok":
        raise StoreError(f"the memory is damaged ({' '.join(fault.split())})", "`ralph-mem doctor --repair` shows what can be done")


def _flush(path: str) -> None:
    file = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        posix.fsync(file)
    finally:
        posix.close(file)


def prune(number: str, kind: str, made: str) -> None:
    """Remove all but the newest backups of a memory, `made` being the name of the one that was just made.

    Days that lie ahead of it go first: the clock was wrong when they were made, and they would outlive every other one.
    """
    names = [path.rpartition("/")[2] for path in files()]
    of_kind = [name for name in names if name.startswith(f"{number}-{kind}2")]
    for name in sorted(of_kind, key=lambda name: (name.removesuffix(".db") <= made, name))[:-KEPT]:
        paths.remove(f"{paths.data_home()}/{paths.BACKUPS}/{name}")


def of_place(project: "Project") -> "list[Backup]":
    """Return the backups of every memory that a place is known to have had, the newest first."""
    return of_memories(memories_of(project)) if files() else []


def of_memories(ids: "list[str]") -> "list[Backup]":
    """Return the backups of memories by their ids, the newest first."""
    return [each for each in _every() if each.number in ids]


def of_path(path: str) -> "list[Backup]":
    """Return the backup of a path, of whichever project it is, if our seal is in it: nobody else's would be used in its place."""
    from ralph_mem.memory.ownership import foreign, seals  # lazy: only for who names a path

    found = [each for each in _every() if path == each.path]
    return found if found and seals.is_seal(foreign.claims_of(path)[1], seals.key()) else []


def _every() -> "list[Backup]":
    found = []
    for path in files():
        if path.endswith(".db"):
            try:
                status = posix.stat(path)
            except OSError:
                continue
            number = "-".join(path.rpartition("/")[2].split("-")[:2])
            found.append(Backup(path, number, status.st_mtime_ns // 1_000_000, status.st_size))
    return sorted(found, key=lambda each: each.at, reverse=True)


def files() -> "list[str]":
    """Return every backup of every memory."""
    folder = f"{paths.data_home()}/{paths.BACKUPS}"
    return [f"{folder}/{name}" for name in paths.names(folder)]


def memories_of(project: "Project") -> "list[str]":
    """Return the id of the memory that a place has, then those that the registry knows there, the one that was used last first.

    The registry knows a folder that has moved only where it was before, until a session starts in it.
    """
    from posixpath import realpath  # lazy: brings `os`; only for who asks which memories a place has had

    from ralph_mem.memory.ownership import foreign  # lazy: as above

    places, found = {project.root, realpath(project.root)}, []
    folder = f"{paths.data_home()}/{paths.PROJECTS}"
    for name in paths.names(folder):
        try:
            known = fast.loads(paths.read(f"{folder}/{name}"))
        except ValueError:
            continue
        if isinstance(known, dict) and places & {known.get("path"), known.get("seen")}:
            found.append((posix.stat(f"{folder}/{name}").st_mtime_ns, name.removesuffix(".json")))
    own = foreign.number_of(project)
    return list(dict.fromkeys([own] * bool(own) + [number for _, number in sorted(found, reverse=True)]))


def offer(opened: "connection.Store", project: "Project") -> str:
    """Return a line for the user where the memory of a place is a new one and a backup of an earlier one is there."""
    found = [each for each in of_place(project) if each.number != opened.property("project_id")]
    if not found:
        return ""
    from ralph_mem.core.format import when  # lazy: only where a memory is gone

    day = when(found[0].at)
    return f"an earlier memory of this project is gone, this is a new one; `ralph-mem restore` brings back its backup of {day}"


def with_db(path: str, how: str, act: "Callable[[Any], Any]") -> "Any":
    """Open the file of a database in some way, do something with it, and close it."""
    db = connection.sqlite.connect(connection.address_of(path, how), uri=True, timeout=1.0, isolation_level=None)
    try:
        return act(db)
    finally:
        db.close()


def alone(folder: str, wait_ms: int = 2000) -> int:
    """Hold the lock of a memory against every session; returns the file to close. Raises StoreError."""
    return connection.lock(folder, wait_ms, paths.ALONE)
