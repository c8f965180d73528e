"""Fields: which columns of a row an export holds, and what each of them may be.

What a memory makes anew is left out: numbers, prices, checksums, what a row quotes of its neighbours. So is what is nobody
else's business: the random tag of a session, the process of the client.
"""

from collections.abc import Callable
from typing import Any

from ralph_mem.maintenance.transfer.document import DERIVED
from ralph_mem.memory.rows import kinds, row
from ralph_mem.memory.rows.row import Kind

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


def _figure(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < HIGHEST


def _or_nothing(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _one_of(allowed: "tuple[object, ...] | frozenset[str]") -> Check:
    return lambda value: isinstance(value, (str, int)) and value in allowed


# What every kind of row may have; a figure is any number.
COMMON: dict[str, Check] = {
    "public_id": _id, "event_id": _name, "client_session": _name, "seq": _number, "created_at": _number, "started_at": _number,
    "origin": _one_of(ORIGINS), "tainted": _one_of((CLEAN, TAINTED, FOREIGN)), "pinned": _one_of((0, 1)), "misled": _number,
    **dict.fromkeys(("ended_at", "edited_at", "emptied_at"), _or_nothing(_number)),
}  # fmt: skip
OF_KIND: dict[str, dict[str, Check]] = {
    "session": dict.fromkeys(("project_path", "source", "agent"), _text),
    "turn": {"session": _name, "kind": _one_of(KINDS), "status": _one_of(STATES), **dict.fromkeys(kinds.TURN.texts, _text)},
    "observation": {"session": _name, "type": _one_of(row.TYPES), **dict.fromkeys(kinds.OBSERVATION.hashed, _text)},
}


def checks(row_name: str) -> dict[str, Check]:
    """Return what each field of a row of an export has to be."""
    if row_name == DERIVED:
        return {"child": _id, "parent": _id}
    kind = of_name(row_name)
    own = OF_KIND.get(row_name, {})
    found = {name: own.get(name) or _check_of(kind, name) for name in kinds.exported(kind)}
    return {**found, **{name: own.get(name) or BESIDE[name] for name in beside(kind)}}


def _check_of(kind: Kind, name: str) -> Check:
    if name in COMMON:
        return COMMON[name]
    return _or_nothing(_figure if name in kind.numbers else _text)


def of_name(row_name: str) -> Kind:
    """Return the kind of a row of an export."""
    return next(kind for kind in kinds.ALL if kind.name == row_name)


# What stands beside the columns: the client's id of the session, the event of the turn, and whether recall finds the row.
BESIDE: dict[str, Check] = {"session": _or_nothing(_name), "turn": _or_nothing(_name), "found": _one_of((0, 1))}


def beside(kind: Kind) -> dict[str, str]:
    """Return the SQL for what an export says of a row `t` beside its columns."""
    found = {
        "session": f"(SELECT client_session FROM {kinds.SESSION.table} WHERE id = t.session_id)" if kind.has("session_id") else "",
        "turn": f"(SELECT event_id FROM {kinds.TURN.table} WHERE id = t.turn_id)" if kind.has("turn_id") else "",
        "found": f"EXISTS (SELECT 1 FROM memories WHERE {kind.memory} = t.id)" if kind.memory else "",
    }
    if kind.memory and not kind.index:
        found["found"] = "t.index_version > 0"
    return {name: sql for name, sql in found.items() if sql}


def texts(row_name: str) -> tuple[str, ...]:
    """Return the fields that somebody wrote, which are redacted whenever they go somewhere."""
    if row_name == DERIVED:
        return ()
    kind = of_name(row_name)
    return (*kind.texts, *kind.labels, *kind.paths)


def wrong(record: dict[str, Any]) -> str:
    """Return the name of a field that is missing, too many, or not what it has to be; nothing for a good row."""
    known = checks(record["row"])
    names = [name for name, check in known.items() if name not in record or not check(record[name])]
    return next(iter([*names, *(record.keys() - known.keys() - {"row"})]), "")
