"""A plan in a room of the loop's own: there only the agent works, so what it may not touch is put back."""

import pytest

from ralph_mem.ralph import headless, prospects
from ralph_mem.ralph.room import applying
from ralph_mem.ralph.tasks import amending
from tests.ralph.loops import STEPS, Loops
from tests.ralph.tasks.test_loop import PLAN, TICKED, TICKS_ALL, done, replayed
from tests.ralph.test_stopping import until


@pytest.fixture
def loops(tmp_path):
    loops = Loops(tmp_path)
    loops.write("plan.md", PLAN)
    return loops


def test_what_was_proved_in_the_room_comes_back_with_its_boxes(loops):
    run = loops.start(f"{STEPS[0]}; {TICKS_ALL}", *STEPS[1:], plan="plan.md", here=False)
    assert (run.status, len(run.iterations), done(run)) == ("success", 3, [1, 2, 3])
    assert (loops.text("plan.md"), loops.text("three.txt")) == (TICKED, "right\n")
    assert "changed plan.md, the plan, which counts as it was accepted, put back" in run.iterations[0].tampered
    assert replayed(loops) == []


def test_a_file_that_is_not_the_tasks_is_put_back(loops):
    loops.write("plan.md", "- [ ] The first is right\n  check: grep -q right one.txt\n  files: one.txt\n")
    run = loops.start(f"{STEPS[0]}; echo mine >two.txt; echo new >new.txt", plan="plan.md", criteria=(), here=False)
    assert run.status == "success" and "not among the files of task 1, put back: new.txt, two.txt" in run.iterations[0].tampered
    assert (loops.text("one.txt"), loops.text("two.txt")) == ("right\n", "wrong\n") and not (loops.top / "new.txt").exists()
    assert [path for path, *_ in run.iterations[0].changed] == ["one.txt"]


def test_a_script_that_is_still_to_be_written_is_looked_for_in_the_room(loops):
    loops.write("plan.md", "- [ ] There is a check\n  check: ./verify.sh\n")
    run = loops.start("printf '#!/bin/sh\\nexit 0\\n' >verify.sh; chmod +x verify.sh", plan="plan.md", criteria=(), here=False)
    assert run.status == "success" and (loops.top / "verify.sh").exists()


CHANGED = "  check: grep -q good two.txt\n"


def gone_on(loops, plan):
    """Change the plan as a person, and let the last run go on with it; returns the run."""
    loops.write("plan.md", plan)
    prospect = prospects.again(loops.project, loops.latest(), (), "plan.md")
    amended = amending.of(loops.latest(), prospect.plan, loops.project, loops.values())
    for path in loops.bench.glob("prompt-*"):
        path.unlink()
    return headless.resume(loops.project, loops.values(), loops.latest(), amended=amended, iterations=9)


@pytest.mark.parametrize("is_applied", [True, False])
def test_a_plan_that_the_person_changed_before_a_resume_is_the_one_that_is_ticked(loops, is_applied):
    loops.start(STEPS[0], "echo is right >three.txt", plan="plan.md", criteria=(), here=False, limits={"iterations": 1})
    if is_applied:
        applying.apply(loops.project, loops.values(), loops.latest(), "")
    loops.agent("grep good plan.md >$here/seen; echo good >two.txt", STEPS[2])
    run = gone_on(loops, loops.text("plan.md").replace("right two.txt", "good two.txt"))
    assert (run.status, run.applied[-1]["conflicts"], (loops.bench / "seen").read_text()) == ("success", [], CHANGED)
    assert loops.text("plan.md") == TICKED.replace("right two.txt", "good two.txt")


def test_an_older_iteration_leaves_a_plan_that_the_person_changed_since(loops):
    loops.start(*STEPS[:2], plan="plan.md", criteria=(), here=False, limits={"iterations": 2})
    plan = PLAN.replace("right three.txt", "good three.txt")
    gone_on(loops, plan)
    loops.write("two.txt", "wrong\n")
    applying.apply(loops.project, loops.values(), loops.latest(), "1")
    assert "good three.txt" in loops.text("plan.md")


@pytest.mark.check
def test_what_was_done_when_a_kill_came_is_applied_though_the_plan_was_changed_since(loops):
    stalls = f"{STEPS[1]}; [ -e $here/go ] || {{ touch $here/go; sleep 60 & sleep 60; }}"
    with loops.in_background(STEPS[0], stalls, plan="plan.md", criteria=(), here=False) as supervisor:
        until((loops.bench / "go").exists)
        supervisor.kill()
    loops.agent(STEPS[2])
    run = gone_on(loops, PLAN + "\nand no more\n")
    assert (run.status, run.applied[-1]["conflicts"], loops.text("two.txt")) == ("success", [], "right\n")
    assert loops.text("plan.md") == TICKED + "\nand no more\n"
