"""Read lines of a bounded length from stdin, write them to stdout, and notice when either has gone."""

import posix
import select

from ralph_mem.interfaces.mcp.protocol import MOST_BYTES

IN, OUT = 0, 1
CHUNK_BYTES = 65_536
BROKEN = select.POLLERR | select.POLLHUP | select.POLLNVAL
FOR_EVER = -1


class Gone(Exception):
    """Nobody reads the answers any more."""


class TooLong(Exception):
    """A line was longer than a message may be; it was passed over."""


class Lines:
    """The lines of stdin. `poll` waits for it as long as somebody reads stdout."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._is_passing = False
        self._has_ended = False
        self._poll = select.poll()
        self._poll.register(IN, select.POLLIN)
        self._poll.register(OUT, 0)

    def next(self, timeout_s: float = 0.0) -> "bytes | None":
        """Return the next line without its end, None at the end of the input; after a timeout, if there is one, an empty one.

        Raises TooLong once for each line that is too long, and Gone.
        """
        while True:
            line, found, rest = self._held.partition(b"\n")
            if found or self._has_ended:
                self._held = rest
                if not found and not line:
                    return None
                if self._is_passing:
                    self._is_passing = False
                elif len(line) > MOST_BYTES:
                    raise TooLong
                elif line.strip():
                    return bytes(line)
            elif len(self._held) > MOST_BYTES:  # nothing more of it is kept
                self._held, is_new = bytearray(), not self._is_passing
                self._is_passing = True
                if is_new:
                    raise TooLong
            elif not self._filled(timeout_s):
                return b""

    def _filled(self, timeout_s: float) -> bool:
        """Wait for more input; says whether there was an event before the timeout."""
        events = dict(self._poll.poll(int(timeout_s * 1000) + 1 if timeout_s else FOR_EVER))
        if events.get(OUT, 0) & BROKEN:
            raise Gone
        if IN in events:
            data = posix.read(IN, CHUNK_BYTES)
            self._held += data
            self._has_ended = not data
        return bool(events)


def write(text: str) -> None:
    """Write a text whole. Raises Gone."""
    data = memoryview(text.encode("utf-8", "replace"))
    try:
        while data:
            data = data[posix.write(OUT, data) :]
    except OSError as error:
        raise Gone from error


def is_over(file: int) -> bool:
    """Wait until a pipe that nobody writes to is closed at its other end; says whether stdout was there all the time."""
    waiting = select.poll()
    waiting.register(file, select.POLLIN)
    waiting.register(OUT, 0)
    return not dict(waiting.poll()).get(OUT, 0) & BROKEN
