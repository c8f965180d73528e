"""Which loop is alive in a tree: one at most, known by a lock that goes with its process."""

import fcntl
import os
import subprocess
import sys
import threading
import time

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.core.project import Project
from ralph_mem.ralph import leftovers, record, runs
from ralph_mem.ralph.lock import Heartbeat, Lock
from ralph_mem.ralph.runs import Live
from tests import clock
from tests.ralph.conftest import MINUTE, NOON

HOLD = """
import sys, time
from ralph_mem.core.project import Project
from ralph_mem.ralph import lock, runs
from ralph_mem.ralph.lock import Lock
project = Project(sys.argv[1])
with Lock(project), lock.Heartbeat(project, "loop-1", 0.05):
    runs.create(project, "loop-1", {"at": 1})
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def a_live_loop(a_tree):
    """Start a supervisor in a process of its own; gives the process."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, a_tree.top], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"held\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def a_client():
    """Start what stands for the client of a session; gives the process."""
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def in_session(project, pid, beat=NOON):
    """Say that a session's loop is at work, and begin its record."""
    runs.create(project, "loop-2", {"at": NOON, "mode": "in_session", "owner": "session-a"})
    runs.write_live(project, Live("loop-2", "in_session", "session-a", pid, leftovers.born(pid), "turn-3", beat))


def test_records_lie_outside_the_project_and_for_the_owner_alone(a_tree, a_home):
    path = runs.create(a_tree, "loop-1", {"at": NOON})
    assert path.startswith(f"{a_home}/.local/share/ralph-mem/loops/")
    assert os.stat(runs.folder_of(a_tree)).st_mode & 0o777 == 0o700
    assert os.listdir(a_tree.top) == []


def test_worktrees_of_a_repository_have_their_own_loops(tmp_path):
    one, other = Project("/repo", top="/repo"), Project("/repo", top="/elsewhere/worktree")
    assert runs.folder_of(one) != runs.folder_of(other)


def test_without_a_home_no_loop_can_keep_its_records(a_tree, monkeypatch):
    monkeypatch.setattr("posix.environ", {b"HOME": b"/"})
    assert runs.live_path(a_tree) == "" and runs.live(a_tree) is None
    with pytest.raises(LoopError, match="no home"):
        runs.folder_of(a_tree)


def test_a_live_loop_is_seen_from_another_process(a_tree, a_live_loop):
    now = runs.busy(a_tree)
    assert (now.run, now.mode, now.pid) == ("loop-1", "headless", a_live_loop.pid)
    assert runs.latest(a_tree).status == "running"


def test_there_is_one_loop_in_a_tree(a_tree, a_live_loop):
    with pytest.raises(LoopError, match=f"at work here already .loop-1, process {a_live_loop.pid}"), Lock(a_tree):
        pytest.fail("two loops hold the lock")


def test_a_loop_in_another_tree_is_not_in_the_way(a_tree, a_live_loop, tmp_path):
    with Lock(Project(str(tmp_path / "other"))):
        assert runs.busy(a_tree)


def test_a_killed_loop_leaves_an_interrupted_run_and_no_lock(a_tree, a_live_loop):
    a_live_loop.kill()
    a_live_loop.wait()
    assert os.path.exists(runs.live_path(a_tree)) and runs.busy(a_tree) is None
    run = runs.latest(a_tree)
    assert run.status == "interrupted"
    with Lock(a_tree):
        pass


def test_the_clock_of_an_interrupted_run_stopped_at_its_last_heartbeat(a_tree):
    runs.create(a_tree, "loop-1", {"at": NOON})
    runs.write_live(a_tree, Live("loop-1", "headless", "", 1, 1, "", NOON + 4 * MINUTE))
    run = runs.latest(a_tree)
    assert run.status == "interrupted" and run.elapsed_ms(NOON + 99 * MINUTE) == 4 * MINUTE
    assert run.last_seen == NOON + 4 * MINUTE


def test_a_child_of_the_loop_does_not_hold_its_lock(a_tree):
    with Lock(a_tree):
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        with Lock(a_tree):
            pass
    finally:
        child.kill()
        child.wait()


