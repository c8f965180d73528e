"""Read what Copilot CLI kept of past sessions (1.0.102).

It tells a hook no id of a prompt or a call. Where hooks have run, their inputs stand in the record, and with them the times by
which hooks name what they store.
"""

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph_mem.core import fast
from ralph_mem.hosts import ended
from ralph_mem.hosts.kept import PROMPT, Record

if TYPE_CHECKING:
    from ralph_mem.hosts.claude_code.event import Event

PLACES, NAMES = ("session-state",), ("events.jsonl",)
HEARD = {"userPromptSubmitted": PROMPT, "UserPromptSubmit": PROMPT, "postToolUse": ended.TOOL, "PostToolUse": ended.TOOL}
HEARD |= {"postToolUseFailure": ended.FAILED, "PostToolUseFailure": ended.FAILED}
REFUSED = ("denied", "rejected")


def begun(entry: dict[str, Any], _path: Path) -> "tuple[str, str] | None":
    """Return session and folder of the line that begins a record."""
    told = entry.get("data")
    where = told.get("context") if isinstance(told, dict) and entry.get("type") == "session.start" else None
    if not isinstance(told, dict) or not isinstance(where, dict):
        return None
    session, folder = told.get("sessionId"), where.get("cwd")
    return (session, folder) if isinstance(session, str) and isinstance(folder, str) else None


def events(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    """Return what a line tells."""
    told = entry.get("data")
    if not isinstance(told, dict) or told.get("parentToolCallId"):  # what a subagent said and did
        return []
    read = READ.get(str(entry.get("type")))
    return read(record, told, entry.get("timestamp")) if read else []


def _begin(record: Record, told: dict[str, Any], _at: object) -> "list[Event | None]":
    where = told.get("context")
    branch, model = where.get("branch") if isinstance(where, dict) else "", told.get("selectedModel")
    record.branch = branch if isinstance(branch, str) else record.branch
    record.model = record.model or (model if isinstance(model, str) else "")
    return []


def _hook(record: Record, told: dict[str, Any], _at: object) -> "list[Event | None]":
    """Note when a hook was told of something."""
    given = told.get("input")
    name = HEARD.get(str(told.get("hookType")))
    if name and isinstance(given, dict):
        record.notes[_key(name, given.get("prompt", given.get("toolArgs", given.get("tool_input"))))] = given.get("timestamp")
    return []


def _key(name: str, given: object) -> str:
    return f"{name == PROMPT}:{zlib.crc32(fast.dumps(given).encode('utf-8', 'replace')):08x}"


def _asked(record: Record, told: dict[str, Any], at: object) -> "list[Event | None]":
    text = told.get("content")
    if not isinstance(text, str) or told.get("source") not in (None, "", "user"):
        return []
    stamp = record.notes.pop(_key(PROMPT, text), at)
    return list(record.asked(record.theirs(PROMPT, prompt=text, timestamp=stamp)))


def _said(record: Record, told: dict[str, Any], _at: object) -> "list[Event | None]":
    record.says("" if told.get("toolRequests") else told.get("content"))
    return []


def _started(record: Record, told: dict[str, Any], _at: object) -> "list[Event | None]":
    record.calls_on(told.get("toolCallId"), told.get("toolName"), told.get("arguments"))
    return []


def _completed(record: Record, told: dict[str, Any], at: object) -> "list[Event | None]":
    name, given = record.calls.pop(str(told.get("toolCallId")), ("", {}))
    result, error = told.get("result"), told.get("error")
    text = result.get("content") if isinstance(result, dict) else ""
    failure = error if isinstance(error, dict) else {}
    if not name or (failure.get("code") in REFUSED):
        return []
    stamp = record.notes.pop(_key(ended.TOOL, given), at)
    common = {"toolName": name, "toolArgs": given, "timestamp": stamp}
    if told.get("success") is not True:
        return [record.theirs(ended.FAILED, error=failure.get("message") or text, **common)]
    return [record.theirs(ended.TOOL, toolResult={"resultType": "success", "textResultForLlm": text}, **common)]


READ = {
    "session.start": _begin, "session.resume": _begin, "hook.start": _hook, "user.message": _asked, "assistant.message": _said,
    "tool.execution_start": _started, "tool.execution_complete": _completed,
}  # fmt: skip
