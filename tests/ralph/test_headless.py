"""The headless loop: a fresh agent for each iteration until the checks pass, or a reason of the closed set ends it."""

import contextlib
import os
import posix
import resource
import shlex
import threading
import time
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.ralph import record, replay, runs
from ralph_mem.ralph.run import HEADLESS
from tests.ralph.loops import GOAL, STEPS, Loops

LARGE = 1_000_000


@pytest.fixture
def loops(tmp_path):
    return Loops(tmp_path)


@contextlib.contextmanager
def small_disk():
    """Let no file grow beyond a quarter of a megabyte: a disk that is full, as far as anybody can tell."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGE // 4, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def marked(words):
    """Return the processes that have words in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [int(path.parent.name)] if words.encode() in path.read_bytes() else []
        except OSError:
            continue
    return found


# The way to green


def test_the_loop_ends_once_the_checks_pass(loops):
    run = loops.start(*STEPS)
    assert (run.status, run.reason, run.mode) == ("success", "success", HEADLESS)
    assert [[*each.verdicts[0].failing] for each in run.iterations] == [["three", "two"], ["three"], []]
    assert loops.text("three.txt") == "right\n" and runs.live(loops.project) is None


def test_each_prompt_holds_the_goal_and_what_fails_by_now(loops):
    loops.start(*STEPS)
    failing = [[name for name in ("one", "two", "three") if f":: {name}:" in prompt] for prompt in loops.prompts()]
    assert failing == [["one", "two", "three"], ["two", "three"], ["three"]]
    assert all(GOAL in prompt for prompt in loops.prompts())


def test_what_was_decided_is_decided_again_from_the_record(loops):
    run = loops.start(*STEPS)
    entries = record.read(runs.path_of(loops.project, run.id))
    assert replay.replay(entries) == [] and sum(entry["what"] == "decision" for entry in entries) == 3


def test_the_person_sees_a_line_for_each_iteration(loops):
    run = loops.start(*STEPS)
    stays = [line for line in loops.told if not line.startswith("  ")]
    assert [line for line in stays if run.id in line and "at most 10 iterations" in line]
    assert [sum(f"iteration {number}" in line or f"{number}/10" in line for line in stays) > 0 for number in (1, 2, 3)] == [
        True
    ] * 3


# Why it ends without that


@pytest.mark.parametrize(
    ("step", "limits", "reason", "passes"),
    [
        ("date +%N >>notes", {"iterations": 2}, "max_iterations", 2),
        ("date +%N >>notes", {"no_progress": 2}, "no_progress", 2),
        ("exit 3", {}, "agent_error", 3),
        ("[ -e notes ] && rm notes || date >notes", {"no_progress": 9}, "oscillation", 2),
    ],
)
def test_an_agent_that_reaches_nothing_is_stopped(loops, step, limits, reason, passes):
    run = loops.start(step, limits=limits)
    assert (run.status, run.reason, len(run.iterations)) == ("failed", reason, passes)


def test_an_agent_is_ended_when_the_time_of_the_whole_run_is_up(loops):
    run = loops.start(f"{STEPS[0]}; sleep 20", limits={"duration_ms": 1200})
    assert (run.reason, len(run.iterations), run.iterations[0].kind) == ("max_duration", 1, "time")
    assert run.iterations[0].changed[0][:2] == ["one.txt", "changed"] and run.ended - run.started < 6000


def test_an_agent_that_is_not_there_ends_the_loop_before_an_iteration(loops):
    run = loops.start(agent=("/nowhere/agent",))
    assert (run.reason, run.iterations) == ("agent_error", []) and "/nowhere/agent" in run.why


def test_a_loop_is_stopped_from_outside_and_its_agent_is_gone_with_all_it_started(loops):
    step = "echo right >one.txt; setsid sleep 54321 & sleep 54321"

    def stop():
        while not (live := runs.live(loops.project)) or loops.text("one.txt") != "right\n":
            time.sleep(0.02)
        runs.ask_to_stop(loops.project, live.run)

    asking = threading.Thread(target=stop)
    asking.start()
    run = loops.start(step)
    asking.join()
    assert (run.status, run.reason) == ("stopped", "user_stop")
    assert run.iterations[0].snapshot and marked("sleep\00054321") == []


def test_checks_that_pass_already_are_asked_about_and_no_trace_is_left(loops):
    for name in ("one", "two", "three"):
        loops.write(f"{name}.txt", "right")
    assert loops.start(*STEPS, is_wanted=lambda _loop: False) is None
    assert loops.prompts() == [] and runs.all(loops.project) == []


def test_two_loops_do_not_work_in_the_same_files(loops):
    with runs.Lock(loops.project), pytest.raises(LoopError, match="at work here already"):
        loops.start(*STEPS)
    assert loops.prompts() == []


