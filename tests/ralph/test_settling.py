"""An iteration takes one snapshot; what the checks leave behind is neither the agent's doing nor the person's."""

import time

import pytest

from ralph_mem.ralph import rolling_back
from ralph_mem.ralph.snapshot import store
from ralph_mem.ralph.snapshot.walk import TICK_NS
from tests.ralph.loops import CHECK, STEPS, kept, names

# Leaves a new file behind, rewrites one of the project, and takes one away.
LEAVING = CHECK.replace("exit $wrong", "date >report-$$.txt; echo counted >>counts.txt; rm -f draft.txt; exit $wrong")


def labels(loops):
    with store.open_store(loops.project) as opened:
        return [taken.label for taken in opened.taken(loops.latest().id)]


@pytest.mark.check
def test_an_iteration_takes_one_snapshot_and_the_end_of_a_run_another(loops):
    loops.start(*STEPS)
    assert labels(loops) == ["start", "checks 0", "iteration 1", "iteration 2", "iteration 3", "checks 3"]


@pytest.mark.check
def test_what_checks_leave_is_told_of_no_iteration(loops):
    loops.write("check.sh", LEAVING)
    loops.write("counts.txt", "")
    run = loops.start(STEPS[0], f"{STEPS[1]}; echo draft >draft.txt", STEPS[2])
    assert [[change[0] for change in each.changed] for each in run.iterations] == [
        ["one.txt"], ["draft.txt", "two.txt"], ["three.txt"],
    ]  # fmt: skip


@pytest.mark.check
def test_a_rollback_takes_what_checks_left_along(loops):
    loops.write("check.sh", LEAVING)
    loops.write("counts.txt", "")
    loops.start(*STEPS)
    left = sorted(path.name for path in loops.top.glob("report-*"))
    report = loops.back()
    assert kept(report) == {} and loops.text("counts.txt") == "" and not [*loops.top.glob("report-*")]
    assert left and names(report.deleted) == left


def test_where_a_loop_is_stopped_between_two_iterations_what_checks_left_is_still_the_loops(loops, monkeypatch):
    loops.write("check.sh", LEAVING)
    loops.write("counts.txt", "")

    def stopped(*_):
        time.sleep(TICK_NS / 1e9)  # no person writes in the same tick of the file system's clock as the checks
        loops.write("mine.txt", "mine")
        return False

    monkeypatch.setattr("ralph_mem.ralph.headless._pause", stopped)
    run = loops.start(*STEPS)
    assert run.reason == "user_stop" and labels(loops)[-1] == "iteration 1"
    report = loops.back()
    assert kept(report) == {"mine.txt": "changed by you"} and not [*loops.top.glob("report-*")]
    loops.back(rolling_back.UNDO)
    assert loops.text("mine.txt") == "mine"
