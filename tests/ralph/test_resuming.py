"""Resuming: a run that was killed, stopped or has reached a limit goes on from where it stands, with what was left to it."""

import os
import signal
import subprocess

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import display, headless, leftovers, record, runs, stopping
from ralph_mem.ralph.record import GUARD
from ralph_mem.ralph.runs import now_ms
from tests.ralph.loops import STEPS, kept
from tests.ralph.snapshot.conftest import tree_of
from tests.ralph.test_stopping import agents, in_a_session, until

# The second iteration does not end; once it is begun again, it does.
STALLS = f"{STEPS[1]}; [ -e ../go ] || {{ touch ../go; setsid sleep 60 & sleep 60; }}"


@pytest.fixture
def killed(loops):
    """A project whose loop was killed with SIGKILL in its second iteration."""
    loops.before = tree_of(loops.top)
    with loops.in_background(STEPS[0], STALLS, STEPS[1], STEPS[2], limits={"iterations": 3}) as supervisor:
        until((loops.folder / "go").exists)
        supervisor.kill()
    return loops


def resume(loops, **bounds):
    """Let the last run go on in this process; returns it once it is over."""
    return headless.resume(loops.project, loops.values(), loops.latest(), told=loops.told.append, **bounds)


def test_a_run_that_was_killed_is_told_to_be_interrupted(killed):
    run = killed.latest()
    assert (run.status, run.begun, len(run.iterations)) == ("interrupted", 2, 1)
    assert "interrupted" in " ".join(display.status_lines(run, now_ms()))


@pytest.mark.check
def test_it_goes_on_with_the_iteration_that_was_cut_off_and_ends_green(killed):
    run = resume(killed)
    assert (run.status, [each.number for each in run.iterations]) == ("success", [1, 2, 3])
    assert [[*each.verdicts[0].failing] for each in run.iterations] == [["three", "two"], ["three"], []]


@pytest.mark.check
def test_nothing_of_the_agent_that_was_cut_off_is_left(killed):
    left = subprocess.Popen(["sleep", "60"], env={**os.environ, leftovers.MARK: killed.latest().id}, start_new_session=True)
    resume(killed)
    assert left.wait(10) == -signal.SIGTERM and agents(killed.latest().id) == set()


def test_the_limits_are_those_of_the_whole_run(killed):
    before = killed.latest().elapsed_ms(now_ms())
    run = resume(killed, iterations=2)
    assert (run.reason, len(run.iterations), run.limits.iterations) == ("max_iterations", 2, 2)
    assert run.elapsed_ms(now_ms()) > before > 0


@pytest.mark.check
def test_the_time_that_it_lay_there_does_not_count(killed):
    path = runs.path_of(killed.project, killed.latest().id)
    entries = record.read(path)
    day = 24 * 3_600_000
    shifted = [
        {**entry, **{key: entry[key] - day for key in ("at", "now", "started", "ended") if entry.get(key)}} for entry in entries
    ]
    runs.write_live(killed.project, runs.live(killed.project)._replace(beat=0))
    with open(path, "w") as file:
        file.write("")
    for entry in shifted:
        record.append(path, entry)
    run = resume(killed)
    assert run.status == "success" and run.elapsed_ms(now_ms()) < 60_000


@pytest.mark.check
def test_everything_since_the_first_start_can_be_put_back(killed):
    resume(killed)
    killed.back()
    assert tree_of(killed.top) == killed.before


@pytest.mark.check
def test_the_record_of_both_halves_is_decided_again_alike(killed):
    run = resume(killed)
    assert stopping.replay(record.read(runs.path_of(killed.project, run.id))) == []


def test_a_run_that_reached_a_limit_goes_on_with_a_higher_one(loops):
    loops.start(*STEPS, limits={"iterations": 1})
    run = resume(loops, iterations=5)
    assert (run.status, len(run.iterations)) == ("success", 3)


def test_who_raises_a_limit_by_too_little_is_told_a_number_that_lets_it_go_on(loops):
    loops.start(STEPS[0], STEPS[1], STEPS[1], STEPS[2], limits={"iterations": 3})
    with pytest.raises(LoopError, match="cannot go on: 3 of 1 iterations are used") as refused:
        stopping.check(loops.project, loops.latest(), {"iterations": 1})
    assert "`ralph-mem ralph resume --max-iterations 6`" in refused.value.hint
    assert resume(loops, iterations=6).status == "success"


@pytest.mark.check
def test_a_run_that_was_stopped_goes_on(killed):
    stopping.stop(killed.project, killed.values())
    assert killed.latest().reason == "user_stop" and resume(killed).status == "success"


def test_what_has_reached_its_goal_or_is_at_work_or_is_a_guard_does_not_go_on(loops):
    loops.start(*STEPS)
    with pytest.raises(LoopError, match="has reached its goal"):
        resume(loops)
    in_a_session(loops)
    with pytest.raises(LoopError, match="at work here already"):
        resume(loops)
    stopping.stop(loops.project, loops.values())
    guard = in_a_session(loops, GUARD)
    runs.clear_live(loops.project, guard.id)
    with pytest.raises(LoopError, match="is no run to resume"):
        headless.resume(loops.project, loops.values(), guard)


def test_what_the_person_did_before_it_went_on_stays_theirs_also_where_nothing_tells_who_writes(loops):
    loops.start(STEPS[0], limits={"iterations": 1}, attribution=False)
    loops.write("mine.txt", "mine\n")
    loops.write("two.txt", "mine\n")
    loops.agent(STEPS[1])
    assert changes_of(resume(loops, iterations=2)) == ["two.txt"]
    loops.back()
    assert [loops.text(name) for name in ("one.txt", "two.txt", "mine.txt")] == ["wrong\n", "mine\n", "mine\n"]


def test_what_a_rollback_put_back_before_it_went_on_is_nobodys_change(loops):
    loops.start(STEPS[0], limits={"iterations": 1}, attribution=False)
    loops.back()
    loops.agent(STEPS[0])
    resume(loops, iterations=2)
    assert kept(loops.back()) == {} and loops.text("one.txt") == "wrong\n"


def changes_of(run):
    return [path for path, *_ in run.iterations[-1].changed]
