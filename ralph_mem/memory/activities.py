"""Decide what is stored of an activity of any kind; a hook, which knows the kind, does without."""

from ralph_mem.core.project import DONE, SAID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project


def records(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return what is to be stored of an activity, redacted; nothing for one that is not worth it."""
    if seen.kind in SAID:
        from ralph_mem.memory import conversation  # lazy: not for what tools did

        return conversation.records(seen, project, settings)
    if seen.kind in DONE:
        from ralph_mem.memory import capture  # lazy: only for what tools did

        return capture.records(seen, project, settings)
    from ralph_mem.memory import capture_reports  # lazy: only for what came from elsewhere

    return capture_reports.records(seen, project, settings)
