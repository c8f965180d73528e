"""Find and end what a killed loop left running, its agent or a check, with all these started."""

import os
import signal
import time
from pathlib import Path

from ralph_mem.core import descendants, paths

# Somebody who only asks whether the lock is held holds it for a moment.
PATIENCE_S = 0.5
BORN = 22 - 3  # the field of /proc/PID/stat, counted from behind the name, which may hold spaces and brackets


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
    fields = paths.read(f"/proc/{pid}/stat", 4096).rpartition(")")[2].split()
    return int(fields[BORN]) if len(fields) > BORN and fields[0] not in {"Z", "X"} else 0


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


MARK = "RALPH_MEM_RUN"  # the variable that names the run to all that a loop starts
# From a polite signal to the last one, as for an agent whose time is up.
GRACE_S = 0.3
NOBODY = -1  # a group that no process has


def around_us() -> str:
    """Return the run that started this process, as its agent, as a check or below one of these; empty for a person's."""
    return descendants.inherited(MARK)


def end(run_id: str) -> int:
    """End what a run has left behind; returns how many processes that were. The run is not at work."""
    if not Path("/proc/self").is_dir():  # a system that shows no environments: they cannot be told from others
        return 0
    mark = f"\0{MARK}={run_id}\0"  # the whole of it: another run's name may begin alike
    known: dict[int, int] = {}
    left = _left(mark, known)
    if left and not _gone(mark, known, signal.SIGTERM):
        _gone(mark, known, signal.SIGKILL)
    return len(left)


def _left(mark: str, known: "dict[int, int]") -> "set[int]":
    """Return what carries a mark, and what these started, which stays `known` by number and tick when they have gone."""
    marked = descendants.living(NOBODY, mark)
    found = descendants.table()
    known.update({number: found[number].born for number in descendants.below(found, marked)})
    alive = {number for number in known if number in found and found[number].born == known[number] and not found[number].dead}
    return alive - {os.getpid()}


def _gone(mark: str, known: "dict[int, int]", number: int) -> bool:
    """Send a signal to what is left, and say whether it is gone in time."""
    descendants.send(_left(mark, known), number)
    until = time.monotonic() + GRACE_S
    while _left(mark, known):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
