"""What OpenCode hands to our plugin in it, which passes it on as it is (1.18.33)."""

from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    "session-start": "session.created", "user-prompt-submit": "chat.message", "post-tool-use": "tool.execute.after",
    "stop": "session.idle", "pre-compact": "session.compacting", "session-end": "session.deleted",
}  # fmt: skip
FIELDS = {"hook_event_name": "opencode", "cwd": "directory"}
TOOLS = {
    "bash": "Bash", "write": "Write", "edit": "Edit", "patch": "Edit", "apply_patch": "Edit", "read": "Read", "grep": "Grep",
    "glob": "Glob", "list": "LS", "webfetch": "WebFetch", "websearch": "WebSearch", "codesearch": "WebSearch", "task": "Task",
    "todowrite": "", "todoread": "", "question": "", "skill": "", "plan_enter": "", "plan_exit": "", "invalid": "", "lsp": "",
}  # fmt: skip
PARAMETERS = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}
SOURCES: "dict[str, str]" = {}
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "~/.config/opencode/AGENTS.md")
FLAT = ""
LATE = False
IN_SHELL = "OPENCODE"


def unwrapped(_name: str, fields: "dict[str, Any]") -> "dict[str, Any]":
    """Return the fields of a call of the plugin: `i` is what its hook was given, `o` what that may change."""
    given, out = [each if isinstance(each := fields.get(key), dict) else {} for key in ("i", "o")]
    message, parts = out.get("message"), out.get("parts")
    told = {"opencode": fields.get("opencode"), "directory": fields.get("directory"), "session_id": given.get("sessionID")}
    told |= {"prompt_id": message.get("id") if isinstance(message, dict) else None, "last_assistant_message": out.get("said")}
    typed = [part for part in parts if isinstance(part, dict) and not part.get("synthetic")] if isinstance(parts, list) else []
    told["prompt"] = "\n".join([text for part in typed if isinstance(text := part.get("text"), str)])
    told |= {"tool_name": given.get("tool"), "tool_input": given.get("args"), "tool_use_id": given.get("callID")}
    return {**told, "source": out.get("source", "startup"), "tool_response": out}


def outcome(name: str, told: "dict[str, Any]") -> str:
    """Read how a call ended from what the model was given, and from what the client noted of it."""
    given, tool = told["tool_response"], told["tool_name"]
    noted, text = given.get("metadata"), given.get("output")
    noted, text = noted if isinstance(noted, dict) else {}, text if isinstance(text, str) else ""
    if tool == "Bash":
        code, text = noted.get("exit"), "" if text == "(no output)" else text
        if not isinstance(code, int) or isinstance(code, bool):
            return ended.unknown(told, text)
        return ended.passed(told, text) if code == 0 else ended.failed(told, code, text)
    if tool in ("Write", "Edit"):
        return ended.edited(told, noted.get("diff"), is_new=noted.get("exists") is False)
    told["tool_response"] = text
    return ended.read(told, text) if tool in ("Read", "Grep", "Glob", "LS") else name
