"""Leftovers: what a loop that was killed left running, its agent or a check, and all that these started."""

import signal
import time
from pathlib import Path

from ralph_mem import relatives

MARK = "RALPH_MEM_RUN"  # the variable that names the run to all that a loop starts
# From a polite signal to the last one, as for an agent whose time is up.
GRACE_S = 0.3
NOBODY = -1  # a group that no process has


def end(run_id: str) -> int:
    """End what a run has left behind; returns how many processes that were. The run is not at work."""
    if not Path("/proc/self").is_dir():  # a system that shows no environments: they cannot be told from others
        return 0
    mark = f"\0{MARK}={run_id}\0"  # the whole of it: another run's name may begin alike
    left = relatives.living(NOBODY, mark)
    if left and not _gone(mark, signal.SIGTERM):
        _gone(mark, signal.SIGKILL)
    return len(left)


def _gone(mark: str, number: int) -> bool:
    """Send a signal to what is left, and say whether it is gone in time."""
    relatives.send(relatives.living(NOBODY, mark), number)
    until = time.monotonic() + GRACE_S
    while relatives.living(NOBODY, mark):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
