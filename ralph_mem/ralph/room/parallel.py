"""Have several attempts at one goal, each in a room of its own; the first that reaches it wins."""

import json
import os
import subprocess
import sys
import time

from ralph_mem.core import orphans, paths
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import runs
from ralph_mem.ralph.options import LEAST_COST
from ralph_mem.ralph.room import making
from ralph_mem.ralph.snapshot import store
from ralph_mem.ralph.stop_reasons import SUCCESS
from ralph_mem.ralph.watching import overview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.options import Wish
    from ralph_mem.ralph.record import Run

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "detached.py")
TICK_S = 0.1
# An agent is ended within half a second; the snapshot of what it did takes seconds in a large tree, and others wait for theirs.
PATIENCE_S = 60.0


def check(attempts: int, here: bool, cost: "float | None") -> None:
    """Raise LoopError for attempts that would be at work in the same files, or that could not spend a cent each."""
    if attempts > 1 and here:
        raise LoopError("attempts side by side need rooms of their own", "leave out --here and --no-snapshot, or --parallel")
    if cost is not None and cost < attempts * LEAST_COST:
        raise LoopError(f"{attempts} attempts cannot share ${cost:.2f}", f"at least --max-cost {attempts * LEAST_COST:.2f}")


def share(wished: "Wish") -> "Wish":
    """Return what each of the attempts is to do: what may be spent is for all of them, so that each may spend an even part."""
    cost = wished.limits.cost
    return wished if cost is None else wished._replace(limits=wished.limits._replace(cost=cost / wished.parallel))


class Attempts:
    """The attempts beside the run `lead`: processes of ours that end with it."""

    def __init__(self, project: "Project", lead: str) -> None:
        self._project, self._lead = project, lead
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def begin(self, wished: "dict[str, Any]", count: int) -> "list[str]":
        """Begin so many attempts at what was wished for; returns their names. Raises LoopError."""
        store.WAIT_S = PATIENCE_S  # they share one store
        for _ in range(count):
            run_id = runs.new_id()
            path = f"{runs.folder_of(self._project)}/order-{run_id}.json"
            try:
                paths.write(path, json.dumps({"start": {**wished, "attempt_of": self._lead}, "run": run_id}))
            except OSError as error:
                raise LoopError(f"an attempt cannot be begun: {error.strerror}", "is there room on the disk?") from error
            self._processes[run_id] = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", PROGRAM, self._project.top, path],
                cwd=self._project.top, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            orphans.spare(self._processes[run_id].pid)
        return list(self._processes)

    def winner(self, lead: "Run") -> "Run":
        """Wait until one has reached the goal or all have ended, and stop the others; returns the one that did, else the lead."""
        is_stopped = lead.reason == "user_stop" and not self._succeeded()
        while lead.status != SUCCESS and not is_stopped and not self._succeeded() and self._at_work():
            time.sleep(TICK_S)
            is_stopped = runs.is_asked(self._project, lead.id, runs.STOP) and not self._succeeded()
        for run_id in self._at_work():
            runs.ask(self._project, run_id, runs.STOP)
        self._wait()
        return runs.ahead([lead, *self._succeeded()])

    def let_go(self, winner: str) -> None:
        """Remove the rooms of the others; what they did is in their snapshots."""
        with store.open_store(self._project) as snapshots:
            for run_id in [*self._processes, self._lead]:
                paths.remove(f"{runs.folder_of(self._project)}/{run_id}.stop")
                if run_id != winner:
                    making.let_go(self._project, run_id, snapshots)

    def spent(self) -> str:
        """Return what all attempts took together, in a line."""
        return overview.total([run for run in runs.all(self._project) if run.id in {self._lead, *self._processes}])

    def _at_work(self) -> "list[str]":
        return [run_id for run_id, process in self._processes.items() if process.poll() is None]

    def _succeeded(self) -> "list[Run]":
        there = [run_id for run_id in self._processes if paths.exists(runs.path_of(self._project, run_id))]
        return [run for run in [runs.find(self._project, run_id) for run_id in there] if run.status == SUCCESS]

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE_S
        for process in self._processes.values():
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def tell_lead(project: "Project", run: "Run") -> None:
    """Have the run that an attempt is beside stop, since this one has reached the goal."""
    if run.status == SUCCESS:
        runs.ask(project, str(run.options["attempt_of"]), runs.STOP)
