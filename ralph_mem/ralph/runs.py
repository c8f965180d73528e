"""Find the records of a tree's loops, outside the project, and say which loop is alive."""

import os
import time
from collections import namedtuple

from ralph_mem.core import descendants, fast, paths
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import leftovers, record
from ralph_mem.ralph.record import GUARD, HEADLESS, INTERRUPTED, RUNNING, fold
from ralph_mem.ralph.stop_reasons import SUCCESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project

    Told = Callable[[str], None]

Live = namedtuple(
    "Live", "run mode owner pid born turn beat round most failing whole paused off", defaults=(0, 0, "", 0, 0, 0, 0, 0, 0, 0)
)
Live.__doc__ = """The loop that is at work: its run, mode and owner, the process that it lives and dies with (headless: the
supervisor, in session: the client) and the tick when that began, the turn of the session that it goes on from (as its event
names it), and when it was last heard of, in ms; for a status line its round, how many
there may be, and how much fails; 1 where a compaction took from the session what it was told; 1 while it pauses; 1 once it was
told that nothing is recorded any more."""
NOBODY = Live("", HEADLESS, "")

# A client that told no process is believed for so long after its last turn: a turn of hours is rare, a session of days is not.
MOST_SILENT_MS = 12 * 3_600_000
SUFFIX = ".jsonl"
MOST_OF_A_START = 1_048_576  # bytes: a goal and its checks take some kB
TAKES_RUN = ("resume", "rollback", "apply", "diff", "log", "status --history")  # commands of hints


def folder_of(project: "Project") -> str:
    """Return the folder of a tree's loops, there or not. Raises LoopError where there is no home to keep it in."""
    folder = _folder(project)
    if not folder:
        raise LoopError("there is no home folder to keep the loop's records in", "set HOME, or XDG_DATA_HOME, to a folder of yours")
    return folder


def _folder(project: "Project") -> str:
    """Return the same, empty without a home. `interfaces/hooks` knows this place too."""
    home = paths.data_home()
    return f"{home}/{paths.LOOPS}/{paths.key_of(project.tree)}" if home else ""


def live_path(project: "Project") -> str:
    """Return the file that is there while a loop is at work, empty without a home.

    One look at it tells a hook that it has nothing to do.
    """
    folder = _folder(project)
    return f"{folder}/live.json" if folder else ""


def live(project: "Project") -> "Live | None":
    """Return the loop that says it is at work in this tree; whether it still is, `is_alive` says."""
    return _live(live_path(project))


def _live(path: str) -> "Live | None":
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
        forget_requests(project, run_id)


def is_alive(project: "Project", now: Live, at: int = 0) -> bool:
    """Say whether the loop still has what keeps it going: headless its lock, in session its client; `at` is the time in ms."""
    if now.mode == HEADLESS:
        return leftovers.is_held(folder_of(project))
    if now.pid:
        return leftovers.is_running(now.pid, now.born)
    return bool((at or now_ms()) - now.beat < MOST_SILENT_MS)


def busy(project: "Project") -> "Live | None":
    """Return the loop that stands in the way of another one in this tree; the one that this process runs does not."""
    now = live(project)
    ours = now and now.mode == HEADLESS and now.pid == os.getpid()
    return now if now and not ours and is_alive(project, now) else None


def in_the_way(now: "Live | None") -> LoopError:
    """Return the error that another loop, or a guard, is at work in the tree already; None where it does not say which."""
    if now and now.mode == GUARD:
        return LoopError(
            f"a guard is on here already ({now.run})", "`/ralph guard off` in its session, or `ralph-mem ralph stop`, ends it"
        )
    process = f", process {now.pid}" if now and now.pid else ""
    name = f" ({now.run}{process})" if now else ""
    return LoopError(f"a loop is at work here already{name}", "`ralph-mem ralph status` shows it, `ralph-mem ralph stop` ends it")


def above_us() -> str:
    """Return the run in the background whose supervisor this process is below, whatever lies between them; empty for a person's.

    What an agent starts and lets go of comes to its supervisor, with no variable left that tells of the run.
    """
    folder = f"{paths.data_home()}/{paths.LOOPS}"
    found = [_live(f"{folder}/{name}/live.json") for name in paths.names(folder)]
    above = set(descendants.above())
    ours = [now for now in found if now and now.mode == HEADLESS and now.pid in above]
    return next((str(now.run) for now in ours if leftovers.is_running(now.pid, now.born)), "")


def new_id() -> str:
    """Return a name for a new run."""
    return f"loop-{os.urandom(4).hex()}"


def path_of(project: "Project", run_id: str) -> str:
    """Return the path of a run's record."""
    return f"{folder_of(project)}/{run_id}{SUFFIX}"


def create(project: "Project", run_id: str, start: "dict[str, Any]") -> str:
    """Begin the record of a run with its `start` entry; returns its path. Raises LoopError."""
    make_folder(project)
    path = path_of(project, run_id)
    if paths.exists(path):
        raise LoopError(f"a run {run_id} is there already", "start again")
    record.append(path, {**start, "what": "start", "id": run_id})
    return path


