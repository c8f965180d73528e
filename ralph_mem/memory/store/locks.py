"""Hold the lock of a project's memory while it is examined, made or exchanged."""

import posix

from ralph_mem.core import paths
from ralph_mem.memory.store import connection

WAIT_MS = 2000  # an event works for some milliseconds


class Alone:
    """Keeps this home's other sessions that look at an unknown memory waiting, as a context manager: one alone sets it aside."""

    def __init__(self, folder: str) -> None:
        self.file = posix.open(folder, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)

    def __enter__(self) -> None:
        try:
            paths.lock(self.file, wait_s=paths.FOR_EVER)
        except OSError:  # a file system without locks
            pass

    def __exit__(self, *_: object) -> None:
        posix.close(self.file)


class Quiet:
    """Keeps all who work in a memory out of its folder, as a context manager, those of another home as well; with SHARED only
    who would do the same.

    Raises StoreError where somebody stays at work.
    """

    def __init__(self, folder: str, how: int = paths.ALONE) -> None:
        self.folder = folder
        self.how = how

    def __enter__(self) -> None:
        self.file = connection.lock(self.folder, WAIT_MS, self.how)

    def __exit__(self, *_: object) -> None:
        posix.close(self.file)
