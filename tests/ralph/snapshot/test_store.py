"""The store: one writer, readers that it never blocks, and damage that is told instead of taken for emptiness."""

import fcntl
import os
import posix
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import blobs, store, taking
from tests import clock
from tests.ralph.snapshot.conftest import bytes_below, git

# Where it lies


def test_everything_lies_outside_the_project_and_only_its_owner_can_read_it(repository, home):
    repository.write("large", os.urandom(2_000_000))
    repository.take()
    folder = home / ".local/share/ralph-mem/snapshots" / paths.key_of(str(repository.folder))
    assert store.folder_of(repository.project) == str(folder)
    for here, folders, files in os.walk(home / ".local/share/ralph-mem"):
        assert not [name for name in folders if stat.S_IMODE(os.stat(f"{here}/{name}").st_mode) != 0o700]
        assert not [name for name in files if stat.S_IMODE(os.stat(f"{here}/{name}").st_mode) != 0o600]
    assert not (repository.folder / ".ralph-mem").exists()


@pytest.mark.parametrize(
    "harm",
    ["git clean -fdxq", "git reset -q --hard", "git stash -q -u", "git gc -q --prune=now", "rm -rf .ralph-mem", "rm -rf .git"],
)
def test_nothing_that_an_agent_does_in_the_project_makes_a_snapshot_unusable(repository, harm):
    first = repository.take()
    before = repository.held(first.id)
    subprocess.run(harm.split(), cwd=repository.folder, check=True, timeout=60)
    repository.take("iteration")
    assert repository.held(first.id) == before


def test_without_a_home_there_is_no_store(tree, monkeypatch):
    monkeypatch.setattr(posix, "environ", {})
    with pytest.raises(SnapshotError, match="no home folder"):
        tree.open()


def test_a_folder_with_an_odd_name_has_a_store(tree):
    odd = tree.folder / "100% odd? #1 'n"
    odd.mkdir()
    other = type(tree)(odd)
    other.write("a", "x")
    assert other.paths(other.take().id) == {b"a"}


# What it answers


def test_every_snapshot_stays_as_it_was_taken(tree):
    pictures = []
    for content in ("one", "two", None, "one"):
        tree.write("a", content) if content else os.unlink(tree.top + b"/a")
        tree.write("b", "always")
        pictures.append((tree.take().id, content))
    for number, content in pictures:
        held = tree.held(number)
        assert held.get(b"a", (0, 0, None))[2] == (content.encode() if content else None)
        assert held[b"b"][2] == b"always"


def test_differences_are_told_between_any_two_snapshots_and_in_both_directions(tree):
    tree.write("same", "x")
    tree.write("goes", "x")
    first = tree.take()
    tree.write("comes", "x")
    os.unlink(tree.top + b"/goes")
    tree.take("between")
    os.unlink(tree.top + b"/comes")
    tree.write("comes at last", "x")
    tree.write("same", "y")
    tree.take("and back")
    tree.write("same", "x")
    last = tree.take("last")
    assert tree.differences(first, last) == [("added", b"comes at last"), ("deleted", b"goes")]
    assert tree.differences(last, first) == [("deleted", b"comes at last"), ("added", b"goes")]
    assert tree.differences(last, last) == []


def test_differences_equal_those_of_all_entries(tree):
    taken = []
    for number in range(6):
        tree.write(f"{number % 3}", f"{number // 2}")
        if number % 2 and os.path.exists(tree.top + b"/1"):
            os.unlink(tree.top + b"/1")
        taken.append(tree.take().id)
    with tree.open() as snapshots:
        for older in taken:
            for newer in taken:
                one, two = snapshots.entries(older), snapshots.entries(newer)
                expected = sorted(path for path in one.keys() | two.keys() if one.get(path) != two.get(path))
                changes = snapshots.differences(older, newer)
                assert [change.path for change in changes] == expected
                assert all(one.get(each.path) == each.before and two.get(each.path) == each.after for each in changes)


