"""Write the record of a run durably, one JSON object a line, and read its state by a pure fold."""

import json
import os
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import stop_reasons
from ralph_mem.ralph.criteria import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DAMAGED = "damaged"


def append(path: str, entry: "dict[str, Any]") -> None:
    """Add an entry, whole and durably, or raise LoopError and leave the record as it was.

    What it says of outputs, goals and messages has to be redacted already. A line that a crash cut off, which no reader
    has ever been told of, is taken away first.
    """
    line = json.dumps(entry, separators=(",", ":"), default=str).encode() + b"\n"
    try:
        _append(path, line)
    except OSError as error:
        message = f"the record of the loop cannot be written: {error.strerror or error}"
        raise LoopError(message, f"make room for {path}, then `ralph-mem ralph resume`") from error


def _append(path: str, line: bytes) -> None:
    new = not os.path.exists(path)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        paths.lock(file, wait_s=paths.FOR_EVER)  # `stop` and `rollback` write from other processes
        end = _end_of_lines(file)
        try:
            _write(file, line, end)
            os.ftruncate(file, end + len(line))
            os.fsync(file)
        except OSError:
            os.ftruncate(file, end)
            raise
    finally:
        os.close(file)
    if new:
        _sync_folder(path)


def _write(file: int, line: bytes, at: int) -> None:
    while line:
        written = os.pwrite(file, line, at)
        line, at = line[written:], at + written


def _end_of_lines(file: int) -> int:
    """Return where the last whole line ends."""
    end = os.fstat(file).st_size
    while end:
        start = max(0, end - 65_536)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _sync_folder(path: str) -> None:
    """Make the name of a new file last too."""
    folder = os.open(path.rpartition("/")[0] or "/", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: str) -> "list[dict[str, Any]]":
    """Return the entries in order, none for a file that is not there. Raises LoopError for one that cannot be read.

    A last line without an end was never finished and does not count. A damaged line becomes an entry `damaged` that
    tells its number, so that whoever shows the run can say so.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LoopError(f"the record of the loop cannot be read: {error.strerror}", f"look at {path}") from error
    with os.fdopen(file, "rb") as opened:
        lines = opened.read().split(b"\n")[:-1]
    return [_entry(line, number) for number, line in enumerate(lines, 1)]


def _entry(line: bytes, number: int) -> "dict[str, Any]":
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if isinstance(entry, dict) and isinstance(entry.get("what"), str):
        return entry
    return {"what": DAMAGED, "line": number}


HEADLESS, IN_SESSION, GUARD = "headless", "in_session", "guard"
RUNNING, INTERRUPTED = "running", "interrupted"  # the other three are in stop_reasons
RATE_LIMITED = "rate_limited"

Iteration = namedtuple(
    "Iteration", "number started ended kind why verdicts tree snapshot changed tampered cost tokens message prompt"
)
Iteration.__doc__ = """One pass of the loop.

