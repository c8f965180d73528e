"""Read what Gemini CLI kept of past sessions (0.61.0), also as earlier releases wrote it.

It is lines, of which some patch what came before, or one document. It does not have the times by which hooks name prompts and
calls: these bear the record's own times and ids.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph_mem.core import paths
from ralph_mem.hosts import ended
from ralph_mem.hosts.kept import OF_AN_AGENT, PROMPT, Record, moment_of

if TYPE_CHECKING:
    from ralph_mem.hosts.claude_code.event import Event

PLACES, NAMES = ("tmp",), ("chats/session-*.jsonl", "chats/session-*.json")
FOLDER_FILE = ".project_root"  # beside the folder of the records
FOLDERS = "**Workspace Directories:**\n  - "
NOT_SAID = ("<session_context>",)
MOST_PATH = 4096
RAN = ("success", "error")


def begun(entry: dict[str, Any], path: Path) -> "tuple[str, str] | None":
    """Return session and folder as far as a line tells them; the folder stands beside the record, or in what the model is told."""
    session = entry.get("sessionId")
    if isinstance(session, str):
        agent = OF_AN_AGENT if entry.get("kind") not in (None, "main") else ""
        found = agent or paths.read(str(path.parent.parent / FOLDER_FILE), MOST_PATH).strip()
        return session, found
    for message in _messages(entry):
        _, told, rest = _text(message).partition(FOLDERS)
        if told:
            return "", rest.partition("\n")[0].strip()
    return None


def events(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    """Return what a line tells that was not told before."""
    return [event for message in _messages(entry) for event in _of_message(record, message)]


def _messages(entry: dict[str, Any]) -> list[dict[str, Any]]:
    patch = entry.get("$set")
    found = patch.get("messages") if isinstance(patch, dict) else [entry]
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _of_message(record: Record, message: dict[str, Any]) -> "list[Event | None]":
    name, kind = message.get("id"), message.get("type")
    if kind == "user" and isinstance(name, str):
        return _asked(record, message, name)
    if kind != "gemini":
        return []
    record.model = record.model or (message["model"] if isinstance(message.get("model"), str) else "")
    calls = message.get("toolCalls")
    calls = [each for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
    if calls:
        record.said = None
    elif f"said:{name}" not in record.seen:
        record.seen.add(f"said:{name}")
        record.says(message.get("content"))
    return [event for call in calls for event in _called(record, call)]


def _asked(record: Record, message: dict[str, Any], name: str) -> "list[Event | None]":
    text = _text(message)
    if name in record.seen or not text or text.startswith(NOT_SAID):
        return []
    record.seen.add(name)
    return list(record.asked(record.theirs(PROMPT, moment_of(message), prompt=text, timestamp=message.get("timestamp"))))


def _text(message: dict[str, Any]) -> str:
    """Return what a person said in a message, nothing for one that hands results back."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    if any("functionResponse" in part for part in parts):
        return ""
    return "\n".join([part["text"] for part in parts if isinstance(part.get("text"), str)])


def _called(record: Record, call: dict[str, Any]) -> "list[Event | None]":
    name = f"call:{record.session}:{call.get('id')}"
    if name in record.seen or call.get("status") not in RAN:
        return []
    record.seen.add(name)
    result = call.get("result")
    answers = [part.get("functionResponse") for part in result if isinstance(part, dict)] if isinstance(result, list) else []
    said = [each["response"] for each in answers if isinstance(each, dict) and isinstance(each.get("response"), dict)]
    text = next((each[key] for each in said for key in ("output", "error") if isinstance(each.get(key), str)), "")
    response = {"llmContent": text, "returnDisplay": call.get("resultDisplay")}
    response |= {"error": text} if call["status"] == "error" else {}
    given = {"tool_name": call.get("name"), "tool_input": call.get("args"), "tool_use_id": name}
    return [record.theirs(ended.TOOL, moment_of(call), tool_response=response, **given)]
