"""What Cursor calls things, by its public documents alone (hooks of version 1); not seen in the client itself."""

from ralph_mem.core import fast
from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Fields = dict[str, Any]

EVENTS: "dict[str, str]" = {}
# Its names of each event of ours. What it calls `stop` does not say what was answered.
HEARD = {
    "session-start": ("sessionStart",), "user-prompt-submit": ("beforeSubmitPrompt",), "stop": ("afterAgentResponse",),
    "post-tool-use": ("afterShellExecution", "afterFileEdit", "afterMCPExecution"), "session-end": ("sessionEnd",),
    "pre-compact": ("preCompact",),
}  # fmt: skip
FIELDS = {"session_id": "conversation_id", "prompt_id": "generation_id", "last_assistant_message": "text"}
TOOLS = {"Bash": "Bash", "Edit": "Edit", "Write": "Write"}  # by their events; the rest are tools of servers
PARAMETERS: "dict[str, str]" = {}
SOURCES: "dict[str, str]" = {}
INSTRUCTIONS = ("AGENTS.md", ".cursorrules")
FLAT = "additional_context"
TOLD = ("start",)  # a prompt takes no context in
LATE = False
IN_SHELL = "CURSOR_AGENT"


def unwrapped(name: str, fields: "Fields") -> "Fields":
    """Return the fields with the folder, and with a tool's call as one; nothing for an event that is another one of ours."""
    event = fields.get("hook_event_name")
    if event not in HEARD.get(name, ()):
        return {}
    told = {key: value for key, value in fields.items() if key not in ("hook_event_name", "tool_name", "tool_input")}
    roots = fields.get("workspace_roots")
    told["cwd"] = told.get("cwd") or (roots[0] if isinstance(roots, list) and roots else "")
    told["source"] = "startup" if name == "session-start" else ""
    return told | CALLS[event](fields) if event in CALLS else told


def _ran(fields: "Fields") -> "Fields":
    return {"tool_name": "Bash", "tool_input": {"command": fields.get("command")}}


def _edited(fields: "Fields") -> "Fields":
    """Return an edit; one that puts text where there was none is a new file."""
    edits = fields.get("edits")
    found = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    old, new = ([text if isinstance(text := edit.get(key), str) else "" for edit in found] for key in ("old_string", "new_string"))
    if len(old) == 1 and not old[0]:
        return {"tool_name": "Write", "tool_input": {"file_path": fields.get("file_path"), "content": new[0]}}
    lines = [sign + line for pair in zip(old, new) for sign, text in zip("-+", pair) for line in text.splitlines()]
    return {"tool_name": "Edit", "tool_input": {"file_path": fields.get("file_path"), "new_string": ""}, "lines": lines}


def _brought(fields: "Fields") -> "Fields":
    given = fields.get("tool_input")
    if isinstance(given, str):
        try:
            given = fast.loads(given)
        except ValueError:
            given = {}
    return {"tool_name": fields.get("tool_name"), "tool_input": given if isinstance(given, dict) else {}}


CALLS = {"afterShellExecution": _ran, "afterFileEdit": _edited, "afterMCPExecution": _brought}


def outcome(name: str, told: "Fields") -> str:
    """Take what a call brought; how a command ended nobody tells."""
    if told["tool_name"] == "Bash":
        return ended.unknown(told, told["output"] if isinstance(told.get("output"), str) else "")
    if told["tool_name"] in ("Write", "Edit"):
        return ended.edited(told, "\n".join(told.get("lines", [])))
    told["tool_response"] = told.get("result_json")
    return name
