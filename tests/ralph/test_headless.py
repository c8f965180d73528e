"""The headless loop: a fresh agent for each iteration until the checks pass, or a reason of the closed set ends it."""

import contextlib
import os
import posix
import re
import resource
import shlex
import sqlite3
import sys
import threading
import time
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.ralph import display, headless, record, runs, stopping
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.record import HEADLESS
from tests import clock
from tests.ralph.loops import GOAL, STEPS, Loops, git

LARGE = 1_000_000


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


def rows_of(project, query):
    """Return rows of a project's memory."""
    with contextlib.closing(sqlite3.connect(project.folder + "/memory.db")) as db:
        return db.execute(query).fetchall()


# The way to green


@pytest.mark.check
def test_the_loop_ends_once_the_checks_pass(loops):
    run = loops.start(*STEPS)
    assert (run.status, run.reason, run.mode) == ("success", "success", HEADLESS)
    assert [[*each.verdicts[0].failing] for each in run.iterations] == [["three", "two"], ["three"], []]
    assert loops.text("three.txt") == "right\n" and runs.live(loops.project) is None


@pytest.mark.check
def test_each_prompt_holds_the_goal_and_what_fails_by_now(loops):
    loops.start(*STEPS)
    failing = [
        [name for name in ("one", "two", "three") if re.search(rf"^- (?:\S+ :: )?{name}$", prompt, re.MULTILINE)]
        for prompt in loops.prompts()
    ]
    assert failing == [["one", "two", "three"], ["two", "three"], ["three"]]
    assert all(GOAL in prompt for prompt in loops.prompts())


@pytest.mark.check
def test_what_was_decided_is_decided_again_from_the_record(loops):
    run = loops.start(*STEPS)
    entries = record.read(runs.path_of(loops.project, run.id))
    assert stopping.replay(entries) == [] and sum(entry["what"] == "decision" for entry in entries) == 3


@pytest.mark.check
def test_the_person_sees_a_line_for_each_iteration(loops):
    run = loops.start(*STEPS)
    stays = [line for line in loops.told if not line.startswith("  ")]
    assert [line for line in stays if run.id in line and "at most 10 iterations" in line]
    assert [sum(f"iteration {number}" in line or f"{number}/10" in line for line in stays) > 0 for number in (1, 2, 3)] == [
        True
    ] * 3


# Why it ends without that


@pytest.mark.check
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


@pytest.mark.check
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
        runs.ask(loops.project, live.run, runs.STOP)

    asking = threading.Thread(target=stop)
    asking.start()
    run = loops.start(step)
    asking.join()
    assert (run.status, run.reason) == ("stopped", "user_stop")
    assert run.iterations[0].snapshot and marked("sleep\00054321") == []


@pytest.mark.check
@pytest.mark.parametrize("who", ["agent", "check"])
def test_nothing_that_an_iteration_started_writes_on_after_it_however_it_hides(loops, who):
    mark = f"5{time.time_ns() % 10**6}"
    hides = f"env -i setsid sh -c 'sleep 0.1; (while :; do date +%N >>writes; sleep 0.1{mark}; done) &' &"
    loops.write("hides.sh", f"#!/bin/sh\n{hides}\nsleep 0.5\nexec ./check.sh\n").chmod(0o755)
    step, check = (f"{hides} sleep 0.5", "./check.sh") if who == "agent" else ("date >notes", "./hides.sh")
    loops.start(step, criteria=(f"custom={check}",), limits={"iterations": 1})
    written = loops.text("writes")
    time.sleep(1.2)
    assert written and loops.text("writes") == written


def test_checks_that_pass_already_are_asked_about_and_no_trace_is_left(loops):
    for name in ("one", "two", "three"):
        loops.write(f"{name}.txt", "right")
    assert loops.start(*STEPS, is_wanted=lambda _loop: False) is None
    assert loops.prompts() == [] and runs.all(loops.project) == []


