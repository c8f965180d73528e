"""Find the records of a tree's loops, and hold the lock by which one loop is alive.

The lock goes with its process. Everything lies outside the project, where
neither `git clean -fdx` nor `rm -rf .ralph-mem` of an agent reaches.
"""

import os
import threading
import time
from collections import namedtuple

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import leftovers, record
from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.record import GUARD, HEADLESS, INTERRUPTED, RUNNING, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run

    Told = Callable[[str], None]

Live = namedtuple("Live", "run mode owner pid born turn beat", defaults=(0, 0, "", 0))
Live.__doc__ = """The loop that is at work: its run, mode and owner, the process that it lives and dies with (headless: the
supervisor, in session: the client) and the tick when that began, the turn of the session that it goes on from (as its event
names it), and when it was last heard of, in ms."""
NOBODY = Live("", HEADLESS, "")

BEAT_S = 5.0
# A client that told no process is believed for so long after its last turn: a turn of hours is rare, a session of days is not.
MOST_SILENT_MS = 12 * 3_600_000
SUFFIX = ".jsonl"


def folder_of(project: "Project") -> str:
    """Return the folder of a tree's loops, there or not. Raises LoopError where there is no home to keep it in."""
    folder = _folder(project)
    if not folder:
        raise LoopError("there is no home folder to keep the loop's records in", "set HOME, or XDG_DATA_HOME, to a folder of yours")
    return folder


def _folder(project: "Project") -> str:
    """Return the same, empty without a home. `interfaces/hooks` knows this place too."""
    home = paths.data_home()
    return f"{home}/{paths.LOOPS}/{paths.key_of(project.top)}" if home else ""


def live_path(project: "Project") -> str:
    """Return the file that is there while a loop is at work, empty without a home.

    One look at it tells a hook that it has nothing to do.
    """
    folder = _folder(project)
    return f"{folder}/live.json" if folder else ""


def live(project: "Project") -> "Live | None":
    """Return the loop that says it is at work in this tree; whether it still is, `is_alive` says."""
    path = live_path(project)
    text = paths.read(path) if path else ""
    try:
        told = fast.loads(text) if text else {}
    except ValueError:  # written whole or not at all, so somebody else did this
        told = {}
    if not isinstance(told, dict) or not isinstance(told.get("run"), str):
        return None
    return NOBODY._replace(**{name: told[name] for name in Live._fields if name in told})


def write_live(project: "Project", now: Live) -> None:
    """Say which loop is at work. Only the one that is may do so. Raises OSError."""
    paths.write(live_path(project), fast.dumps(dict(now._asdict())))


def clear_live(project: "Project", run_id: str) -> None:
    """Say that this run is at work no more; another one's word is left alone."""
    now = live(project)
    if now is None or now.run == run_id:
        paths.remove(live_path(project))
        paths.remove(_stop_path(project, run_id))


def is_alive(project: "Project", now: Live, now_ms: "int | None" = None) -> bool:
    """Say whether the loop still has what keeps it going: headless its lock, in session its client."""
    if now.mode == HEADLESS:
        return leftovers.is_held(folder_of(project))
    if now.pid:
        return leftovers.is_running(now.pid, now.born)
    at = int(time.time() * 1000) if now_ms is None else now_ms
    return bool(at - now.beat < MOST_SILENT_MS)


def busy(project: "Project") -> "Live | None":
    """Return the loop that stands in the way of another one in this tree; the one that this process runs does not."""
    now = live(project)
    ours = now and now.mode == HEADLESS and now.pid == os.getpid()
    return now if now and not ours and is_alive(project, now) else None


def new_id() -> str:
    """Return a name for a new run."""
    return f"loop-{os.urandom(4).hex()}"


def path_of(project: "Project", run_id: str) -> str:
    """Return the path of a run's record."""
    return f"{folder_of(project)}/{run_id}{SUFFIX}"


