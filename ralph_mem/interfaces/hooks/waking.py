"""Start the process that does for a memory what hooks have no time for."""

import sys

from ralph_mem.core import background

LEARNER = "interfaces/learner.py"


def wake(folder: str) -> None:
    """Have the memory in a `.ralph-mem` looked at and learned from soon, under this Python; returns at once, and raises nothing."""
    program = f"{__file__.rpartition('/interfaces/')[0]}/{LEARNER}"
    try:
        background.spawn([sys.executable, "-I", "-S", "-X", "utf8", program, folder])
    except (OSError, ValueError, TypeError):  # the next stop, or `ralph-mem learn`, does it
        pass