def test_two_loops_do_not_work_in_the_same_files(loops):
    with Lock(loops.project), pytest.raises(LoopError, match="at work here already"):
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


@pytest.mark.check
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


@pytest.mark.check
@pytest.mark.parametrize("body", NASTY.values(), ids=NASTY.keys())
def test_a_check_that_does_not_end_is_ended_with_all_that_it_started(loops, body):
    mark = f"4{time.time_ns() % 10**6}"  # no other run of this test beside it may be taken for this one
    loops.write("check.sh", f"#!/bin/sh\n{body.replace('43210', mark)}\n")
    watch = clock.Watch()
    run = loops.start("date +%N >notes", limits={"iterations": 1}, timeout_s=0.4)
    (found,) = run.iterations[0].verdicts
    assert found.status == "timed_out" and found.seconds - watch.lost() < 0.9 and marked(f"sleep\0{mark}") == []


def test_a_check_that_waits_for_an_answer_gets_none(loops):
    loops.write("check.sh", '#!/bin/sh\nread answer || { echo "no answer"; exit 1; }\n')
    watch = clock.Watch()
    run = loops.start("date +%N >notes", limits={"iterations": 1})
    assert run.iterations[0].verdicts[0].seconds - watch.lost() < 2 and "no answer" in run.iterations[0].verdicts[0].excerpt


@pytest.mark.check
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


@pytest.mark.check
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


# What the checks before the first iteration come to


# Leaves a folder, a cache and a report behind, as runners do.
LEAVING = "mkdir -p .benchmarks; date +%N >.coverage; echo seen >>report.txt; exec ./check.sh"


@pytest.mark.check
def test_what_the_first_checks_leave_is_not_the_agents(loops):
    loops.write("leaving.sh", f"#!/bin/sh\n{LEAVING}\n").chmod(0o755)
    run = loops.start(*STEPS, criteria=("custom=./leaving.sh",))
    assert [[path for path, *_ in each.changed] for each in run.iterations] == [["one.txt"], ["two.txt"], ["three.txt"]]
    assert ".coverage" not in "".join(loops.prompts())
    loops.back()
    assert not [name for name in (".benchmarks", ".coverage", "report.txt") if (loops.top / name).exists()]


@pytest.mark.check
def test_three_crashes_are_an_error_of_the_agent_whatever_the_checks_leave(loops):
    loops.write("leaving.sh", f"#!/bin/sh\n{LEAVING}\n").chmod(0o755)
    run = loops.start("exit 3", criteria=("custom=./leaving.sh",))
    assert (run.reason, len(run.iterations)) == ("agent_error", 3)


def test_an_agent_that_goes_back_to_what_the_first_checks_left_goes_in_circles(loops):
    loops.write("leaving.sh", "#!/bin/sh\necho 1 >.coverage; exec ./check.sh\n").chmod(0o755)
    run = loops.start("echo right >one.txt", "echo wrong >one.txt", criteria=("custom=./leaving.sh",))
    assert (run.reason, len(run.iterations)) == ("oscillation", 2)


@pytest.mark.check
@pytest.mark.parametrize(
    ("check", "lacks"),
    [
        (f"custom={sys.executable} -I -m no_such_runner -q", "no_such_runner"),
        ("custom=no-such-program --all", "no-such-program"),
        ("custom=./not-there.sh", "./not-there.sh"),
        ("custom=./one.txt", "./one.txt"),
        ("custom=sh -c 'no-such-program --all'", "no-such-program"),
    ],
)
def test_a_check_that_cannot_be_run_ends_the_loop_before_its_first_iteration(loops, check, lacks):
    run = loops.start(*STEPS, criteria=("custom=./check.sh", check), memory=True)
    assert (run.status, run.reason, run.iterations, loops.prompts()) == ("failed", "broken_criteria", [], [])
    assert lacks in run.why
    told = "\n".join(display.ended(run))
    assert lacks in told and "--criteria" in told
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []
    assert not rows_of(loops.project, "SELECT 1 FROM observations")


