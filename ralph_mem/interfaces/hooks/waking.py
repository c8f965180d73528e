"""Start the process that does for a memory what hooks have no time for."""

import sys

from ralph_mem.core import background

LEARNER = "interfaces/learner.py"
OVER = "over"  # tells it that a session has ended, so that nobody is kept waiting by a closer look


def wake(folder: str, is_over: bool = False) -> None:
    """Have the memory in a `.ralph-mem` learned from soon, under this Python, and looked at by all rules where a session is over;
    returns at once, and raises nothing.
    """
    program = f"{__file__.rpartition('/interfaces/')[0]}/{LEARNER}"
    try:
        background.spawn([sys.executable, "-I", "-S", "-X", "utf8", program, folder, *[OVER] * is_over])
    except (OSError, ValueError, TypeError):  # the next stop, or `ralph-mem learn`, does it
        pass
