"""Rolling back a run: every file as it was, and back again; what is the person's own is kept and named."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import display, headless, pending, rollback_lines, rolling_back, runs
from ralph_mem.ralph.snapshot import store
from tests.ralph.loops import CHECK, STEPS, Killed, cut_off, git, kept, names
from tests.ralph.snapshot.conftest import bytes_below, tree_of


@pytest.fixture
def repository(loops):
    """A repository as people leave them: dirty, half staged, with ignored files, odd names, another one inside."""
    git(loops.top, "init", "-q", "-b", "main")
    loops.write(".gitignore", "*.log\n.env\n")
    git(loops.top, "add", "-A")
    git(loops.top, "commit", "-qm", "first")
    loops.write("check.sh", CHECK + "# mine\n")
    loops.write("staged.txt", "staged\n")
    git(loops.top, "add", "staged.txt")
    loops.write("staged.txt", "staged, and then changed\n")
    loops.write(".env", "KEY=untracked and ignored\n")
    loops.write("untracked/deep/file", "mine\n")
    loops.write("a 'quoted' \"name\"\nof two lines", "odd\n")
    (loops.top / "windows.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n\x00\xff")
    (loops.top / "link").symlink_to("untracked/deep")
    (loops.top / "empty").mkdir()
    (loops.top / "nested").mkdir()
    git(loops.top / "nested", "init", "-q")
    loops.write("nested/inner.txt", "inner\n")
    return loops


# What an agent does to all of it.
UNDOES = """\
echo right >one.txt; rm -r untracked empty link; mkdir link; echo x >link/x; printf changed >windows.txt; chmod 711 check.sh
echo leaked >.env; echo more >nested/inner.txt; mkdir -p new/deep; echo new >new/deep/file; rm a*; ln -s /etc/passwd untracked
"""


def test_every_file_comes_back_byte_for_byte_and_git_is_not_touched(repository):
    before, git_before = tree_of(repository.top), bytes_below(repository.top / ".git")
    run = repository.start(UNDOES, *STEPS[1:])
    fixed = tree_of(repository.top)
    report = repository.back()
    assert run.status == "success" and fixed != before and report.kept == []
    assert tree_of(repository.top) == before and bytes_below(repository.top / ".git") == git_before


def test_the_rollback_is_undone_and_done_again(repository):
    before = tree_of(repository.top)
    repository.start(UNDOES, *STEPS[1:])
    fixed = tree_of(repository.top)
    repository.back()
    repository.back(rolling_back.UNDO)
    assert tree_of(repository.top) == fixed
    repository.back(rolling_back.UNDO)
    assert tree_of(repository.top) == before


@pytest.mark.check
def test_a_preview_tells_what_would_be_done_and_changes_nothing(repository):
    run = repository.start(UNDOES, *STEPS[1:])
    fixed = tree_of(repository.top)
    what, plan = rolling_back.preview_rollback(repository.project, repository.values(), run, rolling_back.START)
    assert run.id in what and tree_of(repository.top) == fixed
    report = repository.back()
    assert {action.path for action in plan.actions} == {*report.restored, *report.deleted}


DESTROYERS = {
    "clean": "git clean -ffdxq",
    "reset": "git reset -q --hard",
    "stash": "git stash -q -u -a",
    "gc": "git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now",
    "git-is-gone": "rm -rf .git .ralph-mem",
    "all-is-gone": "find . -mindepth 1 -delete",
}


@pytest.mark.check
@pytest.mark.parametrize("command", DESTROYERS.values(), ids=DESTROYERS.keys())
def test_what_an_agent_destroys_with_git_or_without_comes_back(repository, command):
    (repository.top / ".ralph-mem").mkdir()
    before = tree_of(repository.top)
    repository.start(command, limits={"iterations": 1})
    assert tree_of(repository.top) != before or command == DESTROYERS["git-is-gone"]
    repository.back()
    assert tree_of(repository.top) == before


def test_a_file_that_no_snapshot_stored_is_told_as_gone_at_once_and_by_the_rollback(loops):
    loops.write("big", "").write_bytes(bytes(11_000_000))
    run = loops.start("; ".join(["rm big", *STEPS]))
    assert run.iterations[0].tampered == ["no rollback brings back what was not stored: big"]
    assert display.ended(run)[-1].endswith("`ralph-mem ralph rollback` takes it back, but for what was not stored")
    lines = rollback_lines.rolled_back("the start", loops.back(), run)
    assert lines[:2] == [
        "Back to the start: 3 restored, 0 deleted, 0 kept, 1 not brought back.",
        "  no copy  big  (is gone, and was not stored)",
    ]


def test_a_file_that_no_snapshot_stored_and_that_the_loop_wrote_to_is_named_too(loops):
    loops.write("big", "").write_bytes(bytes(11_000_000))
    run = loops.start("; ".join(["echo more >>big", *STEPS]))
    assert run.iterations[0].tampered == ["no rollback brings back what was not stored: big"]
    assert kept(loops.back()) == {"big": "is not stored in any snapshot as it is now"}


def test_a_detached_head_with_commits_of_the_agent_stays_where_it_is(repository):
    git(repository.top, "checkout", "-q", "--detach")
    before = tree_of(repository.top)
    repository.start("echo right >one.txt; git add -A; git commit -qm 'by the agent'", limits={"iterations": 1})
    head, git_before = git(repository.top, "rev-parse", "HEAD"), bytes_below(repository.top / ".git")
    repository.back()
    assert tree_of(repository.top) == before
    assert git(repository.top, "rev-parse", "HEAD") == head and bytes_below(repository.top / ".git") == git_before


# The person's own work


def test_a_file_that_the_person_changed_afterwards_is_kept_and_named(loops):
    loops.start(*STEPS)
    loops.write("one.txt", "mine\n")
    loops.write("check.sh", "mine as well\n")
    report = loops.back()
    assert kept(report) == {"one.txt": "changed by the loop, then by you", "check.sh": "changed by you"}
    assert names(report.restored) == ["three.txt", "two.txt"]
    assert loops.text("one.txt") == "mine\n" and loops.text("check.sh") == "mine as well\n"


def test_what_was_kept_once_is_kept_again(loops):
    loops.start(*STEPS)
    loops.write("one.txt", "mine\n")
    loops.back()
    assert "one.txt" in kept(loops.back()) and loops.text("one.txt") == "mine\n"


@pytest.mark.check
def test_by_force_it_goes_back_too_and_the_undo_brings_it_back(loops):
    loops.start(*STEPS)
    loops.write("one.txt", "mine\n")
    report = loops.back(force=True)
    assert "one.txt" in names(report.restored) and loops.text("one.txt") == "wrong\n"
    loops.back(rolling_back.UNDO)
    assert loops.text("one.txt") == "mine\n"


def test_what_was_forced_and_brought_again_is_still_the_persons(loops):
    loops.start(*STEPS)
    loops.write("one.txt", "mine\n")
    loops.back(force=True)
    loops.back(rolling_back.UNDO)
    assert kept(loops.back()) == {"one.txt": "changed by the loop, then by you"}


@pytest.mark.check
def test_what_a_later_run_puts_back_is_still_the_persons(loops):
    first = loops.start(STEPS[0], limits={"iterations": 1})
    loops.write("one.txt", "right\nmine\n")
    loops.start("echo other >>one.txt", limits={"iterations": 1})
    loops.back()
    rolling_back.roll_back(loops.project, loops.values(), first, rolling_back.START)
    assert loops.text("one.txt") == "right\nmine\n"


@pytest.mark.check
def test_what_the_person_changes_between_two_iterations_counts_as_part_of_the_second(loops):
    run = loops.start(STEPS[0], f"{STEPS[1]}; echo mine >mine.txt", STEPS[2])
    assert [change[:2] for change in run.iterations[1].changed] == [["mine.txt", "added"], ["two.txt", "changed"]]
    assert "mine.txt" in names(loops.back().deleted)
    loops.back(rolling_back.UNDO)
    assert loops.text("mine.txt") == "mine\n"


@pytest.mark.check
def test_what_an_iteration_that_was_cut_off_had_changed_is_kept_unless_forced(loops):
    run = loops.start(*STEPS)
    path = runs.path_of(loops.project, run.id)
    lines = Path(path).read_text().splitlines(keepends=True)
    last = next(number for number, line in enumerate(lines) if '"begun"' in line and '"number":3' in line.replace(" ", ""))
    Path(path).write_text("".join(lines[: last + 1]))
    _forget_newest_snapshot(loops, run)
    assert loops.latest().cut_off() == 3
    assert kept(loops.back()) == {"three.txt": "changed by you"} and loops.text("one.txt") == "wrong\n"
    loops.back(force=True)
    assert loops.text("three.txt") == "wrong\n"


def _forget_newest_snapshot(loops, run):
    with store.open_store(loops.project) as snapshots:
        newest = snapshots.taken(run.id)[-2:]
        assert [taken.label for taken in newest] == ["iteration 3", "checks 3"]
        snapshots.db.execute("DELETE FROM snapshots WHERE number >= ?", (newest[0].id,))


# Which state


@pytest.mark.check
def test_the_best_iteration_and_any_other_can_be_returned_to(loops):
    loops.start(STEPS[0], STEPS[1], "echo wrong >one.txt; echo wrong >two.txt", limits={"iterations": 3})
    loops.back(rolling_back.BEST)
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n", "right\n", "wrong\n"]
    loops.back("1")
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n", "wrong\n", "wrong\n"]


@pytest.mark.check
@pytest.mark.parametrize(("to", "snapshot"), [("9", True), (rolling_back.UNDO, True), (rolling_back.START, False)])
def test_a_state_that_nobody_kept_is_refused(loops, to, snapshot):
    loops.start(STEPS[0], limits={"iterations": 1}, snapshot=snapshot)
    with pytest.raises(LoopError, match="there is no snapshot of"):
        loops.back(to)
    assert loops.text("one.txt") == "right\n"


def test_a_run_that_failed_is_rolled_back_by_itself_where_the_settings_want_that(loops):
    values = loops.values(ralph_auto_rollback=True)
    run = loops.start(STEPS[0], limits={"iterations": 1}, values=values)
    lines = rolling_back.roll_back_if_wanted(loops.project, values, run)
    assert loops.text("one.txt") == "wrong\n" and "1 restored" in " ".join(lines)
    assert rolling_back.roll_back_if_wanted(loops.project, loops.values(), run) == []


@pytest.mark.check
def test_while_a_loop_is_at_work_nothing_is_rolled_back(loops):
    run = loops.start(*STEPS)
    runs.write_live(loops.project, runs.Live("loop-other", "in_session", "a-session", os.getppid()))
    with pytest.raises(LoopError, match="loop-other is at work"):
        rolling_back.roll_back(loops.project, loops.values(), run, rolling_back.START)
    assert loops.text("one.txt") == "right\n"


def test_the_record_tells_of_each_rollback(loops):
    loops.start(STEPS[0], limits={"iterations": 1})
    report = loops.back()
    (told,) = loops.latest().rolled_back
    assert (told["restored"], told["deleted"], told["kept"], told["safety"]) == (1, 0, 0, report.safety)


# Cut off


def settled(loops):
    return pending.settle(loops.project, loops.values())


def test_a_rollback_that_was_cut_off_is_told_by_the_next_command_and_can_be_undone(loops):
    run = loops.start(*STEPS)
    loops.write("one.txt", "PRECIOUS\n")
    cut_off(loops, "place two.txt", force=True)
    assert "a rollback is at work or was cut off; then `ralph-mem ralph rollback` finishes it" in display.status_lines(
        loops.latest(), 0
    )
    assert settled(loops) == [
        "The last rollback was cut off, and is finished now:",
        f"Back to the start of {run.id}: 3 restored, 0 deleted, 0 kept.",
        f"to undo this: ralph-mem ralph rollback {run.id} --undo --confirm",
    ]
    loops.back(rolling_back.UNDO)
    assert (loops.text("one.txt"), settled(loops)) == ("PRECIOUS\n", [])


@pytest.mark.check
def test_whatever_step_a_rollback_was_cut_off_at_the_same_command_again_keeps_the_way_back(loops):
    loops.start(*STEPS)
    loops.write("one.txt", "PRECIOUS\n")
    steps = cut_off(loops, "no such step", force=True)
    assert len(steps) > 8
    for step in steps:
        loops.back(rolling_back.UNDO)
        assert loops.text("one.txt") == "PRECIOUS\n", step
        cut_off(loops, step, force=True)
        loops.back(force=True)
        assert loops.text("one.txt") == "wrong\n"


def test_a_rollback_whose_end_was_not_written_down_is_known_all_the_same(loops, monkeypatch):
    loops.start(*STEPS)
    with monkeypatch.context() as patched:
        patched.setattr(pending, "rolled_back", Killed.here)
        with pytest.raises(Killed):
            loops.back()
    settled(loops)
    (told,) = loops.latest().rolled_back
    assert (told["restored"], told["deleted"], told["kept"]) == (3, 0, 0)


def test_what_the_person_changes_after_a_rollback_was_cut_off_is_named_as_kept(loops):
    loops.start(*STEPS)
    cut_off(loops, "place two.txt")
    loops.write("two.txt", "mine\n")
    assert "  kept     two.txt  (was changed while files were being put back)" in settled(loops)
    assert (loops.latest().rolled_back[-1]["kept_paths"], loops.text("two.txt")) == (["two.txt"], "mine\n")


def test_the_next_start_says_that_a_rollback_was_cut_off(loops):
    loops.start(*STEPS)
    cut_off(loops, "place two.txt")
    loops.start(*STEPS)
    assert "The last rollback was cut off, and is finished now:" in loops.told


def test_a_rollback_with_nothing_to_do_leaves_the_way_back_of_the_one_before(loops):
    loops.start(*STEPS)
    loops.write("one.txt", "mine\n")
    for _ in range(2):
        loops.back(force=True)
    loops.back(rolling_back.UNDO)
    assert loops.text("one.txt") == "mine\n"


# What is remembered of it


def lesson(loops):
    """Return the title and the text of the last run's lesson."""
    with contextlib.closing(sqlite3.connect(loops.project.folder + "/memory.db")) as db:
        return db.execute("SELECT title, content FROM observations WHERE event_id = ?", (f"lesson:{loops.latest().id}",)).fetchone()


