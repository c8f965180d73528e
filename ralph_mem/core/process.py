"""Run a program within limits of time and output, and end all that it started."""

import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections import namedtuple
from contextlib import contextmanager
from pathlib import Path

from ralph_mem.core import descendants
from ralph_mem.core.orphans import Orphans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

Outcome = namedtuple("Outcome", "code out err seconds ended_by cut")
Outcome.__doc__ = """What came of a program.

`code` is its exit code, negative for a signal, None where it could not be started. `out` and `err` are bytes. `ended_by` is empty
where it ended by itself, else `time`, `silence`, `stop`, or `start`: then `err` says in words why. `cut` bytes were dropped.
"""

# A run of a large test suite prints some hundred kB; the head says how it began, the tail how it ended.
MOST_BYTES = 4_194_304
# A client may put a whole file into a line of its JSON; a longer line is not told.
LONGEST_LINE = 16_777_216
CHUNK = 65_536  # what a pipe holds
TICK_S = 0.1  # how often `stopped` is asked, a signal seen, and a leader missed that left its pipes to a child
GRACE_S = 0.3  # from SIGTERM to SIGKILL: room to remove a lock file, and 0.2 s are left of the promised half second
LAST_S = 0.15  # for the kernel to end what got SIGKILL
BURIED_S = 5  # a program of many threads is told as dead while the last of them still end; on a busy machine that takes a while
# An interpreter or a client that says nothing for so long will not say it to a hook either.
ANSWER_S = 10
# Each changes the words of a program that is about to be started in a folder, such as to hear what it writes.
WRAPPERS: "list[Callable[[list[str], str], list[str]]]" = []
# Each is told the group of a program when it begins (True), and when nothing of it is left (False).
TOLD: "list[Callable[[int, bool], None]]" = []
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(  # noqa: PLR0913, PLR0917 - each is a limit or a wish of its own
    argv: "Sequence[str]", folder: str, environment: "Mapping[str, str]", seconds: "float | None", most_bytes: int = MOST_BYTES,
    stdin: "bytes | None" = None, merged: bool = False, on_line: "Callable[[bytes], Any] | None" = None,
    stopped: "Callable[[], bool] | None" = None, silence: "float | None" = None,
) -> Outcome:  # fmt: skip
    """Run a program without a shell or a terminal, and end it with all that it started when its time is up.

    What it started is ended after a normal exit too. `environment` is the whole of it; `seconds` may be None for no limit, as
    may `silence`, after which a program is ended that prints nothing. `merged` puts stderr into `out`. `on_line` hears each line
    of stdout without its end; `stopped` is asked ten times a second.
    Nothing that the program does raises. A signal to us ends the program first and reaches its handler then.
    """
    started = time.monotonic()
    mark = os.urandom(16).hex()  # which no other process carries
    with _Signals() as caught, Orphans() as orphans:
        try:
            process = _start(argv, folder, descendants.marked(environment, mark), stdin is not None, merged)
        except (OSError, ValueError, IndexError) as error:  # a name with a zero byte, no name at all
            return Outcome(None, b"", _why(error, argv, folder), time.monotonic() - started, "start", 0)
        _tell(process.pid, True)
        child = _Child(process, stdin, most_bytes, on_line)
        try:
            ended_by = _follow(child, started + _or_never(seconds), _or_never(silence), stopped, caught)
        except BaseException:
            child.hears = None  # what raised may raise again
            raise
        finally:
            _end(child, mark, orphans)
            _tell(process.pid, False)
        out, err = child.out.text(), child.err.text()
        return Outcome(process.returncode, out, err, time.monotonic() - started, ended_by, child.out.cut + child.err.cut)


