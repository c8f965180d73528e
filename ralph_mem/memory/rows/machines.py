"""Tell when a session of another machine or container is over, whose processes cannot be seen."""

import time

from ralph_mem.core import paths

# A container that was started anew has processes of its own too: longer than a tool runs, shorter than a day's work.
CONTAINER_SILENT_MS = 3600 * 1000
KERNEL_SILENT_MS = 12 * 3600 * 1000


def is_over(there: int, here: int, last: int, at: int) -> bool:
    """Say by both marks and the last event if it is over; one of another kernel may be from before this machine's start."""
    if there >> 10 == here >> 10:
        return at - last > CONTAINER_SILENT_MS
    seconds = paths.read("/proc/uptime", 64).partition(" ")[0]
    started_ms = int((time.time() - float(seconds)) * 1000) if seconds else 0
    return last < started_ms or at - last > KERNEL_SILENT_MS