def make_folder(project: "Project") -> str:
    """Make the folder of a tree's loops, and return it. Raises LoopError."""
    folder = folder_of(project)
    try:
        paths.make_folder(folder)
    except OSError as error:
        raise LoopError(f"the loop's folder cannot be made: {error.strerror}", f"look at {folder}") from error
    return folder


def all(project: "Project") -> "list[record.Run]":  # noqa: A001 - reads as runs.all
    """Return the runs of a tree, oldest first; one whose loop is gone without an end is `interrupted`."""
    found = [_read(project, name[: -len(SUFFIX)]) for name in _names(project)]
    return sorted([run for run in found if run.id], key=lambda run: (run.started, run.id))


def trees_of(root: str) -> "list[str]":
    """Return the tops of the trees of a project in which loops have run, also of worktrees that are gone."""
    home = f"{paths.data_home()}/{paths.LOOPS}"
    found = [f"{home}/{key}/{name}" for key in paths.names(home) for name in paths.names(f"{home}/{key}")]
    starts = [_start_of(path) for path in found if path.endswith(SUFFIX)]
    return list(dict.fromkeys([str(start.get("folder") or "") for start in starts if start.get("root") == root]))


def _start_of(path: str) -> "dict[str, Any]":
    try:
        told = fast.loads(paths.read(path, MOST_OF_A_START).partition("\n")[0])
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def latest(project: "Project") -> "record.Run | None":
    """Return the run that was started last, if there is one; a guard, which changes no file, is not meant.

    Of attempts side by side it is the one whose end was told: `ahead`.
    """
    found = [run for run in all(project) if run.mode != GUARD]
    if not found:
        return None
    lead = _lead(found[-1])
    return ahead([run for run in found if _lead(run) == lead])


def with_id(project: "Project", run: "record.Run", lines: "list[str]") -> "list[str]":
    """Return lines with the id of a run in the commands that would mean the latest without, where it is another one."""
    last = latest(project)
    if last is None or last.id == run.id:
        return lines
    for command in TAKES_RUN:
        lines = [line.replace(f"`ralph-mem ralph {command}", f"`ralph-mem ralph {command} {run.id}") for line in lines]
    return lines


def _lead(run: "record.Run") -> str:
    """Return the run that an attempt was begun beside; any other one is its own."""
    return str(run.options.get("attempt_of") or run.id)


def ahead(attempts: "list[record.Run]") -> "record.Run":
    """Return which of attempts at one goal, the lead first, reached it first; the lead where that did, or none."""
    reached = [run for run in attempts if run.status == SUCCESS]
    return attempts[0] if attempts[0] in reached or not reached else min(reached, key=lambda run: run.ended)


def find(project: "Project", run_id: str) -> "record.Run":
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
    raise LoopError(what, "`ralph-mem ralph runs` lists them")


def _names(project: "Project") -> "list[str]":
    try:
        return [name for name in os.listdir(folder_of(project)) if name.endswith(SUFFIX)]
    except FileNotFoundError:
        return []


def _read(project: "Project", run_id: str) -> "record.Run":
    run = fold(record.read(path_of(project, run_id)), project.tree)
    if run.status == RUNNING and run.id:
        now = live(project)
        ours = now if now and now.run in {run.id, run.options.get("attempt_of")} else None
        if ours is None or not is_alive(project, ours):
            interrupt(run, ours.beat if ours else 0)
    return run


def interrupt(run: "record.Run", last_beat: int = 0) -> None:
    """Mark a run as interrupted: its clock stopped when it was last heard of, which `last_seen` is from now on."""
    run.last_seen = max(run.last_seen, last_beat)
    run.spent_ms = run.elapsed_ms(run.last_seen)
    run.since, run.status = 0, INTERRUPTED


STOP, PAUSE = "stop", "pause"  # what a loop can be asked for; the words end the names of files
ACTIVITY = "now"  # ends the name of the file that tells what its agent does just now


def ask(project: "Project", run_id: str, what: str) -> None:
    """Ask the loop to stop or to pause at the next occasion, for it may be in another process. Raises OSError."""
    paths.write(beside(project, run_id, what), "")


def is_asked(project: "Project", run_id: str, what: str) -> bool:
    """Say whether somebody has asked this run to stop or to pause; cheap enough to be asked ten times a second."""
    return paths.exists(beside(project, run_id, what))


def ask_no_more(project: "Project", run_id: str, what: str) -> None:
    """Take back what a loop was asked for."""
    paths.remove(beside(project, run_id, what))


def forget_requests(project: "Project", run_id: str) -> None:
    """Take away what lies beside the record only while a run is at work."""
    for what in (STOP, PAUSE, ACTIVITY):
        ask_no_more(project, run_id, what)


def beside(project: "Project", run_id: str, what: str) -> str:
    """Return the path of a file that lies beside the record of a run."""
    return f"{folder_of(project)}/{run_id}.{what}"


def now_ms() -> int:
    """Return the time in milliseconds."""
    return time.time_ns() // 1_000_000
