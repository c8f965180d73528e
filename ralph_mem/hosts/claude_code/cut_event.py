"""Read what an event says that was cut off, or of which the middle is missing."""

from ralph_mem.core import fast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CUT_MARK = b" [...] "
DEEPEST = 8


def fields(head: bytes, tail: bytes) -> "dict[str, Any]":
    """Return the fields of an event that is not whole; `tail` is its end, where that is known."""
    if tail.rstrip().endswith(b"}"):
        try:
            found = fast.loads(_joined(head.lstrip(), tail.rstrip()).decode("utf-8", "replace"))
        except ValueError:
            found = None
        if isinstance(found, dict):
            return {**_ids(tail), **found}  # the gap may have swallowed the key of the id
    return {**_salvage(head.decode("utf-8", "replace").lstrip()), **_ids(tail)}


def _ids(tail: bytes) -> "dict[str, Any]":
    """Return the id that stands at the end of a tool's event, where the rest does not fit together."""
    _, key, rest = tail.rpartition(b'"tool_use_id"')
    value = rest.lstrip(b" \t\r\n:")[1:].partition(b'"')[0] if key else b""
    return {"tool_use_id": value.decode("utf-8", "replace")} if value else {}


def _joined(head: bytes, tail: bytes) -> bytes:
    """Close the gap between head and tail, which nearly always lies inside one long string."""
    if not tail:
        return head
    # no half escape on either side: up to `\uD83D\uDE00` before the gap, one escaped character after it
    escape = head.rfind(b"\\", len(head) - 12)
    kept = head[:escape].rstrip(b"\\") if escape >= 0 else head
    return kept + CUT_MARK + tail.lstrip(b"\\")[1:]


def _salvage(text: str, start: int = 0, depth: int = 0) -> "dict[str, Any]":
    """Return the fields of a cut-off object, the last one as far as it goes; half an id would be another id."""
    found: dict[str, Any] = {}
    at = start + 1 if text[start : start + 1] == "{" else len(text)
    while True:
        key, at, _ = _value(text, _skip(text, at, " \t\r\n,"), depth)
        at = _skip(text, at, " \t\r\n:")
        if not isinstance(key, str) or at >= len(text):
            return found
        value, at, whole = _value(text, at, depth)
        if whole or not key.endswith("_id"):
            found[key] = value


def _value(text: str, at: int, depth: int) -> "tuple[Any, int, bool]":
    """Read the value at this place, or what there is of it; return it, where it ends, and whether it is whole."""
    try:
        value, end = fast.scan(text, at)
        return value, int(end), True
    except fast.UNREADABLE:
        pass
    if text[at : at + 1] == '"':
        return _cut_string(text[at:]), len(text), False
    if text[at : at + 1] == "{" and depth < DEEPEST:
        return _salvage(text, at, depth + 1), len(text), False
    return None, len(text), False


def _cut_string(text: str) -> str:
    """Return the text of a string that has no end, without a half escape."""
    for drop in range(12):
        try:
            return str(fast.loads(text[: len(text) - drop] + '"'))
        except ValueError:
            continue
    return ""


def _skip(text: str, at: int, what: str) -> int:
    while at < len(text) and text[at] in what:
        at += 1
    return at
