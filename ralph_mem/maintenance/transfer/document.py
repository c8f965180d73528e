"""Pack and unpack an export as lines of ASCII JSON, and check everything that reading one needs.

What a memory makes anew is left out, and what is nobody else's business: the tag of a session, the process of the client.
"""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ralph_mem import __version__
from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.transfer import fact_rows
from ralph_mem.memory.rows import kinds, row
from ralph_mem.memory.rows.row import Kind
from ralph_mem.memory.store import connection

FORMAT = 1
DERIVED = "derived"  # which row was made from which
STRANGE = "file:"  # before the client's ids in somebody else's file
BESIDE_ROWS = (*fact_rows.ROWS, DERIVED)  # what is said of other rows
# A hundred thousand rows are some 150 MB; a file is read into memory as a whole, so that what was checked is what is used.
MOST_BYTES = 536_870_912
# The longest texts of a row have 16,384 characters, of six bytes each where all are escaped.
MOST_LINE_BYTES = 1_048_576
AGAIN = "export it again, or take another copy of the file"


class Document:
    """An export that was read and found whole. `ours` says that this home wrote it, so that nobody else can have."""

    __slots__ = ("lines", "ours")

    def __init__(self, lines: list[bytes], *, ours: bool) -> None:
        self.lines = lines
        self.ours = ours

    def records(self) -> Iterator[dict[str, Any]]:
        """Return what the lines hold, in order. Raises RalphMemError for one that is no row."""
        for line in self.lines:
            record = _value(line)
            if record.get("row") not in rows():
                raise damaged(f"a line is no row: {line[:40].decode('ascii', 'replace')}")
            yield record


def packed(project: str, at: int, records: list[dict[str, Any]], key: bytes) -> bytes:
    """Return an export as bytes; without a key nobody will know later who wrote it."""
    header = {
        "ralph-mem": "export", "format": FORMAT, "schema": connection.SCHEMA_VERSION, "version": __version__, "at": at,
        "project": project, "counts": _counted(record["row"] for record in records),
    }  # fmt: skip
    body = b"".join([_line(value) for value in (header, *records)])
    digest = hashlib.sha256(body).digest()
    data = body + _line({"row": "end", "sha256": digest.hex(), "seal": _seal(digest, key)})
    if len(data) > MOST_BYTES:
        raise RalphMemError(
            f"{len(data):,} bytes are more than one export may have", "export it in parts: --since, --until, --type"
        )
    return data


def unpacked(data: bytes, key: bytes) -> Document:
    """Return what an export holds. Raises RalphMemError unless it is whole, and of this release or an older one."""
    lines = data.splitlines(keepends=True)
    header = _header(lines)
    end = _value(lines[-1]) if lines[-1].endswith(b"\n") else {}
    if end.get("row") != "end":
        raise damaged("its end is missing")
    digest = hashlib.sha256(data[: -len(lines[-1])]).digest()
    if end.get("sha256") != digest.hex():
        raise damaged("its checksum does not fit")
    if any(len(line) > MOST_LINE_BYTES for line in lines):
        raise damaged("a line is too long")
    found = Document(
        lines[1:-1], ours=bool(key) and hmac.compare_digest(str(end.get("seal")).encode(), _seal(digest, key).encode())
    )
    counts, held = header.get("counts"), _counted(record["row"] for record in found.records())
    # what an older release wrote does not count the kinds of rows that came later
    if not isinstance(counts, dict) or {**dict.fromkeys(rows(), 0), **counts} != held:
        raise damaged("it does not hold what its first line counts")
    return found


def is_one(data: bytes) -> bool:
    """Say whether a file is an export of ours, or was one before it was damaged."""
    return b'"ralph-mem"' in data[:MOST_LINE_BYTES].partition(b"\n")[0]


def damaged(why: str) -> RalphMemError:
    """Return the error of a file that is not as it was written."""
    return RalphMemError(f"the file is damaged, nothing was taken in: {why}", AGAIN)


def _header(lines: list[bytes]) -> dict[str, Any]:
    try:
        header = _value(lines[0])
    except (RalphMemError, IndexError):
        header = {}
    if header.get("ralph-mem") != "export":
        raise RalphMemError("this is no export of ralph-mem", "`ralph-mem export --to FILE` writes one, with --format jsonl")
    newest = {"format": FORMAT, "schema": connection.SCHEMA_VERSION}
    if not all(_number(header.get(name)) for name in newest):
        raise damaged("its first line does not say of which format it is")
    if any(header[name] > known for name, known in newest.items()):
        raise RalphMemError(
            "a newer release of ralph-mem wrote this file, nothing was taken in", "update ralph-mem, then try again"
        )
    return header


def _value(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise damaged("a line is no JSON") from None
    if not isinstance(value, dict):
        raise damaged("a line is no row")
    return value


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _counted(held: Iterator[str]) -> dict[str, int]:
    found = Counter(held)
    return {row: found[row] for row in rows()}


def rows() -> list[str]:
    """Return the names of the rows that an export may hold, in their order."""
    return [*[kind.name for kind in kinds.ALL if kind.prefix], *BESIDE_ROWS]


def _seal(digest: bytes, key: bytes) -> str:
    return hmac.new(key, b"ralph-mem export\n" + digest, hashlib.sha256).hexdigest() if key else ""


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
    if row_name in fact_rows.ROWS:
        return fact_rows.checks(_id)[row_name]
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
