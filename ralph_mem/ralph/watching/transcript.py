"""Keep what the agent of an iteration did and said, redacted, and show what it does just now."""

import os
import threading
from collections import namedtuple

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import LoopError
from ralph_mem.core.format import count
from ralph_mem.core.redaction import privacy, terminal
from ralph_mem.hosts.claude_code import archive
from ralph_mem.ralph import record, runs
from ralph_mem.ralph.loop import MEANWHILE
from ralph_mem.ralph.record import HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.hosts.claude_code.launch import Answer
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run

SUFFIX = "transcript"  # behind the name of a run
# Of what it did the first lines say how it began, the last ones how it ended; what lies between is counted.
HEAD_LINES, TAIL_LINES, MOST_MESSAGE = 100, 200, 20_000
MOST_HEARD = 5_000  # lines that are looked through for secrets before they are cut
# Of a run that has filled this, iterations leave less: some 8 MB after 1,000 of them, which is what a run may have.
MOST_BYTES, FEW_LINES, FEW_CHARACTERS = 4_194_304, 20, 1_000

Told = namedtuple("Told", "number at kind head left_out tail message")
Told.__doc__ = """What an iteration told: its number, when it ended, how its agent ended, the first lines of what that did, how
many are left out behind them, the last ones, and its last message."""
NOTHING = Told(0, 0, "", [], 0, [], "")
MOST_LINES = 12  # half of a small terminal
EVERY_S = 0.25  # as often as somebody who looks on sees a difference; an agent may print thousands of lines in that time


