"""Decide from a run's record alone whether it goes on."""

from collections import namedtuple

from ralph_mem.core.format import duration, listed
from ralph_mem.ralph import criteria, progress
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import PASSED, VACUOUS
from ralph_mem.ralph.record import NEXT_AGENT, RATE_LIMITED, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.ralph.record import Iteration, Run

Decision = namedtuple("Decision", "go_on reason why")
Decision.__doc__ = """Whether to begin another iteration, else for which reason of `stop_reasons` not, and why in a line.

The reason to go on is mostly none; NEXT_AGENT has the next agent's turn begin.
"""

GO_ON = Decision(True, "", "")
# An agent needs some ten seconds to read and write anything at all; of a run that is short on purpose, a tenth.
LEAST_USEFUL_MS = 15_000
VACUOUS_IN_A_ROW = 2  # once can be an iteration that is not finished yet
MOST_NAMED = 8  # files in a reason
ERRORS_IN_A_ROW = 3  # one crash costs an iteration; three without any work are no accident
SILENT_IN_A_ROW = 3  # once can be a server that hangs
HOPELESS = {"missing": "the agent is not installed", "locked_out": "the API does not accept its key or login"}
DENIALS = 3  # as many as an agent has that gets nowhere: it is told what is refused, and may find another way


def decide(run: "Run", now: int) -> "Decision":
    """Decide at `now` (in ms) whether the loop begins another iteration.

    The first reason that holds, in the order of ORDER, is the answer. What led to a stop before a person let the run go on, or
    before another agent's turn came, does not lead to another one, but for the limits, which are for the whole run. Where another
    agent has not had its turn, what the one before did ends no run.
    """
    if run.status != RUNNING:
        return Decision(False, run.reason, run.why)
    has_next, turn = presets.next_after(run) is not None, ""
    for reason, why_of in ORDER:
        why = why_of(run, now)
        if why and not (has_next and reason in presets.TURNS):
            return Decision(False, reason, why)
        turn = turn or why
    if has_next and run.waiting:
        turn = turn or "it waits for a rate limit"
    return Decision(True, NEXT_AGENT, turn) if turn else GO_ON


def _recent(run: "Run") -> "list[Iteration]":
    """Return the iterations since a person let the run go on, or since an agent's turn came."""
    return [each for each in run.tried() if each.number > max(run.resumed_after, run.turned_after)]


def _success(run: "Run", _now: int) -> str:
    done = bool(run.iterations) and criteria.passed(run.iterations[-1].verdicts)
    return f"every criterion passed after iteration {run.iterations[-1].number}" if done else ""


def _repository_lost(run: "Run", _now: int) -> str:
    lost = [each for each in run.git if each.get("lost") and (each.get("number") or 0) > run.resumed_after]
    return "; ".join(lost[-1].get("told") or []) or ".git is gone" if lost else ""


def _linked_written(run: "Run", _now: int) -> str:
    found = [each for each in run.written if (each.get("number") or 0) > run.resumed_after]
    return str(found[-1].get("told")) if found else ""


TAMPERED = "tampered"  # as `judges.confirming` says it
TAMPERING_ALLOWED = 2  # of a run that was begun before there was a setting


def tampered(run: "Run") -> "list[dict[str, Any]]":
    """Return what was refused since a person let the run go on: iterations that passed by changed judges alone."""
    last = run.iterations[-1].number if run.iterations else 0
    found = [entry for number, entry in run.confirmations.items() if run.resumed_after < number <= last]
    return [entry for entry in found if entry.get("says") == TAMPERED]


def _tampered(run: "Run", _now: int) -> str:
    found, allowed = tampered(run), run.options.get("tampering", TAMPERING_ALLOWED)
    if len(found) <= allowed:
        return ""
    named = list(dict.fromkeys([str(name) for entry in found for name in entry.get("named") or []]))
    return f"{len(found)} times, by {listed(named, MOST_NAMED)}"


def _vacuous(run: "Run", _now: int) -> str:
    last = _recent(run)[-VACUOUS_IN_A_ROW:]
    if len(last) < VACUOUS_IN_A_ROW or not all([_is_vacuous(each) for each in last]):
        return ""
    hollow = [verdict for verdict in last[-1].verdicts if verdict.status == VACUOUS]
    return f"{', '.join([each.name for each in hollow])}: {hollow[0].why}"


def _is_vacuous(iteration: "Iteration") -> bool:
    open_ones = [verdict for verdict in iteration.verdicts if verdict.status != PASSED]
    return bool(open_ones) and all([verdict.status == VACUOUS for verdict in open_ones])


def _permission_denied(run: "Run", _now: int) -> str:
    last = _recent(run)[-1:]
    if not last or last[0].kind != "permission_denied":
        return ""
    patience, stale = run.options.get("denials"), _staleness(run)
    denied = [each for each in _recent(run)[-stale:] if stale and each.kind == "permission_denied"]
    if patience is None or len(denied) >= min(
        patience, run.limits.no_progress
    ):  # none: before it was told, the first one was the end
        return last[0].why or "a tool was denied"
    return ""


