"""Measure how far a run is from passing, and decide from its record alone whether it goes on.

Badness is the sum over the criteria of what is wrong with each:

- one that passed counts 0;
- one that failed counts its failing tests, the tests that are missing (against the most that ran by then), its diagnostics and
  the tests that are skipped and were not at the baseline, and at least 1 (0 only where none but flaky tests fail);
- one that did not really run (vacuous, broken, timed out, gone, or no test ran where at other times some did) counts one more
  than the worst that it ever counted in this run: to break a check is never better than to fail it.

A test that was flaky at any time in the run is left out of all of its counts, so that luck is no progress. Adding tests
does not make an earlier iteration worse: what is missing is counted against what had run by then.
"""

from collections import namedtuple

from ralph_mem.ralph import criteria
from ralph_mem.ralph.criteria import FAILED, PASSED, VACUOUS
from ralph_mem.ralph.record import RATE_LIMITED, RUNNING
from ralph_mem.ralph.stop_reasons import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.record import Iteration, Run

    Verdicts = list[Verdict]
    from collections.abc import Callable


Forecast = namedtuple("Forecast", "cost seconds")
Forecast.__doc__ = """What the next iteration will probably take: dollars (None where no price is known) and seconds."""

ABOUT = " :: "  # between a criterion and the test that fails in it


def failing(verdicts: "Verdicts") -> "list[str]":
    """Return what fails as `criterion :: test`, a criterion that names no test by itself; flaky tests are left out."""
    found = []
    for verdict in verdicts:
        if verdict.status != PASSED:
            ids = [test for test in verdict.failing if test not in verdict.flaky]
            found += [f"{verdict.name}{ABOUT}{test}" for test in ids] or ([] if verdict.failing else [verdict.name])
    return found


def scores(history: "list[Verdicts]") -> "list[int]":
    """Return the badness of each state of a run in their order, the baseline first, seen with what the run knows."""
    names = {_key(verdict) for verdicts in history for verdict in verdicts}
    return [sum(numbers) for numbers in zip(*[_scores_of(name, history) for name in sorted(names)])] or [0] * len(history)


def _scores_of(name: "tuple[str, str]", history: "list[Verdicts]") -> "list[int]":
    """Return what one criterion counts in each state."""
    seen = [next((verdict for verdict in verdicts if _key(verdict) == name), None) for verdicts in history]
    unsteady = {test for verdict in seen if verdict for test in verdict.flaky}
    runs_tests = any([verdict.total for verdict in seen if verdict])
    most, counts = 0, []
    for verdict in seen:
        most = max(most, (verdict.total or 0) if verdict else 0)
        counts.append(_count(verdict, most, seen[0], unsteady) if verdict and _did_run(verdict, runs_tests) else None)
    worst = max([count for count in counts if count is not None], default=0) + 1
    return [worst if count is None else count for count in counts]


def _did_run(verdict: "Verdict", runs_tests: bool) -> bool:
    return verdict.status == PASSED or (verdict.status == FAILED and not (runs_tests and verdict.total == 0))


def _count(verdict: "Verdict", most: int, first: "Verdict | None", unsteady: "set[str]") -> int:
    if verdict.status == PASSED:
        return 0
    steady = [test for test in verdict.failing if test not in unsteady]
    missing = max(0, most - verdict.total) if verdict.total is not None else 0
    skipped = set(verdict.skipped) - set(first.skipped if first else [])
    number = len(steady) + missing + (verdict.diagnostics or 0) + len(skipped)
    only_luck = verdict.failing and not steady
    return number if only_luck else max(1, number)


def _key(verdict: "Verdict") -> "tuple[str, str]":
    return verdict.type, verdict.name


def numbers(run: "Run") -> "list[int]":
    """Return the badness of the baseline and of each iteration that counts, in order."""
    states = [run.baseline]
    for each in run.tried():  # one that was stopped was not judged: nothing new is known then
        states.append(each.verdicts or states[-1])
    return scores(states)


def best(run: "Run") -> "Iteration | None":
    """Return the iteration that came closest, the first of equal ones; None where nothing is better than the start."""
    number = best_of(numbers(run), known=bool(run.baseline))
    return run.tried()[number - 1] if number else None


