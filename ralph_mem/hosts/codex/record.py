"""Read what Codex keeps of a session, a line of JSON for each thing that happened (0.169.0)."""

from ralph_mem.core import fast
from ralph_mem.hosts import ended, tails

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Fields = dict[str, Any]

TURN_BYTES = 4_194_304  # of a turn with some hundred calls
SHELLS = ("-lc", "-c")  # before the command line, in the words of a command
ITEM = '"item_completed"'


def late(told: "Fields") -> "Iterator[tuple[str, Fields]]":
    """Yield the calls of the turn that ends with an event: here alone it says how a command ended, and what a patch changed."""
    path, turn = told.get("transcript_path"), told.get("prompt_id")
    if not isinstance(path, str) or not path.rpartition("/")[2].startswith("rollout-") or not turn:
        return
    for line in tails.of(path, TURN_BYTES).split("\n"):
        entry = _entry(line) if ITEM in line[:400] else {}
        if entry.get("turn_id") == turn:
            yield from calls(entry.get("item"), {key: told.get(key) for key in ("session_id", "cwd", "prompt_id")})


def _entry(line: str) -> "Fields":
    try:
        payload = fast.loads(line)["payload"]
    except (ValueError, LookupError, TypeError):
        return {}
    return payload if isinstance(payload, dict) else {}


def calls(item: object, common: "Fields") -> "Iterator[tuple[str, Fields]]":
    """Yield the events that a finished item stands for: a command, or the changes of a patch, a file each."""
    if not isinstance(item, dict) or not isinstance(item.get("id"), str):
        return
    if item.get("type") == "CommandExecution":
        told = {**common, "tool_name": "Bash", "tool_use_id": item["id"], "tool_input": {"command": typed(item.get("command"))}}
        code, output = item.get("exit_code"), item.get("aggregated_output")
        output = output if isinstance(output, str) else ""
        if isinstance(code, int):
            yield (ended.passed(told, output) if code == 0 else ended.failed(told, code, output)), told
    elif item.get("type") == "FileChange" and item.get("status") == "completed" and isinstance(item.get("changes"), dict):
        for number, (path, change) in enumerate(item["changes"].items()):
            if isinstance(change, dict):
                yield _change(path, change, {**common, "tool_use_id": f"{item['id']}:{number}"})


def typed(words: object) -> str:
    """Return the command line that a shell was given."""
    found = [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
    return found[2] if len(found) == 3 and found[1] in SHELLS else " ".join(found)


def _change(path: str, change: "Fields", told: "Fields") -> "tuple[str, Fields]":
    content = change.get("content")
    if change.get("type") == "add" and isinstance(content, str):
        told |= {"tool_name": "Write", "tool_input": {"file_path": path, "content": content}}
        return ended.edited(told, ""), told
    told |= {"tool_name": "Edit", "tool_input": {"file_path": path, "new_string": ""}}
    return ended.edited(told, change.get("unified_diff")), told
