"""A snapshot holds exactly what was on the disk, changes nothing there, and is all or nothing."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import blobs, contents, listing, taking, walk
from tests.ralph.snapshot.conftest import Tree, bytes_below, git, tree_of, wait_for_a_tick

# What it leaves alone


def test_a_snapshot_changes_nothing_in_the_work_tree(repository):
    before = bytes_below(repository.folder)
    repository.take()
    assert bytes_below(repository.folder) == before


def test_every_byte_under_git_is_identical_and_so_is_the_time_of_its_index(repository):
    git(repository.folder, "stash", "push", "-q", "src/dirty.py")
    # a `git status` would refresh the index now: the times of the files are new
    os.utime(repository.folder / "src" / "clean.py")
    before = bytes_below(repository.folder / ".git")
    repository.take("start")
    repository.write("src/clean.py", "changed\n")
    repository.take("iteration")
    assert bytes_below(repository.folder / ".git") == before


def test_no_program_that_a_repository_names_is_started(repository, tmp_path):
    mark = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    (repository.folder / ".git" / "hooks").mkdir(exist_ok=True)
    shutil.copy(program, repository.folder / ".git" / "hooks" / "post-index-change")
    git(repository.folder, "config", "core.fsmonitor", str(program))
    git(repository.folder, "status", "--short")
    assert mark.exists()  # so they would be
    mark.unlink()
    repository.take()
    assert not mark.exists()


def test_git_is_asked_about_this_folder_whatever_the_environment_says(repository, tmp_path, monkeypatch):
    git(repository.folder, "add", "-f", "debug.log")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(elsewhere / "index"))
    repository.take()
    assert b"debug.log" in repository.paths()  # which only the index here knows
    assert b"node_modules/left/index.js" not in repository.paths()


# What it holds


def test_a_snapshot_holds_the_bytes_modes_and_links_of_the_moment(repository):
    repository.write("run.sh", "#!/bin/sh\n", 0o751)
    os.symlink("nowhere", repository.top + b"/dangling")
    (repository.folder / "empty" / "inner").mkdir(parents=True)
    (repository.folder / "private").mkdir(mode=0o700)
    repository.take()
    expected = {path: told for path, told in tree_of(repository.folder).items() if not path.startswith((b"node_modules", b"debug"))}
    assert repository.held() == expected


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"\xef\xbb\xbfbom", b"caf\xe9", b"\0\1\0", b"", b"$Id$", b"x" * 3_000_000])
def test_bytes_are_exact_whatever_the_attributes_say(repository, content):
    repository.write(".gitattributes", "* text=auto eol=lf ident filter=lfs\n")
    repository.write("file.txt", content)
    repository.take()
    assert repository.held()[b"file.txt"][2] == content


@pytest.mark.parametrize("name", [b"a\nb", b'say "hi"', b"-rf", b"caf\xe9", b"tab\there", b" ", b"*", b"? x", b"A", b"\\", b"..."])
def test_odd_names_are_paths_like_others(repository, name):
    repository.write(b"folder/" + name, "here")
    repository.write(name, "here")
    git(repository.folder, "add", "folder")
    repository.take()
    assert repository.paths() >= {name, b"folder/" + name}


def test_a_rename_of_case_alone_is_a_change(tree):
    tree.write("Readme", "same")
    first = tree.take()
    os.rename(tree.top + b"/Readme", tree.top + b"/README")
    assert tree.differences(first, tree.take()) == [("added", b"README"), ("deleted", b"Readme")]


@pytest.mark.parametrize("before", ["file", "folder", "link"])
@pytest.mark.parametrize("after", ["file", "folder", "link"])
def test_a_path_may_become_something_else(repository, before, after):
    make = {
        "file": lambda: repository.write("src/it", "bytes"),
        "folder": lambda: repository.write("src/it/inside", "bytes"),
        "link": lambda: os.symlink("clean.py", repository.top + b"/src/it"),
    }
    make[before]()
    git(repository.folder, "add", "src/it")
    repository.take()
    path = repository.folder / "src" / "it"
    shutil.rmtree(path) if before == "folder" else path.unlink()
    make[after]()
    taken = repository.take("iteration")
    here = {path: told for path, told in tree_of(repository.folder).items() if path.startswith(b"src/it")}
    assert {path: told for path, told in repository.held(taken.id).items() if path.startswith(b"src/it")} == here


NAMES = some.sampled_from([b"a", b"b", b"A", b"new\nline", b"-x", b"caf\xe9", b'"', b".env", b"build", b"sp ace"])
PATHS = some.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
CONTENTS = some.one_of(some.binary(max_size=40), some.integers(0, 9).map(lambda number: b"line\n" * number * 300))
STEPS = some.tuples(some.sampled_from(["write", "write", "delete", "link", "folder", "mode"]), PATHS, CONTENTS)


def carry_out(tree, step):
    """Do a step where it can be done; a file in the way of a folder makes it none."""
    what, path, content = step
    full = tree.top + b"/" + path
    try:
        if what == "write":
            tree.write(path, content)
        elif what == "delete":
            shutil.rmtree(full) if os.path.isdir(full) and not os.path.islink(full) else os.unlink(full)
        elif what == "link":
            os.symlink(content.replace(b"\0", b"0") or b"x", full)
        elif what == "folder":
            os.makedirs(full)
        elif not os.path.islink(full):
            os.chmod(full, 0o700 | len(content) % 64)
    except OSError:
        pass


def check_rounds(tmp_path_factory, rounds, with_git):
    """Take a snapshot after each round of steps, then compare every one of them with what was there."""
    tree = Tree(tmp_path_factory.mktemp("tree"))
    if with_git:
        git(tree.folder, "init", "-q")
    seen = []
    with tree.open() as snapshots:
        for steps in rounds:
            for step in steps:
                carry_out(tree, step)
            seen.append((taking.take(snapshots, "x", "run", listing.DEFAULT).id, tree_of(tree.folder)))
    for number, there in seen:
        # without git, a folder of this name is taken for made by tools; a file is not
        expected = {path: told for path, told in there.items() if with_git or b"build" not in path.split(b"/")}
        assert {path: told for path, told in tree.held(number).items() if with_git or b"build" not in path.split(b"/")} == expected
    trees = [tree.held(number) for number, _ in seen]
    with tree.open() as snapshots:
        hashes = [snapshots.find(number).tree for number, _ in seen]
    assert [one == hashes[0] for one in hashes] == [one == trees[0] for one in trees]
    shutil.rmtree(tree.folder)


ROUNDS = some.lists(some.lists(STEPS, max_size=8), min_size=1, max_size=3)
ANY_PACE = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}


@pytest.mark.check
@settings(max_examples=60, **ANY_PACE)
@given(rounds=ROUNDS)
def test_every_snapshot_of_a_random_tree_equals_what_was_there(home, tmp_path_factory, rounds):
    check_rounds(tmp_path_factory, rounds, with_git=False)


@pytest.mark.check
@settings(max_examples=20, **ANY_PACE)
@given(rounds=ROUNDS)
def test_every_snapshot_of_a_random_repository_equals_what_was_there(home, tmp_path_factory, rounds):
    check_rounds(tmp_path_factory, rounds, with_git=True)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("with_git", [False, True])
def test_ten_thousand_random_trees_equal_what_was_there(home, tmp_path_factory, with_git):
    @settings(max_examples=5000, **ANY_PACE)
    @given(rounds=ROUNDS)
    def check(rounds):
        check_rounds(tmp_path_factory, rounds, with_git)

    check()


# What has changed


def test_a_change_of_the_same_size_whose_time_was_set_back_is_found(tree):
    path = tree.write("a.py", "one")
    os.utime(path, ns=(10**18, 10**18))
    first = tree.take()
    wait_for_a_tick()
    tree.write("a.py", "two")
    os.utime(path, ns=(10**18, 10**18))
    assert tree.differences(first, tree.take("iteration")) == [("changed", b"a.py")]


def test_a_change_in_the_moment_of_the_last_snapshot_is_found_although_nothing_shows_it(tree, monkeypatch):
    tree.write("a.py", "one")
    first = tree.take()
    tree.write("a.py", "two")
    with tree.open() as snapshots:  # as if both had happened within one tick of the file system's clock
        key = walk.key_of(os.lstat(tree.top + b"/a.py"))
        snapshots.query("UPDATE present SET key = ? WHERE path = ?", (key, b"a.py"))
    assert tree.differences(first, tree.take("iteration")) == [("changed", b"a.py")]


def test_a_file_that_did_not_change_is_not_read_again(tree, monkeypatch):
    tree.write("a.py", "one")
    wait_for_a_tick()
    tree.take()
    monkeypatch.setattr(contents.Reader, "_read_file", lambda *_: pytest.fail("it was read"))
    wait_for_a_tick()
    tree.take("iteration")


def test_a_file_of_a_whole_second_is_read_again_until_two_seconds_are_over(tree):
    known = walk.Known({}, set(), set(), 10_000_000_000)
    looking = walk.Walk(tree.top, listing.DEFAULT, known)
    path = tree.write("a.py")
    for modified_ns, racy in ((9_000_000_000, True), (7_000_000_000, False), (9_500_000_001, False), (9_990_000_001, True)):
        os.utime(path, ns=(modified_ns, modified_ns))
        st = os.stat(path)
        state = type("State", (), {"st_mtime_ns": st.st_mtime_ns, "st_ctime_ns": st.st_mtime_ns})
        assert looking._is_racy(state) == racy


def test_a_file_that_changes_while_it_is_read_is_read_again(tree, monkeypatch):
    path = tree.write("a.py", "one")
    read_open, looks = contents.Reader._read_open, []

    def read_and_change(self, file, st):
        found = read_open(self, file, st)
        looks.append(1)
        if len(looks) == 1:
            tree.write("a.py", "one and more")
        return found

    monkeypatch.setattr(contents.Reader, "_read_open", read_and_change)
    tree.take()
    assert path and tree.held()[b"a.py"][2] == b"one and more"


def test_a_file_that_changes_all_the_time_is_seen_and_not_stored(tree, monkeypatch):
    tree.write("a.log", "0")
    read_open = contents.Reader._read_open

    def read_and_change(self, file, st):
        found = read_open(self, file, st)
        with open(tree.top + b"/a.log", "ab") as log:
            log.write(b"more")
        return found

    monkeypatch.setattr(contents.Reader, "_read_open", read_and_change)
    assert tree.take().unstored == [(b"a.log", "changes while it is read")]


# What is seen and not stored


def test_a_file_above_the_cap_is_seen_and_not_stored(tree):
    tree.write("big", b"x" * 2000)
    taken = tree.take(scope=listing.DEFAULT._replace(most_file_bytes=1000))
    assert [path for path, _ in taken.unstored] == [b"big"]
    with tree.open() as snapshots:
        entry = snapshots.entries(taken.id)[b"big"]
        assert (entry.kind, entry.size, entry.stored) == ("file", 2000, False)
        with pytest.raises(SnapshotError, match="not in the store"):
            snapshots.content(entry)


def test_a_change_of_what_is_not_stored_shows(tree):
    limits = listing.DEFAULT._replace(most_file_bytes=1000)
    tree.write("big", b"x" * 2000)
    first = tree.take(scope=limits)
    tree.write("big", b"x" * 2001)
    second = tree.take("iteration", scope=limits)
    assert tree.differences(first, second) == [("changed", b"big")] and first.tree != second.tree


@pytest.mark.timeout(20)
def test_special_files_are_named_and_never_opened(repository):
    os.mkfifo(repository.top + b"/src/fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(repository.top + b"/src/socket"))
        writer = subprocess.Popen(["sh", "-c", "echo hello > fifo"], cwd=repository.folder / "src")
        try:
            taken = repository.take()
            assert taken.unstored == [(b"src/fifo", "a FIFO"), (b"src/socket", "a socket")]
            assert writer.poll() is None  # whoever waits for a reader still does
        finally:
            with open(repository.top + b"/src/fifo", "rb") as fifo:
                assert fifo.read() == b"hello\n"
            writer.wait()


def test_a_fifo_that_takes_the_place_of_a_file_holds_nobody_up(tree, monkeypatch):
    tree.write("a", "x")
    read_file = contents.Reader._read_file

    def swap(self, folder, name, path, st):
        os.unlink(tree.top + b"/a")
        os.mkfifo(tree.top + b"/a")
        return read_file(self, folder, name, path, st)

    monkeypatch.setattr(contents.Reader, "_read_file", swap)
    assert [path for path, _ in tree.take().unstored] == [b"a"]


def test_a_folder_that_becomes_a_link_in_the_middle_leads_nobody_out_of_the_tree(tree, tmp_path, monkeypatch):
    tree.write("folder/a", "mine")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text("not yours")
    read_batch = contents.Reader._read_batch

    def swap(self, batch):
        shutil.rmtree(tree.folder / "folder")
        os.symlink(tmp_path / "outside", tree.folder / "folder")
        return read_batch(self, batch)

    monkeypatch.setattr(contents.Reader, "_read_batch", swap)
    tree.take()
    assert b"not yours" not in [told[2] for told in tree.held().values()]


def test_what_lay_in_a_folder_that_became_a_link_to_it_is_gone(tree, tmp_path):
    tree.write("folder/a", "mine")
    wait_for_a_tick()
    first = tree.take()
    os.rename(tree.folder / "folder", tmp_path / "moved")
    os.symlink(tmp_path / "moved", tree.folder / "folder")
    wait_for_a_tick()
    assert tree.differences(first, tree.take("iteration")) == [("changed", b"folder"), ("deleted", b"folder/a")]


def test_what_cannot_be_read_is_named_and_not_taken_for_gone(tree, monkeypatch):
    real, refused = os.open, PermissionError(13, "Permission denied")

    def refuse(path, *more, **options):
        if path in (b"locked.txt", b"locked"):
            raise refused
        return real(path, *more, **options)

    for path in ("locked.txt", "locked/inside", "open.txt"):
        tree.write(path, "x")
    first = tree.take()
    for path in ("locked.txt", "locked/inside"):
        tree.write(path, "changed")
    tree.write("locked/new", "x")
    monkeypatch.setattr(os, "open", refuse)
    second = tree.take("iteration")
    assert {path for path, _ in second.unstored} == {b"locked", b"locked.txt", b"locked/inside", b"locked/new"}
    assert ("deleted", b"locked/inside") not in tree.differences(first, second)


# All or nothing


def test_a_full_disk_leaves_the_former_state(tree):
    tree.write("a", "one")
    first = tree.take()
    tree.write("b", os.urandom(500_000))
    tree.write("large", os.urandom(2_000_000))
    with tree.open() as snapshots:
        snapshots.query(f"PRAGMA max_page_count = {snapshots.query('PRAGMA page_count')[0][0] + 20}")
        with pytest.raises(SnapshotError, match="the disk is full"):
            taking.take(snapshots, "iteration", "run-1")
        assert [taken.id for taken in snapshots.taken()] == [first.id]
        assert set(snapshots.entries(first.id)) == {b"a"}
        assert not bytes_below(snapshots.folder + "/blobs")
        snapshots.query("PRAGMA max_page_count = 1000000")
        assert set(snapshots.entries(taking.take(snapshots, "again", "run-1").id)) == {b"a", b"b", b"large"}


def test_a_full_disk_leaves_no_half_written_file_behind(tree):
    tree.write("large", os.urandom(2_000_000))
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000));"
        "from ralph_mem.core.project import Project; from ralph_mem.ralph.snapshot import store, taking;"
        f"taking.take(store.open_store(Project({str(tree.folder)!r})), 'start', 'run-1')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "SnapshotError" in ran.stderr and ran.returncode == 1
    with tree.open() as snapshots:
        assert snapshots.taken() == []
        assert list(bytes_below(snapshots.folder + "/blobs")) == []


@pytest.mark.check
def test_a_snapshot_that_is_killed_anywhere_leaves_the_former_state(tree, monkeypatch):
    for number in range(150):
        tree.write(f"f{number}", os.urandom(300))
    first = tree.take()
    for number in range(150):
        tree.write(f"f{number}", os.urandom(300))
    tree.write("large", os.urandom(1_500_000))
    places = [
        (listing.Listing, "paths"),
        (walk.Walk, "_scan_all"),
        (blobs, "pack_file"),
        (blobs, "add"),
        (taking, "make_room"),
    ]
    for owner, name in places:
        child = os.fork()
        if not child:
            real = getattr(owner, name)
            setattr(owner, name, lambda *words, real=real: (real(*words), os.kill(os.getpid(), signal.SIGKILL)))
            tree.take("iteration")
            os._exit(0)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, name
        with tree.open() as snapshots:
            assert [taken.id for taken in snapshots.taken()] == [first.id]
            assert list(bytes_below(snapshots.folder + "/blobs")) == []
    assert len(tree.differences(first, tree.take("iteration"))) == 151


def test_an_interrupt_leaves_the_former_state(tree, monkeypatch):
    tree.write("a", "x")

    def interrupt(*_):
        raise KeyboardInterrupt

    with tree.open() as snapshots:
        with monkeypatch.context() as patch:
            patch.setattr(blobs, "add", interrupt)
            with pytest.raises(KeyboardInterrupt):
                taking.take(snapshots, "start", "run-1")
        assert snapshots.taken() == [] and not snapshots.db.in_transaction
        assert taking.take(snapshots, "start", "run-1").files == 1


# What it tells, and what it costs


def test_a_snapshot_tells_its_paths_bytes_and_progress(tree):
    for number in range(300):
        tree.write(f"folder/{number}", b"four")
    told = []
    taken = tree.take(told=lambda done, total: told.append((done, total)))
    assert (taken.label, taken.files, taken.bytes, taken.unstored) == ("start", 301, 1200, [])
    assert told[-1] == (301, 301) and len(told) > 1


def test_the_hash_of_a_tree_is_that_of_its_content(tree):
    tree.write("a", "one")
    hashes = [tree.take().tree]
    for change in (lambda: tree.write("a", "two"), lambda: tree.write("a", "one"), lambda: os.mkdir(tree.top + b"/empty")):
        change()
        hashes.append(tree.take("iteration").tree)
    os.rmdir(tree.top + b"/empty")
    os.chmod(tree.top + b"/a", 0o600)
    hashes.append(tree.take("iteration").tree)
    assert hashes[2] == hashes[0]
    assert len(set(hashes)) == 4


def test_a_path_that_does_not_change_costs_no_row(tree):
    for number in range(50):
        tree.write(f"{number}", "x")
    tree.take()
    tree.write("7", "y")
    for _ in range(5):
        tree.take("iteration")
    with tree.open() as snapshots:
        assert snapshots.query("SELECT count(*) FROM entries")[0][0] == 51


def test_equal_bytes_are_kept_once(tree):
    for number in range(20):
        tree.write(f"{number}", b"the same" * 100)
    tree.take()
    with tree.open() as snapshots:
        assert snapshots.query("SELECT count(*) FROM blobs")[0][0] == 1


@pytest.mark.check
def test_memory_does_not_grow_with_the_bytes_of_the_tree(tree):
    for number in range(80):
        tree.write(f"{number}", os.urandom(1_000_000))
    tree.write("large", os.urandom(9_000_000))
    tree.take("warm", scope=listing.DEFAULT._replace(most_file_bytes=10))
    tracemalloc.start()
    taken = tree.take("second")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken.bytes == 89_000_000
    # what is on the way from two threads to the database
    assert peak < 25_000_000


def test_many_snapshots_at_once_wait_for_each_other(tree):
    tree.write("a", "x")
    tree.take()
    threads = [threading.Thread(target=tree.take, args=(f"{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with tree.open() as snapshots:
        assert len(snapshots.taken("run-1")) == 5
