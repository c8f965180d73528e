"""Read what Qwen Code kept of past sessions (0.24.4).

Its calls bear the ids that hooks know; its prompts bear the time at which they were written down.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph_mem.hosts import ended
from ralph_mem.hosts.kept import PROMPT, Record

if TYPE_CHECKING:
    from ralph_mem.hosts.claude_code.event import Event

PLACES, NAMES = ("projects", "tmp"), ("chats/*.jsonl",)
OF_A_PERSON = (None, "real_user")
NOT_SAID = ("notification", "cron", "goal_runtime")  # what the client says in the person's name
RAN = ("success", "error")


def begun(entry: dict[str, Any], _path: Path) -> "tuple[str, str] | None":
    """Return session and folder, which each line tells."""
    session, folder = entry.get("sessionId"), entry.get("cwd")
    return (session, folder) if isinstance(session, str) and isinstance(folder, str) else None


def events(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    """Return what a line tells."""
    read = READ.get(str(entry.get("type")))
    if not read or entry.get("isSidechain"):
        return []
    branch, model = entry.get("gitBranch"), entry.get("model")
    record.branch = branch if isinstance(branch, str) else ""
    record.model = record.model or (model if isinstance(model, str) else "")
    return read(record, entry)


def _parts(entry: dict[str, Any]) -> list[dict[str, Any]]:
    message = entry.get("message")
    parts = message.get("parts") if isinstance(message, dict) else None
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _text(entry: dict[str, Any]) -> str:
    return "\n".join([part["text"] for part in _parts(entry) if isinstance(part.get("text"), str) and not part.get("thought")])


def _asked(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    if entry.get("provenance") not in OF_A_PERSON or entry.get("subtype") in NOT_SAID:
        return []
    return list(record.asked(record.theirs(PROMPT, prompt=_text(entry), timestamp=entry.get("timestamp"))))


def _said(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    record.says(_text(entry))
    for part in _parts(entry):
        call = part.get("functionCall")
        if isinstance(call, dict):
            record.calls_on(call.get("id"), call.get("name"), call.get("args"))
    return []


def _ended(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    """Return the calls that came back in an entry; one that was refused or broken off never reaches a hook."""
    result = entry.get("toolCallResult")
    facts = result if isinstance(result, dict) else {}
    if facts.get("status", "success") not in RAN:
        return []
    answers = [part["functionResponse"] for part in _parts(entry) if isinstance(part.get("functionResponse"), dict)]
    return [event for answer in answers for event in _answered(record, answer, facts.get("resultDisplay"))]


def _answered(record: Record, answer: dict[str, Any], shown: object) -> "list[Event | None]":
    call, response = answer.get("id"), answer.get("response")
    name, given = record.calls.pop(str(call), ("", {}))
    if not name or not isinstance(response, dict):
        return []
    common = {"tool_name": name, "tool_input": given, "tool_call_id": call}
    if "error" in response:
        return [record.theirs(ended.FAILED, error=response["error"], **common)]
    return [record.theirs(ended.TOOL, tool_response={"llmContent": response.get("output"), "returnDisplay": shown}, **common)]


READ = {"user": _asked, "assistant": _said, "tool_result": _ended}
