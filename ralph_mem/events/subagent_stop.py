"""SubagentStop: a subagent reports to its parent. Compaction fires it too, without an agent's type."""

from ralph_mem.core import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project


def records(event: "Event", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return what the subagent said last, under its parent's turn."""
    said = event.text("last_assistant_message")
    if not event.text("agent_type") or not said:
        return []
    return [
        capture.record(
            event, project, settings, type="response", origin="agent", tool_name=None, event_id="agent:" + event.text("agent_id"),
            title=said.partition("\n")[0], content=said,
        )
    ]  # fmt: skip
