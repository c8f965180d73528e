"""PostToolUseFailure: a command ended with an error, or a tool refused."""

from ralph_mem.core import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project


def records(event: "Event", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the error as an observation. A file that could not be read is no news."""
    found = capture.observation(event, project, settings)
    return [found] if found else []
