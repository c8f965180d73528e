"""Give a project its memory at a session's start, and keep it when the project moves."""

import posix
import sys

from ralph_mem.core import fast, paths
from ralph_mem.memory.ownership import check, seals
from ralph_mem.memory.rows import row
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project


# The property of a memory that was made where backups are, until a start has said if the one before it can be had back.
MADE_ANEW = "made_anew"


def begin(project: "Project", wait_ms: int) -> connection.Store:
    """Open the memory of a project as a session starts there: a stranger's is set aside. Raises as `open_ready`."""
    return open_ready(project, wait_ms, starting=True)


def _not_ours(project: "Project", error: Exception) -> Exception:
    why = f"cannot make {project.folder}/memory.db: {error}"
    found: Exception = fast.errors().StoreError(why, "is it a database of ralph-mem?")
    return found


def begin_late(project: "Project") -> connection.Store:
    """Open and register a memory without a session start. Raises StoreError where it was taken away, else as `open_ready`."""
    if not check.is_new(project):
        raise fast.errors().StoreError(f"the memory in {project.folder} was taken away", "the next session start makes a new one")
    opened = open_ready(project)
    notice(opened, project)
    remember_interpreter()
    return opened


def open_ready(project: "Project", wait_ms: int = connection.PROMPT_WAIT_MS, starting: bool = False) -> connection.Store:
    """Open the memory of a project, made or brought up to date. Raises StoreError, also for a stranger's, or OSError."""
    check.admit(project, starting)
    prepare(project)
    there = connection.exists(project.folder) and connection.is_known(project.folder)
    opened = connection.connect(project.folder, wait_ms) if there else _made(project, wait_ms)
    try:
        version = opened.one("PRAGMA user_version")[0]
        if not version:  # whoever was making it was killed
            opened.close()
            opened = _made(project, wait_ms)
        elif not check.confirm(opened, project):
            return _begun_anew(opened, project, wait_ms, starting)
        if 0 < version < connection.SCHEMA_VERSION:
            _migrate(opened)
        if opened.one("PRAGMA schema_version")[0] != opened.property("checked_schema"):
            _check(opened)
    except connection.sqlite.Error as error:
        opened.close()
        raise _not_ours(project, error) from error
    if seals.can_be_shipped(project.folder) and paths.exists(f"{paths.data_home()}/{paths.SPOOL}"):
        number = str(opened.property("project_id"))
        known = check.registered(number)
        if not known or project.root not in (known["path"], known.get("seen")):
            from ralph_mem.memory import relocate  # lazy: only where something waits for a new memory, or one has moved

            relocate.settle(project, number, known)
    opened.tree = project.top
    return opened


def _migrate(opened: connection.Store) -> None:
    from ralph_mem.memory import migrating  # lazy: only when a database is made or older than the release

    migrating.migrate(opened)


def _made(project: "Project", wait_ms: int) -> connection.Store:
    """Open a memory that is missing, or that another session is just making: made where nobody has, by one alone.

    SQLite lets nobody wait who switches to a log, and has a journal meanwhile, which is not believed beside a memory: so everybody
    waits for the lock of the memory, also another home's session that is about to begin one or to take one back.
    """
    from ralph_mem.memory.store.locks import Alone  # lazy: only when a database is made

    home = paths.data_home()
    with Alone(home if home and paths.exists(home) else project.folder):
        held = connection.lock(project.folder, wait_ms, paths.ALONE)
        if not connection.exists(project.folder) and _is_created(project.folder + "/memory.db"):
            seals.note(project.folder)
        opened = connection.open_held(project.folder, held, wait_ms)
        try:
            if not opened.one("PRAGMA user_version")[0]:
                _migrate(opened)
                if paths.exists(f"{home}/{paths.BACKUPS}"):
                    opened.set_property(MADE_ANEW, 1)
        except connection.sqlite.Error as error:
            opened.close()
            raise _not_ours(project, error) from error
        connection.share(held)
        return opened


def _begun_anew(stranger: connection.Store, project: "Project", wait_ms: int, starting: bool) -> connection.Store:
    from ralph_mem.memory.ownership import foreign  # lazy: only where a database lies that nobody knows

    stranger.close()
    foreign.refuse_or_set_aside(project, "not made by you here", starting)
    return open_ready(project, wait_ms)


def _check(opened: connection.Store) -> None:
    from ralph_mem.memory.store import schema_check  # lazy: only where a schema has changed

    try:
        schema_check.check(opened)
    except fast.errors().StoreError:
        opened.close()
        raise


def prepare(project: "Project") -> None:
    """Make the folder of a memory, ignored by git. Raises StoreError or OSError where that cannot be done."""
    if project.folder != project.root and not paths.exists(project.root):
        raise fast.errors().StoreError(f"there is no folder {project.root}")
    paths.make_folder(project.folder)
    if not paths.exists(f"{project.folder}/{paths.GITIGNORE}"):
        # people keep their config home in git, but not what they told this plugin
        ours = "*\n" if project.folder != project.root else "memory.db*\nlock\nspool/\n"
        paths.write(f"{project.folder}/{paths.GITIGNORE}", ours)


