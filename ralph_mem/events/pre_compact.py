"""PreCompact: the context window is about to be summarised. Make the open turn findable now; a full window may end the
session without another event. Prints nothing: that would go into the request for the summary.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project


def records(event: "Event", _project: "Project", _settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the wish to keep what is open."""
    return [{"verb": "keep", "session": event.session, "at": event.at}]
