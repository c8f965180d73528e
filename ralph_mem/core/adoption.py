"""Adoption: a project gets its memory, and keeps it when it moves. Session start and the CLI only."""

import posix
import sys

from ralph_mem.core import paths, quick, row, store
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project


def open_ready(project: "Project", wait_ms: int = store.PROMPT_WAIT_MS) -> store.Store:
    """Open the memory of a project, made where it is missing and brought up to date where its schema is older.

    Raises StoreError or OSError where that cannot be done.
    """
    prepare(project)
    if not store.exists(project.folder):
        _create_file(project.folder + "/memory.db")
    opened = store.connect(project.folder, wait_ms)
    try:
        if opened.one("PRAGMA user_version")[0] < store.SCHEMA_VERSION:
            _migrate(opened)
    except store.sqlite.Error as error:
        raise StoreError(f"cannot make {project.folder}/memory.db: {error}", "is it a database of ralph-mem?") from error
    return opened


def prepare(project: "Project") -> None:
    """Make the folder of a memory, ignored by git. Raises StoreError or OSError where that cannot be done."""
    if project.folder != project.root and not paths.exists(project.root):
        raise StoreError(f"there is no folder {project.root}")
    paths.make_folder(project.folder)
    if not paths.exists(project.folder + "/.gitignore"):
        # people keep their config home in git, but not what they told this plugin
        ours = "*\n" if project.folder != project.root else "memory.db*\nlock\nspool/\n"
        paths.write(project.folder + "/.gitignore", ours)


def _create_file(path: str) -> None:
    """Create the file before SQLite does, which would let others read it; its log inherits the mode."""
    try:
        posix.close(posix.open(path, posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_CLOEXEC, 0o600))
    except FileExistsError:  # another session was quicker
        pass


def _migrate(opened: store.Store) -> None:
    """Run the migrations that are missing, all or none, with a backup before the first that changes data."""
    from ralph_mem.core import schema

    opened.execute("PRAGMA journal_mode = WAL").fetchone()
    version = opened.one("PRAGMA user_version")[0]
    if version:
        _back_up(opened, version)
    opened.begin(durable=True)
    try:
        version = opened.one("PRAGMA user_version")[0]
        for statements in schema.MIGRATIONS[version:]:
            for statement in statements:
                opened.execute(statement)
        if not version:
            opened.set_property("project_id", row.public_id("project"))
        opened.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        opened.execute(f"PRAGMA user_version = {schema.VERSION}")
        opened.commit()
    finally:
        opened.roll_back()


def _back_up(opened: store.Store, version: int) -> None:
    home = paths.data_home()
    if home:
        paths.make_folder(home + "/backups")
        name = f"{home}/backups/{opened.property('project_id')}-schema-{version}.db"
        paths.write(name, "")  # empty and for the owner alone, before SQLite fills it
        opened.execute("VACUUM INTO ?", (name,))


def notice(opened: store.Store, project: "Project") -> str:
    """Enter the project in the registry; returns a line for the user where its memory turned out to be a copy.

    The registry lies in the user's data home, a file for each project id: where it is, by path, device and inode.
    The same id at a new path moved when the old path is gone, and is a copy, with a new id, when it is still there.
    """
    home = paths.data_home()
    number = opened.property("project_id")
    if not home or not number:
        return ""
    known = _registered(home, number)
    if known and _seen_before(known, project):
        return ""
    here = _place(project)
    if known and known["path"] != here["path"] and _is_another(known, project):
        number = row.public_id("project")
        opened.set_property("project_id", number)
        _register(home, number, here)
        return f"this memory is a copy of the one in {known['path']}; from now on it is this project's own"
    _register(home, number, here)
    return ""


def _seen_before(known: "dict[str, Any]", project: "Project") -> bool:
    status = posix.stat(project.root)
    return bool([project.root, status.st_dev, status.st_ino] == [known.get(key) for key in ("seen", "device", "inode")])


def _place(project: "Project") -> "dict[str, Any]":
    from posixpath import realpath  # brings `os` with it, which a session start can afford once

    status = posix.stat(project.root)
    return {"path": realpath(project.root), "seen": project.root, "device": status.st_dev, "inode": status.st_ino}


def _registered(home: str, number: str) -> "dict[str, Any]":
    try:
        known = quick.loads(paths.read(f"{home}/projects/{number}.json"))
    except ValueError:
        return {}
    return known if isinstance(known, dict) and isinstance(known.get("path"), str) else {}


def _register(home: str, number: str, place: "dict[str, Any]") -> None:
    try:
        paths.make_folder(home + "/projects")
        paths.write(f"{home}/projects/{number}.json", quick.dumps(place))
    except OSError:  # an unwritable home: the project works, only a copy of it is not noticed
        pass


def _is_another(known: "dict[str, Any]", project: "Project") -> bool:
    """Say whether the registered place still has a memory of its own, in another folder than this one."""
    there = f"{known['path']}/{paths.STATE}/memory.db"
    try:
        other, here = posix.stat(there), posix.stat(project.folder + "/memory.db")
    except OSError:
        return False
    return (other.st_dev, other.st_ino) != (here.st_dev, here.st_ino)


def remember_interpreter() -> None:
    """Keep the path of the interpreter behind `python3`, for `hooks/run` to start directly."""
    home = paths.data_home()
    # that of a virtual environment starts more slowly than its base, and goes with it
    python = getattr(sys, "_base_executable", "") or sys.executable
    if paths.exists(python.rpartition("/")[0] + "/../pyvenv.cfg"):  # before Python 3.11 the base is the environment's own
        from posixpath import realpath

        python = realpath(python)
    if home and python and paths.exists(python) and paths.read(home + "/python").strip() != python:
        try:
            paths.make_folder(home)
            paths.write(home + "/python", python + "\n")
        except OSError:
            pass
