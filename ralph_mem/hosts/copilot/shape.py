"""What Copilot CLI calls things, in its own spelling of hooks and in that of Claude Code (1.0.102)."""

from ralph_mem.core import fast
from ralph_mem.hosts import ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS: "dict[str, str]" = {}
FIELDS = {
    "session_id": "sessionId", "tool_name": "toolName", "tool_input": "toolArgs", "tool_response": "toolResult",
    "transcript_path": "transcriptPath",
}  # fmt: skip
TOOLS = {
    "bash": "Bash", "Bash": "Bash", "powershell": "Bash", "create": "Write", "Write": "Write", "edit": "Edit", "Edit": "Edit",
    "view": "Read", "Read": "Read", "grep": "Grep", "rg": "Grep", "Grep": "Grep", "glob": "Glob", "Glob": "Glob",
    "web_fetch": "WebFetch", "WebFetch": "WebFetch", "web_search": "WebSearch", "WebSearch": "WebSearch", "task": "Task",
    "Task": "Task", "read_bash": "BashOutput", "write_bash": "BashOutput", "stop_bash": "", "list_bash": "", "report_intent": "",
    "update_todo": "", "ask_user": "", "exit_plan_mode": "", "skill": "", "sql": "",
}  # fmt: skip
PARAMETERS = {"path": "file_path", "file_text": "content", "old_str": "old_string", "new_str": "new_string"}
SOURCES = {"new": "startup"}
INSTRUCTIONS = (".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
FLAT = "additionalContext"
LATE = False
IN_SHELL = "COPILOT_CLI"
ENDED, ENDS = "<shellId: ", " completed with exit code "  # the last line of what a command printed


def unwrapped(_name: str, fields: "dict[str, Any]") -> "dict[str, Any]":
    """Return the fields of either spelling."""
    told = dict(fields)
    given = told.get("toolArgs")
    if isinstance(given, str):
        try:
            told["toolArgs"] = fast.loads(given)
        except ValueError:
            told["toolArgs"] = {}
    if "tool_result" in told:
        told["tool_response"] = told.pop("tool_result")
    told["stop_hook_active"] = False
    return told


def outcome(name: str, told: "dict[str, Any]") -> str:
    """Read how a call ended from what the model was given; one that was refused leaves nothing."""
    response, tool = told.get("tool_response"), told["tool_name"]
    given = response if isinstance(response, dict) else {}
    text, kind = given.get("textResultForLlm", given.get("text_result_for_llm")), given.get("resultType", given.get("result_type"))
    text = text if isinstance(text, str) else ""
    if kind in ("denied", "rejected"):
        told["tool_name"] = ""
    if name == ended.FAILED or kind == "failure":
        told["error"] = told["error"] if isinstance(told.get("error"), str) else text
        return ended.FAILED
    if tool == "Bash":
        output, _, last = text.rpartition("\n")
        code = last.partition(ENDS)[2].removesuffix(">") if last.startswith(ENDED) and last.endswith(">") else ""
        if not code.isdigit():
            return ended.unknown(told, text)
        return ended.passed(told, output) if code == "0" else ended.failed(told, code, output)
    return ended.read(told, text) if tool in ("Read", "Grep", "Glob") else _rest(name, told, text)


def _rest(name: str, told: "dict[str, Any]", text: str) -> str:
    told["tool_response"] = {} if told["tool_name"] in ("Write", "Edit") else text
    return name