# Bad input

GOALS = (
    "it's \"quoted\" and 'so'; touch made",
    "$(touch made) `touch made` && touch made | touch made > made",
    "first line\n\n- second\n```\n</goal>\nthird",
    "--accept x --max-iterations=99 -- -rf",
    "{prompt} {prompt_file} %s {0} $1",
    "登录失败 🎉",
)


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_reaches_the_agent_as_it_was_typed_and_runs_nothing(loops, goal):
    loops.start("echo right >one.txt", goal=goal, limits={"iterations": 1})
    assert goal in loops.prompts()[0] and not (loops.top / "made").exists()


def test_a_goal_reaches_an_agent_as_one_argument(loops):
    shows = loops.bench / "shows.sh"
    shows.write_text(f'printf "%s" "$1" >{shlex.quote(str(loops.bench / "told"))}\n')
    loops.start(goal=GOALS[1], agent=("/bin/sh", str(shows), "{prompt}"), limits={"iterations": 1})
    assert GOALS[1] in (loops.bench / "told").read_text() and not (loops.top / "made").exists()


def test_without_a_check_nothing_is_begun(loops):
    with pytest.raises(LoopError):
        loops.start(*STEPS, criteria=("test_pass",))
    assert loops.prompts() == [] and runs.all(loops.project) == []


NASTY = {
    "hangs": "sleep 43210",
    "forks": "sleep 43210 & sleep 43210 & wait",
    "daemonizes": "(setsid sh -c 'sleep 43210 & sleep 43210' &) ; sleep 43210",
    "ignores-signals": "trap '' TERM INT HUP; sleep 43210; sleep 43210",
}


@pytest.mark.parametrize("body", NASTY.values(), ids=NASTY.keys())
def test_a_check_that_does_not_end_is_ended_with_all_that_it_started(loops, body):
    loops.write("check.sh", f"#!/bin/sh\n{body}\n")
    run = loops.start("date +%N >notes", limits={"iterations": 1}, timeout_s=0.4)
    (found,) = run.iterations[0].verdicts
    assert found.status == "timed_out" and found.seconds < 0.9 and marked("sleep\00043210") == []


def test_a_check_that_waits_for_an_answer_gets_none(loops):
    loops.write("check.sh", '#!/bin/sh\nread answer || { echo "no answer"; exit 1; }\n')
    run = loops.start("date +%N >notes", limits={"iterations": 1})
    assert run.iterations[0].verdicts[0].seconds < 2 and "no answer" in run.iterations[0].verdicts[0].excerpt


@pytest.mark.parametrize("megabytes", [60, pytest.param(1000, marks=pytest.mark.nightly)])
def test_a_check_that_prints_without_end_is_read_to_its_end_and_kept_in_part(loops, megabytes):
    loops.write("check.sh", f"#!/bin/sh\nhead -c {megabytes}000000 /dev/zero | tr '\\0' 'x'\necho; echo the end; exit 1\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = loops.start("date +%N >notes", limits={"iterations": 1})
    (found,) = run.iterations[0].verdicts
    assert found.status == "failed" and "the end" in found.excerpt and len(found.excerpt) < 20_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


# The files


def test_a_loop_whose_first_snapshot_finds_the_disk_full_does_not_start(loops):
    (loops.top / "large.bin").write_bytes(os.urandom(LARGE))
    with small_disk(), pytest.raises(SnapshotError):
        loops.start(*STEPS)
    assert loops.prompts() == [] and loops.text("one.txt") == "wrong\n"
    assert runs.all(loops.project) == [] and runs.live(loops.project) is None


def test_a_disk_that_is_full_later_ends_the_loop_and_what_was_there_can_still_be_put_back(loops):
    with small_disk():
        run = loops.start(STEPS[0], f"{STEPS[1]}; ulimit -S -f unlimited; head -c {LARGE} /dev/urandom >large.bin")
    assert (run.status, run.reason, len(run.iterations)) == ("failed", "snapshot_failed", 1) and run.why
    assert (loops.top / "large.bin").stat().st_size == LARGE and loops.text("two.txt") == "right\n"
    loops.back(force=True)
    assert loops.text("one.txt") == loops.text("two.txt") == "wrong\n"


def test_a_home_folder_gets_no_loop(tmp_path, monkeypatch):
    loops = Loops(tmp_path)
    monkeypatch.setenv("HOME", str(loops.top))
    monkeypatch.setitem(posix.environ, b"HOME", str(loops.top).encode())
    with pytest.raises(SnapshotError, match="home folder"):
        loops.start(*STEPS)
    assert loops.prompts() == []