def _is_created(path: str) -> bool:
    """Create the file before SQLite does, which would let others read it; its log inherits the mode. Says whether it was new."""
    try:
        posix.close(posix.open(path, posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_CLOEXEC, 0o600))
    except FileExistsError:  # another session was quicker
        return False
    return True


def notice(opened: connection.Store, project: "Project") -> str:
    """Enter the project in the registry; returns a line for the user where its memory turned out to be a copy.

    The registry lies in the user's data home, a file for each project id: where it is, by path, device and inode.
    The same id at a new path moved when the old path is gone, and is a copy, with a new id, when it is still there.
    """
    home = paths.data_home()
    number = opened.property("project_id")
    if not home or not number:
        return ""
    known = check.registered(number)
    if known and _seen_before(known, project):
        return _gap(opened, f"{home}/{paths.PROJECTS}/{number}.json")
    here = _place(project)
    if known:
        from ralph_mem.memory import relocate  # lazy: only where something waits for a new memory, or one has moved

        if known["path"] != here["path"] and relocate.is_another(known, project):
            number = row.public_id("project")
            opened.set_property("project_id", number)
            _register(opened, home, number, here)
            return f"this memory is a copy of the one in {known['path']}; from now on it is this project's own"
        relocate.follow(project, number, known)
    _register(opened, home, number, here)
    return ""


def _gap(opened: connection.Store, entry: str) -> str:
    """Say whether the memory ends before a stop that is known outside of it: its log was deleted, or is an older one."""
    at = opened.property(connection.STOPPED_AT)
    try:
        marked, rest = divmod(posix.stat(entry).st_mtime_ns, 1_000_000)
        if isinstance(at, int) and marked > at:  # another session may have stopped since the properties were read
            opened.properties.clear()
            at = opened.property(connection.STOPPED_AT)
        if not isinstance(at, int) or marked <= at:
            return ""
        mark(entry, at)
        if rest:  # a mark has whole milliseconds: this is the time at which the home was copied, without those of its files
            return ""
    except OSError:
        return ""
    from ralph_mem.core.format import when  # lazy: only where a log was deleted

    lost = f"what was recorded{' after ' * bool(at)}{when(at)} is missing from this memory"
    lost += ": its memory.db-wal was deleted or is an older one"
    return lost + "; `ralph-mem restore --list` shows the backups"


def mark(entry: str, at: int) -> None:
    """Write into the time of a registry entry until when all is stored. Raises OSError."""
    posix.utime(entry, ns=(at * 1_000_000, at * 1_000_000))


def _seen_before(known: "dict[str, Any]", project: "Project") -> bool:
    status = posix.stat(project.root)
    return bool([project.root, status.st_dev, status.st_ino] == [known.get(key) for key in ("seen", "device", "inode")])


def _place(project: "Project") -> "dict[str, Any]":
    from posixpath import realpath  # lazy: brings `os`; only when a database is made or has moved

    status = posix.stat(project.root)
    return {"path": realpath(project.root), "seen": project.root, "device": status.st_dev, "inode": status.st_ino}


def _register(opened: connection.Store, home: str, number: str, place: "dict[str, Any]") -> None:
    entry = f"{home}/{paths.PROJECTS}/{number}.json"
    try:
        paths.make_folder(f"{home}/{paths.PROJECTS}")
        paths.write(entry, fast.dumps(place))
        mark(entry, opened.property(connection.STOPPED_AT) or 0)
    except OSError:  # an unwritable home: the project works, only a copy of it is not noticed
        pass


def remember_interpreter() -> None:
    """Keep the path of the interpreter behind `python3`, for `hooks/run` to start directly."""
    # that of a virtual environment starts more slowly than its base, and goes with it
    python = getattr(sys, "_base_executable", "") or sys.executable
    if paths.exists(python.rpartition("/")[0] + "/../pyvenv.cfg"):  # before Python 3.11 the base is the environment's own
        from posixpath import realpath  # lazy: brings `os`; only when a database is made or has moved

        python = realpath(python)
    if python and paths.exists(python):
        _keep(paths.PYTHON, python)


def remember_plugin(folder: str = "") -> None:
    """Keep the folder of the plugin, by default that of this file, for a status line and the command, which outlive an update."""
    here = folder or __file__.rpartition("/ralph_mem/")[0]
    if here[:1] == "/":
        _keep(paths.PLUGIN, here)


def _keep(name: str, path: str) -> None:
    """Keep a path in the data home; where it cannot be written it stays as it is."""
    home = paths.data_home()
    if home and paths.read(f"{home}/{name}") != path + "\n":
        try:
            paths.make_folder(home)
            paths.write(f"{home}/{name}", path + "\n")
        except OSError:
            pass
