"""What was applied is taken out again, and whatever the person has done since stays theirs, however often results came and went."""

import os

import pytest

from ralph_mem.ralph import display, headless, rollback_lines, rolling_back, stop_reasons
from ralph_mem.ralph.room import applying
from tests.ralph.loops import STEPS, names
from tests.ralph.room.test_loop_in_a_room import applied, in_a_room, kept, person

LIST = "1\n2\n3\n4\n5\n6\n7\n"


def mine(loops):
    """Work as a person in a file of one's own and in one that the loop never touched; returns what has to stay of it."""
    loops.write("mine.txt", "mine\n")
    loops.write("check.sh", "mine as well\n")
    return {"mine.txt": "mine\n", "check.sh": "mine as well\n"}


def there(loops, paths):
    return {path: loops.text(path) for path in paths if (loops.top / path).exists()}


def test_what_the_person_did_between_a_result_and_a_resume_stays(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    applied(loops)
    work = mine(loops)
    headless.resume(loops.project, loops.values(), run, iterations=2)
    report = loops.back()
    assert (names(report.restored), report.deleted, loops.text("one.txt")) == (["one.txt"], [], "wrong\n")
    assert there(loops, work) == work and set(kept(report)) == set(work)


def test_what_the_person_did_between_two_results_stays_when_both_are_taken_out(loops):
    in_a_room(loops, STEPS[0], STEPS[1], limits={"iterations": 2})
    applied(loops, to="1")
    work = mine(loops)
    applied(loops, to="2")
    reports = [loops.back(), loops.back()]
    assert [names(report.restored) for report in reports] == [["two.txt"], ["one.txt"]]
    assert there(loops, work) == work and [report.deleted for report in reports] == [[], []]


def test_of_several_results_a_rollback_says_that_it_takes_out_the_last(loops):
    run = in_a_room(loops, STEPS[0], "; ".join(STEPS), limits={"iterations": 1})
    applied(loops)
    ended = headless.resume(loops.project, loops.values(), run, iterations=2)
    assert "`ralph-mem ralph rollback` takes out the result that was applied last" in display.next_step(ended)
    what = [rolling_back.roll_back(loops.project, loops.values(), loops.latest(), rolling_back.START)[0] for _ in range(2)]
    assert what == [f"what was there before {which} was applied" for which in (f"the last of 2 results of {run.id}", run.id)]


def test_an_edit_between_two_results_of_the_same_file_stays_and_is_named(loops):
    loops.write("list.txt", LIST)
    in_a_room(loops, "sed -i s/1/its/ list.txt", "sed -i s/7/its/ list.txt", limits={"iterations": 2})
    applied(loops, to="1")
    loops.write("list.txt", loops.text("list.txt").replace("4", "mine"))
    applied(loops, to="2")
    loops.back()
    assert kept(loops.back()) == {"list.txt": "changed by the loop, then by you"}
    assert loops.text("list.txt") == LIST.replace("1", "its").replace("4", "mine")


def test_what_was_forced_and_brought_again_is_still_the_persons(loops):
    in_a_room(loops, STEPS[0], limits={"iterations": 1})
    applied(loops)
    loops.write("one.txt", "mine\n")
    loops.back(force=True)
    assert loops.text("one.txt") == "wrong\n"
    loops.back(rolling_back.UNDO)
    assert kept(loops.back()) == {"one.txt": "changed by the loop, then by you"}
    assert loops.text("one.txt") == "mine\n"


def partly_out(loops):
    """Take a result out of which the person changed a file too, so that it stays there."""
    loops.write("list.txt", LIST)
    in_a_room(loops, "sed -i s/1/its/ list.txt; " + STEPS[0], limits={"iterations": 1})
    applied(loops)
    loops.write("list.txt", loops.text("list.txt").replace("7", "mine"))
    loops.back()
    return loops.latest()


def test_a_result_of_which_a_rollback_kept_a_file_is_still_there_until_it_is_forced(loops):
    run = partly_out(loops)
    lines = display.status_lines(run, 0)
    assert "applied: taken out, except from 1 file: list.txt" in lines and "rollback --force` takes out the rest" in lines[-1]
    assert names(loops.back(force=True).restored) == ["list.txt"] and loops.text("list.txt") == LIST
    assert loops.latest().applied == []


@pytest.mark.check
def test_a_result_of_which_a_rollback_kept_a_file_is_brought_whole_by_its_undo_and_by_a_new_apply(loops):
    partly_out(loops)
    loops.back(rolling_back.UNDO)
    assert loops.text("one.txt") == "right\n" and "remains" not in loops.latest().applied[0]
    loops.back()
    loops.back()  # changes nothing, so that the undo is still that of the one before
    assert names(applied(loops).restored) == ["one.txt"]
    reports = [loops.back(), loops.back(force=True)]
    assert [names(report.restored) for report in reports] == [["one.txt"], ["list.txt"]]


def test_a_preview_says_what_takes_back_what_the_person_changed_too(loops):
    run = partly_out(loops)
    preview = rolling_back.preview_rollback(loops.project, loops.values(), run, rolling_back.START)
    assert rollback_lines.rollback_preview(*preview)[-1] == f"({rollback_lines.FORCE})"


@pytest.mark.check
def test_a_forced_rollback_is_undone_and_done_again(loops):
    in_a_room(loops, STEPS[0], limits={"iterations": 1})
    applied(loops)
    loops.write("one.txt", "mine\n")
    loops.back(force=True)
    left = [(loops.back(rolling_back.UNDO), loops.text("one.txt"))[1] for _ in range(3)]
    assert left == ["mine\n", "wrong\n", "mine\n"]


def test_an_undo_leaves_what_the_person_did_since_the_rollback(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    applied(loops)
    loops.back()
    work = mine(loops)
    headless.resume(loops.project, loops.values(), run, iterations=2)
    applied(loops)
    later = loops.write("later.txt", "later\n")
    loops.back(rolling_back.UNDO)
    assert there(loops, work) == work and later.exists()


@pytest.mark.check
def test_taking_out_one_attempt_leaves_what_another_brought(loops):
    first = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    second = in_a_room(loops, STEPS[1], limits={"iterations": 1})
    applied(loops, first)
    applied(loops, second)
    rolling_back.roll_back(loops.project, loops.values(), first, rolling_back.START)
    assert (loops.text("one.txt"), loops.text("two.txt")) == ("wrong\n", "right\n")


def test_what_another_run_brought_is_not_called_the_persons(loops):
    loops.write("list.txt", LIST)
    first = in_a_room(loops, "sed -i s/1/its/ list.txt", limits={"iterations": 1})
    applied(loops, first)
    second = in_a_room(loops, "sed -i s/7/its/ list.txt; " + STEPS[1], limits={"iterations": 1})
    applied(loops, second)
    loops.write("mine.txt", "mine\n")
    by_second = {"list.txt": f"changed by the loop, then by {second.id}", "two.txt": f"changed by {second.id}"}
    _, plan = rolling_back.preview_rollback(loops.project, loops.values(), first, rolling_back.START)
    _, report = rolling_back.roll_back(loops.project, loops.values(), first, rolling_back.START)
    assert kept(plan) == kept(report) == {
        **by_second,
        "mine.txt": "changed by you",
    } and rollback_lines.FORCE in rollback_lines.rolled_back("", report, first)


def test_a_file_that_lost_one_of_its_two_names_to_a_result_has_both_again(loops):
    other = loops.write("folder/other.txt", "shared\n")
    os.link(other, loops.top / "name.txt")
    in_a_room(loops, "rm folder/other.txt", limits={"iterations": 1})
    applied(loops)
    report = loops.back()
    assert kept(report) == {} and other.samefile(loops.top / "name.txt")


def test_a_result_that_the_person_took_back_by_hand_is_not_said_to_be_there_and_can_be_brought_again(loops):
    run = in_a_room(loops, "; ".join(STEPS))
    loops.write("one.txt", "wrong\n")
    what, report, _ = applying.apply(loops.project, loops.values(), run, "")
    again = f"`ralph-mem ralph apply {run.id} --undo --confirm`, then `ralph-mem ralph apply {run.id} --confirm`, bring it anew"
    told = [f"Nothing is left to bring of {what}.", f"what was brought before is as you have it now; {again}"]
    assert rollback_lines.applied(what, report, 0, run) == told
    loops.back()
    assert (names(applied(loops).restored), loops.text("one.txt")) == (["one.txt", "three.txt", "two.txt"], "right\n")


def test_a_result_of_which_all_is_in_conflict_is_not_said_to_be_there(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    loops.write("one.txt", "mine\n")
    what, report, _ = applying.apply(loops.project, loops.values(), run, "")
    assert rollback_lines.applied(what, report, 0, run)[0] == f"Nothing of {what} came into your files, 1 conflict."


def test_of_a_result_of_which_all_is_in_conflict_no_way_back_is_told(loops):
    run = in_a_room(
        loops,
        f"{person(loops, 'echo mine >one.txt')}; {STEPS[0]}",
        limits={"iterations": 1},
        criteria=("custom=grep right one.txt",),
    )
    said = [line for told in loops.told for line in told.splitlines()]
    assert (run.status, loops.text("one.txt")) == ("success", "mine\n")
    assert f"Nothing of iteration 1 of {run.id} came into your files, 1 conflict." in said
    assert stop_reasons.next_step(run.reason, run) == "look at what changed with `ralph-mem ralph diff`"
    assert not [line for line in [*said, *rollback_lines.applied("it", applied(loops), 0, run)] if "--undo" in line]
