"""Serve one client over stdin and stdout, and end with it.

A call that opens the memory is answered by a process of its own: what it has read goes with that process, so that a forget finds
nothing here, and one that fails or hangs takes no other call with it.
"""

import _signal
import gc
import posix
import select

from ralph_mem.hosts.claude_code import session as client_session
from ralph_mem.interfaces.mcp import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.mcp.protocol import Heard, Message
    from ralph_mem.interfaces.mcp.roots import Roots

NAME = "mcp"  # as `hooks/run` is told it
# A search of a memory of a million rows takes a second; what takes this long hangs.
MOST_S = 20
IN, OUT = 0, 1
CHUNK_BYTES = 65_536
BROKEN = select.POLLERR | select.POLLHUP | select.POLLNVAL
FOR_EVER = -1


def enter() -> str:
    """Serve until the input ends or nobody reads the answers; returns nothing to print."""
    posix.umask(0o077)
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, _signal.SIG_DFL)  # at once, whatever is under way; a shell has some of them ignored
    gc.enable()  # which a hook does without
    try:
        Server().serve()
    except Gone:
        pass
    return ""


class Server:
    """One client's server. Between two calls it holds no file of a memory and none of its text."""

    def __init__(self) -> None:
        self.lines = Lines()
        self.session, self.process = client_session.session(), posix.getppid()
        self.said = protocol.Conversation(self._read, has_commands=bool(self.session))
        self.waiting: list[Heard] = []  # for the client's roots

    def serve(self) -> None:
        """Answer line after line. Raises Gone."""
        while True:
            try:
                line = self.lines.next(self.said.roots.expected_s() if self.waiting else 0.0)
            except TooLong:
                write(protocol.too_long())
                continue
            if line:
                self._take(line)
            if line is None or not self.said.roots.expected_s():
                for heard in self.waiting:
                    self._answer(heard)
                self.waiting = []
            if line is None:
                return

    def _take(self, line: bytes) -> None:
        heard = self.said.heard(line)
        for request in self.said.requests:
            write(protocol.compact(request) + "\n")
        self.said.requests = []
        if heard.reads and (self.waiting or self.said.roots.expected_s()):
            self.waiting.append(heard)
        else:
            self._answer(heard)

    def _answer(self, heard: "Heard") -> None:
        if not heard.reads:
            write(heard.written(self._made(heard)))
        elif not self._has_answered(heard):
            write(heard.written(self.said.failed(heard)))

    def _made(self, heard: "Heard") -> "list[Message]":
        try:
            return self.said.answers(heard)
        except Exception:  # the edge: each request has its answer, whatever failed
            return self.said.failed(heard)

    def _has_answered(self, heard: "Heard") -> bool:
        """Have a child answer, and wait for it; says whether it did. Raises Gone, and then the child is gone as well."""
        from ralph_mem.interfaces.mcp import answers  # noqa: F401  # lazy: once, for all children, when the first call comes

        done, held = posix.pipe()
        child = posix.fork()
        if not child:
            self._as_child(heard)
        posix.close(held)
        try:
            if not is_over(done):
                posix.kill(child, _signal.SIGKILL)
                raise Gone
        finally:
            posix.close(done)
            _, status = posix.waitpid(child, 0)
        return status == 0

    def _as_child(self, heard: "Heard") -> None:
        """Answer, and leave without what an interpreter does at its end; the system ends a child that takes too long."""
        status = 1
        try:
            _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_REAL, MOST_S)
            write(heard.written(self._made(heard)))
            status = 0
        finally:
            posix._exit(status)  # noqa: SLF001 - the C function that `os._exit` is

    def _read(self, method: str, given: "Message", client: str, roots: "Roots") -> "Message":
        from ralph_mem.interfaces.mcp import answers  # lazy: loaded before the first child is started

        return answers.Calls(self.session, self.process).read(method, given, client, roots)


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
                elif len(line) > protocol.MOST_BYTES:
                    raise TooLong
                elif line.strip():
                    return bytes(line)
            elif len(self._held) > protocol.MOST_BYTES:  # nothing more of it is kept
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