def test_snapshots_are_told_by_run_and_in_order(tree):
    numbers = [tree.take(label, run).id for label, run in (("start", "a"), ("start", "b"), ("it 1", "a"))]
    with tree.open() as snapshots:
        assert [taken.id for taken in snapshots.taken()] == numbers
        assert [(taken.id, taken.label) for taken in snapshots.taken("a")] == [(numbers[0], "start"), (numbers[2], "it 1")]
        assert snapshots.find(numbers[1]).label == "start"
        assert snapshots.run_of(numbers[1]) == "b"


@pytest.mark.parametrize("ask", ["find", "entries", "run_of"])
def test_a_snapshot_that_is_not_there_is_told(tree, ask):
    with tree.open() as snapshots, pytest.raises(SnapshotError, match="there is no snapshot 7"):
        getattr(snapshots, ask)(7)


@pytest.mark.parametrize("content", [b"", b"short", os.urandom(5000), b"\0" * 3_000_000, os.urandom(2_500_000)])
def test_content_is_written_to_a_descriptor_as_it_was(tree, tmp_path, content):
    tree.write("a", content)
    taken = tree.take()
    with tree.open() as snapshots, open(tmp_path / "out", "w+b") as out:
        snapshots.write_content(snapshots.entries(taken.id)[b"a"], out.fileno())
    assert (tmp_path / "out").read_bytes() == content


# Who may use it at once


def test_one_writer_at_a_time_and_the_second_is_told_after_its_patience(tree):
    with tree.open():
        watch = clock.Watch()
        with pytest.raises(SnapshotError, match="another process works on the snapshots"):
            tree.open(wait_s=0.2)
        assert watch.seconds() >= 0.2 and watch.free() < 2
    tree.open(wait_s=0).close()


