"""Read what Codex kept of past sessions (0.169.0), also in the words of earlier releases.

Where a call is told both as a finished item and as what the model was given, the item counts: it says how the call ended.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph_mem.core import fast
from ralph_mem.hosts import ended
from ralph_mem.hosts.codex import record as finished
from ralph_mem.hosts.kept import OF_AN_AGENT, PROMPT, Record

if TYPE_CHECKING:
    from ralph_mem.hosts.claude_code.event import Event

PLACES, NAMES = ("sessions", "archived_sessions"), ("rollout-*.jsonl",)
COMMANDS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec")
PATCHES = ("apply_patch",)
NOTHING = ("update_plan", "view_image", "write_stdin")
CODE = re.compile(r"^(?:Process exited with code|Exit code:) (\d{1,9})$", re.MULTILINE)
OUTPUT = "Output:\n"
FILE = re.compile(r"^\*\*\* (Add|Update) File: (.+)$", re.MULTILINE)
# What the client says to the model in the person's name.
NOT_SAID = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<skill>")


def begun(entry: dict[str, Any], _path: Path) -> "tuple[str, str] | None":
    """Return session and folder of the line that begins a record."""
    told = entry.get("payload")
    if entry.get("type") != "session_meta" or not isinstance(told, dict):
        return None
    session, folder, source = told.get("id") or told.get("session_id"), told.get("cwd"), told.get("source")
    if isinstance(source, dict) and "subagent" in source:
        folder = OF_AN_AGENT
    return (session, folder) if isinstance(session, str) and isinstance(folder, str) else None


def events(record: Record, entry: dict[str, Any]) -> "list[Event | None]":
    """Return what a line tells."""
    told, kind = entry.get("payload"), entry.get("type")
    if not isinstance(told, dict):
        return []
    if kind == "session_meta":
        git = told.get("git")
        branch = git.get("branch") if isinstance(git, dict) else ""
        record.branch = record.branch or (branch if isinstance(branch, str) else "")
    if kind == "turn_context":
        record.folder = told["cwd"] if isinstance(told.get("cwd"), str) else record.folder
        record.model = record.model or (told["model"] if isinstance(told.get("model"), str) else "")
    if kind in ("turn_context", "event_msg") and isinstance(told.get("turn_id"), str):
        record.notes["turn"] = told["turn_id"]  # a prompt stands behind the begin of its turn
    read = {"event_msg": _told, "response_item": _given}.get(str(kind))
    return read(record, told) if read else []


def _told(record: Record, told: dict[str, Any]) -> "list[Event | None]":
    kind, item = told.get("type"), told.get("item")
    if kind == "item_completed" and isinstance(item, dict):
        return _item(record, item)
    if kind == "user_message":
        return _asked(record, told.get("message"))
    if kind == "agent_message":
        record.says(told.get("message"))
    if kind == "exec_command_end":
        return _finished(record, {**told, "type": "CommandExecution", "id": told.get("call_id")})
    if kind == "patch_apply_end":
        status = "completed" if told.get("success") is True else "failed"
        return _finished(record, {**told, "type": "FileChange", "id": told.get("call_id"), "status": status})
    if kind == "turn_aborted":
        record.said = None
    return list(record.closing()) if kind == "task_complete" else []


def _item(record: Record, item: dict[str, Any]) -> "list[Event | None]":
    kind = item.get("type")
    if kind == "UserMessage":
        return _asked(record, _text(item))
    if kind == "AgentMessage":
        record.says(_text(item))
        return []
    return _finished(record, item)


def _text(item: dict[str, Any]) -> str:
    parts = item.get("content")
    texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return "\n".join([text for text in texts if isinstance(text, str)])


def _asked(record: Record, text: object) -> "list[Event | None]":
    """Return a prompt, once of one that is told twice."""
    if not isinstance(text, str) or text.startswith(NOT_SAID):
        return []
    turn = record.notes.get("turn") or f"{record.session}:{record.at}"
    if (turn, text) == (record.turn, record.notes.get("prompt")):
        return []
    record.notes["prompt"] = text
    return list(record.asked(record.ours(PROMPT, prompt=text, prompt_id=turn)))


def _finished(record: Record, item: dict[str, Any]) -> "list[Event | None]":
    record.said = None
    found = [record.ours(name, **fields) for name, fields in finished.calls(item, {})]
    if found:
        record.seen.add(str(item["id"]))
    return found


def _given(record: Record, told: dict[str, Any]) -> "list[Event | None]":
    """Follow a call to what the model was given of it."""
    kind, call = told.get("type"), told.get("call_id")
    if kind in ("function_call", "custom_tool_call", "local_shell_call"):
        space = told.get("namespace")
        name = f"{space}__{told.get('name')}" if isinstance(space, str) and space.startswith("mcp__") else told.get("name")
        record.calls_on(call, name or "local_shell", _arguments(told))
    if kind not in ("function_call_output", "custom_tool_call_output") or not isinstance(call, str):
        return []
    name, given = record.calls.pop(call, ("", {}))
    return [] if not name or call in record.seen else _ended(record, call, name, given, _output(told.get("output")))


def _arguments(told: dict[str, Any]) -> dict[str, Any]:
    given = told.get("arguments", told.get("input", told.get("action")))
    if isinstance(given, str):
        try:
            value = fast.loads(given)
        except (ValueError, RecursionError):
            return {"input": given}
        given = value if isinstance(value, dict) else {"input": given}
    return given if isinstance(given, dict) else {}


def _output(told: object) -> "tuple[str, int | None]":
    """Return what the model was given, and the exit code where it says one."""
    code = None
    if isinstance(told, str) and told.startswith("{"):
        try:
            told = fast.loads(told)
        except (ValueError, RecursionError):
            pass
    if isinstance(told, dict):
        facts = told.get("metadata")
        code = facts.get("exit_code") if isinstance(facts, dict) else None
        told = told.get("output", told.get("content"))
    text = told if isinstance(told, str) else ""
    before, mark, behind = text.partition(OUTPUT)
    found = CODE.search(before) if mark else None
    if mark and (found or "Wall time" in before):
        text = behind
    code = int(found[1]) if found else code
    return text, code if isinstance(code, int) and not isinstance(code, bool) else None


def _ended(record: Record, call: str, name: str, given: dict[str, Any], said: "tuple[str, int | None]") -> "list[Event | None]":
    text, code = said
    told: dict[str, Any] = {"tool_use_id": call, "tool_name": name, "tool_input": given}
    if name in COMMANDS:
        line = given.get("cmd", given.get("command"))
        line = finished.typed(line) if isinstance(line, list) else line
        told |= {"tool_name": "Bash", "tool_input": {"command": line if isinstance(line, str) else ""}}
        if code is None:
            return [record.ours(ended.unknown(told, text), **told)]
        return [record.ours(ended.passed(told, text) if code == 0 else ended.failed(told, code, text), **told)]
    if name in PATCHES:
        patch = given.get("input", given.get("patch"))
        return _patched(record, call, patch) if isinstance(patch, str) and not code else []
    if name in NOTHING:
        return []
    return [record.ours(ended.TOOL, **{**told, "tool_name": f"mcp__{name.removeprefix('mcp__')}", "tool_response": text})]


def _patched(record: Record, call: str, patch: str) -> "list[Event | None]":
    """Return the changes of a patch, a file each."""
    pieces = FILE.split(patch)[1:]
    changes: dict[str, Any] = {}
    for verb, path, rest in zip(pieces[::3], pieces[1::3], pieces[2::3]):
        body = rest.partition("\n*** ")[0].lstrip("\n")
        whole = path if path.startswith("/") else f"{record.folder}/{path}"
        added = "".join([line[1:] + "\n" for line in body.split("\n") if line.startswith("+")])
        changes[whole] = {"type": "add", "content": added} if verb == "Add" else {"type": "update", "unified_diff": body}
    return _finished(record, {"type": "FileChange", "id": call, "status": "completed", "changes": changes})
