"""Tell a run as plain values, and how it ended to the next session and to a person's command."""

import contextlib
import json
import os

from ralph_mem.core import news, process
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import progress, record, runs, short_lines, stop_reasons
from ralph_mem.ralph.display import next_step
from ralph_mem.ralph.record import GUARD, HEADLESS, INTERRUPTED, RUNNING
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.tasks import telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run

NOTICE_SECONDS = 10.0
NOTICE_BYTES = 4096  # of what it prints: enough to say what went wrong


def notify(command: "Sequence[str]", told: "dict[str, Any]", seconds: float = NOTICE_SECONDS) -> str:
    """Start the command, hand it what is told on stdin, and return in a line what went wrong, nothing if all went well.

    It starts in the folder of the run, without a shell.
    """
    text, folder = json.dumps(told, default=str).encode(), str(told.get("folder") or "/")
    outcome = process.run(command, folder, dict(os.environ), seconds, NOTICE_BYTES, stdin=text, merged=True)
    if outcome.ended_by == "time":
        return f"the notify command took longer than {seconds:g} s and was ended"
    if outcome.ended_by == "start":
        return f"the notify command could not be started: {outcome.err.decode(errors='replace')}"
    return f"the notify command ended with {outcome.code}" if outcome.code else ""


def of_end(loop: "Loop") -> None:
    """Tell that a run is over; the session of one that works in it is told by its own hook."""
    if loop.run.mode == HEADLESS:
        news.tell(loop.project.root, short_lines.of_end(loop.run))
    command = loop.option("notify")
    wrong = notify(command, facts(loop.run, now_ms())) if command else ""
    if wrong:
        loop.told(wrong)


def of_gone(project: "Project", stopping: str = "") -> None:
    """Tell once that a loop was cut off by a kill of the client or of the process that it lived with.

    `stopping` is the session of which a Stop asks: where that is the loop's own, its client may have gone, and hears nothing.
    """
    live = runs.live(project)
    if not live or (live.owner and live.owner == stopping) or runs.is_alive(project, live):
        return
    with contextlib.suppress(LoopError, OSError):  # `/ralph status` says it as well
        run = runs.find(project, live.run)
        if run.status == INTERRUPTED:
            record.append(runs.path_of(project, run.id), _gone(run, live))
            news.tell(project.root, short_lines.of_gone(run))
    if runs.live(project) == live:  # nobody has let it go on meanwhile
        runs.clear_live(project, live.run)


def _gone(run: "Run", live: "runs.Live") -> "dict[str, Any]":
    """Return the entry of what was heard of last then; a guard, which nobody lets go on, has ended."""
    told = {"what": "gone", "at": live.beat}
    return {**told, "what": "end", "status": stop_reasons.STOPPED, "reason": "owner_lost"} if run.mode == GUARD else told


def facts(run: "Run", now: int) -> "dict[str, Any]":
    """Return a run as plain JSON values, for programs and for the notify command; texts are as they were recorded."""
    top, next_one = progress.best(run), progress.forecast(run)
    return {
        "id": run.id, "goal": run.goal, "mode": run.mode, "folder": run.folder, "status": run.status,
        "reason": run.reason, "why": run.why, "next": next_step(run), "started": run.started, "ended": run.ended or None,
        "exit_code": stop_reasons.exit_code(run.reason) if run.reason in stop_reasons.REASONS else None,
        "limits": dict(run.limits._asdict()), "elapsed_ms": run.elapsed_ms(now if run.status == RUNNING else run.last_seen),
        "left_ms": progress.left_ms(run, now), "cost": run.cost(), "tokens": run.tokens(),
        "cost_per_test_fixed": progress.cost_per_test_fixed(run), "forecast": dict(next_one._asdict()),
        "badness": progress.numbers(run), "best": top.number if top else None, "failing": progress.failing(run.verdicts()),
        "regressed": progress.regressed(run), "fixed": progress.fixed(run),
        "confirmations": [{name: told[name] for name in told if name != "what"} for told in run.confirmations.values()],
        "lessons": dict(run.taught), "start_snapshot": run.start_snapshot or None, "damaged_lines": list(run.damaged),
        "paused": run.is_paused(),
        "branch": run.branch.get("name") or None,
        "commits": [{"iteration": number, "id": name} for number, name in run.commits],
        "hints": [{"at": at, "text": text, "iteration": told or None} for at, text, told in run.hints],
        "verdicts": [dict(verdict._asdict()) for verdict in run.verdicts()],
        "tasks": telling.facts(run),
        "room": run.room or None, "applied": run.applied[-1] if run.applied else None,
        "iterations": [{**each._asdict(), "verdicts": [dict(told._asdict()) for told in each.verdicts]} for each in run.iterations],
    }  # fmt: skip