@pytest.mark.check
def test_a_lesson_is_no_remedy_once_it_was_rolled_back_and_one_again_when_that_is_undone(loops):
    loops.start(*STEPS, memory=True)
    reached = lesson(loops)
    assert "(ralph loop: reached after 3 iterations)" in reached[0] and reached[1].count("fixed by: ") == 3
    loops.back()
    title, text = lesson(loops)
    assert "rolled back to the start after 3 iterations" in title and "reached" not in title
    assert "fixed" not in text and text.count("passed with this, which was rolled back: ") == 3
    loops.back(rolling_back.UNDO)
    assert lesson(loops) == reached
    loops.back(rolling_back.UNDO)
    assert lesson(loops) == (title, text)


@pytest.mark.check
def test_after_a_rollback_to_an_iteration_what_was_fixed_until_then_is_still_fixed(loops):
    loops.start(*STEPS, memory=True)
    loops.back("2")
    title, text = lesson(loops)
    assert "rolled back to iteration 2 after 3 iterations" in title
    assert text.count("fixed by: ") == 2 and text.count("which was rolled back: three.txt") == 1


@pytest.mark.check
def test_a_remedy_that_a_rollback_kept_is_still_one(loops):
    loops.start(*STEPS, memory=True)
    loops.write("two.txt", "right, and mine\n")
    assert kept(loops.back()) == {"two.txt": "changed by the loop, then by you"}
    _, text = lesson(loops)
    assert "fixed by: two.txt" in text and text.count("which was rolled back: ") == 2


@pytest.mark.check
def test_what_is_done_after_a_rollback_stands_and_what_it_took_away_is_no_remedy(loops):
    loops.start("echo right >three.txt", *STEPS, memory=True, limits={"iterations": 1})
    loops.back()
    run = headless.resume(loops.project, loops.values(), loops.latest(), iterations=5)
    assert run.status == "success" and [each.number for each in run.iterations] == [1, 2, 3, 4]
    title, text = lesson(loops)
    assert "(ralph loop: reached after 4 iterations)" in title
    assert text.count("fixed by: ") == 3 and "rolled back" not in text


@pytest.mark.check
def test_without_memory_a_rollback_leaves_none(loops):
    loops.start(*STEPS)
    loops.back()
    assert not (loops.top / ".ralph-mem/memory.db").exists()