def test_asking_whether_a_loop_is_alive_does_not_keep_one_from_starting(a_tree):
    with Lock(a_tree):
        assert leftovers.is_held(runs.folder_of(a_tree))
    asking = os.open(f"{runs.folder_of(a_tree)}/lock", os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    answered = threading.Timer(0.1, os.close, [asking])
    answered.start()
    with Lock(a_tree):
        answered.join()


def test_the_heart_beats_while_the_loop_lives_and_no_longer(a_tree):
    with Lock(a_tree), Heartbeat(a_tree, "loop-1", 0.02):
        first = runs.live(a_tree).beat
        clock.wait_for(lambda: runs.live(a_tree).beat > first, 10)
    assert runs.live(a_tree) is None and not os.path.exists(runs.live_path(a_tree))


def test_a_heart_goes_on_beating_after_a_disk_was_full(a_tree, monkeypatch):
    def full(project, now):
        raise OSError(28, "No space left on device")

    with Lock(a_tree), Heartbeat(a_tree, "loop-1", 0.01) as _:
        first = runs.live(a_tree).beat
        with monkeypatch.context() as patch:
            patch.setattr(runs, "write_live", full)
            time.sleep(0.05)
        clock.wait_for(lambda: runs.live(a_tree).beat > first, 10)


def test_a_loop_is_not_in_its_own_way(a_tree):
    with Lock(a_tree), Heartbeat(a_tree, "loop-1"):
        assert runs.live(a_tree).run == "loop-1" and runs.busy(a_tree) is None


def test_a_request_to_stop_that_nobody_saw_does_not_stop_the_loop_that_is_resumed(a_tree):
    runs.create(a_tree, "loop-1", {"at": NOON})
    runs.ask(a_tree, "loop-1", runs.STOP)
    with Lock(a_tree), Heartbeat(a_tree, "loop-1"):
        assert not runs.is_asked(a_tree, "loop-1", runs.STOP)
        runs.ask(a_tree, "loop-1", runs.STOP)
        assert runs.is_asked(a_tree, "loop-1", runs.STOP)


def test_a_loop_does_not_wipe_out_the_word_of_another(a_tree):
    in_session(a_tree, 0)
    runs.clear_live(a_tree, "loop-1")
    assert runs.live(a_tree).run == "loop-2"
    runs.clear_live(a_tree, "loop-2")
    assert runs.live(a_tree) is None


def test_a_sessions_loop_lives_as_long_as_its_client(a_tree, a_client):
    in_session(a_tree, a_client.pid)
    assert runs.busy(a_tree).owner == "session-a"
    with pytest.raises(LoopError, match="loop-2"), Lock(a_tree):
        pytest.fail("two loops in one tree")
    a_client.kill()
    a_client.wait()
    assert runs.busy(a_tree) is None and runs.latest(a_tree).status == "interrupted"
    with Lock(a_tree):
        pass


def test_a_process_that_has_got_the_number_of_another_is_not_taken_for_it(a_tree, a_client):
    runs.create(a_tree, "loop-2", {"at": NOON, "mode": "in_session"})
    runs.write_live(
        a_tree, Live("loop-2", "in_session", "session-a", a_client.pid, leftovers.born(a_client.pid) - 1, "turn-1", NOON)
    )
    assert runs.busy(a_tree) is None


def test_a_client_that_is_dead_but_not_buried_is_dead(a_client):
    since = leftovers.born(a_client.pid)
    assert since and leftovers.is_running(a_client.pid, since)
    a_client.kill()
    os.waitid(os.P_PID, a_client.pid, os.WEXITED | os.WNOWAIT)
    assert not leftovers.is_running(a_client.pid, since)


def test_a_client_that_is_not_known_is_believed_for_half_a_day(a_tree):
    in_session(a_tree, 0)
    now = runs.live(a_tree)
    assert runs.is_alive(a_tree, now, NOON + 11 * 60 * MINUTE)
    assert not runs.is_alive(a_tree, now, NOON + 13 * 60 * MINUTE)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": 3}', "\x00" * 100])
def test_a_damaged_word_about_the_live_loop_is_none(a_tree, text):
    runs.create(a_tree, "loop-1", {"at": NOON})
    with open(runs.live_path(a_tree), "w") as file:
        file.write(text)
    assert runs.live(a_tree) is None


def test_runs_are_found_by_the_beginning_of_their_name(a_tree):
    for number, name in enumerate(("loop-aa11", "loop-aa22", "loop-bb33")):
        runs.create(a_tree, name, {"at": NOON + number})
    assert [run.id for run in runs.all(a_tree)] == ["loop-aa11", "loop-aa22", "loop-bb33"]
    assert runs.find(a_tree, "loop-b").id == runs.find(a_tree, "bb").id == runs.find(a_tree, "").id == "loop-bb33"
    with pytest.raises(LoopError, match="several runs begin with aa: loop-aa11, loop-aa22"):
        runs.find(a_tree, "aa")
    with pytest.raises(LoopError, match="no run zz"):
        runs.find(a_tree, "zz")


def test_where_no_loop_has_run_there_is_nothing_to_find(a_tree):
    assert runs.all(a_tree) == [] and runs.latest(a_tree) is None
    with pytest.raises(LoopError, match="no loop has run here"):
        runs.find(a_tree, "")


def test_a_run_is_not_begun_twice(a_tree):
    path = runs.create(a_tree, "loop-1", {"at": NOON})
    with pytest.raises(LoopError, match="there already"):
        runs.create(a_tree, "loop-1", {"at": NOON})
    assert len(record.read(path)) == 1


def test_a_run_that_has_ended_is_not_interrupted(a_tree):
    path = runs.create(a_tree, "loop-1", {"at": NOON})
    record.append(path, {"what": "end", "at": NOON + 1, "status": "success", "reason": "success"})
    assert runs.latest(a_tree).status == "success"


def test_a_loop_can_be_asked_to_stop_from_elsewhere(a_tree):
    runs.create(a_tree, "loop-1", {"at": NOON})
    assert not runs.is_asked(a_tree, "loop-1", runs.STOP)
    runs.ask(a_tree, "loop-1", runs.STOP)
    assert runs.is_asked(a_tree, "loop-1", runs.STOP) and not runs.is_asked(a_tree, "loop-2", runs.STOP)
    runs.clear_live(a_tree, "loop-1")
    assert not runs.is_asked(a_tree, "loop-1", runs.STOP)


def attempts(project, **ended):
    """Record the lead of attempts and two beside it, which ended at these minutes: `lead=3`; the others were stopped."""
    for at, name in enumerate(("lead", "second", "third")):
        path = runs.create(project, name, {"at": NOON + at, "options": {"attempt_of": "lead"} if at else {}})
        reason, status = ("success", "success") if name in ended else ("user_stop", "stopped")
        record.append(path, {"what": "end", "at": NOON + MINUTE * ended.get(name, 9), "status": status, "reason": reason})


@pytest.mark.parametrize(
    ("ended", "meant"),
    [({"second": 3}, "second"), ({"second": 4, "third": 3}, "third"), ({"lead": 4, "second": 3}, "lead"), ({}, "lead")],
)
def test_of_attempts_side_by_side_the_one_that_reached_the_goal_is_meant_else_the_first(a_tree, ended, meant):
    attempts(a_tree, **ended)
    assert runs.find(a_tree, "").id == meant


def test_hints_name_a_run_that_is_not_the_latest_so_that_they_do_not_act_on_another(a_tree):
    for number, name in enumerate(["loop-old", "loop-new"]):
        runs.create(a_tree, name, {"at": NOON + number})
    hints = ["next: `ralph-mem ralph resume --max-iterations 4` goes on; `ralph-mem ralph rollback` ..."]
    named = "next: `ralph-mem ralph resume loop-old --max-iterations 4` goes on; `ralph-mem ralph rollback loop-old` ..."
    old, new = [runs.find(a_tree, name) for name in ("loop-old", "loop-new")]
    assert (runs.with_id(a_tree, old, hints), runs.with_id(a_tree, new, hints)) == ([named], hints)