`kind` and `why` are the agent's outcome (as `claude.Answer`), `verdicts` what the criteria said afterwards, `tree` and
`snapshot` the files then, `changed` a list of [path, added, changed or deleted], `tampered` lines about edits to what judges
it, `cost` in dollars or None where it is not known. `message` is an excerpt of what the agent said last, `prompt` tells hash,
tokens and memories.
"""

# What a record of an older or newer release may lack.
NO_ITERATION = Iteration(0, 0, 0, "done", "", [], "", 0, [], [], None, 0, "", {})
NO_VERDICT = Verdict("", "", "failed", "", None, {}, [], None, "", 0.0, [])


class Run:
    """A run as its record tells of it so far.

    `baseline` is the list of verdicts before the first iteration. `begun` is the number of the last iteration that was begun,
    finished or not; `resumed_after` the number of those that were finished when a person let it go on, 0 if nobody did;
    `spent_ms` the time of closed stretches of work and `since` when the open one began (0: paused). `waits` are pauses
    for a rate limit, `waiting` says that the last of them is not over. `damaged` holds numbers of lines that could not be read.
    """

    __slots__ = (
        "baseline", "begun", "criteria", "damaged", "decisions", "ended", "folder", "goal", "id", "iterations", "last_seen",
        "limits", "mode", "nonce", "options", "owner", "promise", "reason", "resumed_after", "rolled_back", "since", "spent_ms",
        "start_snapshot", "start_tree", "started", "status", "stop_asked", "waiting", "waits", "why",
    )  # fmt: skip

    def __init__(self) -> None:
        self.id = self.goal = self.owner = self.nonce = self.promise = self.folder = self.start_tree = ""
        self.mode, self.status, self.reason, self.why = HEADLESS, RUNNING, "", ""
        self.limits = stop_reasons.DEFAULT
        self.criteria: list[dict[str, Any]] = []
        self.options: dict[str, Any] = {}
        self.baseline: list[Verdict] = []
        self.iterations: list[Iteration] = []
        self.decisions: list[dict[str, Any]] = []
        self.waits: list[dict[str, Any]] = []
        self.rolled_back: list[dict[str, Any]] = []
        self.damaged: list[int] = []
        self.start_snapshot = self.started = self.ended = self.begun = self.resumed_after = 0
        self.spent_ms = self.since = self.last_seen = 0
        self.stop_asked = self.waiting = False

    def add(self, entry: "dict[str, Any]") -> None:
        """Take in the next entry of the record; one of an unknown kind changes nothing."""
        handle = HANDLERS.get(entry.get("what", ""))
        if handle:
            handle(self, entry)
        self.last_seen = max(self.last_seen, *[_number(entry.get(key)) for key in ("at", "now", "started", "ended")])

    def used(self) -> int:
        """Return how many iterations count: those that a rate limit ended do not."""
        return len(self.tried())

    def tried(self) -> "list[Iteration]":
        """Return the iterations that count."""
        return [iteration for iteration in self.iterations if iteration.kind != RATE_LIMITED]

    def next_number(self) -> int:
        """Return the number of the next iteration: one that was begun and never finished is done again."""
        return self.iterations[-1].number + 1 if self.iterations else 1

    def elapsed_ms(self, now: int) -> int:
        """Return how long it has been at work, in which time it lay interrupted does not count."""
        return self.spent_ms + (max(0, now - self.since) if self.since else 0)

    def cost(self) -> float:
        """Return what it has cost so far, in dollars; an agent that tells no price costs nothing here."""
        return sum([each.cost or 0.0 for each in self.iterations]) + sum([_price(wait.get("cost")) for wait in self.waits])

    def tokens(self) -> int:
        """Return how many tokens its iterations took."""
        return sum([each.tokens or 0 for each in self.iterations])

    def standing(self) -> int:
        """Return the last iteration whose changes the files have: that to which they were rolled back, 0 for the start."""
        now = before = self.iterations[-1].number if self.iterations else 0
        for told in self.rolled_back:
            now, before = (before if told.get("to") == "undo" else _led_to(self, told, now)), now
        return now

    def is_taken_back(self, iteration: "Iteration") -> bool:
        """Say whether a rollback took away what an iteration did; it did not where it kept all of that."""
        kept = self.rolled_back[-1].get("kept_paths") or [] if self.rolled_back else []
        changed = [each[0] for each in iteration.changed]
        return iteration.number > self.standing() and not (changed and set(changed) <= set(kept))

    def verdicts(self) -> "list[Verdict]":
        """Return the verdicts of the last iteration that was judged, or of the baseline."""
        judged = [each.verdicts for each in self.iterations if each.verdicts]
        return judged[-1] if judged else self.baseline


def _led_to(run: Run, told: "dict[str, Any]", otherwise: int) -> int:
    """Return the iteration that a rollback led to."""
    if told.get("to") == "start" or told.get("target") == run.start_snapshot:
        return 0
    return next((each.number for each in run.iterations if each.snapshot and each.snapshot == told.get("target")), otherwise)


def fold(entries: "list[dict[str, Any]]") -> Run:
    """Return the run that a record tells of."""
    run = Run()
    for entry in entries:
        run.add(entry)
    return run


def entry_of(iteration: Iteration) -> "dict[str, Any]":
    """Return an iteration as its entry in the record."""
    verdicts = [dict(verdict._asdict()) for verdict in iteration.verdicts]
    return {"what": "iteration", **iteration._asdict(), "verdicts": verdicts}


def baseline_entry(verdicts: "list[Verdict]", at: int, snapshot: int = 0, tree: str = "") -> "dict[str, Any]":
    """Return the verdicts before the first iteration as their entry, with the snapshot that was taken before them, if any.

    `tree` is the one that they left.
    """
    there = {"snapshot": snapshot, "tree": tree} if snapshot or tree else {}
    return {"what": "baseline", "at": at, "verdicts": [dict(verdict._asdict()) for verdict in verdicts], **there}


def _start(run: Run, entry: "dict[str, Any]") -> None:
    for name in (
        "id",
        "goal",
        "mode",
        "owner",
        "nonce",
        "promise",
        "folder",
        "criteria",
        "options",
        "start_tree",
        "start_snapshot",
    ):
        if name in entry:
            setattr(run, name, entry[name])
    run.limits = stop_reasons.from_json(entry.get("limits"))
    run.started = run.since = _number(entry.get("at")) or _number(entry.get("started"))


def _baseline(run: Run, entry: "dict[str, Any]") -> None:
    run.baseline = _verdicts(entry)
    _snapshot(run, entry)
    run.start_tree = str(entry.get("tree") or run.start_tree)  # with what these checks left: the agent begins with that


def _snapshot(run: Run, entry: "dict[str, Any]") -> None:
    # the start is known once: what a resumed run snapshots later does not move it
    run.start_snapshot = run.start_snapshot or _number(entry.get("snapshot"))
    run.start_tree = run.start_tree or str(entry.get("tree") or "")


def _begun(run: Run, entry: "dict[str, Any]") -> None:
    run.begun = _number(entry.get("number"))
    run.waiting = False


def _iteration(run: Run, entry: "dict[str, Any]") -> None:
    fields = {name: entry[name] for name in Iteration._fields if name in entry}
    run.iterations.append(NO_ITERATION._replace(**{**fields, "verdicts": _verdicts(entry)}))
    run.begun = max(run.begun, run.iterations[-1].number)


def _verdicts(entry: "dict[str, Any]") -> "list[Verdict]":
    return [
        NO_VERDICT._replace(**{name: value for name, value in told.items() if name in Verdict._fields})
        for told in entry.get("verdicts") or []
    ]


def _decision(run: Run, entry: "dict[str, Any]") -> None:
    run.decisions.append(entry)


def _waiting(run: Run, entry: "dict[str, Any]") -> None:
    run.waits.append(entry)
    run.waiting = True


def _stop_asked(run: Run, _entry: "dict[str, Any]") -> None:
    run.stop_asked = True


def _paused(run: Run, entry: "dict[str, Any]") -> None:
    run.spent_ms = run.elapsed_ms(_number(entry.get("at")) or run.last_seen)
    run.since = 0


def _resumed(run: Run, entry: "dict[str, Any]") -> None:
    if run.since:  # a crash leaves no `paused`: the work ended with the last that was heard of it
        run.spent_ms = run.elapsed_ms(max(run.last_seen, _number(entry.get("last_beat"))))
    run.since = _number(entry.get("at"))
    run.limits = stop_reasons.from_json(entry.get("limits"), run.limits)
    run.mode, run.owner = entry.get("mode", run.mode), entry.get("owner", run.owner)
    run.nonce = entry.get("nonce", run.nonce)
    run.status, run.reason, run.why, run.ended, run.stop_asked = RUNNING, "", "", 0, False
    run.waiting = False
    run.resumed_after = run.iterations[-1].number if run.iterations else 0


def _rolled_back(run: Run, entry: "dict[str, Any]") -> None:
    run.rolled_back.append(entry)


def _end(run: Run, entry: "dict[str, Any]") -> None:
    _paused(run, entry)
    run.ended = _number(entry.get("at"))
    run.status, run.reason, run.why = entry.get("status", "stopped"), entry.get("reason", ""), entry.get("why", "")


def _damaged(run: Run, entry: "dict[str, Any]") -> None:
    run.damaged.append(_number(entry.get("line")))


def _number(value: "Any") -> int:
    return int(_price(value))


def _price(value: "Any") -> float:
    """Return a number of the record, 0 for what is none (JSON of Python knows NaN and Infinity)."""
    return value if isinstance(value, (int, float)) and abs(value) < float("inf") else 0


HANDLERS = {
    "start": _start, "baseline": _baseline, "snapshot": _snapshot, "begun": _begun, "iteration": _iteration,
    "decision": _decision, "waiting": _waiting, "stop_asked": _stop_asked, "paused": _paused, "resumed": _resumed,
    "rolled_back": _rolled_back, "end": _end, DAMAGED: _damaged,
}  # fmt: skip
