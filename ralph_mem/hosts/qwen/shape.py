"""What Qwen Code calls things, with tools as in Gemini CLI and events as in Claude Code (0.24.4)."""

from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS: "dict[str, str]" = {}
FIELDS: "dict[str, str]" = {}
TOOLS = {
    "run_shell_command": "Bash", "write_file": "Write", "edit": "Edit", "replace": "Edit", "read_file": "Read",
    "read_many_files": "Read", "list_directory": "LS", "glob": "Glob", "grep_search": "Grep", "search_file_content": "Grep",
    "web_fetch": "WebFetch", "web_search": "WebSearch", "task": "Task", "agent": "Task", "todo_write": "", "save_memory": "",
    "exit_plan_mode": "", "skill": "", "ask_user_question": "",
}  # fmt: skip
PARAMETERS = {"absolute_path": "file_path", "dir_path": "path"}
SOURCES: "dict[str, str]" = {}
INSTRUCTIONS = ("QWEN.md", "AGENTS.md", "~/.qwen/QWEN.md")
FLAT = ""
LATE = False
IN_SHELL = "QWEN_CODE"


def unwrapped(_name: str, fields: "dict[str, Any]") -> "dict[str, Any]":
    """Return the fields with the model's own id of a call, and without two that mislead: it said of every stop that a loop is on,
    and counts prompts anew in a session that goes on.
    """
    told = {**fields, "stop_hook_active": False, "prompt_id": None}
    if isinstance(told.get("tool_call_id"), str):  # its record of a session knows a call by this one
        told["tool_use_id"] = told["tool_call_id"]
    return told


def outcome(name: str, told: "dict[str, Any]") -> str:
    """Read how a call ended from what the model and the screen were given, or from its error."""
    response, tool, error = told.get("tool_response"), told["tool_name"], told.get("error")
    given = response if isinstance(response, dict) else {}
    text, shown = given.get("llmContent"), given.get("returnDisplay")
    if tool == "Bash":
        report = text if isinstance(text, str) else error if isinstance(error, str) else ""
        return ended.by_report(told, report)
    if name == ended.FAILED:
        return name
    if tool in ("Write", "Edit"):
        diff = shown if isinstance(shown, dict) else {}
        return ended.edited(told, diff.get("fileDiff"), is_new=not diff.get("originalContent"))
    return ended.read(told, text) if tool in ("Read", "Grep", "Glob", "LS") else name
