"""Find and end what a killed loop left running, with all that this started, and remove its temporary folders."""

import os
import signal
import time

from ralph_mem.core import descendants, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Somebody who only asks whether the lock is held holds it for a moment.
PATIENCE_S = 0.5


def hold(folder: str) -> int:
    """Take the lock of a folder; returns the open file, or -1 where another process holds it. Raises OSError."""
    file = paths.open_lock(folder)
    if paths.lock(file, wait_s=PATIENCE_S):
        return file
    os.close(file)
    return -1


def is_held(folder: str) -> bool:
    """Say whether some process holds the lock of a folder."""
    try:
        file = os.open(f"{folder}/{paths.LOCK}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not paths.lock(file, paths.SHARED)
    finally:
        os.close(file)


def born(pid: int) -> int:
    """Return the tick since the machine's start in which a process began, 0 where there is no /proc or no such process."""
    found = descendants.one(pid)
    return int(found.born) if found and not found.dead else 0


def is_running(pid: int, since: int = 0) -> bool:
    """Say whether a process is there, and the same one: with `since`, another that has got its number is not taken for it."""
    if pid <= 0:
        return False
    if paths.exists("/proc/self/stat"):
        now = born(pid)
        return now == since if since else now > 0
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


FOLDER = "ralph-mem-of-"


def folder() -> str:
    """Make a folder that is needed for a while, outside of the project, and remove those of killed processes. Raises OSError."""
    import tempfile  # lazy: whoever types a command has no folder made, and it is dear

    place = tempfile.gettempdir()
    for each in paths.names(place):
        pid, _, since = each[len(FOLDER) :].rpartition("-")[0].partition("-")
        if each.startswith(FOLDER) and pid.isdigit() and since.isdigit() and not is_running(int(pid), int(since)):
            _remove(f"{place}/{each}")
    return tempfile.mkdtemp(prefix=prefix(), dir=place)


def prefix() -> str:
    """Return how a temporary folder is to be called so that it is removed if this process is killed."""
    return f"{FOLDER}{os.getpid()}-{born(os.getpid())}-"


def _remove(path: str) -> None:
    import shutil  # lazy: only after a kill

    try:
        if os.lstat(path).st_uid == os.getuid():
            shutil.rmtree(path, ignore_errors=True)
    except OSError:  # somebody else was quicker
        pass


MARK = "RALPH_MEM_RUN"  # the variable that names the run to all that a loop starts
STARTED_HERE = os.urandom(16).hex()  # carried by what this process starts for a loop, and by nothing else: a run can be resumed
# From a polite signal to the last one, as for an agent whose time is up.
GRACE_S = 0.3
NOBODY = -1  # a group that no process has


def around_us() -> str:
    """Return the run that started this process, as its agent, as a check or below one of these; empty for a person's."""
    return descendants.inherited(MARK)


def end(run_id: str) -> int:
    """End what a run has left behind; returns how many processes that were. The run is not at work."""
    return end_marked(f"\0{MARK}={run_id}\0", {})  # the whole of it: another run's name may begin alike


def end_marked(mark: str, known: "dict[int, int]", groups: "Iterable[int]" = ()) -> int:
    """End what carries a mark, what is below that, and what is known by number and tick; returns how many processes that were.

    Where this system shows no environments, marks cannot be told from others, and only what is left of the groups is ended.
    """
    groups = groups or ([NOBODY] if descendants.is_shown() else [])
    left = _left(mark, known, groups)
    if left and not _gone(mark, known, groups, signal.SIGTERM):
        _gone(mark, known, groups, signal.SIGKILL)
    return len(left)


def _left(mark: str, known: "dict[int, int]", groups: "Iterable[int]") -> "set[int]":
    """Return what carries a mark, and what these started, which stays `known` by number and tick when they have gone."""
    marked = {number for group in groups for number in descendants.living(group, mark)}
    if not descendants.is_shown():
        return marked
    found = descendants.table()
    alive = {number for number, born in known.items() if number in found and found[number].born == born}
    reached = descendants.below(found, marked | alive)
    known.update({number: found[number].born for number in reached})
    return {number for number in reached if not found[number].dead} - {os.getpid()}


def _gone(mark: str, known: "dict[int, int]", groups: "Iterable[int]", number: int) -> bool:
    """Send a signal to what is left, and say whether it is gone in time."""
    descendants.send(_left(mark, known, groups), number)
    until = time.monotonic() + GRACE_S
    while _left(mark, known, groups):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
