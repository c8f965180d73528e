"""Leave a few redacted lines of what an agent does just now where another process can follow it."""

import threading

from ralph_mem.core import fast, paths
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts.claude_code import calls
from ralph_mem.ralph import runs
from ralph_mem.ralph.loop import MEANWHILE
from ralph_mem.ralph.record import HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Told

MOST_LINES = 12  # half of a small terminal
EVERY_S = 0.25  # as often as somebody who looks on sees a difference; an agent may print thousands of lines in that time


class Following:
    """Passes on what a loop tells, and leaves the lines of the moment in a file beside its record while it is at work.

    A thread of its own writes, so that a chatty agent is not held up. What cannot be written is nobody's to see.
    """

    def __init__(self, project: "Project", values: "dict[str, Any]", run_id: str, told: "Told | None") -> None:
        self._project, self._values, self._run, self._told = project, values, run_id, told
        self._new: list[str] = []
        self._kept: list[str] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="ralph-mem activity", daemon=True)

    def __call__(self, line: str) -> None:
        """Hear a line of the loop."""
        if line.startswith(MEANWHILE):
            self._new = [*self._new[1 - MOST_LINES :], line.strip()]
        if self._told:
            self._told(line)

    def __enter__(self) -> "Following":  # noqa: PYI034 - Self came with Python 3.11
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Write no more; the file goes with the others that lie there only while a run is at work."""
        self._over.set()
        self._thread.join()
        runs.ask_no_more(self._project, self._run, runs.ACTIVITY)

    def _go_on(self) -> None:
        while not self._over.wait(EVERY_S):
            new, self._new = self._new, []
            if new:
                self._kept = [*self._kept, *privacy.protect(new, self._project, self._values)[0]][-MOST_LINES:]
                self._write()

    def _write(self) -> None:
        try:
            paths.write(runs.beside(self._project, self._run, runs.ACTIVITY), fast.dumps(self._kept))
        except OSError:
            pass


def lines(project: "Project", values: "dict[str, Any]", live: "runs.Live | None", since: int = 0) -> "list[str]":
    """Return what the agent of the loop at work does just now, the latest last; of one in a session what it did since a moment."""
    if live is None:
        return []
    if live.mode != HEADLESS:
        done = calls.of_session(live.owner, since)[-MOST_LINES:]
        return privacy.protect(done, project, values)[0] if done else []
    text = paths.read(runs.beside(project, live.run, runs.ACTIVITY))
    try:
        told = fast.loads(text) if text else []
    except ValueError:  # written whole or not at all, so somebody else did this
        told = []
    return [line for line in told if isinstance(line, str)][-MOST_LINES:] if isinstance(told, list) else []