def test_a_second_writer_waits_for_the_first(tree):
    tree.open().close()
    lock = os.open(store.folder_of(tree.project) + "/lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    threading.Timer(0.15, os.close, [lock]).start()
    tree.open(wait_s=5).close()


def test_the_lock_goes_with_a_process_that_is_killed(tree):
    code = f"from tests.ralph.snapshot.conftest import Tree; Tree({str(tree.folder)!r}).open(); print('open', flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"open\n"
    with pytest.raises(SnapshotError):
        tree.open(wait_s=0)
    child.kill()
    child.communicate()
    tree.open(wait_s=0).close()


def test_a_reader_is_never_blocked_and_sees_whole_snapshots(tree, monkeypatch):
    tree.write("a", "one")
    first = tree.take()
    seen = []

    def read_meanwhile(*_):
        reader = store.open_to_read(tree.project)
        seen.append(([taken.id for taken in reader.taken()], set(reader.entries(first.id))))
        reader.close()
        return taking.Room(0, 1, [], holds=True)

    monkeypatch.setattr(taking, "make_room", read_meanwhile)
    tree.write("b", "two")
    tree.take("iteration")
    assert seen == [([first.id], {b"a"})]


def test_a_reader_cannot_write(tree):
    tree.take()
    reader = store.open_to_read(tree.project)
    with pytest.raises(SnapshotError):
        reader.query("DELETE FROM snapshots")
    reader.close()


def test_a_reader_of_a_tree_without_snapshots_gets_none_and_makes_none(tree, home):
    assert store.open_to_read(tree.project) is None
    assert not (home / ".local").exists()


# Damage


@pytest.fixture
def store_file(tree):
    tree.write("a", "bytes")
    tree.take()
    return f"{store.folder_of(tree.project)}/store.db"


@pytest.mark.parametrize("content", [b"", b"this is no database" * 500])
@pytest.mark.parametrize("opener", [store.open_store, store.open_to_read])
def test_a_store_that_is_no_database_is_refused_and_left_as_it_is(tree, store_file, content, opener):
    for end in ("-wal", "-shm"):
        paths.remove(store_file + end)
    with open(store_file, "wb") as file:
        file.write(content)
    with pytest.raises(SnapshotError, match="is damaged") as told:
        opener(tree.project)
    assert "mv " in told.value.hint
    with open(store_file, "rb") as file:
        assert file.read() == content


@pytest.mark.parametrize("opener", [store.open_store, store.open_to_read])
def test_a_store_of_a_newer_release_is_refused(tree, store_file, opener):
    db = sqlite3.connect(store_file)
    db.execute("PRAGMA user_version = 2")
    db.close()
    with pytest.raises(SnapshotError, match="written by a newer release") as told:
        opener(tree.project)
    assert told.value.hint == "update the plugin"


def test_a_store_that_was_refused_can_be_opened_by_the_next_command(tree, store_file):
    with open(store_file, "r+b") as file:
        file.write(b"x" * 100)
    for _ in range(2):  # the lock is let go
        with pytest.raises(SnapshotError, match="is damaged"):
            tree.open(wait_s=0)


def test_bytes_that_are_not_what_they_were_are_never_handed_out(tree):
    tree.write("small", b"what it was" * 10)
    tree.write("large", os.urandom(1_500_000))
    taken = tree.take()
    with tree.open() as snapshots:
        entries = snapshots.entries(taken.id)
        snapshots.query("UPDATE blobs SET data = ?, form = 'raw' WHERE digest = ?", (b"something else", entries[b"small"].digest))
        with open(blobs.file_of(snapshots.folder, entries[b"large"].digest), "r+b") as file:
            file.seek(700_000)
            file.write(b"something else")
        for path in (b"small", b"large"):
            with pytest.raises(SnapshotError, match="a stored file in "):
                snapshots.content(entries[path])


def test_a_large_file_that_is_gone_from_the_store_is_told(tree):
    tree.write("large", os.urandom(1_500_000))
    taken = tree.take()
    with tree.open() as snapshots:
        shutil.rmtree(snapshots.folder + "/blobs")
        with pytest.raises(SnapshotError, match="is damaged"):
            snapshots.content(snapshots.entries(taken.id)[b"large"])


def test_a_store_in_a_folder_that_cannot_be_written_is_told(tree, home):
    (home / ".local").write_text("a file in the way")
    with pytest.raises(SnapshotError, match="cannot write to"):
        tree.open()


def test_files_that_no_row_names_are_swept_by_the_next_writer_and_others_stay(tree):
    tree.write("large", os.urandom(1_500_000))
    taken = tree.take()
    folder = store.folder_of(tree.project)
    os.mkdir(f"{folder}/blobs/zz")
    for name in ("draft-1-2", "zz/orphan"):
        with open(f"{folder}/blobs/{name}", "w") as file:
            file.write("x")
    with tree.open() as snapshots:
        assert len(bytes_below(folder + "/blobs")) == 1
        assert len(snapshots.content(snapshots.entries(taken.id)[b"large"])) == 1_500_000


def test_it_runs_on_a_bare_interpreter(repository):
    code = (
        f"import sys; sys.path.insert(0, {os.getcwd()!r});"
        "from ralph_mem.core.project import Project; from ralph_mem.ralph.snapshot import store, taking;"
        f"print(taking.take(store.open_store(Project({str(repository.folder)!r})), 'start').files); print('typing' in sys.modules)"
    )
    ran = subprocess.run([os.path.realpath(sys.executable), "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split()[0] == "6", ran.stderr
    assert git(repository.folder, "stash", "list") == b""


def test_a_large_file_is_on_the_disk_for_good_before_a_row_names_it(repository, monkeypatch):
    repository.write("large", os.urandom(1_500_000))
    synced, sync = set(), os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: synced.add(os.fstat(file).st_ino) or sync(file))
    repository.take()
    (kept,) = [path for path in Path(store.folder_of(repository.project), "blobs").rglob("*") if path.is_file()]
    assert {kept.stat().st_ino, kept.parent.stat().st_ino} <= synced
