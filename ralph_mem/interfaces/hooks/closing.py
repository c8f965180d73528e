"""Have the last turns of a session looked at and learned from as it ends."""

from ralph_mem.core.settings import effective
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity


def afterwards(opened: "connection.Store", _seen: "Activity", settings: "dict[str, Any]") -> None:
    """Start what learns, however lately it ran: the next session is to know what was said in this one."""
    if opened.log_bytes() > connection.LARGE_LOG_BYTES:
        opened.checkpoint()
    if settings["memory.worker"] and effective.attended():
        from ralph_mem.interfaces.hooks import waking  # lazy: only where somebody sits

        waking.wake(opened.folder, is_over=True)
