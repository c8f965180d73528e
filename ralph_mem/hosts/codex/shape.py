"""What Codex calls things, which is nearly as Claude Code does (0.169.0)."""

from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS: "dict[str, str]" = {}
FIELDS = {"prompt_id": "turn_id"}
# Its patches change several files at once; they are read in its own record of the turn, as is how a command ended.
TOOLS = {"Bash": "Bash", "apply_patch": "", "update_plan": "", "view_image": "", "write_stdin": ""}
PARAMETERS: "dict[str, str]" = {}
SOURCES: "dict[str, str]" = {}
INSTRUCTIONS = ("AGENTS.md", "~/.codex/AGENTS.md")
FLAT = ""
LATE = True
IN_SHELL = "CODEX_THREAD_ID"


def unwrapped(_name: str, fields: "dict[str, Any]") -> "dict[str, Any]":
    """Return the fields as they came."""
    return fields


def outcome(_name: str, told: "dict[str, Any]") -> str:
    """Take what a command printed; how it ended is not known yet."""
    response = told.get("tool_response")
    return ended.unknown(told, response if isinstance(response, str) else "") if told["tool_name"] == "Bash" else ""
