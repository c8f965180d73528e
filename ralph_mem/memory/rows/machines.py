"""Tell when a session of another machine or container is over, whose processes cannot be seen.

Loaded for those alone. Containers on one kernel share a memory safely; two kernels do not, since the shared memory of SQLite's
log is not shared between them.
"""

import time

from ralph_mem.core import paths

# A container that was started anew has processes of its own too: longer than a tool runs, shorter than a day's work.
CONTAINER_SILENT_MS = 3600 * 1000
KERNEL_SILENT_MS = 12 * 3600 * 1000


def is_over(there: int, here: int, last: int, at: int) -> bool:
    """Say whether a session that began elsewhere is over, by the marks of both places and the time of its last event.

    One of another kernel that has been silent since this one started was this machine's, before it was started anew.
    """
    if there >> 10 == here >> 10:
        return at - last > CONTAINER_SILENT_MS
    return last < _started_ms() or at - last > KERNEL_SILENT_MS


def _started_ms() -> int:
    """Return when this kernel was started, 0 where it does not tell."""
    seconds = paths.read("/proc/uptime", 64).partition(" ")[0]
    return int((time.time() - float(seconds)) * 1000) if seconds else 0
