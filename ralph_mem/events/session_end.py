"""SessionEnd: a bonus. The client allows 1.5 seconds for it and a kill none, so nothing depends on it."""

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project


def records(event: "Event", _project: "Project", _settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the end of the session."""
    return [{"verb": "end", "session": event.session, "at": event.at, "reason": event.text("reason") or "other"}]


def go_on(event: "Event", project: "Project", _settings: "dict[str, Any]") -> str:
    """End the loop of this session, which cannot go on without it."""
    if not paths.exists(f"{paths.data_home()}/loops/{paths.key_of(project.top)}/live.json"):
        return ""
    from ralph_mem.events import looping

    return looping.end(event, project)
