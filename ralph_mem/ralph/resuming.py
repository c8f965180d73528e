"""Resuming: a run that was interrupted, stopped or has reached a limit goes on from where it stands."""

import copy
import os

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import decision, leftovers, runs, stop_reasons
from ralph_mem.ralph.loop import Loop, now_ms
from ralph_mem.ralph.run import GUARD, RUNNING
from ralph_mem.snapshot import restoring, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.limits import Limits
    from ralph_mem.ralph.loop import Told
    from ralph_mem.ralph.run import Run

# Those that are for the whole run: to go on does not begin them anew.
LIMITS = ("max_iterations", "max_duration", "max_cost")


def resume(
    project: "Project",
    values: "dict[str, Any]",
    run: "Run",
    mode: str,
    last_beat: int,
    owner: str = "",
    told: "Told | None" = None,
    **bounds: "Any",
) -> Loop:
    """Let a run go on with what was left of its limits, or with new ones; returns it at work. Raises LoopError.

    `bounds` are fields of Limits. What a killed loop left running is ended first, and a rollback that a crash cut off is
    finished. The caller has asked for `check` and `last_beat`, both before it took the lock, and holds that now.
    """
    leftovers.end(run.id)
    finish_rollback(project)
    loop = Loop(project, values, run.id, told)
    loop.note(
        "resumed", last_beat=last_beat, limits=_with(run, bounds)._asdict(), mode=mode, owner=owner, nonce=os.urandom(4).hex()
    )
    return loop


def last_beat(project: "Project", run: "Run") -> int:
    """Return when a run was last heard of, in ms, 0 where nobody has noted it."""
    live = runs.live(project)
    return int(live.beat) if live and live.run == run.id else 0


def check(project: "Project", run: "Run", bounds: "dict[str, Any]") -> None:
    """Raise LoopError for a run that cannot go on: a limit that it has reached has to be raised by `bounds`."""
    busy = runs.busy(project)
    if busy:
        raise LoopError(f"a loop is at work here already ({busy.run})", "`ralph-mem ralph status` shows it")
    if run.mode == GUARD or run.status == RUNNING:
        raise LoopError(f"{run.id} is no run to resume", "`ralph-mem ralph status --history` lists them")
    if run.status == stop_reasons.SUCCESS:
        raise LoopError(f"{run.id} has reached its goal", '`ralph-mem ralph start "GOAL"` begins another')
    raised = copy.copy(run)
    raised.limits = _with(run, bounds)
    for reason, why_of in decision.ORDER:
        why = why_of(raised, now_ms()) if reason in LIMITS else ""
        if why:
            raise LoopError(f"{run.id} cannot go on: {why}", stop_reasons.next_step(reason, raised))


def _with(run: "Run", bounds: "dict[str, Any]") -> "Limits":
    return run.limits._replace(**{name: value for name, value in bounds.items() if value is not None})


def finish_rollback(project: "Project") -> None:
    """Finish what a crash left of a rollback. Raises SnapshotError."""
    if os.path.lexists(f"{store.folder_of(project)}/store.db"):
        with store.open_store(project) as snapshots:
            restoring.recover(snapshots)
