"""A rollback that is cut off at any point: the next one finishes it, and nobody finds half a file."""

import os
import signal
import sqlite3

import pytest

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import journal, restoring, store
from ralph_mem.ralph.snapshot.store import open_store, open_to_read
from tests.ralph.snapshot.rollbacks import RUN, Loop, differing, quick_place, write


@pytest.fixture
def place():
    with quick_place() as folder:
        yield folder


@pytest.fixture
def loop(place):
    """A project without git whose every kind of path the loop has changed, and the picture of how it was."""
    top = place / "project"
    write(top / "a", "one")
    write(top / "b", b"\0" * 5000, 0o600)
    write(top / "folder/c", "in a folder")
    write(top / "was_file", "a file")
    write(top / "was_folder/d", "in a folder")
    (top / "link").symlink_to("a")
    (top / "hollow").mkdir()
    write(top / "closed/e", "in a closed folder")
    (top / "closed").chmod(0o555)
    loop = Loop(top)
    loop.start()
    loop.before = loop.picture()
    works(top)
    loop.last = loop.iteration()
    loop.worked = loop.picture()
    return loop


def works(top):
    (top / "closed").chmod(0o755)
    write(top / "a", "two")
    write(top / "b", b"\1" * 6000)
    write(top / "closed/e", "changed")
    (top / "closed").chmod(0o555)
    (top / "folder/c").unlink()
    (top / "folder").rmdir()
    (top / "hollow").rmdir()
    (top / "link").unlink()
    (top / "link").symlink_to("b")
    (top / "was_file").unlink()
    write(top / "was_file/x", "in a new folder")
    (top / "was_folder/d").unlink()
    (top / "was_folder").rmdir()
    write(top / "was_folder", "a new file")
    write(top / "new/deep/y", "new")


def steps_of(loop):
    """Roll back once and return the names of the steps; then make all as it was before."""
    names = []
    report = loop.roll_back(last=loop.last, on_step=names.append)
    assert loop.picture() == loop.before
    loop.roll_back(report.safety)
    assert loop.picture() == loop.worked
    return names


def cut_off(loop, step):
    """Roll back in a process that is killed at a step."""
    child = os.fork()
    if not child:
        try:
            count = iter(range(step + 1))

            def die(_name):
                if next(count) == step:
                    os.kill(os.getpid(), signal.SIGKILL)

            loop.roll_back(last=loop.last, on_step=die)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def half_written(loop):
    """Return the paths that are neither as they were nor as the loop left them, nor on their way from one to the other."""
    now = {path: told for path, told in loop.picture().items() if not os.path.basename(path).startswith(b".ralph-mem-")}
    odd = differing(loop.before, now) & differing(loop.worked, now)
    return {path for path in odd if path in now and now[path][0] != "folder"}


@pytest.mark.check
def test_a_rollback_killed_at_any_step_is_finished_by_the_next_command(loop):
    names = steps_of(loop)
    assert len(names) > 20 and {name.split()[0] for name in names} >= set(
        "begin open clear make write flush place delete mode".split()
    )
    for step in range(len(names)):
        cut_off(loop, step)
        assert half_written(loop) == set(), names[step]
        report = loop.recover()
        if report is None:  # killed before the journal was written: nothing had begun
            assert names[step] in ("safety snapshot", "begin journal") and loop.picture() == loop.worked
            continue
        assert loop.picture() == loop.before, names[step]
        assert sorted(report.restored + report.deleted) == sorted(differing(loop.worked, loop.before) - {b"closed"}), names[step]
        assert loop.recover() is None
        loop.roll_back(report.safety)
        assert loop.picture() == loop.worked, names[step]


@pytest.mark.check
def test_a_recovery_killed_at_any_step_is_finished_by_the_next_one(loop):
    names = steps_of(loop)
    place = next(number for number, name in enumerate(names) if name.startswith("place"))
    for step in range(1, len(names) - place):
        cut_off(loop, place)
        cut_off(loop, step)  # a rollback begins with a recovery
        while loop.recover():
            pass
        assert loop.picture() == loop.before
        works(clean(loop.folder))
        loop.last = loop.iteration()


def clean(folder):
    """Make a folder fit to be worked in again as in the beginning."""
    (folder / "closed").chmod(0o755)
    return folder


def test_the_journal_is_on_the_disk_before_the_first_byte_changes(loop):
    seen = []

    def look(name):
        if name in ("open closed", "clear was_folder"):
            with open_to_read(loop.project) as snapshots:
                seen.append((len(journal.unfinished(snapshots).steps), loop.picture() == loop.worked))

    loop.roll_back(on_step=look)
    assert seen == [(15, True), (15, False)]


