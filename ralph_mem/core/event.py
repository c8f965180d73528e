"""The event: what the client hands to a hook on stdin, read within limits and understood even when cut off."""

import _signal
import posix
import time

from ralph_mem.core import quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Two megabytes hold every text we would keep; of a longer event the end is kept too, since the ids stand there.
HEAD_BYTES = 1_835_008
TAIL_BYTES = 262_144
CHUNK_BYTES = 65_536
# The client writes an event whole and at once. A pipe that says nothing for this long will not.
SILENCE_SECONDS = 0.5
# One that trickles for this long will not end before the client's patience does, which is five seconds.
PATIENCE_SECONDS = 3.0
CUT_MARK = b" [...] "
DEEPEST = 8


class Event:
    """One event, with typed access to its fields; a field of the wrong type counts as missing."""

    __slots__ = ("at", "fields", "name")

    def __init__(self, name: str, fields: "dict[str, Any]") -> None:
        self.name = name
        self.fields = fields
        self.at = time.time_ns() // 1_000_000

    def text(self, key: str) -> str:
        """Return a field that is text, else nothing."""
        value = self.fields.get(key)
        return _fit(value) if isinstance(value, str) else ""

    def mapping(self, key: str) -> "dict[str, Any]":
        """Return a field that is a mapping, else an empty one."""
        value = self.fields.get(key)
        return value if isinstance(value, dict) else {}

    def given(self, key: str) -> str:
        """Return what a tool was given for a parameter that is text, as it came, else nothing."""
        value = self.mapping("tool_input").get(key)
        return value if isinstance(value, str) else ""

    @property
    def turn(self) -> str:
        """Return the event id of the turn that it belongs to; nothing, for a client that does not tell, means the last."""
        prompt = self.text("prompt_id")
        return f"prompt:{prompt}" if prompt else ""

    @property
    def session(self) -> str:
        """Return the client's own id of the session."""
        return self.text("session_id")


def _fit(text: str) -> str:
    """Return a text that fits UTF-8 and a path: without lone surrogates and NULs."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "")


def read(name: str) -> Event:
    """Read the event from stdin. An event that cannot be understood has no fields.

    Takes at most 2 MiB of it and never waits longer than half a second for the next piece.
    """
    return Event(name, parse(*drain_stdin()))


def parse(head: bytes, tail: bytes = b"") -> "dict[str, Any]":
    """Return the fields of an event. `tail` is what remains of the end when the middle was cut out."""
    whole = (head + tail).strip()
    if not tail or whole.endswith(b"}"):
        try:
            return _mapping(quick.loads(_joined(head, tail).decode("utf-8", "replace")))
        except ValueError:
            pass
    return {**_salvage(head.decode("utf-8", "replace").lstrip()), **_ids(tail)}


def _ids(tail: bytes) -> "dict[str, Any]":
    """Return the id that stands at the end of a tool's event, where the rest does not fit together."""
    _, key, rest = tail.rpartition(b'"tool_use_id"')
    value = rest.lstrip(b" \t\r\n:")[1:].partition(b'"')[0] if key else b""
    return {"tool_use_id": value.decode("utf-8", "replace")} if value else {}


def _mapping(value: object) -> "dict[str, Any]":
    return value if isinstance(value, dict) else {}


def _joined(head: bytes, tail: bytes) -> bytes:
    """Close the gap between head and tail, which nearly always lies inside one long string."""
    if not tail:
        return head
    # no half escape on either side: up to `\uD83D\uDE00` before the gap, one escaped character after it
    escape = head.rfind(b"\\", len(head) - 12)
    kept = head[:escape].rstrip(b"\\") if escape >= 0 else head
    return kept + CUT_MARK + tail.lstrip(b"\\")[1:]


def drain_stdin() -> "tuple[bytes, bytes]":
    """Return head and tail of stdin; what lies between is read and dropped, so that the client never blocks."""
    head: list[bytes] = []
    tail: list[bytes] = []
    size = 0
    _signal.signal(_signal.SIGALRM, _raise_timeout)
    end = time.monotonic() + PATIENCE_SECONDS
    try:
        while True:
            _signal.setitimer(_signal.ITIMER_REAL, max(0.001, min(SILENCE_SECONDS, end - time.monotonic())))
            chunk = posix.read(0, CHUNK_BYTES)
            if not chunk:
                break
            size += len(chunk)
            (head if size <= HEAD_BYTES else tail).append(chunk)
            if len(tail) * CHUNK_BYTES > 2 * TAIL_BYTES:
                tail = [b"".join(tail)[-TAIL_BYTES:]]
    except (TimeoutError, OSError):
        pass
    finally:
        _signal.signal(_signal.SIGALRM, _signal.SIG_IGN)  # from here on nobody waits
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    return b"".join(head), b"".join(tail)[-TAIL_BYTES:]


def _raise_timeout(_signal_number: int, _frame: object) -> None:
    raise TimeoutError


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
        value, end = quick.scan(text, at)
        return value, int(end), True
    except quick.UNREADABLE:
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
            return str(quick.loads(text[: len(text) - drop] + '"'))
        except ValueError:
            continue
    return ""


def _skip(text: str, at: int, what: str) -> int:
    while at < len(text) and text[at] in what:
        at += 1
    return at
