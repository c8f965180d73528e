"""Complete what is stored of an event of another client than that of the plugin."""

from ralph_mem.core import session_pause
from ralph_mem.memory import capture
from ralph_mem.memory.rows import records as write
from ralph_mem.memory.rows import tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project

    Records = list[dict[str, Any]]


def records(found: "Records", seen: "Activity", place: "Project", values: "dict[str, Any]") -> "Records":
    """Return the records of an event with its client, and before them what is known only now of tools that the turn used."""
    whole = [*_late(seen, place, values), *found]
    for record in whole:
        record["agent"] = seen.host
    return whole


def _late(seen: "Activity", place: "Project", values: "dict[str, Any]") -> "Records":
    """Return how commands ended that are stored, and edits; nothing of a session that was paused, or that was forgotten."""
    if not seen.late or session_pause.was_paused(seen.session):
        return []
    whole: Records = []
    for each in seen.late:
        found = capture.records(each, place, values)
        if each.kind == "command":
            found = [{**record, "verb": write.OUTCOME} for record in found if record["verb"] == "observation"]
        whole += found
    return tombstones.left(whole)