class Heard:
    """What an agent tells while it works: the first lines and the last ones."""

    __slots__ = ("left_out", "lines")

    def __init__(self, lines: "list[str] | None" = None) -> None:
        self.lines = lines or []
        self.left_out = 0

    def __call__(self, line: str) -> None:
        """Take in a line."""
        self.lines.append(line)
        if len(self.lines) > MOST_HEARD:
            del self.lines[HEAD_LINES : MOST_HEARD // 2]
            self.left_out += MOST_HEARD // 2 - HEAD_LINES


def keep(loop: "Loop", heard: Heard, answer: "Answer") -> None:
    """Keep what an agent did. What cannot be written is told and lost: no iteration fails by that."""
    path = path_of(loop.project, loop.run.id)
    is_full = os.path.exists(path) and os.path.getsize(path) > MOST_BYTES
    lines = _safe(loop, "\n".join(heard.lines)).splitlines()
    head, tail = (0, FEW_LINES) if is_full else (HEAD_LINES, TAIL_LINES)
    cut = max(0, len(lines) - head - tail)
    most = FEW_CHARACTERS if is_full else MOST_MESSAGE
    told = Told(
        loop.run.next_number(), runs.now_ms(), answer.kind, lines[:head], cut + heard.left_out,
        lines[max(head, len(lines) - tail) :], _safe(loop, _message(loop, heard, answer))[-most:],
    )  # fmt: skip
    try:
        record.append(path, {"what": SUFFIX, **told._asdict()})
    except LoopError as error:
        loop.told(f"what the agent did is not kept: {error}")


def _message(loop: "Loop", heard: Heard, answer: "Answer") -> str:
    """Return the last message; of a command that reports none, all that it printed stands for it, which is kept as lines."""
    is_command, reports = bool(loop.option("agent")), bool(heard.lines) and heard.lines[-1].startswith("{")
    return "" if is_command and not reports else str(answer.message)


def _safe(loop: "Loop", text: str) -> str:
    return privacy.redacted(text, loop.project, loop.settings)[0]


def path_of(project: "Project", run_id: str) -> str:
    """Return where the transcripts of a run lie."""
    return runs.beside(project, run_id, SUFFIX)


def read(project: "Project", run: "Run") -> "list[Told]":
    """Return what each iteration of a run told, in order; of one that was done again the last. Raises LoopError."""
    entries = [entry for entry in record.read(path_of(project, run.id)) if entry["what"] == SUFFIX]
    found = [NOTHING._replace(**{name: entry[name] for name in Told._fields if name in entry}) for entry in entries]
    return list({told.number: told for told in found}.values())


def find(project: "Project", run: "Run", number: int) -> Told:
    """Return what an iteration told, the last one for 0. Raises LoopError where nothing is kept of it."""
    found = read(project, run)
    chosen = [told for told in found if told.number == number] if number else found[-1:]
    if chosen:
        return chosen[0]
    there = ", ".join([str(told.number) for told in found])
    hint = (
        f"there is one of {there}" if there else "loops of earlier releases kept none, nor does one before its first iteration ends"
    )
    raise LoopError(f"there is no transcript of {f'iteration {number} of ' if number else ''}{run.id}", hint)


def lines(told: Told, run: "Run") -> "list[str]":
    """Return a transcript for people, with what came of the iteration in its first line."""
    done = next((each for each in run.iterations if each.number == told.number), None)
    took = f", {count(len(done.changed) + done.unnamed, 'file')} changed" if done and done.snapshot else ""
    between = [f"... {told.left_out} more lines ..."] if told.left_out else []
    body = [f"  {line}" for line in [*told.head, *between, *told.tail]]
    message = ["", "It said at the end:", *told.message.splitlines()] if told.message.strip() else []
    first = f"{run.id}, iteration {told.number}: {told.kind}{took}"
    return [terminal.plain(line) for line in [first, *(body or ["  (nothing was heard of it)"]), *message]]


def facts(told: Told, run: "Run") -> "dict[str, Any]":
    """Return a transcript as plain JSON values."""
    return {"run": run.id, **told._asdict()}


class Following:
    """Passes on what a loop tells, and leaves the lines of the moment in a file beside its record while it is at work.

    A thread of its own writes, so that a chatty agent is not held up. What cannot be written is nobody's to see.
    """

    def __init__(self, project: "Project", values: "dict[str, Any]", run_id: str, told: "Callable[[str], None] | None") -> None:
        self._project, self._values, self._run, self._told = project, values, run_id, told
        self._new: list[str] = []
        self._kept: list[str] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="ralph-mem activity", daemon=True)

    def __call__(self, line: str) -> None:
        """Hear a line of the loop."""
        if line.startswith(MEANWHILE):
            self._new = [*self._new[1 - MOST_LINES :], line.strip()]
        if self._told:
            self._told(line)

    def __enter__(self) -> "Following":  # noqa: PYI034 - Self came with Python 3.11
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Write no more; the file goes with the others that lie there only while a run is at work."""
        self._over.set()
        self._thread.join()
        runs.ask_no_more(self._project, self._run, runs.ACTIVITY)

    def _go_on(self) -> None:
        while not self._over.wait(EVERY_S):
            new, self._new = self._new, []
            if new:
                self._kept = [*self._kept, *privacy.protect(new, self._project, self._values)[0]][-MOST_LINES:]
                self._write()

    def _write(self) -> None:
        try:
            paths.write(runs.beside(self._project, self._run, runs.ACTIVITY), fast.dumps(self._kept))
        except OSError:
            pass


def lines_now(project: "Project", values: "dict[str, Any]", live: "runs.Live | None", since: int = 0) -> "list[str]":
    """Return what the agent of the loop at work does just now, the latest last; of one in a session what it did since a moment."""
    if live is None:
        return []
    if live.mode != HEADLESS:
        done = archive.done_lately(live.owner, since)[-MOST_LINES:]
        return privacy.protect(done, project, values)[0] if done else []
    text = paths.read(runs.beside(project, live.run, runs.ACTIVITY))
    try:
        told = fast.loads(text) if text else []
    except ValueError:  # written whole or not at all, so somebody else did this
        told = []
    return [line for line in told if isinstance(line, str)][-MOST_LINES:] if isinstance(told, list) else []
