"""Fields: which columns of a row an export holds, and what each of them may be.

What a memory makes anew is left out: numbers, prices, checksums, what a row quotes of its neighbours. So is what is nobody
else's business: the random tag of a session, the process of the client.
"""

from collections.abc import Callable
from typing import Any

from ralph_mem.core import observations, row

ORIGINS = ("user", "agent", "tool", "test", "outside")
KINDS = ("prompt", "command", "loop", "notification")
STATES = ("open", "stopped", "interrupted", "failed")
# Text that web or MCP tools brought in is withheld; a row of somebody else's file is not told at all.
CLEAN, TAINTED, FOREIGN = 0, 1, 2
MOST_CHARACTERS = 65_536
NAME_CHARACTERS = 1000
HIGHEST = 2**61

Check = Callable[[Any], bool]


def _id(value: Any) -> bool:
    return isinstance(value, str) and row.is_public_id(value)


def _name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= NAME_CHARACTERS and value.isprintable()


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < HIGHEST


def _or_nothing(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _one_of(allowed: "tuple[object, ...] | frozenset[str]") -> Check:
    return lambda value: isinstance(value, (str, int)) and value in allowed


_TRUST = {"origin": _one_of(ORIGINS), "tainted": _one_of((CLEAN, TAINTED, FOREIGN))}
_MARKS = {"pinned": _one_of((0, 1)), "misled": _number, "edited_at": _or_nothing(_number), "redactions": _or_nothing(_text)}

SESSION: dict[str, Check] = {
    "public_id": _id, "client_session": _name, "project_path": _text, "source": _text, "agent": _text,
    "model": _or_nothing(_text), "transcript_path": _or_nothing(_text), "branch": _or_nothing(_text),
    "commit_id": _or_nothing(_text), "started_at": _number, "ended_at": _or_nothing(_number),
    "end_reason": _or_nothing(_text), "summary": _or_nothing(_text),
}  # fmt: skip
TURN: dict[str, Check] = {
    "public_id": _id, "event_id": _name, "seq": _number, "kind": _one_of(KINDS), "status": _one_of(STATES),
    "prompt": _text, "response": _text, "files": _text, "files_read": _text, "lines": _text, "branch": _or_nothing(_text),
    "commit_id": _or_nothing(_text), "created_at": _number, "ended_at": _or_nothing(_number), **_TRUST, **_MARKS,
}  # fmt: skip
OBSERVATION: dict[str, Check] = {
    "public_id": _id, "event_id": _name, "seq": _number, "type": _one_of(observations.TYPES), "tool_name": _or_nothing(_text),
    "title": _text, "content": _text, "files": _text, "lines": _text, "metadata": _or_nothing(_text),
    "agent_id": _or_nothing(_text), "agent_type": _or_nothing(_text), "speaker": _or_nothing(_text), "created_at": _number,
    "emptied_at": _or_nothing(_number), **_TRUST, **_MARKS,
}  # fmt: skip
# What stands beside the columns: the client's id of the session, the event of the turn, and whether recall finds the row.
BESIDE: dict[str, dict[str, Check]] = {
    "session": {},
    "turn": {"session": _name, "found": _one_of((0, 1))},
    "observation": {"session": _name, "turn": _or_nothing(_name), "found": _one_of((0, 1))},
    "derived": {"child": _id, "parent": _id},
}
COLUMNS: dict[str, dict[str, Check]] = {"session": SESSION, "turn": TURN, "observation": OBSERVATION, "derived": {}}
# Those that somebody wrote, and that are redacted whenever they go somewhere.
TEXTS = {
    "session": ("project_path", "transcript_path", "branch", "summary"),
    "turn": ("prompt", "response", "files", "files_read", "lines", "branch"),
    "observation": ("tool_name", "title", "content", "files", "lines", "metadata", "agent_type", "speaker"),
    "derived": (),
}


def wrong(record: dict[str, Any]) -> str:
    """Return the name of a field that is missing, too many, or not what it has to be; nothing for a good row."""
    checks = {**COLUMNS[record["row"]], **BESIDE[record["row"]]}
    names = [name for name, check in checks.items() if name not in record or not check(record[name])]
    return next(iter([*names, *(record.keys() - checks.keys() - {"row"})]), "")
