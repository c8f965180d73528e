"""Supervise a headless loop that outlives its command, with the lock and the heartbeat.

Started as a script by path, so that a bare checkout needs no installation: `python3 -I -S detached.py TOP ORDER`.
"""

import json
import os
import subprocess
import sys
import time

if __name__ == "__main__":  # the folder that holds `ralph_mem`
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from ralph_mem.core import orphans, paths
from ralph_mem.core import project as projects
from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph import headless, options, passing, prospects, rolling_back, runs, stop_reasons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.loop import Loop


# The snapshot and the baseline come first, but the lock is taken at once: who asks must not wait for them.
PATIENCE_S = 5.0
TICK_S = 0.05


def start(project: "projects.Project", values: "dict[str, Any]", wished: "options.Wish", anyway: bool = False) -> str:
    """Have a supervisor start a run; returns its id once it is at work. Its checks have been accepted. Raises LoopError.

    `anyway` says that it is to begin even where all checks pass already.
    """
    (goal,) = privacy.protect([wished.goal], project, values)[0]
    return _launch(project, {"start": {**wished._asdict(), "goal": goal, "limits": wished.limits._asdict()}, "anyway": anyway})


def resume(project: "projects.Project", run_id: str, **bounds: "Any") -> str:
    """Have a supervisor go on with a run; returns its id once it is at work. Raises LoopError."""
    return _launch(project, {"resume": run_id, "bounds": bounds})


def _launch(project: "projects.Project", order: "dict[str, Any]") -> str:
    folder = runs.folder_of(project)
    path = f"{folder}/order-{os.urandom(4).hex()}.json"
    try:
        paths.make_folder(folder)
        paths.write(path, json.dumps(order))
    except OSError as error:
        raise LoopError(f"cannot write to {folder}: {error.strerror}", "is it yours, and is there room?") from error
    around = launch.without_outer_session(os.environ)  # or the agent would take itself for a part of that session
    argv = [sys.executable, "-I", "-S", "-X", "utf8", os.path.abspath(__file__), project.top, path]
    supervisor = subprocess.Popen(
        argv, cwd=project.top, env=around, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    orphans.spare(supervisor.pid)
    return _wait(project, supervisor, path)


def _wait(project: "projects.Project", supervisor: "subprocess.Popen[bytes]", path: str) -> str:
    """Wait until it is at work, and return at which run. Raises LoopError where it gives up before that."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        code, live = supervisor.poll(), runs.live(project)
        told = paths.read(path + ".failed") if code is not None else ""
        if told or code:
            paths.remove(path + ".failed")
            raise LoopError(f"the loop did not start: {told or 'it broke off'}", "`ralph-mem ralph plan` looks for the cause")
        if live and live.pid == supervisor.pid:
            supervisor.returncode = 0  # it goes its own way, and is not to be waited for
            return str(live.run)
        if code == 0:  # it was done between two looks
            break
        time.sleep(TICK_S)
    latest = runs.latest(project)
    return latest.id if latest else "the loop"


def main(top: str, path: str) -> None:
    """Carry out an order in this process; what keeps it from beginning is written beside the order."""
    os.umask(0o077)
    project = projects.find(top)
    values = effective.load(project)
    try:
        order = json.loads(paths.read(path, 1_048_576))
        paths.remove(path)
        _carry_out(project, values, order)
    except (RalphMemError, OSError, ValueError) as error:
        paths.write(path + ".failed", str(error))


def _carry_out(project: "projects.Project", values: "dict[str, Any]", order: "dict[str, Any]") -> None:
    if "resume" in order:
        run = headless.resume(project, values, runs.find(project, order["resume"]), **order["bounds"])
        rolling_back.roll_back_if_wanted(project, values, run)
        return
    wished = options.Wish(**{**order["start"], "limits": stop_reasons.from_json(order["start"]["limits"])})
    prospect = prospects.look(project, wished)
    if not prospect.accepted:
        raise LoopError("what the checks run has changed since it was accepted")
    if wished.attempt_of:
        headless.attempt(project, values, wished, prospect, order["run"])
        return
    ended = headless.start(project, values, wished, prospect, lambda loop: order["anyway"] or _is_wanted(loop))
    if ended:
        rolling_back.roll_back_if_wanted(project, values, ended)


def _is_wanted(loop: "Loop") -> bool:
    """Nobody can be asked here: where all checks pass already, the run is kept, and ends at once."""
    passing.end(loop, "success", "every check passed before the first iteration")
    return True


if __name__ == "__main__":
    main(*sys.argv[1:3])
