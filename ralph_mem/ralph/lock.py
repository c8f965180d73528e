"""Hold the lock by which one loop at a time is alive in a tree."""

import os

from ralph_mem.ralph import leftovers, runs
from ralph_mem.ralph.record import HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project


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
