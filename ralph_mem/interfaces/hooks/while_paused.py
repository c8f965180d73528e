"""Keep hashes of what comes into a paused session from outside.

When it goes on, its agent may repeat that.
"""

from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import activities
from ralph_mem.memory.rows import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Activity, Project

    Values = dict[str, Any]

BRINGING = ("command", "outside", "output", "read", "recalled", "prompt")  # kinds of activity in which text comes in from outside


def keep_hashes(seen: "Activity", place: "Project", values: "Values", store: "Callable[..., object]") -> str:
    """Keep the hashes by `store`, the transaction of an event, and no word; returns nothing, which is what is printed."""
    if seen.kind not in BRINGING or not effective.recording(place, values):
        return ""
    try:
        privacy.rename(seen)
        found = [record for record in activities.records(seen, place, values) if record["verb"] == records.HEARD]
        if found:
            store(None, found, seen, place, values)
    except Exception:  # noqa: S110 - nothing of a paused session is kept to be stored later, or told
        pass
    return ""
