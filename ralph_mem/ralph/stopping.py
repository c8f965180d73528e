"""Stopping: a loop at work is asked to stop, wherever it runs; one whose process is gone is ended here."""

import time

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import leftovers, passing, runs
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.run import GUARD, HEADLESS, INTERRUPTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.run import Run

# The agent is ended within half a second; what it has done is then snapshotted, which takes seconds in a large tree.
PATIENCE_S = 30.0
TICK_S = 0.05


def stop(project: "Project", values: "dict[str, Any]", why: str = "stopped by hand") -> "Run":
    """Stop the loop of a tree; returns its run as it ended. Raises LoopError where there is none, or it does not stop.

    An interrupted run is ended too. A loop in a session is ended at once: its agent may finish its turn.
    """
    live = runs.live(project)
    if live and live.mode == HEADLESS and runs.is_alive(project, live):
        runs.ask_to_stop(project, live.run)
        return _stopped(project, live.run)
    run = runs.find(project, live.run) if live else runs.latest(project)
    if run is None or (not live and run.status != INTERRUPTED):
        raise LoopError("no loop is at work here", "`ralph-mem ralph status --history` lists the earlier ones")
    return _ended(project, values, run, why)


def _stopped(project: "Project", run_id: str) -> "Run":
    until = time.monotonic() + PATIENCE_S
    while runs.busy(project):
        if time.monotonic() > until:
            raise LoopError(f"{run_id} does not stop", "`ralph-mem ralph status` names its process")
        time.sleep(TICK_S)
    return runs.find(project, run_id)


def _ended(project: "Project", values: "dict[str, Any]", run: "Run", why: str) -> "Run":
    leftovers.end(run.id)
    loop = Loop(project, values, run.id)
    if loop.is_running() and run.mode != GUARD:
        passing.end(loop, "user_stop", why)
    runs.clear_live(project, run.id)
    return runs.find(project, run.id)
