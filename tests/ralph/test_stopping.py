"""Stopping: wherever a loop works, one word ends it; what it has done until then is kept and can be taken back."""

import os

import pytest

from ralph_mem.core import descendants, paths
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import in_session, runs, starting, stopping
from ralph_mem.ralph.record import GUARD, HEADLESS, IN_SESSION
from tests import clock
from tests.ralph.conftest import MINUTE, NOON
from tests.ralph.loops import STEPS

LONG = f"{STEPS[0]}; setsid sleep 60 & sleep 60"


def until(condition, seconds=10):
    """Return the first true answer."""
    return clock.wait_for(condition, seconds)


def agents(run_id):
    """Return the processes of a run's agent."""
    return descendants.living(-1, f"{paths.LOOP.decode()}={run_id}/")


def in_a_session(loops, mode=IN_SESSION):
    """Begin a loop of a session whose client is alive; returns its run."""
    wish = loops.wish()
    found = starting.start(loops.project, loops.values(), wish, loops.accepted(wish), mode, "a-session")
    in_session.take_over(loops.project, found.loop.run.id, mode, "a-session", "turn-1", (os.getppid(), 0))
    return found.loop.run


@pytest.mark.check
def test_a_loop_in_another_process_ends_with_its_agent_and_the_files_are_known(loops):
    with loops.in_background(LONG) as supervisor:
        live = until(lambda: runs.live(loops.project))
        until(lambda: loops.text("one.txt") == "right\n")
        run = stopping.stop(loops.project, loops.values())
        assert supervisor.wait(10) == 0
    assert (run.id, run.status, run.reason) == (live.run, "stopped", "user_stop")
    assert agents(run.id) == set() and run.iterations[0].changed[0][:2] == ["one.txt", "changed"]
    assert [path.decode() for path in loops.back().restored] == ["one.txt"]


@pytest.mark.check
def test_a_loop_that_was_killed_is_ended_with_the_agent_that_it_left(loops):
    with loops.in_background(LONG) as supervisor:
        live = until(lambda: runs.live(loops.project))
        until(lambda: loops.text("one.txt") == "right\n")
        supervisor.kill()
    assert loops.latest().status == "interrupted"
    run = stopping.stop(loops.project, loops.values())
    assert (run.status, run.reason) == ("stopped", "user_stop") and agents(live.run) == set()
    assert runs.live(loops.project) is None


def test_the_time_in_which_an_interrupted_run_lay_dead_is_not_spent_when_it_is_ended(loops):
    runs.create(loops.project, "loop-1", {"at": NOON})
    runs.write_live(loops.project, runs.Live("loop-1", HEADLESS, "", 1, 1, "", NOON + 4 * MINUTE))
    before = loops.latest().elapsed_ms(NOON + 99 * MINUTE)
    run = stopping.stop(loops.project, loops.values())
    assert run.reason == "user_stop" and before == run.elapsed_ms(runs.now_ms()) == 4 * MINUTE
    assert loops.latest().elapsed_ms(runs.now_ms()) == 4 * MINUTE


def test_a_loop_in_a_session_is_ended_at_once(loops):
    begun = in_a_session(loops)
    run = stopping.stop(loops.project, loops.values(), "enough")
    assert (run.id, run.reason, run.why) == (begun.id, "user_stop", "enough") and runs.live(loops.project) is None


def test_a_guard_is_switched_off(loops):
    in_a_session(loops, GUARD)
    stopping.stop(loops.project, loops.values())
    assert runs.live(loops.project) is None


@pytest.mark.check
def test_where_no_loop_is_at_work_that_is_said_and_an_earlier_run_stays_as_it_is(loops):
    with pytest.raises(LoopError, match="no loop is at work"):
        stopping.stop(loops.project, loops.values())
    loops.start(*STEPS)
    with pytest.raises(LoopError, match="no loop is at work"):
        stopping.stop(loops.project, loops.values())
    assert loops.latest().status == "success"


@pytest.mark.check
def test_the_checks_are_ended_too(loops):
    loops.write("check.sh", "#!/bin/sh\n[ -e started ] && sleep 60\nexit 1\n")
    with loops.in_background("touch started") as supervisor:
        until((loops.top / "started").exists)
        watch = clock.Watch()
        run = stopping.stop(loops.project, loops.values())
        assert watch.free() < 5 and supervisor.wait(10) == 0
    assert run.reason == "user_stop"
