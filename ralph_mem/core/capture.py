"""Capture: from a tool event to the observation worth keeping. What changes or runs something is kept, distilled;
what only looks is a path on the turn at most.
"""

from ralph_mem.core import path_rules, privacy, quick, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
READS = ("Read", "Glob", "Grep", "LS")
OUTSIDE = ("WebFetch", "WebSearch")
OUR_TOOLS = "mcp__plugin_ralph-mem"
TITLE_CHARACTERS = 300
OUTPUT_CHARACTERS = 1200
FAILURE_CHARACTERS = 2000
LINES_CHARACTERS = 800
DEEPEST = 50
LONG_MS = 1000  # what takes less says nothing by how long it took


def reading(event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Return the record of files that were looked at, if the event names one."""
    path = event.given("file_path") or event.given("path")
    name = project.relative(path)
    if not path or path == project.top or path_rules.is_excluded(name, settings):
        return None
    (safe,), _ = privacy.protect([name], project, settings)
    return {"verb": "files", "session": event.session, "turn": event.turn, "read": True, "files": _one_line(safe)}


def observation(event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Return the record of a tool call that is worth keeping, redacted, or None."""
    tool = event.text("tool_name")
    if tool in EDITS:
        from ralph_mem.core import edits

        found = edits.captured(event, project, settings)
    elif tool == "Bash":
        found = _command(event, project, settings)
    elif tool in ("Agent", "Task"):
        found = {"title": "subagent: " + event.given("description"), "content": event.given("prompt")[:OUTPUT_CHARACTERS]}
    elif tool in OUTSIDE or (tool.startswith("mcp__") and not tool.startswith(OUR_TOOLS)):
        found = _outside(event, settings)
    else:
        return None
    return record(event, project, settings, tool_name=tool, **found) if found else None


def with_files(found: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return a record together with the one that notes its files on the turn."""
    if found["verb"] == "files" or not found["files"]:
        return [found]
    return [found, {"verb": "files", "session": found["session"], "turn": found["turn"], "read": False, "files": found["files"]}]


def record(event: "Event", project: "Project", settings: "dict[str, Any]", **found: "Any") -> "dict[str, Any]":
    """Complete, redact and cap what was captured; `found` holds at least title and content."""
    failed = found.get("type") == "error"
    files = found.pop("files", "")
    cwd = event.text("cwd")
    whole = found.pop("content")
    texts = [found.pop("title"), whole, files]
    (title, content, files), redactions = privacy.protect(texts, project, settings, cwd)
    limit = found.pop("limit", FAILURE_CHARACTERS if failed else OUTPUT_CHARACTERS)
    lines = _failure_lines(content) if failed else ""
    if found.get("tainted"):
        found["shingles"] = _shingles(whole, content, project, settings, cwd)
    return {
        "verb": "observation", "session": event.session, "turn": event.turn, "at": event.at,
        "event_id": event.text("tool_use_id") or f"tool:{event.session}:{event.at}", "type": "tool_use", "origin": "tool",
        "title": _one_line(title), "content": privacy.shorten(content, limit), "files": _one_line(files), "lines": lines,
        "metadata": _metadata(event),
        "agent_id": event.text("agent_id") or None, "agent_type": event.text("agent_type") or None, "tainted": 0,
        "redactions": redactions, "redaction_version": redact.RULES_VERSION, **found,
    }  # fmt: skip


def _command(event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    from ralph_mem.core import commands

    command = event.given("command")
    failure = event.text("error")
    if not command.strip() or commands.is_ours(command) or (not failure and commands.only_looks(command)):
        return None
    output = failure or _output(event.fields.get("tool_response"))
    if path_rules.touches(command, settings):
        output = ""
    here = project.top.rstrip("/") + "/"
    found = {"title": command.replace(here, ""), "content": output.replace(here, "")}
    if commands.fetches(command):
        return {**found, "origin": "outside", "tainted": 1}
    checks = commands.checks(command)
    return {**found, "origin": "test" if checks else "tool", "type": _outcome(event, failure, checks)}


def _outcome(event: "Event", failure: str, checks: bool) -> str:
    if failure:
        return "tool_use" if event.fields.get("is_interrupt") is True else "error"
    background = _text(event.mapping("tool_response"), "backgroundTaskId")
    return "success" if checks and not background else "tool_use"


def _output(response: object) -> str:
    if isinstance(response, str):
        return response
    if not isinstance(response, dict):
        return ""
    return "\n".join([text for text in (_text(response, "stdout"), _text(response, "stderr")) if text])


def _outside(event: "Event", settings: "dict[str, Any]") -> "dict[str, Any]":
    """Keep what a web or MCP tool brought in, to be searched; it is never injected by itself."""
    given = event.mapping("tool_input")
    asked = " ".join([value for value in given.values() if isinstance(value, str)])
    response = event.fields.get("tool_response")
    content = "" if path_rules.touches(asked, settings) else event.text("error") or _flat(response)
    return {"title": f"{event.text('tool_name')}: {asked}", "content": content, "origin": "outside", "tainted": 1}


def _flat(value: object, depth: int = 0) -> str:
    """Return the texts inside a response."""
    if isinstance(value, str):
        return value
    if depth > DEEPEST:
        return ""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return "\n".join([text for text in [_flat(item, depth + 1) for item in items] if text])


def _shingles(whole: str, safe: str, project: "Project", settings: "dict[str, Any]", cwd: str) -> str:
    """Return the hashes of all of a text from outside, of which `safe` may be the ends alone: without its secrets, too."""
    from ralph_mem.core import shingles

    if len(whole) > privacy.MOST_CHARACTERS:
        safe = "\n".join(privacy.protect(shingles.parts(whole, privacy.MOST_CHARACTERS), project, settings, cwd)[0])
    return shingles.of(safe)


def _metadata(event: "Event") -> "str | None":
    facts: dict[str, Any] = {}
    failure = event.text("error")
    code = failure.partition("\n")[0]
    if code.startswith("Exit code ") and code[10:].isdigit():
        facts["exit"] = int(code[10:])
    if event.fields.get("is_interrupt") is True:
        facts["interrupted"] = True
    took = event.fields.get("duration_ms")
    if isinstance(took, (int, float)) and not isinstance(took, bool) and LONG_MS <= took < 1e12:
        facts["ms"] = took
    return quick.dumps(facts) if facts else None


def _failure_lines(content: str) -> str:
    """Return what a failure says about itself, or its last line where nothing looks like an error."""
    found = privacy.error_lines(content, LINES_CHARACTERS)
    return found or content.rstrip().rpartition("\n")[2][:LINES_CHARACTERS]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:TITLE_CHARACTERS]


def _text(mapping: "dict[str, Any]", key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""