def test_what_is_written_beside_a_file_is_swept_up(loop):
    names = steps_of(loop)
    cut_off(loop, names.index("flush"))
    assert len(list(loop.folder.rglob(".ralph-mem-*~"))) == 7
    loop.recover()
    assert not list(loop.folder.rglob(".ralph-mem-*"))


def test_a_file_of_the_user_with_such_a_name_stays(loop):
    flush = steps_of(loop).index("flush")
    write(loop.folder / ".ralph-mem-00000000-1~", "mine")
    cut_off(loop, flush)
    loop.recover()
    assert (loop.folder / ".ralph-mem-00000000-1~").read_text() == "mine"


def test_what_the_user_changed_after_the_crash_is_kept_and_named(loop):
    names = steps_of(loop)
    cut_off(loop, names.index("place b"))
    write(loop.folder / "a", "mine")
    write(loop.folder / "b", "mine")
    write(loop.folder / "new/deep/y", "mine")
    report = loop.recover()
    assert {path: told[2] for path, told in loop.picture().items() if told[-1] == b"mine"}.keys() == {b"a", b"b", b"new/deep/y"}
    assert [path for path, _ in report.kept] == [b"a", b"b", b"new", b"new/deep", b"new/deep/y"]
    loop.roll_back(report.safety)
    assert [(loop.folder / name).read_text() for name in ("a", "b", "new/deep/y")] == ["mine"] * 3


def test_a_user_who_works_on_after_the_crash_keeps_that_when_the_rollback_is_undone(loop):
    write(loop.folder / "other", "one")
    loop.iteration()
    cut_off(loop, 12)  # somewhere in the middle
    write(loop.folder / "other", "mine")
    report = loop.recover()
    loop.roll_back(report.safety)
    assert (loop.folder / "other").read_text() == "mine"


@pytest.mark.parametrize("step", [0, 1, 2])
def test_what_the_user_did_before_a_rollback_that_was_cut_off_at_its_beginning_stays_theirs(loop, step):
    write(loop.folder / "other", "mine")
    cut_off(loop, step)
    loop.recover()
    report = loop.roll_back()
    assert (loop.folder / "other").read_text() == "mine" and report.kept == [(b"other", "changed by you")]


def test_every_rollback_first_finishes_the_one_before(loop):
    cut_off(loop, steps_of(loop).index("place a"))
    report = loop.roll_back()
    assert loop.picture() == loop.before
    assert (report.restored, report.deleted, report.kept) == ([], [], [])


@pytest.mark.check
def test_a_rollback_that_is_interrupted_from_the_keyboard_leaves_no_temporary_file_and_is_finished_later(loop):
    for name in steps_of(loop)[2:]:

        def interrupt(step, name=name):
            if step == name:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            loop.roll_back(last=loop.last, on_step=interrupt)
        assert not list(loop.folder.rglob(".ralph-mem-*"))
        report = loop.recover()
        assert loop.picture() == loop.before, name
        loop.roll_back(report.safety)


def test_a_journal_that_cannot_be_written_changes_nothing(loop):
    with open_store(loop.project) as snapshots:
        pages = snapshots.db.execute("PRAGMA page_count").fetchone()[0]
        fill = lambda name: name == "begin journal" and snapshots.db.execute(f"PRAGMA max_page_count = {pages}") and None  # noqa: E731
        snapshots.db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(SnapshotError, match="full"):
            restoring.roll_back(snapshots, loop.first, run=RUN, on_step=fill)
    assert loop.picture() == loop.worked
    assert loop.recover() is None


def test_a_journal_whose_snapshot_is_gone_is_given_up(loop):
    cut_off(loop, steps_of(loop).index("flush"))
    with open_store(loop.project) as snapshots:
        snapshots.db.execute("DELETE FROM snapshots WHERE number = ?", (loop.first,))
    report = loop.recover()
    assert (report.restored, report.deleted) == ([], []) and "is gone" in report.kept[0][1]
    assert not list(loop.folder.rglob(".ralph-mem-*")) and loop.recover() is None


def test_a_reader_never_waits_for_a_rollback(loop):
    def read(name):
        if name.startswith("place"):
            with open_to_read(loop.project) as snapshots:
                assert snapshots.taken()

    assert loop.roll_back(on_step=read).restored


def test_two_rollbacks_at_once_are_refused(loop):
    def another(name):
        if name == "place a":
            with pytest.raises(SnapshotError, match="another process"):
                store.open_store(loop.project, wait_s=0.05)

    assert loop.roll_back(on_step=another).restored


def test_a_damaged_journal_is_told_in_a_line(loop):
    with open_store(loop.project) as snapshots:
        snapshots.db.execute("CREATE TABLE journals (odd)")
        with pytest.raises(SnapshotError):
            restoring.recover(snapshots)
        assert isinstance(snapshots.db, sqlite3.Connection)