def create(project: "Project", run_id: str, start: "dict[str, Any]") -> str:
    """Begin the record of a run with its `start` entry; returns its path. Raises LoopError."""
    _make_folder(project)
    path = path_of(project, run_id)
    if paths.exists(path):
        raise LoopError(f"a run {run_id} is there already", "start again")
    record.append(path, {**start, "what": "start", "id": run_id})
    return path


def _make_folder(project: "Project") -> str:
    folder = folder_of(project)
    try:
        paths.make_folder(folder)
    except OSError as error:
        raise LoopError(f"the loop's folder cannot be made: {error.strerror}", f"look at {folder}") from error
    return folder


def all(project: "Project") -> "list[Run]":  # noqa: A001 - reads as runs.all
    """Return the runs of a tree, oldest first; one whose loop is gone without an end is `interrupted`."""
    found = [_read(project, name[: -len(SUFFIX)]) for name in _names(project)]
    return sorted([run for run in found if run.id], key=lambda run: (run.started, run.id))


def latest(project: "Project") -> "Run | None":
    """Return the run that was started last, if there is one; a guard, which changes no file, is not meant."""
    return ([None, *[run for run in all(project) if run.mode != GUARD]])[-1]


def find(project: "Project", run_id: str) -> "Run":
    """Return a run by its id or the beginning of one, without a name the latest. Raises LoopError."""
    if not run_id:
        run = latest(project)
        if run is None:
            raise LoopError("no loop has run here yet", '`ralph-mem ralph start "GOAL"` starts one')
        return run
    names = [name[: -len(SUFFIX)] for name in _names(project)]
    meant = [run_id] if run_id in names else [name for name in names if name.startswith((run_id, f"loop-{run_id}"))]
    if len(meant) == 1:
        return _read(project, meant[0])
    what = f"several runs begin with {run_id}: {', '.join(sorted(meant))}" if meant else f"there is no run {run_id} here"
    raise LoopError(what, "`ralph-mem ralph status --history` lists them")


def _names(project: "Project") -> "list[str]":
    try:
        return [name for name in os.listdir(folder_of(project)) if name.endswith(SUFFIX)]
    except FileNotFoundError:
        return []


def _read(project: "Project", run_id: str) -> "Run":
    run = fold(record.read(path_of(project, run_id)))
    if run.status == RUNNING and run.id:
        now = live(project)
        ours = now if now and now.run == run.id else None
        if ours is None or not is_alive(project, ours):
            interrupt(run, ours.beat if ours else 0)
    return run


def interrupt(run: "Run", last_beat: int = 0) -> None:
    """Mark a run as interrupted: its clock stopped when it was last heard of, which `last_seen` is from now on."""
    run.last_seen = max(run.last_seen, last_beat)
    run.spent_ms = run.elapsed_ms(run.last_seen)
    run.since, run.status = 0, INTERRUPTED


def ask_to_stop(project: "Project", run_id: str) -> None:
    """Ask the loop to stop at the next occasion, for it may be in another process. Raises OSError."""
    paths.write(_stop_path(project, run_id), "")


def is_asked_to_stop(project: "Project", run_id: str) -> bool:
    """Say whether somebody has asked this run to stop; cheap enough to be asked ten times a second."""
    return paths.exists(_stop_path(project, run_id))


def _stop_path(project: "Project", run_id: str) -> str:
    return f"{folder_of(project)}/{run_id}.stop"


