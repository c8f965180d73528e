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
    if not tail:
        try:
            return mapping(quick.loads(head.strip().decode("utf-8", "replace")))
        except ValueError:
            pass
    # nearly every event is whole
    from ralph_mem.core import salvage

    return salvage.fields(head, tail)


def mapping(value: object) -> "dict[str, Any]":
    """Return a value that is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


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
