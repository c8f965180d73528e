"""Quiet: who looks at a memory that may not be ours, makes one or exchanges it keeps the others waiting."""

import fcntl
import posix

from ralph_mem.core import store

WAIT_MS = 2000  # an event works for some milliseconds


class Alone:
    """Keeps this home's other sessions that look at an unknown memory waiting, as a context manager: one alone sets it aside."""

    def __init__(self, folder: str) -> None:
        self.file = posix.open(folder, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)

    def __enter__(self) -> None:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX)
        except OSError:  # a file system without locks
            pass

    def __exit__(self, *_: object) -> None:
        posix.close(self.file)


class Quiet:
    """Keeps all who work in a memory out of its folder, as a context manager, those of another home as well; with LOCK_SH only
    who would do the same.

    Raises StoreError where somebody stays at work.
    """

    def __init__(self, folder: str, how: int = fcntl.LOCK_EX) -> None:
        self.folder = folder
        self.how = how

    def __enter__(self) -> None:
        self.file = store.lock(self.folder, WAIT_MS, self.how)

    def __exit__(self, *_: object) -> None:
        posix.close(self.file)