def _user_stop(run: "Run", _now: int) -> str:
    stopped = [each for each in run.iterations[-1:] if each.kind == "stopped" and each.number > run.resumed_after]
    return "it was asked to stop" if run.stop_asked or stopped else ""


def _rate_limited(run: "Run", now: int) -> str:
    # a wait is told to the record before it begins, and nothing comes after it until it is over
    if not run.waiting:
        return ""
    if run.options.get("wait") is False:
        return "the rate limit is reached, and the loop was told not to wait"
    wait, left = (run.waits[-1].get("until") or now) - now, progress.left_ms(run, now)
    return f"the rate limit lasts {duration(wait)} longer, the loop may run for {duration(left)}" if wait > left else ""


def _agent_error(run: "Run", _now: int) -> str:
    last = _recent(run)[-ERRORS_IN_A_ROW:]
    if last and last[-1].kind in HOPELESS:
        return last[-1].why or HOPELESS[last[-1].kind]
    bad = len(last) == ERRORS_IN_A_ROW and all([each.kind == "error" and not each.changed for each in last])
    return f"{ERRORS_IN_A_ROW} times in a row, the last time: {last[-1].why or 'it failed'}" if bad else ""


def _silent(run: "Run", _now: int) -> str:
    last = _recent(run)[-SILENT_IN_A_ROW:]
    hangs = len(last) == SILENT_IN_A_ROW and all([each.kind == "silent" for each in last])
    return f"{SILENT_IN_A_ROW} times in a row, each time for {duration(run.limits.silence_ms)}" if hangs else ""


def _max_iterations(run: "Run", _now: int) -> str:
    return f"{run.used()} of {run.limits.iterations} iterations are used" if run.used() >= run.limits.iterations else ""


def _max_duration(run: "Run", now: int) -> str:
    least = min(LEAST_USEFUL_MS, run.limits.duration_ms // 10) + (run.limits.cooldown_ms if run.iterations else 0)
    left, whole = progress.left_ms(run, now), duration(run.limits.duration_ms)
    if left <= 0:
        return f"{whole} are over"
    return f"{duration(left)} of {whole} are left, too little for another iteration" if left < least else ""


def _max_cost(run: "Run", _now: int) -> str:
    left = progress.left_cost(run)
    if left is None:
        return ""
    next_one = round(progress.forecast(run).cost or 0.0, progress.DIGITS)
    if left <= 0:
        return f"${run.cost():.2f} of ${run.limits.cost:.2f} are spent"
    return f"the next iteration takes about ${next_one:.2f}, ${left:.2f} are left" if left < next_one else ""


def _oscillation(run: "Run", _now: int) -> str:
    tried = run.tried()
    if not _recent(run) or not tried[-1].tree:
        return ""
    states = [(run.start_tree, run.baseline), *[(each.tree, each.verdicts) for each in tried]]
    tree, now_failing = states[-1][0], set(progress.failing(states[-1][1]))
    if states[-2][0] == tree:  # nothing was changed at all: no way back, only a lack of progress
        return ""
    for number, (then, verdicts) in enumerate(states[:-2]):
        if then == tree and set(progress.failing(verdicts)) == now_failing:
            where = f"after iteration {tried[number - 1].number}" if number else "at the start"
            return f"the files are as they were {where}, and the same fails"
    return ""


def _regression(run: "Run", _now: int) -> str:
    stale, found = _staleness(run), progress.numbers(run)
    if stale < run.limits.no_progress or not run.baseline or min(found[1:]) <= found[0]:
        return ""
    return f"the best of {len(found) - 1} iterations has {min(found[1:])} left to do, the start had {found[0]}"


def _no_progress(run: "Run", _now: int) -> str:
    stale = _staleness(run)
    if stale < run.limits.no_progress:
        return ""
    top = progress.best(run)
    where = f"iteration {top.number}" if top else "the start"
    return f"nothing better in {stale} iterations; {where} came closest"


def _staleness(run: "Run") -> int:
    """Return how many iterations there have been since the best one, or since a person let the run go on."""
    recent = _recent(run)
    return min(len(recent), len(run.tried()) - progress.place_of_best(run)) if recent else 0


ORDER: "tuple[tuple[str, Callable[[Run, int], str]], ...]" = (
    ("repository_lost", _repository_lost),
    ("success", _success),
    ("linked_written", _linked_written),
    ("tampered", _tampered),
    ("vacuous_criteria", _vacuous),
    ("permission_denied", _permission_denied),
    ("user_stop", _user_stop),
    ("agent_error", _agent_error),
    ("silent", _silent),
    (RATE_LIMITED, _rate_limited),
    ("max_iterations", _max_iterations),
    ("max_duration", _max_duration),
    ("max_cost", _max_cost),
    ("oscillation", _oscillation),
    ("regression", _regression),
    ("no_progress", _no_progress),
)
