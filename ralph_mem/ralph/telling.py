"""Tell a run as plain values and in a line, and its end to a session or a person."""

import contextlib
import json
import os

from ralph_mem.core import news, process
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import progress, record, runs, stop_reasons
from ralph_mem.ralph.display import next_step
from ralph_mem.ralph.record import GUARD, HEADLESS, INTERRUPTED, RUNNING
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.tasks import telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run

NOTICE_SECONDS = 10.0
NOTICE_BYTES = 4096  # of what it prints: enough to say what went wrong
GUARD_GONE = "the guard has ended with its session; /ralph guard puts another one on"


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
        news.tell(loop.project.root, end_in_words(loop.run))
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
            news.tell(project.root, gone_in_words(run))
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


def state_in_words(run: "Run") -> "dict[str, int]":
    """Return what a status line tells of a run: the iteration that it is in, how many there may be, what fails, if it pauses."""
    failing = len(progress.failing(run.verdicts()))
    return {"round": run.begun or 1, "most": run.limits.iterations, "failing": failing, "paused": int(run.is_paused())}


def round_in_words(run: "Run") -> str:
    """Return how the last round went, such as `loop 2/10: 1 of 2 failing, was 2`."""
    judged = [run.baseline, *[each.verdicts for each in run.iterations if each.verdicts]]
    now, before = [len(progress.failing(verdicts)) for verdicts in (judged[-1], judged[max(0, len(judged) - 2)])]
    number = run.iterations[-1].number if run.iterations else 0
    was = f", was {before}" if before != now and len(judged) > 1 else ""
    return f"loop {number}/{run.limits.iterations}: {now} of {_judged(judged[-1])} failing{was}"


def _judged(verdicts: "list[Verdict]") -> int:
    """Return how many tests there are, a check that names none counting as one."""
    return sum([max(verdict.total or 1, len(verdict.failing)) for verdict in verdicts])


def end_in_words(run: "Run") -> str:
    """Return how a run ended, for a session in which it did not run."""
    if run.mode == GUARD:
        return GUARD_GONE
    rounds = f"{run.used()} round{'' if run.used() == 1 else 's'}"
    return f"{run.id} {run.status} after {rounds}: {stop_reasons.REASONS[run.reason].says}; /ralph status says more"


def gone_in_words(run: "Run") -> str:
    """Return that a run was cut off by a kill of what it lived with."""
    if run.mode == GUARD:
        return GUARD_GONE
    where = f"in iteration {run.begun}" if run.begun else "before its first iteration"
    return f"{run.id} interrupted {where}: its {'process' if run.mode == HEADLESS else 'client'} is gone; /ralph status says more"