def printed_by(order: "list[str]", **variables: str) -> str:
    """Return what a short program prints, asked without input; nothing where it does not start or does not end in time."""
    try:
        run = subprocess.run(
            order, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False, timeout=ANSWER_S,
            env={**os.environ, **variables},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout


BEHIND: "list[str]" = []  # the command that is put in front of those that are run


@contextmanager
def behind(order: "list[str]") -> "Iterator[None]":
    """Have each program that is run within this be started by another one, as whose last words it is given."""
    before = BEHIND[:]
    BEHIND[:] = order
    try:
        yield
    finally:
        BEHIND[:] = before


def _started_by(argv: "Sequence[str]", folder: str, environment: "Mapping[str, str]") -> "list[str]":
    """Return the words of a command with what is put in front; raises OSError for what would fail only behind that."""
    if BEHIND and argv:
        at = os.path.join(folder, argv[0]) if "/" in argv[0] else shutil.which(argv[0], path=environment.get("PATH", os.defpath))
        if not at or not os.path.exists(at):
            raise FileNotFoundError(2, "not found", argv[0])
        if not os.access(at, os.X_OK):
            raise PermissionError(13, "not executable", argv[0])
    return [*BEHIND, *argv]


def _start(argv: "Sequence[str]", folder: str, environment: "dict[str, str]", fed: bool, merged: bool) -> "subprocess.Popen[bytes]":
    words = _started_by(argv, folder, environment)
    for wrapped in WRAPPERS:
        words = wrapped(words, folder)
    return subprocess.Popen(
        words,
        bufsize=0,
        stdin=subprocess.PIPE if fed else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )


def _tell(group: int, has_begun: bool) -> None:
    for told in TOLD:
        told(group, has_begun)


def _why(error: Exception, argv: "Sequence[str]", folder: str) -> bytes:
    program = argv[0] if argv else ""
    if not Path(folder).is_dir():
        text = f"the folder {folder} is not there"
    elif not program:
        text = "no program is named"
    elif isinstance(error, FileNotFoundError):  # of a script too, whose first line names an interpreter that is not there
        text = f"{program} is not found"
    elif isinstance(error, PermissionError):
        is_shut = "/" in program and is_noexec(os.path.dirname(os.path.join(folder, program)))
        text = f"{program} {'lies on a disk that is mounted noexec' if is_shut else 'is not executable'}"
    else:
        text = f"{program} cannot be started: {getattr(error, 'strerror', None) or error}"
    return text.encode("utf-8", "backslashreplace")


def is_noexec(folder: str) -> bool:
    """Say whether a folder lies on a disk from which no program may be started, whatever its mode."""
    try:
        return bool(os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0))
    except OSError:
        return False


def _or_never(seconds: "float | None") -> float:
    return float("inf") if seconds is None else seconds


def _follow(
    child: "_Child", until: float, silence: float, stopped: "Callable[[], bool] | None", caught: "list[int]"
) -> str:  # fmt: skip
    """Go along with a program until it ends or has to; return who ended it."""
    ask_at = time.monotonic()
    while child.process.poll() is None:
        now = time.monotonic()
        if now >= until:
            return "time"
        if now >= child.heard_at + silence:
            return "silence"
        if now >= ask_at:
            ask_at = now + TICK_S
            if caught or (stopped is not None and stopped()):
                return "stop"
        child.attend(min(TICK_S, until - now))
    return ""


def _end(child: "_Child", mark: str, orphans: Orphans) -> None:
    """End what is left of a program, politely at first, and read what it still said."""

    def left() -> "set[int]":
        return descendants.living(child.process.pid, mark, lambda found: orphans.among(found, child.process.pid))

    if not _gone(child, left, signal.SIGTERM, GRACE_S):
        _gone(child, left, signal.SIGKILL, LAST_S)
    child.close()
    try:
        child.process.wait(BURIED_S)
    except subprocess.TimeoutExpired:  # it sleeps in the kernel, where nobody can end it
        pass


def _gone(child: "_Child", left_of_it: "Callable[[], set[int]]", number: int, seconds: float) -> bool:
    """Send a signal once to each process that is left, new ones included; say whether none is left in time."""
    until, told = time.monotonic() + seconds, set[int]()
    while True:
        left = left_of_it()
        descendants.send(left - told, number)
        told |= left
        if not left or time.monotonic() >= until:
            return not left
        child.attend(0.02)