def best_of(found: "list[int]", known: bool = True) -> int:
    """Return the position of the first least number; an unknown baseline (the first) takes no part."""
    there = found if known or len(found) < 2 else found[1:]
    return there.index(min(there)) + len(found) - len(there)


def regressed(run: "Run") -> "list[str]":
    """Return what fails now and did not at the best iteration, or at the start where nothing is better than that."""
    top = best(run)
    reference = top.verdicts if top else run.baseline
    ran = {verdict.name for verdict in reference if _did_run(verdict, runs_tests=True)}
    before, luck = set(failing(reference)), {f"{verdict.name}{ABOUT}{test}" for verdict in reference for test in verdict.flaky}
    return [what for what in failing(run.verdicts()) if what.split(ABOUT)[0] in ran and what not in before | luck]


def fixed(run: "Run") -> "list[str]":
    """Return what failed at the start and passes now, in criteria that ran both times."""
    now = run.verdicts()
    ran = {verdict.name for verdict in now if _did_run(verdict, runs_tests=True)}
    gone = set(failing(now)) | {f"{verdict.name}{ABOUT}{test}" for verdict in now for test in verdict.flaky}
    return [what for what in failing(run.baseline) if what.split(ABOUT)[0] in ran and what not in gone]


def cost_per_test_fixed(run: "Run") -> "float | None":
    """Return dollars for each test (or criterion) that was fixed so far, None where nothing was or no price is known."""
    number, cost = len(fixed(run)), run.cost()
    return cost / number if number and cost else None


def forecast(run: "Run") -> "Forecast":
    """Say what the next iteration will probably take: the median of those so far; 0 seconds where there were none."""
    tried = run.tried()
    costs = [each.cost for each in tried if each.cost is not None]
    times = [(each.ended - each.started) / 1000 for each in tried if each.ended and each.started]
    return Forecast(_median(costs) if costs else None, _median(times) if times else 0.0)


def _median(values: "list[float]") -> float:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


Decision = namedtuple("Decision", "go_on reason why")
Decision.__doc__ = """Whether to begin another iteration, else for which reason of `stop_reasons` not, and why in a line."""

GO_ON = Decision(True, "", "")
# An agent needs some ten seconds to read and write anything at all; of a run that is short on purpose, a tenth.
LEAST_USEFUL_MS = 15_000
VACUOUS_IN_A_ROW = 2  # once can be an iteration that is not finished yet
ERRORS_IN_A_ROW = 3  # one crash costs an iteration; three without any work are no accident


def decide(run: "Run", now: int) -> "Decision":
    """Decide at `now` (in ms) whether the loop begins another iteration.

    The first reason that holds, in the order of ORDER, is the answer. What led to a stop before a person let the run go on does
    not lead to another one, but for the limits, which are for the whole run.
    """
    if run.status != RUNNING:
        return Decision(False, run.reason, run.why)
    for reason, why_of in ORDER:
        why = why_of(run, now)
        if why:
            return Decision(False, reason, why)
    return GO_ON


def left_ms(run: "Run", now: int) -> int:
    """Return how much time the run has left."""
    return max(0, int(run.limits.duration_ms) - run.elapsed_ms(now))


def left_cost(run: "Run") -> "float | None":
    """Return how much money the run has left, None for no limit; the next agent must not spend more."""
    return None if run.limits.cost is None else max(0.0, run.limits.cost - run.cost())


def _recent(run: "Run") -> "list[Iteration]":
    """Return the iterations since a person let the run go on."""
    return [each for each in run.tried() if each.number > run.resumed_after]


def _success(run: "Run", _now: int) -> str:
    done = bool(run.iterations) and criteria.passed(run.iterations[-1].verdicts)
    return f"every criterion passed after iteration {run.iterations[-1].number}" if done else ""


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
    return last[0].why or "a tool was denied" if last and last[0].kind == "permission_denied" else ""


def _user_stop(run: "Run", _now: int) -> str:
    stopped = [each for each in run.iterations[-1:] if each.kind == "stopped" and each.number > run.resumed_after]
    return "it was asked to stop" if run.stop_asked or stopped else ""


