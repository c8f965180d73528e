"""How far a run with a plan is: a task that is done is progress, however much the next one has to do."""

from ralph_mem.ralph import progress
from ralph_mem.ralph.criteria import PLAN, TASK
from tests.ralph.conftest import a_run, iteration, verdict


def task(number, failing=0):
    return verdict([f"test_{each}" for each in range(failing)], name=f"task {number}: pytest", kind=TASK)


def plan(left):
    return verdict(status="failed" if left else "passed", name="plan.md", kind=PLAN, total=None, diagnostics=left)


def test_a_done_task_is_progress_though_the_next_one_fails_more():
    run = a_run(
        iteration(1, task(1), task(2, failing=9), plan(1)),
        iteration(2, task(2, failing=7), plan(1)),
        baseline=[task(1, failing=1), plan(2)],
    )
    assert progress.numbers(run) == [12, 10, 8] and progress.best(run).number == 2


def test_a_task_that_is_not_run_any_more_counts_as_it_did_last():
    run = a_run(
        iteration(1, task(1), task(2, failing=1), plan(1)), iteration(2, task(2), plan(0)), baseline=[task(1, failing=3), plan(2)]
    )
    assert progress.numbers(run) == [6, 2, 0]


def test_a_task_that_came_undone_counts_again():
    run = a_run(
        iteration(1, task(1), task(2, failing=1), plan(1)),
        iteration(2, task(2), task(1, failing=2), plan(2)),
        baseline=[task(1, failing=2), plan(2)],
    )
    assert progress.numbers(run) == [5, 2, 4]
