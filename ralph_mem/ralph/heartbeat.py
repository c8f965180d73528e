"""Say from time to time that a headless run is alive."""

import os
import threading

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import leftovers, runs
from ralph_mem.ralph.record import HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project

BEAT_S = 5.0


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