def _rate_limited(run: "Run", now: int) -> str:
    # a wait is told to the record before it begins, and nothing comes after it until it is over
    if not run.waiting:
        return ""
    if run.options.get("wait") is False:
        return "the rate limit is reached, and the loop was told not to wait"
    wait, left = (run.waits[-1].get("until") or now) - now, left_ms(run, now)
    return f"the rate limit lasts {span(wait)} longer, the loop may run for {span(left)}" if wait > left else ""


def _agent_error(run: "Run", _now: int) -> str:
    last = _recent(run)[-ERRORS_IN_A_ROW:]
    if last and last[-1].kind == "missing":
        return last[-1].why or "the agent is not installed"
    bad = len(last) == ERRORS_IN_A_ROW and all([each.kind == "error" and not each.changed for each in last])
    return f"{ERRORS_IN_A_ROW} times in a row, the last time: {last[-1].why or 'it failed'}" if bad else ""


def _max_iterations(run: "Run", _now: int) -> str:
    return f"{run.used()} of {run.limits.iterations} iterations are used" if run.used() >= run.limits.iterations else ""


def _max_duration(run: "Run", now: int) -> str:
    least = min(LEAST_USEFUL_MS, run.limits.duration_ms // 10) + (run.limits.cooldown_ms if run.iterations else 0)
    left, whole = left_ms(run, now), span(run.limits.duration_ms)
    if left <= 0:
        return f"{whole} are over"
    return f"{span(left)} of {whole} are left, too little for another iteration" if left < least else ""


def _max_cost(run: "Run", _now: int) -> str:
    left = left_cost(run)
    if left is None:
        return ""
    next_one = forecast(run).cost or 0.0
    if left <= 0:
        return f"${run.cost():.2f} of ${run.limits.cost:.2f} are spent"
    return f"the next iteration takes about ${next_one:.2f}, ${left:.2f} are left" if left < next_one else ""


def _oscillation(run: "Run", _now: int) -> str:
    tried = run.tried()
    if not _recent(run) or not tried[-1].tree:
        return ""
    states = [(run.start_tree, run.baseline), *[(each.tree, each.verdicts) for each in tried]]
    tree, now_failing = states[-1][0], set(failing(states[-1][1]))
    if states[-2][0] == tree:  # nothing was changed at all: no way back, only a lack of progress
        return ""
    for number, (then, verdicts) in enumerate(states[:-2]):
        if then == tree and set(failing(verdicts)) == now_failing:
            where = f"after iteration {tried[number - 1].number}" if number else "at the start"
            return f"the files are as they were {where}, and the same fails"
    return ""


def _regression(run: "Run", _now: int) -> str:
    stale, found = _staleness(run), numbers(run)
    if stale < run.limits.no_progress or not run.baseline or min(found[1:]) <= found[0]:
        return ""
    return f"the best of {len(found) - 1} iterations has {min(found[1:])} left to do, the start had {found[0]}"


def _no_progress(run: "Run", _now: int) -> str:
    stale = _staleness(run)
    if stale < run.limits.no_progress:
        return ""
    top = best(run)
    where = f"iteration {top.number}" if top else "the start"
    return f"nothing better in {stale} iterations; {where} came closest"


def _staleness(run: "Run") -> int:
    """Return how many iterations there have been since the best one, or since a person let the run go on."""
    recent = _recent(run)
    top = best_of(numbers(run), known=bool(run.baseline))
    return min(len(recent), len(run.tried()) - top) if recent else 0


ORDER: "tuple[tuple[str, Callable[[Run, int], str]], ...]" = (
    ("success", _success),
    ("vacuous_criteria", _vacuous),
    ("permission_denied", _permission_denied),
    ("user_stop", _user_stop),
    ("agent_error", _agent_error),
    (RATE_LIMITED, _rate_limited),
    ("max_iterations", _max_iterations),
    ("max_duration", _max_duration),
    ("max_cost", _max_cost),
    ("oscillation", _oscillation),
    ("regression", _regression),
    ("no_progress", _no_progress),
)
