"""Measure how far a run is from passing.

Badness is the sum over the criteria of what is wrong with each:

- one that passed counts 0;
- one that failed counts its failing tests, the tests that are missing (against the most that ran by then), its diagnostics and
  the tests that are skipped and were not at the baseline, and at least 1 (0 only where none but flaky tests fail);
- one that did not really run (vacuous, broken, timed out, gone, or no test ran where at other times some did) counts one more
  than the worst that it ever counted in this run: to break a check is never better than to fail it.

A test that was flaky at any time in the run is left out of all of its counts, so that luck is no progress. Adding tests
does not make an earlier iteration worse: what is missing is counted against what had run by then.

A check of a task is run while the task is open. Before, it counts what it counted at first, and later what it counted last: a
task that is done lets nothing look worse because the next one is begun.
"""

from collections import namedtuple

from ralph_mem.ralph.criteria import FAILED, PASSED, TASK, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph import criteria
    from ralph_mem.ralph.record import Iteration, Run

    Verdicts = list[criteria.Verdict]

DIGITS = 6  # of dollars: 1.2 - 0.8 is less than 0.4 for a computer
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
    seen = _filled(seen) if name[0] == TASK else seen
    unsteady = {test for verdict in seen if verdict for test in verdict.flaky}
    runs_tests = any([verdict.total for verdict in seen if verdict])
    most, counts = 0, []
    for verdict in seen:
        most = max(most, (verdict.total or 0) if verdict else 0)
        counts.append(_count(verdict, most, seen[0], unsteady) if verdict and _did_run(verdict, runs_tests) else None)
    worst = max([count for count in counts if count is not None], default=0) + 1
    return [worst if count is None else count for count in counts]


def _filled(seen: "list[criteria.Verdict | None]") -> "list[criteria.Verdict | None]":
    """Return the verdicts of a check, with the one before in the place of one that is missing, and at first the first one."""
    last = next(verdict for verdict in seen if verdict)
    found: list[criteria.Verdict | None] = []
    for verdict in seen:
        last = verdict or last
        found.append(last)
    return found


def _did_run(verdict: "criteria.Verdict", runs_tests: bool) -> bool:
    return verdict.status == PASSED or (verdict.status == FAILED and not (runs_tests and verdict.total == 0))


def _count(verdict: "criteria.Verdict", most: int, first: "criteria.Verdict | None", unsteady: "set[str]") -> int:
    if verdict.status == PASSED:
        return 0
    steady = [test for test in verdict.failing if test not in unsteady]
    missing = max(0, most - verdict.total) if verdict.total is not None else 0
    skipped = set(verdict.skipped) - set(first.skipped if first else [])
    number = len(steady) + missing + (verdict.diagnostics or 0) + len(skipped)
    only_luck = verdict.failing and not steady
    return number if only_luck else max(1, number)


def _key(verdict: "criteria.Verdict") -> "tuple[str, str]":
    return verdict.type, verdict.name


def numbers(run: "Run") -> "list[int]":
    """Return the badness of the baseline and of each iteration that counts, in order."""
    states = [run.baseline]
    for each in run.tried():  # one that was stopped was not judged: nothing new is known then
        states.append(each.verdicts or states[-1])
    return scores(states)


def best(run: "Run") -> "Iteration | None":
    """Return the iteration that came closest, the first of equal ones; None where nothing is better than the start."""
    number = place_of_best(run)
    return run.tried()[number - 1] if number else None


def place_of_best(run: "Run") -> int:
    """Return the position of the first least number of a run; an unknown baseline (the first) takes no part."""
    found = numbers(run)
    there = found if run.baseline or len(found) < 2 else found[1:]
    return there.index(min(there)) + len(found) - len(there)


def regressed(run: "Run") -> "list[str]":
    """Return what fails now and did not at the best iteration, or at the start where nothing is better than that."""
    top = best(run)
    return newly_failing(top.verdicts if top else run.baseline, run.verdicts())


def newly_failing(before: "Verdicts", now: "Verdicts") -> "list[str]":
    """Return what fails in one state and did not in an earlier one, in criteria that ran there."""
    ran = {verdict.name for verdict in before if _did_run(verdict, runs_tests=True)}
    known = {*failing(before), *[f"{verdict.name}{ABOUT}{test}" for verdict in before for test in verdict.flaky]}
    return [what for what in failing(now) if what.split(ABOUT)[0] in ran and what not in known]


def fixed(run: "Run") -> "list[str]":
    """Return what failed at the start and passes now, in criteria that ran both times."""
    now = run.verdicts()
    ran = {verdict.name for verdict in now if _did_run(verdict, runs_tests=True)}
    failed = {*failing(now), *evidence.after(evidence.failures(run.baseline), now)}
    left = failed | {f"{verdict.name}{ABOUT}{test}" for verdict in now for test in [*verdict.flaky, *verdict.skipped]}
    return [what for what in failing(run.baseline) if what.split(ABOUT)[0] in ran and what not in left]


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


def left_ms(run: "Run", now: int) -> int:
    """Return how much time the run has left."""
    return max(0, int(run.limits.duration_ms) - run.elapsed_ms(now))


def left_cost(run: "Run") -> "float | None":
    """Return how much money the run has left, None for no limit; the next agent must not spend more."""
    return None if run.limits.cost is None else max(0.0, round(run.limits.cost - run.cost(), DIGITS))
