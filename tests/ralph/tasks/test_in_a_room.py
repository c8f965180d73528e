"""A plan in a room of the loop's own: there only the agent works, so what it may not touch is put back."""

import pytest

from tests.ralph.loops import STEPS, Loops
from tests.ralph.tasks.test_loop import PLAN, TICKED, TICKS_ALL, done, replayed


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
