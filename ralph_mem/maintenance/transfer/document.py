"""Documents: an export as lines of JSON, a header before them and a seal behind, and every check that reading one needs.

All of it is ASCII, so that no terminal, editor or mail changes it or is changed by it.
"""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ralph_mem import __version__
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection

FORMAT = 1
DERIVED = "derived"  # which row was made from which
# A hundred thousand rows are some 150 MB; a file is read into memory as a whole, so that what was checked is what is used.
MOST_BYTES = 536_870_912
# The longest texts of a row have 16,384 characters, of six bytes each where all are escaped.
MOST_LINE_BYTES = 1_048_576
AGAIN = "export it again, or take another copy of the file"


class Document:
    """An export that was read and found whole. `ours` says that this home wrote it, so that nobody else can have."""

    __slots__ = ("header", "lines", "ours")

    def __init__(self, header: dict[str, Any], lines: list[bytes], *, ours: bool) -> None:
        self.header = header
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
        header, lines[1:-1], ours=bool(key) and hmac.compare_digest(str(end.get("seal")).encode(), _seal(digest, key).encode())
    )
    counts, held = header.get("counts"), _counted(record["row"] for record in found.records())
    # what an older release wrote does not count the kinds of rows that came later
    if not isinstance(counts, dict) or {**dict.fromkeys(rows(), 0), **counts} != held:
        raise damaged("it does not hold what its first line counts")
    return found


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
    if not all(_is_number(header.get(name)) for name in newest):
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
    return [*[kind.name for kind in kinds.ALL if kind.prefix], DERIVED]


def _seal(digest: bytes, key: bytes) -> str:
    return hmac.new(key, b"ralph-mem export\n" + digest, hashlib.sha256).hexdigest() if key else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
