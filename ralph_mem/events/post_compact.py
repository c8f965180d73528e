"""PostCompact: the client has summarised the session, at no cost to us."""

import zlib

from ralph_mem.core import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

SUMMARY_CHARACTERS = 6000


def records(event: "Event", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the summary as a memory of its own, without the analysis that the model wrote before it."""
    text = summary_of(event.text("compact_summary"))
    if not text:
        return []
    name = f"compact:{event.session}:{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
    found = capture.record(
        event, project, settings, type="summary", origin="agent", tool_name=None, event_id=name,
        title="summary of a session", content=text, limit=SUMMARY_CHARACTERS,
    )  # fmt: skip
    return [{**found, "verb": "memory"}]


def summary_of(text: str) -> str:
    """Return what stands inside <summary>, or all of a text without that tag."""
    _, tag, rest = text.partition("<summary>")
    return (rest.partition("</summary>")[0] if tag else text).strip()
