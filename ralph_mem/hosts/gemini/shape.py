"""What Gemini CLI calls things, and how it wraps what it hands over (0.61.0)."""

from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {"user-prompt-submit": "BeforeAgent", "post-tool-use": "AfterTool", "stop": "AfterAgent", "pre-compact": "PreCompress"}
FIELDS = {"last_assistant_message": "prompt_response"}
TOOLS = {
    "run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "read_file": "Read", "read_many_files": "Read",
    "list_directory": "LS", "glob": "Glob", "grep_search": "Grep", "search_file_content": "Grep", "web_fetch": "WebFetch",
    "google_web_search": "WebSearch", "save_memory": "", "write_todos": "", "activate_skill": "", "ask_user": "",
    "enter_plan_mode": "", "exit_plan_mode": "", "get_internal_docs": "", "complete_task": "", "codebase_investigator": "",
}  # fmt: skip
PARAMETERS = {"absolute_path": "file_path", "dir_path": "path"}
SOURCES: "dict[str, str]" = {}
INSTRUCTIONS = ("GEMINI.md", "~/.gemini/GEMINI.md")
FLAT = ""
LATE = False
IN_SHELL = "GEMINI_CLI"
# Around what a hook gave the model, which the next event hands back as the beginning of the prompt.
GIVEN = (("<hook_context>", "</hook_context>"), ("&lt;hook_context&gt;", "&lt;/hook_context&gt;"))


def unwrapped(name: str, fields: "dict[str, Any]") -> "dict[str, Any]":
    """Return the fields with a prompt as the person typed it; what it calls a compaction precedes every request: nothing."""
    if name == "pre-compact":
        return {}
    text = fields.get("prompt")
    if not isinstance(text, str):
        return fields
    for begin, end in GIVEN:
        while begin in text:
            before, _, rest = text.partition(begin)
            _, closed, after = rest.partition(end)
            text = before + (after if closed else "")
    return {**fields, "prompt": text.strip()}


def outcome(name: str, told: "dict[str, Any]") -> str:
    """Read how a call ended from what the model and the screen were given."""
    response = told.get("tool_response")
    given = response if isinstance(response, dict) else {}
    text, shown, tool = given.get("llmContent"), given.get("returnDisplay"), told["tool_name"]
    text = text if isinstance(text, str) else ""
    if given.get("error"):
        told["error"] = text
        return ended.FAILED
    if tool == "Bash":
        return ended.by_report(told, text)
    if tool in ("Write", "Edit"):
        diff = shown if isinstance(shown, dict) else {}
        return ended.edited(told, diff.get("fileDiff"), is_new=not diff.get("originalContent"))
    return ended.read(told, text) if tool in ("Read", "Grep", "Glob", "LS") else name
