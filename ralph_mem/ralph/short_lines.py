"""Say in one line of our own words how a round of a loop went, and how a run ended."""

from ralph_mem.ralph import progress, stop_reasons
from ralph_mem.ralph.record import GUARD, HEADLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.record import Run

GUARD_GONE = "the guard has ended with its session; /ralph guard puts another one on"


def state(run: "Run") -> "dict[str, int]":
    """Return what a status line tells of a run: the iteration that it is in, how many there may be, what fails, if it pauses."""
    failing = len(progress.failing(run.verdicts()))
    return {"round": run.begun or 1, "most": run.limits.iterations, "failing": failing, "paused": int(run.is_paused())}


def of_round(run: "Run") -> str:
    """Return how the last round went, such as `loop 2/10: 1 of 2 failing, was 2`."""
    judged = [run.baseline, *[each.verdicts for each in run.iterations if each.verdicts]]
    now, before = [len(progress.failing(verdicts)) for verdicts in (judged[-1], judged[max(0, len(judged) - 2)])]
    number = run.iterations[-1].number if run.iterations else 0
    was = f", was {before}" if before != now and len(judged) > 1 else ""
    return f"loop {number}/{run.limits.iterations}: {now} of {_judged(judged[-1])} failing{was}"


def _judged(verdicts: "list[Verdict]") -> int:
    """Return how many tests there are, a check that names none counting as one."""
    return sum([max(verdict.total or 1, len(verdict.failing)) for verdict in verdicts])


def of_end(run: "Run") -> str:
    """Return how a run ended, for a session in which it did not run."""
    if run.mode == GUARD:
        return GUARD_GONE
    rounds = f"{run.used()} round{'' if run.used() == 1 else 's'}"
    return f"{run.id} {run.status} after {rounds}: {stop_reasons.REASONS[run.reason].says}; /ralph status says more"


def of_gone(run: "Run") -> str:
    """Return that a run was cut off by a kill of what it lived with."""
    if run.mode == GUARD:
        return GUARD_GONE
    where = f"in iteration {run.begun}" if run.begun else "before its first iteration"
    return f"{run.id} interrupted {where}: its {'process' if run.mode == HEADLESS else 'client'} is gone; /ralph status says more"
