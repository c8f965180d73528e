"""Whether a process still lives: by a lock that goes with it, or by its number and the tick in which it was born."""

import fcntl
import os
import time

from ralph_mem.core import paths

# Somebody who only asks whether the lock is held holds it for a moment.
PATIENCE_S = 0.5
BORN = 22 - 3  # the field of /proc/PID/stat, counted from behind the name, which may hold spaces and brackets


def hold(path: str) -> int:
    """Take the lock of a file, which is made; returns the open file, or -1 where another process holds it. Raises OSError."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(file)
                return -1
            time.sleep(0.02)
        else:
            return file


def is_held(path: str) -> bool:
    """Say whether some process holds the lock."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


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
