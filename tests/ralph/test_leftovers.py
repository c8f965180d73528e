"""Leftovers: what a dead run left running is ended, and nothing of any other run."""

import os
import subprocess
import tempfile

import pytest

from ralph_mem.ralph import leftovers
from tests.ralph.loops import STEPS, Loops, git


@pytest.fixture
def a_process():
    """Start processes with a run's mark, as `a_process(run)`; they are ended afterwards."""
    started = []

    def start(run_id, **more):
        started.append(subprocess.Popen(["sleep", "30"], env={**os.environ, leftovers.MARK: run_id, **more}))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.wait()


def test_what_carries_the_name_of_a_run_is_ended_and_counted(a_process):
    left = [a_process("loop-11112222"), a_process("loop-11112222")]
    assert leftovers.end("loop-11112222") == 2
    assert [each.wait(5) for each in left] == [-15, -15]


@pytest.mark.parametrize("dead", ["loop-1", "oop-11112222", "loop-111122223", ""])
def test_a_run_whose_name_is_only_alike_works_on(a_process, dead):
    alive = a_process("loop-11112222")
    assert leftovers.end(dead) == 0 and alive.poll() is None


def test_whoever_only_speaks_of_a_run_works_on(a_process):
    alive = a_process("other", NOTE=f"{leftovers.MARK}=loop-11112222")
    assert leftovers.end("loop-11112222") == 0 and alive.poll() is None


def test_what_a_marked_process_started_with_a_clean_environment_is_ended_too(a_process):
    started = subprocess.Popen(
        ["sh", "-c", "env -i setsid sleep 30 & echo $!; wait"],
        stdout=subprocess.PIPE,
        env={**os.environ, leftovers.MARK: "loop-11112222"},
    )
    below = int(started.stdout.readline())
    assert leftovers.end("loop-11112222") == 2
    started.wait(5)  # raises where it goes on; it ends well where what it started was ended before it
    started.stdout.close()
    assert not leftovers.is_running(below, leftovers.born(below))


def test_a_folder_of_a_killed_process_is_removed_by_the_next_one_and_no_other(tmp_path, monkeypatch, a_process):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    alive = a_process("loop-11112222")
    stay = [f"ralph-mem-of-{alive.pid}-{leftovers.born(alive.pid)}-abc", "ralph-mem-abc", "ralph-mem-of-1-x-abc"]
    for name in (*stay, f"ralph-mem-of-{alive.pid}-1-abc"):  # the last one is of a process that had this number before
        (tmp_path / name).mkdir()
    stay += [os.path.basename(leftovers.folder()), os.path.basename(leftovers.folder())]
    assert {path.name for path in tmp_path.glob("ralph-mem-*")} == set(stay)


def test_every_temporary_folder_of_a_loop_is_called_so_that_a_kill_leaves_none_for_good(tmp_path, monkeypatch):
    made, loops = [], Loops(tmp_path)
    git(loops.top, "init", "-q")
    really = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda *given, **named: made.append(really(*given, **named)) or made[-1])
    checks = "custom=./check.sh", "custom=test -e .git"  # which no copy has
    run = loops.start("; ".join(["echo new >new.txt", *STEPS]), criteria=checks)
    names = [os.path.basename(path) for path in made if os.path.dirname(path) == tempfile.gettempdir()]
    assert run.status == "success" and names
    assert [name for name in names if not name.startswith(leftovers.prefix())] == []
