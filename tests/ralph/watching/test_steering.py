"""What a person says to a loop is told once, and a pause ends nothing and takes no time."""

import threading
import time

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.interfaces import statusline
from ralph_mem.ralph import display, record, runs, stopping
from ralph_mem.ralph.record import fold
from ralph_mem.ralph.watching import overview, steering
from tests import clock
from tests.ralph.conftest import MINUTE, NOON, entries, failing_tests, iteration
from tests.ralph.loops import STEPS

# The agent of the first iteration waits until the person has said what they say.
LISTENING = "until [ -e ../said ]; do sleep 0.05; done; " + STEPS[0]


def beside(loops, act, then=lambda: None):
    """Do something while the loop's first iteration is at work, and more after it, in a thread; returns that."""

    def wait_and_act():
        clock.wait_for(loops.prompts, 20)
        act()
        (loops.folder / "said").touch()
        then()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    return thread


def test_a_hint_is_told_with_the_next_prompt_and_with_no_other(loops):
    thread = beside(loops, lambda: steering.give_hint(loops.project, loops.values(), "look at two.txt"))
    run = loops.start(LISTENING, *STEPS[1:])
    thread.join()
    assert ["look at two.txt" in prompt for prompt in loops.prompts()] == [False, True, False]
    assert overview.rows_of_run(run)[2][-1] == "you: look at two.txt"
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


def test_a_hint_is_told_again_where_its_iteration_is_done_again():
    said = {"what": "hint", "at": NOON, "text": "mind the gap"}
    run = fold([*entries(iteration(1, failing_tests(2))), said, {"what": "begun", "number": 2, "at": NOON, "hints": 1}])
    assert run.hints_for(2) == ["mind the gap"] and run.hints_for(3) == []


def test_a_hint_that_came_while_the_prompt_was_written_waits_for_the_next():
    said = {"what": "hint", "at": NOON, "text": "mind the gap"}
    run = fold([*entries(), said, {"what": "begun", "number": 1, "at": NOON, "hints": 0}])
    assert run.hints_for(2) == ["mind the gap"]


def test_a_hint_holds_no_secret_and_has_a_length(loops):
    loops.start(STEPS[0], limits={"iterations": 1})
    steering.give_hint(loops.project, loops.values(), "use ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6")
    assert "ghp_" not in loops.latest().hints[0][1]
    for text, why in (("x" * 3000, "at most"), ("  ", "needs words")):
        with pytest.raises(LoopError, match=why):
            steering.give_hint(loops.project, loops.values(), text)


@pytest.mark.check
def test_a_pause_ends_nothing_and_takes_no_time(loops):
    told = []

    def go_on():
        clock.wait_for(lambda: loops.latest().is_paused(), 20)
        told.append(clock.wait_for(lambda: "loop paused 1/10" in statusline.line(str(loops.top), ""), 20))
        time.sleep(2)
        steering.go_on(loops.project)

    thread = beside(loops, lambda: steering.pause(loops.project), go_on)
    began = time.monotonic()
    run = loops.start(LISTENING, *STEPS[1:])
    thread.join()
    assert run.reason == "success" and time.monotonic() - began > 2 and told == [True]
    assert run.spent_ms < (time.monotonic() - began) * 1000 - 1800
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


def test_a_loop_that_pauses_can_be_stopped(loops):
    def stop():
        clock.wait_for(lambda: loops.latest().is_paused(), 20)
        stopping.stop(loops.project, loops.values())

    thread = beside(loops, lambda: steering.pause(loops.project), stop)
    run = loops.start(LISTENING, *STEPS[1:])
    thread.join()
    assert (run.reason, len(run.iterations)) == ("user_stop", 1)


def test_the_clock_of_a_paused_run_stands_still():
    told = [*entries(iteration(1, failing_tests(2))), {"what": "paused", "at": NOON + 6 * MINUTE}]
    run = fold(told)
    assert run.is_paused() and run.elapsed_ms(NOON + 60 * MINUTE) == 6 * MINUTE
    assert display.state(run) == "paused after iteration 1 of 10"
    assert display.next_step(run).startswith("`ralph-mem ralph continue` goes on; `ralph-mem ralph stop` ends it")
    again = fold([*told, {"what": "continued", "at": NOON + 50 * MINUTE}])
    assert "continue" not in display.next_step(again)
    assert not again.is_paused() and again.elapsed_ms(NOON + 51 * MINUTE) == 7 * MINUTE


@pytest.mark.check
def test_where_nothing_is_at_work_nothing_pauses(loops):
    loops.start(*STEPS)
    for act in (steering.pause, steering.go_on):
        with pytest.raises(LoopError, match="no loop is at work here"):
            act(loops.project)
