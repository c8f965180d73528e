"""Hold the lock by which one loop at a time is alive in a tree, and say that it is."""

import os
import threading

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import leftovers, runs
from ralph_mem.ralph.record import HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project

BEAT_S = 5.0


class Lock:
    """The right to be the one loop of a tree, held by an open file: however the process ends, the lock ends with it.

    Children do not inherit it. Used as `with Lock(project): ...`; raises LoopError where another loop is at work. What a loop that
    was killed has left running in the tree is ended first.
    """

    __slots__ = ("file", "project")

    def __init__(self, project: "Project") -> None:
        self.project = project
        self.file = -1

    def __enter__(self) -> None:
        """Take the lock, see that no session's loop is at work either, and that no dead loop's agent still is."""
        self.file = leftovers.hold(runs.make_folder(self.project))
        other = runs.live(self.project)
        in_session = other if self.file >= 0 and other and other.mode != HEADLESS and runs.is_alive(self.project, other) else None
        if self.file < 0 or in_session:
            self.__exit__()
            raise runs.in_the_way(other)
        if other:
            leftovers.end(other.run)

    def __exit__(self, *_: object) -> None:
        """Let go of the lock, if it is held."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


class Heartbeat:
    """Says every few seconds, from a thread of its own, that a headless run is alive, and at the end that it is not."""

    def __init__(self, project: "Project", run_id: str, seconds: float = BEAT_S) -> None:
        self.project = project
        self.seconds = seconds
        self.now = runs.Live(run_id, HEADLESS, "", os.getpid(), leftovers.born(os.getpid()))
        self.state: dict[str, int] = {}
        self.over, self.is_new = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._go_on, name="ralph-mem heartbeat", daemon=True)

    def __enter__(self) -> "Heartbeat":  # noqa: PYI034 - Self came with Python 3.11
        """Beat once and then from time to time. Raises LoopError where not even the first beat can be written."""
        runs.forget_requests(self.project, self.now.run)  # meant for a loop that was killed before it saw it
        try:
            self._beat()
        except OSError as error:
            told = f"cannot write to {runs.folder_of(self.project)}: {error.strerror}"
            raise LoopError(told, "is the folder yours, and the disk not full?") from error
        self.thread.start()
        return self

    def tells(self, state: "dict[str, int]") -> None:
        """Tell at once how the run stands."""
        self.state = state
        self.is_new.set()

    def __exit__(self, *_: object) -> None:
        """Beat no more, and say so."""
        self.over.set()
        self.is_new.set()
        self.thread.join()
        runs.clear_live(self.project, self.now.run)

    def _go_on(self) -> None:
        while not self.over.is_set():
            self.is_new.wait(self.seconds)
            self.is_new.clear()
            if self.over.is_set():
                return
            try:
                self._beat()
            except OSError:  # a disk that is full just now: the lock says that we are alive
                continue

    def _beat(self) -> None:
        self.now = self.now._replace(beat=runs.now_ms(), **self.state)
        runs.write_live(self.project, self.now)
