"""Edits: of a tool that changes a file, the changed lines or the outline of a new file; never a whole file."""

from ralph_mem.core import path_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

DIFF_CHARACTERS = 1500
DEFINING = ("def ", "class ", "func ", "fn ", "function ", "struct ", "interface ", "type ", "export ", "const ", "# ", "## ")


def captured(event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Return what an edit leaves, not yet redacted, or None for a path that is none of our business."""
    path = event.given("file_path") or event.given("notebook_path")
    name = project.relative(path)
    if not path or path_rules.is_excluded(name, settings):
        return None
    failure = event.text("error")
    change = "" if path_rules.is_secret(name) else failure or _change(event)
    kind = "error" if failure else "tool_use"
    return {"title": name, "content": change, "files": "" if failure else name, "type": kind, "limit": DIFF_CHARACTERS}


def _change(event: "Event") -> str:
    """Return the changed lines, or the outline of a new file."""
    hunks = _list(event.mapping("tool_response").get("structuredPatch"))
    lines = [line for hunk in hunks if isinstance(hunk, dict) for line in _list(hunk.get("lines"))]
    changed = [line for line in lines if isinstance(line, str) and line[:1] in "+-"]
    if changed:
        return "\n".join(changed)
    if "new_string" in event.mapping("tool_input"):
        return _prefixed("-", event.given("old_string")) + _prefixed("+", event.given("new_string"))
    text = event.given("content") or event.given("new_source")
    outline = [line.strip() for line in text.splitlines() if line.lstrip().startswith(DEFINING)]
    return "\n".join([f"new file, {len(text.splitlines())} lines", *outline[:30]])


def _prefixed(sign: str, text: str) -> str:
    return "".join([f"{sign}{line}\n" for line in text.splitlines()])


def _list(value: object) -> "list[Any]":
    return value if isinstance(value, list) else []