class _Child:
    """A program that runs: its pipes, and what came out of them."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", stdin: "bytes | None", most_bytes: int, hears: "Callable[[bytes], Any] | None"
    ) -> None:
        self.process = process
        self.hears = hears
        self.heard_at = time.monotonic()
        self.out, self.err = _Kept(most_bytes), _Kept(most_bytes)
        self._line = bytearray()
        self._line_is_too_long = False
        self._feed = memoryview(stdin or b"")
        self._pipes = selectors.DefaultSelector()
        self._open(process.stdout, selectors.EVENT_READ, self._read_out)
        self._open(process.stderr, selectors.EVENT_READ, self._read_err)
        self._open(process.stdin, selectors.EVENT_WRITE, self._write)

    def _open(self, pipe: "Any", event: int, act: "Callable[[int], bool]") -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._pipes.register(pipe, event, act)

    def attend(self, seconds: float) -> bool:
        """Read and write what can be, waiting for that at most so long; say whether there was anything."""
        if not self._pipes.get_map():  # it closed its pipes and lives on
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
            return False
        ready = self._pipes.select(seconds)
        for key, _ in ready:
            if not key.data(key.fd):
                self._pipes.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
        return bool(ready)

    def close(self) -> None:
        """Read what still lies in the pipes; what escaped us and holds them open is not waited for."""
        until = time.monotonic() + LAST_S
        while self._pipes.get_map() and self.attend(0) and time.monotonic() < until:
            pass
        self._tell_lines(b"\n" if self._line else b"")
        for key in list(self._pipes.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._pipes.close()

    def _read_out(self, pipe: int) -> bool:
        data = self._read(pipe)
        self.out.add(data or b"")
        self._tell_lines(data or b"")
        return data != b""

    def _read_err(self, pipe: int) -> bool:
        data = self._read(pipe)
        self.err.add(data or b"")
        return data != b""

    def _read(self, pipe: int) -> "bytes | None":
        data = _read(pipe)
        self.heard_at = time.monotonic() if data else self.heard_at
        return data

    def _write(self, pipe: int) -> bool:
        try:
            self._feed = self._feed[os.write(pipe, self._feed[:CHUNK]) :]
        except BlockingIOError:
            return True
        except OSError:  # it does not read on
            return False
        return bool(self._feed)

    def _tell_lines(self, data: bytes) -> None:
        if self.hears is None:
            return
        *whole, rest = data.split(b"\n")
        for part in whole:
            line, told = bytes(self._line + part), not self._line_is_too_long
            self._line.clear()
            self._line_is_too_long = False
            if told:
                self.hears(line)
        self._line += rest
        if len(self._line) > LONGEST_LINE:
            self._line.clear()
            self._line_is_too_long = True


def _read(pipe: int) -> "bytes | None":
    """Return what a pipe holds: None for nothing yet, empty at its end."""
    try:
        return os.read(pipe, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


class _Kept:
    """The head and the tail of an output, of which the middle is dropped where it is long."""

    def __init__(self, most_bytes: int) -> None:
        self._half = max(1, most_bytes // 2)
        self._head, self._tail = bytearray(), bytearray()
        self.cut = 0

    def add(self, data: bytes) -> None:
        """Keep what may be kept of more output."""
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._half:  # rarely, since it moves half of it
            self._drop(len(self._tail) - self._half)

    def _drop(self, count: int) -> None:
        del self._tail[:count]
        self.cut += count

    def text(self) -> bytes:
        """Return what was kept, in whole lines, as half a secret is not recognised; a line says where a part was dropped."""
        if len(self._tail) > self._half:
            self._drop(len(self._tail) - self._half)
        if not self.cut:
            return bytes(self._head + self._tail)
        head, tail = self._head.rfind(b"\n") + 1 or len(self._head), self._tail.find(b"\n") + 1
        self.cut += len(self._head) - head + tail
        return bytes(self._head[:head]) + b"... %d bytes left out ...\n" % self.cut + bytes(self._tail[tail:])


class _Signals:
    """Signals that would end us, kept back until the program has ended, then given to whoever handled them before."""

    def __init__(self) -> None:
        self.caught: list[int] = []
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "list[int]":
        if threading.current_thread() is threading.main_thread():
            for number in PASSED_ON:
                handler = signal.getsignal(number)
                if handler not in (None, signal.SIG_IGN):  # None: not set from Python, and not ours to set
                    self._before[number] = signal.signal(number, self._catch)
        return self.caught

    def _catch(self, number: int, _frame: "Any") -> None:
        self.caught.append(number)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(self.caught):
            signal.raise_signal(number)
