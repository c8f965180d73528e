"""Check whether the memory that lies in a project was made there by this user's sessions.

A database carries a random number and its HMAC under the user's key; one that a clone brought along is set aside unread.
"""

import posix

from ralph_mem.core import fast, paths
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

# What must be a file of its own: a link would have us read or write elsewhere.
OURS = ("memory.db", "memory.db-wal", "memory.db-shm", "memory.db-journal", paths.LOCK)
# To read our schema and properties takes SQLite's machine some 400 steps; a stranger's can take minutes. The clock would also
# run out for a process that was stopped meanwhile.
STEPS = 20_000
NOT_OURS = ("interrupted", "no such ")  # what SQLite says then, and of a database without our tables


def admit(project: "Project", starting: bool = True) -> None:
    """Look at the memory of a project before it is opened: at the start of a session what is not ours is set aside, and told.

    Raises StoreError for links, and at any other time for what is not ours; OSError where it cannot be set aside. Without a
    home nothing can be proven, and nothing is.
    """
    if not seals.can_be_shipped(project.folder):
        return
    missing = _refuse_links(project)
    if not seals.key():
        return
    if missing == OURS[0] or not connection.is_known(project.folder):
        from ralph_mem.memory.ownership import foreign  # lazy: only where a database lies that nobody knows

        if foreign.has_aside(project):
            from ralph_mem.memory.ownership import restore_own  # lazy: only where a database was set aside, or git wrote since

            restore_own.meet(project, starting)
        else:
            foreign.meet(project, starting)
    elif starting and _git_wrote_since(project):
        from ralph_mem.memory.ownership import restore_own  # lazy: only where a database was set aside, or git wrote since

        restore_own.look_again(project)


def refusal(project: "Project") -> str:
    """Say why what stands in the place of a memory is not used, and what to do; nothing where it may be."""
    try:
        if seals.can_be_shipped(project.folder):
            _refuse_links(project)
    except fast.errors().StoreError as error:
        return str(error)
    return ""


def confirm(opened: "connection.Store", project: "Project") -> bool:
    """Say whether a database that was just opened is ours still; one from before there were seals gets its seal now."""
    secret = seals.key() if seals.can_be_shipped(opened.folder) else b""
    if not secret:
        return True
    opened.db.set_progress_handler(lambda: True, STEPS)
    try:
        held = opened.property(seals.SEAL)
    except connection.sqlite.OperationalError as error:
        if str(error).startswith(NOT_OURS):
            return False
        raise
    finally:
        opened.db.set_progress_handler(None, 0)
    if held is None:
        from ralph_mem.memory.ownership import foreign  # lazy: only where a database lies that nobody knows

        return foreign.seal_earlier(opened, project)
    return seals.is_seal(held, secret)


def is_new(project: "Project") -> bool:
    """Say whether no memory was ever kept here, as far as that is noted: one that was taken away stays away."""
    home = paths.data_home()
    if not home or paths.is_out_of_use(home):
        return False
    path, verdict = connection.verdict_of(home, project.folder, 0)
    return paths.read(path).partition(" ")[2] != verdict.partition(" ")[2]


def registered(number: str) -> "dict[str, Any]":
    """Return where the registry has a project, empty where it does not know it."""
    try:
        known = fast.loads(paths.read(f"{paths.data_home()}/{paths.PROJECTS}/{number}.json"))
    except ValueError:
        return {}
    return known if isinstance(known, dict) and isinstance(known.get("path"), str) else {}


def _git_wrote_since(project: "Project") -> bool:
    """Say whether git's index changed since the memory was last found to be ours: a pull may have written into its folder."""
    path, _ = connection.verdict_of(paths.data_home(), project.folder, 0)
    try:
        return bool(project.common) and posix.stat(project.common + "/index").st_mtime_ns > posix.stat(path).st_mtime_ns
    except OSError:
        return False


def _refuse_links(project: "Project") -> str:
    """Raise StoreError for links, and for what stands in the place of our files; returns the first of these that is missing."""
    missing = ""
    if seals.kind_of(project.folder) == seals.LINK:
        from ralph_mem.core.settings import trust  # lazy: only where the folder is a link

        target = posix.readlink(project.folder)
        if not trust.is_approved(project, trust.LINK, target):
            raise _refused(f"{project.folder} is a link to {target}, and is not used until you approve it: {trust.HOW}")
    for name in OURS:
        try:
            state = posix.lstat(f"{project.folder}/{name}")
        except OSError:
            missing = missing or name
            continue
        if state.st_mode & seals.KIND == seals.LINK:
            raise _refused(f"{project.folder}/{name} is a link, and is not used; remove it")
        # a stranger's database is set aside whatever it is; beside ours, SQLite would wait for ever at a FIFO
        if name != "memory.db" and state.st_mode & seals.KIND != seals.REGULAR:
            raise _refused(f"{project.folder}/{name} is no file, and is not used; remove it")
        if state.st_mode & seals.KIND == seals.REGULAR and state.st_nlink > 1:
            raise _refused(f"{project.folder}/{name} has a second name elsewhere, and is not used; put a copy in its place")
    return missing


def _refused(why: str) -> Exception:
    found: Exception = fast.errors().StoreError(why)
    return found
