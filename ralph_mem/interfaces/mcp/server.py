"""Serve one client over stdin and stdout, and end with it.

A call that opens the memory is answered by a process of its own: what it has read goes with that process, so that a forget finds
nothing here, and one that fails or hangs takes no other call with it.
"""

import _signal
import gc
import posix

from ralph_mem.hosts.claude_code import session as client_session
from ralph_mem.interfaces.mcp import protocol, stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.mcp.protocol import Heard, Message
    from ralph_mem.interfaces.mcp.roots import Roots

NAME = "mcp"  # as `hooks/run` is told it
# A search of a memory of a million rows takes a second; what takes this long hangs.
MOST_S = 20


def enter() -> str:
    """Serve until the input ends or nobody reads the answers; returns nothing to print."""
    posix.umask(0o077)
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, _signal.SIG_DFL)  # at once, whatever is under way; a shell has some of them ignored
    gc.enable()  # which a hook does without
    try:
        Server().serve()
    except stdio.Gone:
        pass
    return ""


class Server:
    """One client's server. Between two calls it holds no file of a memory and none of its text."""

    def __init__(self) -> None:
        self.lines = stdio.Lines()
        self.session, self.process = client_session.session(), posix.getppid()
        self.said = protocol.Conversation(self._read, has_commands=bool(self.session))
        self.waiting: list[Heard] = []  # for the client's roots

    def serve(self) -> None:
        """Answer line after line. Raises Gone."""
        while True:
            try:
                line = self.lines.next(self.said.roots.expected_s() if self.waiting else 0.0)
            except stdio.TooLong:
                stdio.write(protocol.too_long())
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
            stdio.write(protocol.compact(request) + "\n")
        self.said.requests = []
        if heard.reads and (self.waiting or self.said.roots.expected_s()):
            self.waiting.append(heard)
        else:
            self._answer(heard)

    def _answer(self, heard: "Heard") -> None:
        if not heard.reads:
            stdio.write(heard.written(self._made(heard)))
        elif not self._has_answered(heard):
            stdio.write(heard.written(self.said.failed(heard)))

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
            if not stdio.is_over(done):
                posix.kill(child, _signal.SIGKILL)
                raise stdio.Gone
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
            stdio.write(heard.written(self._made(heard)))
            status = 0
        finally:
            posix._exit(status)  # noqa: SLF001 - the C function that `os._exit` is

    def _read(self, method: str, given: "Message", client: str, roots: "Roots") -> "Message":
        from ralph_mem.interfaces.mcp import answers  # lazy: loaded before the first child is started

        return answers.Calls(self.session, self.process).read(method, given, client, roots)