def test_a_run_that_never_began_is_not_resumed(loops):
    loops.start(*STEPS, criteria=("custom=./not-there.sh",))
    with pytest.raises(LoopError, match="has never begun"):
        headless.resume(loops.project, loops.values(), loops.latest())


def test_an_agent_that_changes_what_git_ignores_is_noticed_and_hides_nothing(loops):
    git(loops.top, "init", "-q")
    run = loops.start(
        "echo '*' >.gitignore; echo '*' >.git/info/exclude; mkdir pkg; echo '*' >pkg/.gitignore; echo x >pkg/hidden.py",
        "echo '*' >rules; git config core.excludesFile rules; echo right >one.txt",
        "echo '* -diff' >.gitattributes",
        limits={"iterations": 3},
    )
    told = ["; ".join(each.tampered) for each in run.iterations]
    assert "added .gitignore, which says what git ignores" in told[0] and "added pkg/.gitignore" in told[0]
    assert "changed .git/info/exclude, which says what git ignores" in told[0] and "info/exclude" not in told[1]
    assert "core.excludesFile" in told[1] and ".gitattributes" in told[2] and "core.excludesFile" not in told[2]
    assert any(line.count("look: ") and ".git/info/exclude" in line for line in loops.told)
    assert "pkg/hidden.py" in [path for path, *_ in run.iterations[0].changed]
    loops.back()
    assert sorted(path.name for path in loops.top.iterdir()) == [".git", "check.sh", "one.txt", "three.txt", "two.txt"]


# What a run teaches


def test_the_end_of_a_run_says_what_it_taught_and_so_does_its_status(loops):
    run = loops.start(*STEPS, memory=True)
    assert run.taught == loops.latest().taught == {"added": 3}
    assert "lessons: 3 added" in loops.told and "lessons: 3 added" in display.status_lines(loops.latest(), 0)


@pytest.mark.check
def test_a_run_that_meets_the_same_failures_again_says_what_it_reinforced(loops):
    loops.start(*STEPS, memory=True)
    for name in ("one", "two", "three"):
        loops.write(f"{name}.txt", "wrong\n")
    for told in loops.bench.glob("prompt-*"):  # the agent begins with its first step again
        told.unlink()
    assert loops.start(*STEPS, memory=True).taught == {"reinforced": 3}


# What the memory keeps of a prompt


@pytest.mark.check
def test_what_a_prompt_tells_from_the_memory_leaves_a_receipt(loops):
    loops.start("exit 3", memory=True)
    loops.start(*STEPS, memory=True)
    ((lesson,),) = rows_of(loops.project, "SELECT public_id FROM observations WHERE event_id LIKE 'learnt:%' ORDER BY id LIMIT 1")
    told = rows_of(
        loops.project,
        "SELECT r.event, s.client_session, i.outcome, i.tokens > 0 AND r.tokens >= i.tokens AND r.budget >= r.tokens"
        " FROM receipts AS r JOIN sessions AS s ON s.id = r.session_id JOIN receipt_items AS i ON i.receipt_id = r.id"
        f" WHERE i.memory = '{lesson}'",
    )
    assert told[0] == ("ralph loop, iteration 1", loops.latest().id, "full", 1)
    assert len(told) == sum(lesson in prompt for prompt in loops.prompts())


def test_a_loop_has_its_row_before_its_first_iteration_ends(loops):
    rows = "SELECT status, iterations FROM loop_runs"
    loops.write("look.py", f"import sqlite3\nprint(sqlite3.connect('.ralph-mem/memory.db').execute('{rows}').fetchall())\n")
    look = f"{sys.executable} look.py"
    loops.start(f"{look} >seen; exit 3", memory=True, limits={"iterations": 1})
    assert loops.text("seen") == "[('running', 0)]\n"
