"""However a loop in a room is ended, the person's files are as they were, and it can go on."""

import os
import signal
from pathlib import Path

import pytest

from ralph_mem.core import rooms
from ralph_mem.core.errors import RalphMemError, SnapshotError
from ralph_mem.ralph import display, files, headless, pending, record, rolling_back, stopping
from ralph_mem.ralph.loop import Loop
from ralph_mem.ralph.room import applying, filling
from tests.ralph.loops import STEPS, Killed, Loops, cut_off, git
from tests.ralph.test_stopping import until

MENDS = "; ".join(STEPS)


@pytest.fixture
def loops(tmp_path):
    found = Loops(tmp_path)
    git(found.top, "init", "-q")
    git(found.top, "add", ".")
    git(found.top, "commit", "-qm", "first")
    found.write("mine.txt", "mine\n")
    return found


def tree(loops):
    """Return every byte and mode of the person's folder."""
    return {
        str(path.relative_to(loops.top)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in sorted(loops.top.rglob("*"))
        if ".ralph-mem" not in path.parts
    }


def rooms_of(loops):
    folder = Path(rooms.folder_of(str(loops.top)))
    return [path.name for path in folder.iterdir() if path.is_dir()] if folder.exists() else []


def resumed(loops):
    loops.agent(*STEPS)
    return headless.resume(loops.project, loops.values(), loops.latest(), iterations=9)


def test_a_loop_that_is_killed_while_its_agent_works_leaves_the_files_and_goes_on(loops):
    before = tree(loops)
    mark = loops.bench / "at-work"
    process = loops.in_background(f"{STEPS[0]}; touch {mark}; sleep 60", here=False)
    until(mark.exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert tree(loops) == before
    assert loops.latest().status == record.INTERRUPTED
    run = resumed(loops)
    assert (run.status, loops.text("one.txt")) == ("success", "right\n")
    assert not Path(run.room).exists()


def test_a_killed_run_has_nothing_to_roll_back(loops):
    mark = loops.bench / "at-work"
    process = loops.in_background(f"{STEPS[0]}; touch {mark}; sleep 60", here=False)
    until(mark.exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    loops.write("one.txt", "mine\n")
    stopping.stop(loops.project, loops.values())
    what, plan = rolling_back.preview_rollback(loops.project, loops.values(), loops.latest(), rolling_back.START, force=True)
    assert (plan.actions, plan.kept, "nothing was applied" in what) == ([], [], True)


@pytest.mark.parametrize("step", [(files, "begin"), (filling, "fill"), (filling, "finish")], ids=["snapshot", "fill", "finish"])
def test_a_kill_while_the_room_is_made_leaves_the_files_and_the_run_goes_on(loops, step):
    before = tree(loops)

    def killed(*_):
        os._exit(9)

    child = os.fork()
    if not child:
        setattr(*step, killed)
        loops.start(MENDS, here=False)
    os.waitpid(child, 0)
    assert (tree(loops), loops.latest().status) == (before, record.INTERRUPTED)
    assert resumed(loops).status == "success"
    assert loops.text("one.txt") == "right\n"


def test_what_a_killed_start_has_left_goes_with_the_next_loop(loops, monkeypatch):
    child = os.fork()
    if not child:
        filling.finish = lambda *_: os._exit(9)
        loops.start(MENDS, here=False)
    os.waitpid(child, 0)
    left = rooms_of(loops)
    loops.start("true", here=False, limits={"iterations": 1})
    assert left and not set(left) & set(rooms_of(loops))


def test_a_full_disk_while_the_room_is_made_is_told_and_leaves_nothing(loops, monkeypatch):
    before = tree(loops)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(filling, "fill", full)
    with pytest.raises(SnapshotError, match="room of the loop cannot be made") as error:
        loops.start(MENDS, here=False)
    assert "--here" in error.value.hint
    assert (tree(loops), rooms_of(loops), loops.latest()) == (before, [], None)


def test_a_kill_at_any_step_of_applying_is_finished_by_the_next_command(loops):
    """The steps are counted first; then the person's files are killed at each of them, and no path is half one and half other."""
    loops.write("list.txt", "1\n2\n3\n")
    loops.write("gone.txt", "gone\n")
    loops.start(f"{MENDS}; rm gone.txt; mkdir d; echo new >d/new; sed -i s/1/its/ list.txt", here=False, apply="never")
    loops.write("list.txt", "1\n2\nmine\n")
    run, before = loops.latest(), tree(loops)
    steps = []
    applying.apply(loops.project, loops.values(), run, "", steps.append)
    after = tree(loops)
    assert after["list.txt"][1] == b"its\n2\nmine\n"
    for count in range(1, len(steps) + 1):
        loops.back()
        assert tree(loops) == before
        with pytest.raises(Killed):
            applying.apply(loops.project, loops.values(), loops.latest(), "", _killing(count))
        assert all(told in (before.get(path), after.get(path)) for path, told in tree(loops).items() if is_file(path, told))
        finish(loops)
        assert tree(loops) in (before, after)
        applying.apply(loops.project, loops.values(), loops.latest(), "")
        assert tree(loops) == after


def is_file(path, told):
    return told[1] and not path.endswith("~")


def _killing(count):
    left = [count]

    def on_step(_name):
        left[0] -= 1
        if not left[0]:
            raise Killed

    return on_step


def finish(loops):
    stopping.finish_rollback(loops.project)


def test_a_rollback_of_a_result_that_was_cut_off_takes_it_out_and_it_can_be_brought_again(loops):
    before, run = tree(loops), loops.start(MENDS, here=False)
    cut_off(loops, "place two.txt")
    assert (
        pending.settle(loops.project, loops.values())[1]
        == f"Back to what was there before {run.id} was applied: 3 restored, 0 deleted, 0 kept."
    )
    assert (tree(loops), loops.latest().applied) == (before, [])
    assert len(applying.apply(loops.project, loops.values(), loops.latest(), "")[1].restored) == 3


def test_a_result_that_was_cut_off_is_told_with_its_conflicts_by_the_next_command(loops):
    loops.write("list.txt", "1\n2\n3\n")
    run = loops.start(f"{MENDS}; rm mine.txt; sed -i s/1/its/ list.txt", here=False, apply="never")
    loops.write("list.txt", "1\n2\nmine\n")
    with pytest.raises(Killed):
        applying.apply(loops.project, loops.values(), run, "", Killed.at("place three.txt"))
    assert "applied: at work or cut off; then `ralph-mem ralph apply` finishes it" in display.status_lines(loops.latest(), 0)
    loops.write("two.txt", "mine\n")
    assert pending.settle(loops.project, loops.values())[:3] == [
        "The last apply was cut off, and is finished now:",
        f"Your files have iteration 1 of {run.id}: 2 written, 1 deleted, 1 merged, 1 conflict.",
        "  conflict two.txt  (was changed while files were being put back)",
    ]
    told = display.status_lines(loops.latest(), 0)
    assert {"applied: 2 written, 1 deleted, 1 merged", "in conflict, so as you have it: two.txt"} <= {*told}


def test_a_journal_of_the_persons_files_is_not_carried_out_in_a_room(loops):
    run = loops.start(MENDS, here=False, apply="never")
    with pytest.raises(Killed):
        applying.apply(loops.project, loops.values(), run, "", _killing(4))
    half = tree(loops)
    loop = Loop(loops.project, loops.values(), run.id)
    files.take(loop, "in the room")
    assert tree(loops) != half or loops.text("one.txt") == "right\n"
    assert loops.text("two.txt") == "right\n"
    assert (Path(run.room) / "two.txt").read_text() == "right\n"


def test_applying_by_hand_waits_for_no_loop_and_says_so(loops):
    mark = loops.bench / "at-work"
    process = loops.in_background(f"touch {mark}; sleep 60", here=False)
    try:
        until(mark.exists)
        with pytest.raises(RalphMemError, match="at work"):
            applying.apply(loops.project, loops.values(), loops.latest(), "")
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.check
@pytest.mark.parametrize("count", [2])
def test_a_kill_before_an_entry_of_the_record_leaves_a_run_that_goes_on_and_goes_back(loops, count):
    before, append, left = tree(loops), record.append, [count]

    def appending(path, entry):
        left[0] -= 1
        return append(path, entry) if left[0] else os._exit(9)

    child = os.fork()
    if not child:
        record.append = appending
        loops.start(MENDS)
        os._exit(0)
    assert os.waitpid(child, 0)[1] and loops.latest().status == record.INTERRUPTED
    loops.agent(MENDS)
    assert headless.resume(loops.project, loops.values(), loops.latest()).status == "success"
    loops.back()
    assert tree(loops) == before
