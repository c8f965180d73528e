"""List all runs of a project with what each took and reached."""

from ralph_mem.core.format import count, duration, when
from ralph_mem.ralph import display, progress, stop_reasons
from ralph_mem.ralph.record import GUARD, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.record import Run

COLUMNS = ("run", "begun", "iterations", "time", "cost", "tokens", "left to do", "ended", "goal")
NOTHING = 'No loop has run here yet: `ralph-mem ralph start "GOAL"` starts one.'
MOST_BARS, MOST_GOAL = 20, 60  # the last ones, and what fits beside the rest into a wide terminal


def rows(found: "list[Run]", now: int) -> "list[tuple[str, ...]]":
    """Return a row of COLUMNS for each run, the newest first; a guard, which is no run, has none."""
    return [_row(run, now) for run in found[::-1] if run.mode != GUARD]


def _row(run: "Run", now: int) -> "tuple[str, ...]":
    numbers = progress.numbers(run) if run.baseline or run.iterations else []
    bars = f"{display.sparkline(numbers[-MOST_BARS:])} {numbers[-1]}" if numbers else ""
    return (
        run.id, when(run.started), str(run.used()), duration(_elapsed(run, now)), _cost(run),
        f"{run.tokens():,}" if run.tokens() else "", bars, run.reason or run.status, display.rendered(run.goal, MOST_GOAL),
    )  # fmt: skip


def _elapsed(run: "Run", now: int) -> int:
    return int(run.elapsed_ms(now if run.status == RUNNING else run.last_seen))


def _cost(run: "Run") -> str:
    return display.money(run.cost()) if run.cost() else ""


def total(found: "list[Run]") -> str:
    """Return what all runs took together, in a line."""
    chosen = [run for run in found if run.mode != GUARD]
    done = len([run for run in chosen if run.status == stop_reasons.SUCCESS])
    sums = [sum([run.used() for run in chosen]), sum([run.tokens() for run in chosen])]
    cost = display.money(sum([run.cost() for run in chosen]))
    return f"{count(len(chosen), 'run')}, {done} with success, {count(sums[0], 'iteration')}, {sums[1]:,} tokens, {cost} in all"


def facts(found: "list[Run]", now: int) -> "dict[str, Any]":
    """Return all runs as plain JSON values, the newest first, with what they cost together."""
    chosen = [run for run in found[::-1] if run.mode != GUARD]
    return {"runs": [_facts(run, now) for run in chosen], "cost": sum([run.cost() for run in chosen]),
            "tokens": sum([run.tokens() for run in chosen])}  # fmt: skip


def _facts(run: "Run", now: int) -> "dict[str, Any]":
    return {
        "id": run.id, "goal": run.goal, "mode": run.mode, "started": run.started, "ended": run.ended or None,
        "status": run.status, "reason": run.reason, "iterations": run.used(), "elapsed_ms": _elapsed(run, now),
        "cost": run.cost(), "tokens": run.tokens(), "badness": progress.numbers(run),
    }  # fmt: skip
