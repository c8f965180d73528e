"""Start what does for a memory that for which hooks have no time, at a session's end and before."""

import sys

from ralph_mem.core.settings import effective
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity

LEARNER = "interfaces/learner.py"
OVER = "over"  # tells it that a session has ended, so that nobody is kept waiting by a closer look


def afterwards(opened: "connection.Store", _seen: "Activity", settings: "dict[str, Any]") -> None:
    """Start what learns as a session ends, however lately it ran: the next one is to know what was said in this one."""
    if opened.log_bytes() > connection.LARGE_LOG_BYTES:
        opened.checkpoint()
    if settings["memory.worker"] and effective.attended():
        wake(opened.folder, opened.tree, is_over=True)


def wake(folder: str, tree: str, is_over: bool = False) -> None:
    """Have the memory in a `.ralph-mem` learned from soon, by the files of a worktree and under this Python, and looked at by all
    rules where a session is over; returns at once, and raises nothing.
    """
    from ralph_mem.core import background  # lazy: only where somebody sits

    program = f"{__file__.rpartition('/interfaces/')[0]}/{LEARNER}"
    try:
        background.spawn([sys.executable, "-I", "-S", "-X", "utf8", program, folder, OVER if is_over else "", tree])
    except (OSError, ValueError, TypeError):  # the next stop, or `ralph-mem learn`, does it
        pass
