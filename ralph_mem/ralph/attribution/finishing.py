"""Tell when a program is done with a file that it has opened to write.

What is in it later is somebody else's. That can be told for certain when the program, or a child of it, makes its next call, and
when it ends.
"""

import os
import time

from ralph_mem.core import descendants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 64  # files that a thread has not been seen to be done with
# A look takes a tenth of a millisecond, for which the program waits: as many at once as an agent writes files by hand, then so many
# a second, which is some two hundredths of the time of a build. What is not looked at is told by time.
AT_ONCE, A_SECOND = 64.0, 200.0


class Pending:
    """The files that the threads of one program and its children have opened and may still write."""

    def __init__(self) -> None:
        self._files: dict[int, dict[str, int]] = {}  # of each thread, with how many threads had made a call until then
        self._met: dict[int, tuple[int, int]] = {}  # the threads that have, each with its number among them and its parent
        self._looks, self._at = AT_ONCE, time.monotonic()

    def began(self, thread: int, path: str) -> None:
        """Note that a thread is about to write a file."""
        files = self._files.setdefault(thread, {})
        if len(files) < MOST:
            files[path] = len(self._met)

    def done_by(self, thread: int) -> "list[str]":
        """Return the files with which a thread that makes a call is done, or its parent, which had them before it started it."""
        if thread not in self._met:
            self._met[thread] = (len(self._met), _parent(thread))
        number, parent = self._met[thread]
        found: list[str] = []
        for each in [each for each in (thread, parent) if self._files.get(each)]:
            files = self._files[each]
            if not self._may_look():
                files.clear()
                continue
            held = _open_files([each, *map(int, descendants.content(f"/proc/{each}/task/{each}/children").split())])
            done = [path for path, met in files.items() if path not in held and (each == thread or number >= met)]
            for path in done:
                del files[path]
            found += done
        return found

    def _may_look(self) -> bool:
        now = time.monotonic()
        self._looks, self._at = min(AT_ONCE, self._looks + (now - self._at) * A_SECOND), now
        if self._looks < 1:
            return False
        self._looks -= 1
        return True

    def all(self) -> "set[str]":
        """Return the files of all threads, which have ended."""
        return {path for files in self._files.values() for path in files}


def _parent(thread: int) -> int:
    told = descendants.one(thread)
    return told.parent if told else 0


def _open_files(processes: "Iterable[int]") -> "set[str]":
    """Return the files that some processes have open; what cannot be looked at has none."""
    found = set()
    for process in processes:
        try:
            found |= {os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")}
        except OSError:  # it has ended, or a file was closed meanwhile
            continue
    return found
