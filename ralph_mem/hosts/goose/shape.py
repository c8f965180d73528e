"""What Goose calls things, by its public documents alone (1.38 and newer); not seen in the client itself."""

from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Fields = dict[str, Any]

EVENTS: "dict[str, str]" = {}
FIELDS = {"hook_event_name": "event", "prompt": "message", "cwd": "working_dir", "tool_use_id": "tool_call_id"}
TOOLS = {
    "developer__shell": "Bash", "developer__write": "Write", "developer__edit": "Edit", "developer__tree": "",
    "developer__read_image": "",
}  # fmt: skip
PARAMETERS = {"path": "file_path", "before": "old_string", "after": "new_string"}
SOURCES: "dict[str, str]" = {}
INSTRUCTIONS = ("AGENTS.md", ".goosehints")
FLAT = ""
TOLD = ()  # no answer of a hook reaches its model
LATE = False
IN_SHELL = "GOOSE_TERMINAL"
FAILED = "failed; the client does not say how"


def unwrapped(name: str, fields: "Fields") -> "Fields":
    """Return the fields as they came; a session begins in one way."""
    return {**fields, "source": "startup"} if name == "session-start" else fields


def outcome(name: str, told: "Fields") -> str:
    """Say what is known of a call: that it failed, or nothing; what it printed is not told."""
    if name == ended.FAILED:
        told["error"] = FAILED
        return name
    if told["tool_name"] == "Bash":
        return ended.unknown(told, "")
    given = told["tool_input"]
    pairs = [(sign, given.get(key)) for sign, key in (("-", "old_string"), ("+", "new_string"))]
    lines = [sign + line for sign, text in pairs if isinstance(text, str) for line in text.splitlines()]
    return ended.edited(told, "\n".join(lines)) if told["tool_name"] in ("Write", "Edit") else name
