"""PostToolUse: a tool call went through. Quick above all: one row, one index entry, silent."""

from ralph_mem.core import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project


def records(event: "Event", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the observation, or the paths that were read, or nothing."""
    reads = event.text("tool_name") in capture.READS
    found = capture.reading(event, project, settings) if reads else capture.observation(event, project, settings)
    return capture.with_files(found) if found else []
