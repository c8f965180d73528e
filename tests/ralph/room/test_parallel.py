"""Several attempts at once, each in a room: the first that reaches the goal is applied, the others are stopped and kept."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from ralph_mem.core import news, rooms
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import planning, runs
from tests.ralph.clients import Client, ends
from tests.ralph.loops import STEPS

MENDS = "; ".join(STEPS)
# The first to come takes the one turn that succeeds; the others work on for a minute.
ONE_SUCCEEDS = f"if mkdir $here/taken 2>/dev/null; then echo its >who.txt; {MENDS}; else echo slow >slow.txt; sleep 60; fi"
ALL_BUT_THE_FIRST = f"if mkdir $here/taken 2>/dev/null; then sleep 60; else {MENDS}; fi"


def rooms_of(loops):
    return [path for path in Path(rooms.folder_of(str(loops.top))).iterdir() if path.is_dir()]


@pytest.mark.check
@pytest.mark.parametrize("step", [ONE_SUCCEEDS, ALL_BUT_THE_FIRST], ids=["one", "all but the first"])
def test_the_first_that_reaches_the_goal_is_applied_and_the_others_are_stopped_and_kept(loops, step):
    began = time.monotonic()
    run = loops.start(step, here=False, parallel=3)
    assert (run.status, loops.text("one.txt"), bool(run.applied)) == ("success", "right\n", True)
    assert time.monotonic() - began < 45
    every = runs.all(loops.project)
    assert len(every) == 3 and run.id in {each.id for each in every}
    assert {each.status for each in every} <= {"success", "stopped"}
    assert not (loops.top / "slow.txt").exists()
    assert rooms_of(loops) == []
    loops.back()
    assert loops.text("one.txt") == "wrong\n"


def ends_told(loops):
    """Return a command that keeps what it is told, and what finds that."""
    path = loops.folder / "told"
    return ("/bin/sh", "-c", f"cat >>{path}; echo >>{path}"), lambda: [json.loads(line) for line in path.read_text().splitlines()]


def test_the_end_of_all_is_told_once_and_is_that_of_the_one_that_reached_the_goal(loops):
    command, told = ends_told(loops)
    run = loops.start(ALL_BUT_THE_FIRST, here=False, parallel=3, notify=command)
    assert [(each["id"], each["status"]) for each in told()] == [(run.id, "success")]
    assert news.take(loops.project.root).count("loop-") == 1


def test_each_attempt_has_the_iterations_that_were_asked_for(loops):
    command, told = ends_told(loops)
    run = loops.start("true", here=False, parallel=3, notify=command, limits={"iterations": 2})
    every = runs.all(loops.project)
    assert [(each.reason, each.used()) for each in every] == [("max_iterations", 2)] * 3
    assert [each["id"] for each in told()] == [run.id]
    assert any("3 runs, 0 with success, 6 iterations" in line for line in loops.told)


@pytest.mark.check
def test_each_attempt_has_the_time_that_was_asked_for(loops):
    loops.start("sleep 60", here=False, parallel=2, limits={"duration_ms": 3000})
    assert {each.reason for each in runs.all(loops.project)} == {"max_duration"}


def test_what_may_be_spent_is_for_all_attempts_together(loops, tmp_path, monkeypatch):
    Client(tmp_path / "client", monkeypatch).plays(ends(cost=0.1))
    loops.start("true", agent=(), here=False, parallel=3, limits={"cost": 0.3})
    every = runs.all(loops.project)
    assert [each.reason for each in every] == ["max_cost"] * 3
    assert sum(each.cost() for each in every) <= 0.3 + 1e-9


def test_a_stop_ends_them_all(loops):
    process = loops.in_background("touch $here/at-work-$$; sleep 60", here=False, parallel=2)
    end = time.monotonic() + 60
    while len(list(loops.bench.glob("at-work-*"))) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert {run.status for run in runs.all(loops.project)} == {"running"}
    runs.ask(loops.project, runs.live(loops.project).run, runs.STOP)
    process.wait(60)
    assert {run.status for run in runs.all(loops.project)} == {"stopped"}
    assert loops.text("one.txt") == "wrong\n"


@pytest.mark.check
def test_they_end_with_the_one_that_began_them(loops):
    process = loops.in_background("touch $here/at-work-$$; sleep 60", here=False, parallel=2)
    end = time.monotonic() + 60
    while len(list(loops.bench.glob("at-work-*"))) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    while "stopped" not in {run.status for run in runs.all(loops.project)}:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert loops.text("one.txt") == "wrong\n"


def test_attempts_in_the_same_files_are_refused(loops):
    with pytest.raises(LoopError, match="rooms of their own"):
        loops.start(MENDS, here=True, parallel=2)


def test_a_plan_says_what_of_the_limits_is_for_all_attempts(loops):
    wished = loops.wish("true", here=False, parallel=2, limits={"cost": 3.0})
    lines = planning.lines(planning.plan(loops.project, loops.values(), wished))
    assert "2 attempts at once, each with these limits; $3.00 is for all together" in lines


def test_what_cannot_be_shared_is_refused(loops):
    with pytest.raises(LoopError, match="4 attempts cannot share"):
        loops.start(MENDS, here=False, parallel=4, limits={"cost": 0.03})