class Lock:
    """The right to be the one loop of a tree, held by an open file: however the process ends, the lock ends with it.

    Children do not inherit it. Used as `with Lock(project): ...`; raises LoopError where another loop is at work. What a loop that
    was killed has left running in the tree is ended first.
    """

    __slots__ = ("file", "project")

    def __init__(self, project: "Project") -> None:
        self.project = project
        self.file = -1

    def __enter__(self) -> None:
        """Take the lock, see that no session's loop is at work either, and that no dead loop's agent still is."""
        self.file = leftovers.hold(_make_folder(self.project))
        other = live(self.project)
        in_session = other if self.file >= 0 and other and other.mode != HEADLESS and is_alive(self.project, other) else None
        if self.file < 0 or in_session:
            self.let_go()
            name = f" ({other.run}, process {other.pid})" if other else ""
            raise LoopError(
                f"a loop is at work here already{name}", "`ralph-mem ralph status` shows it, `ralph-mem ralph stop` ends it"
            )
        if other:
            leftovers.end(other.run)

    def __exit__(self, kind: "type[BaseException] | None", error: "BaseException | None", where: "TracebackType | None") -> None:
        """Let go."""
        self.let_go()

    def let_go(self) -> None:
        """Let go of the lock, if it is held."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


class Heartbeat:
    """Says every few seconds, from a thread of its own, that a headless run is alive, and at the end that it is not."""

    def __init__(self, project: "Project", run_id: str, seconds: float = BEAT_S) -> None:
        self.project = project
        self.seconds = seconds
        self.now = Live(run_id, HEADLESS, "", os.getpid(), leftovers.born(os.getpid()))
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._go_on, name="ralph-mem heartbeat", daemon=True)

    def __enter__(self) -> None:
        """Beat once and then from time to time. Raises OSError where not even the first beat can be written."""
        paths.remove(_stop_path(self.project, self.now.run))  # meant for a loop that was killed before it saw it
        self._beat()
        self.thread.start()

    def __exit__(self, kind: "type[BaseException] | None", error: "BaseException | None", where: "TracebackType | None") -> None:
        """Beat no more, and say so."""
        self.over.set()
        self.thread.join()
        clear_live(self.project, self.now.run)

    def _go_on(self) -> None:
        while not self.over.wait(self.seconds):
            try:
                self._beat()
            except OSError:  # a disk that is full just now: the lock says that we are alive
                continue

    def _beat(self) -> None:
        self.now = self.now._replace(beat=int(time.time() * 1000))
        write_live(self.project, self.now)


# Begins a line that tells of what is going on just now, and is over with the next one: a terminal replaces it, a file has none.
MEANWHILE = "  "


def now_ms() -> int:
    """Return the time in milliseconds."""
    return time.time_ns() // 1_000_000


class Loop:
    """A run at work. `begun` and `facts` tell when its last iteration began, and what was in its prompt."""

    __slots__ = ("begun", "facts", "path", "project", "run", "settings", "told")

    def __init__(self, project: "Project", settings: "dict[str, Any]", run_id: str, told: "Told | None" = None) -> None:
        self.project = project
        self.settings = settings
        self.told: Told = told or (lambda _line: None)
        self.path = path_of(project, run_id)
        entries = record.read(self.path)
        self.run = fold(entries)
        if not self.run.id:
            raise LoopError(f"there is no run {run_id} here", "`ralph-mem ralph status --history` lists them")
        begun: list[dict[str, Any]] = [{}, *[entry for entry in entries if entry["what"] == "begun"]]
        last = begun[-1]
        self.begun = int(last.get("at") or 0)
        self.facts: dict[str, Any] = last.get("prompt") or {}

    def note(self, what: str, **facts: "Any") -> None:
        """Add to the record, on the disk before this returns. Raises LoopError."""
        entry = {"what": what, "at": now_ms(), **facts}
        record.append(self.path, entry)
        self.run.add(entry)

    def option(self, name: str) -> "Any":
        """Return what was asked for at the start."""
        return self.run.options.get(name)

    def is_running(self) -> bool:
        """Say whether it has not ended."""
        return bool(self.run.status == RUNNING)

    def criteria(self) -> "list[Criterion]":
        """Return the checks that were accepted when it began: whatever the agent has written since, these are run."""
        return [Criterion(**{**each, "argv": tuple(each["argv"])}) for each in self.run.criteria]

    def seconds_left(self) -> float:
        """Return how long it may still work, in seconds."""
        return max(0.0, float(self.run.limits.duration_ms - self.run.elapsed_ms(now_ms())) / 1000)
