"""Decide what is stored of what subagents, servers, pages and the client's summary of a session report."""

import zlib

from ralph_mem.memory import capture
from ralph_mem.memory.capture import OUTSIDE, observation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project
    from ralph_mem.memory.capture import Record

SUMMARY_CHARACTERS = 6000


def records(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return what is to be stored of an activity of a kind in `OF_KIND`, redacted; nothing for one that is not worth it."""
    return OF_KIND[seen.kind](seen, project, settings)


def _report(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return what a subagent said last, under its parent's turn."""
    found = {"type": "response", "origin": "agent", "title": seen.text.partition("\n")[0], "content": seen.text}
    return [observation(seen, project, settings, **found)]


def _summary(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the client's own summary of the session, which came at no cost to us, as a memory of its own."""
    found = {"type": "summary", "origin": "agent", "title": "summary of a session", "content": seen.text}
    name = f"compact:{seen.session}:{zlib.crc32(seen.text.encode('utf-8', 'replace')):08x}"
    return [observation(seen, project, settings, **found, verb="memory", event_id=name, limit=SUMMARY_CHARACTERS)]


def _errand(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    found = {"title": "subagent: " + seen.asked, "content": seen.text[: capture.OUTPUT_CHARACTERS]}
    return [observation(seen, project, settings, **found)]


def _outside(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Keep what a web or MCP tool brought in, to be searched; it is never injected by itself. Of one that acts its call is kept."""
    rules = capture.rules_of(seen.asked, settings)
    content = "" if rules and rules.touches(seen.asked, settings) else seen.failure or seen.text
    given = {"title": f"{seen.tool}: {seen.asked}", "content": content, **OUTSIDE}
    if seen.acts and not seen.failure:
        given |= {"content": "", "origin": "tool", "tainted": 0}
    return [observation(seen, project, settings, **given), *_printed(seen, project, settings, content)]


def _printed(
    seen: "Activity", project: "Project", settings: "dict[str, Any]", text: "str | None" = None
) -> "list[Record]":  # fmt: skip
    """Keep the hashes of what a tool brought in of which nothing else may be kept, such as the output of a command that runs on."""
    from ralph_mem.memory import hearing  # lazy: only for what came in from outside

    return hearing.kept(seen, project, settings, seen.text if text is None else text, is_page=text is not None)


def _recalled(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[Record]":
    """Keep nothing of what our own server said, which is here already; where it named what came from outside, only that it did.

    The turn is as doubtful as these lines then, and so is a later answer that repeats them.
    """
    from ralph_mem.memory.inject import block  # lazy: only for a call of our own server

    told = [line for line in seen.text.splitlines() if block.FROM_OUTSIDE in line]
    if not told:
        return []
    row = observation(seen, project, settings, title=seen.tool, content="", **OUTSIDE)
    return [row, *_printed(seen, project, settings, "\n".join(told))]


OF_KIND = {
    "report": _report, "summary": _summary, "errand": _errand, "outside": _outside, "recalled": _recalled, "output": _printed,
}  # fmt: skip
