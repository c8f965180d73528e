"""A rollback on real files: what comes back, what is kept, and what is never touched."""

import contextlib
import errno
import os
import shutil
import socket
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import execution, listing, restoring, taking
from ralph_mem.ralph.snapshot.store import open_store
from tests.ralph.snapshot.rollbacks import RUN, Loop, differing, git, picture, quick_place, write

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tmp_path():
    with quick_place() as folder:
        yield folder


@pytest.fixture(scope="module")
def a_repository(tmp_path_factory):
    """A small repository with a dirty file, an untracked one, a link, an empty folder and ignored files."""
    top = tmp_path_factory.mktemp("made") / "project"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    write(top / ".gitignore", "ignored/\n*.log\n")
    for name in ("a.py", "src/b.py", "src/deep/c.py", "untouched.txt"):
        write(top / name, f"# {name}\n")
    write(top / "run.sh", "#!/bin/sh\n", 0o750)
    (top / "to_a").symlink_to("a.py")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "all of it")
    write(top / "src/b.py", "# b, edited by the user before the loop\n")
    write(top / "notes.txt", "untracked\n", 0o600)
    write(top / "ignored/cache.bin", b"\0\1")
    write(top / "trace.log", "ignored")
    (top / "empty").mkdir()
    return top


@pytest.fixture
def loop(a_repository, tmp_path):
    """A loop that has just started in the repository."""
    shutil.copytree(a_repository, tmp_path / "project", symlinks=True)
    loop = Loop(tmp_path / "project")
    loop.start()
    return loop


@pytest.fixture
def plain(tmp_path):
    """A loop in a folder without git, before its start."""
    write(tmp_path / "project/a.py", "# a.py\n")
    write(tmp_path / "project/src/b.py", "# b\n")
    return Loop(tmp_path / "project")


def works(loop):
    """Do what an agent does: edit, add, delete, change modes, links and folders."""
    top = loop.folder
    write(top / "a.py", "# broken\n")
    write(top / "src/b.py", "# rewritten\n")
    (top / "src/deep/c.py").unlink()
    (top / "src/deep").rmdir()
    (top / "empty").rmdir()
    (top / "notes.txt").chmod(0o644)
    (top / "run.sh").chmod(0o640)
    (top / "to_a").unlink()
    (top / "to_a").symlink_to("src/b.py")
    write(top / "new/module/d.py", "# new\n")
    (top / "new/hollow").mkdir()
    return loop.iteration()


def paths(pairs):
    return [path for path, _ in pairs]


# What comes back


def test_a_rollback_to_the_start_puts_back_content_modes_links_and_folders(loop):
    before = loop.picture()
    works(loop)
    assert loop.picture() != before
    loop.roll_back()
    assert loop.picture() == before


def test_a_rollback_to_an_iteration_puts_back_what_it_left(loop):
    first = works(loop)
    then = loop.picture()
    write(loop.folder / "a.py", "# worse\n")
    write(loop.folder / "new/module/e.py", "# more\n")
    loop.iteration()
    loop.roll_back(first)
    assert loop.picture() == then


def test_a_rollback_can_be_rolled_back_and_that_again(loop):
    start = loop.picture()
    works(loop)
    worked = loop.picture()
    first = loop.roll_back()
    second = loop.roll_back(first.safety)
    assert loop.picture() == worked
    third = loop.roll_back(second.safety)
    assert loop.picture() == start
    loop.roll_back(third.safety)
    assert loop.picture() == worked


def test_a_rollback_after_a_rollback_goes_on_from_there(loop):
    start = loop.picture()
    first = works(loop)
    write(loop.folder / "a.py", "# worse\n")
    loop.iteration()
    loop.roll_back(first)
    report = loop.roll_back()
    assert loop.picture() == start and report.kept == []


def test_the_report_names_what_changed_on_the_disk_and_nothing_else(loop):
    works(loop)
    write(loop.folder / "new/by_user.py", "# mine\n")
    write(loop.folder / "a.py", "# mine\n")
    before = loop.picture()
    report = loop.roll_back()
    assert sorted(report.restored + report.deleted) == sorted(differing(before, loop.picture()))
    assert len(report.restored) == 7 and sorted(report.deleted) == [b"new/hollow", b"new/module", b"new/module/d.py"]
    assert paths(report.kept) == [b"a.py", b"new", b"new/by_user.py"]


def test_a_tree_that_is_as_it_was_needs_no_rollback(loop):
    report = loop.roll_back()
    assert (report.restored, report.deleted, report.kept) == ([], [], [])


def test_a_file_put_back_has_a_new_time_so_that_a_build_sees_it(loop):
    os.utime(loop.folder / "a.py", (1_000_000, 1_000_000))
    start = loop.take("start")
    works(loop)
    loop.roll_back(start)
    assert (loop.folder / "a.py").stat().st_mtime > time.time() - 60


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o755, 0o4755, 0o666])
def test_every_bit_of_a_mode_comes_back(plain, mode):
    (plain.folder / "a.py").chmod(mode)
    if not os.access(plain.folder / "a.py", os.R_OK):
        pytest.skip("a file that cannot be read is not stored")
    start = plain.take("start")
    (plain.folder / "a.py").unlink()
    plain.iteration()
    plain.roll_back(start)
    assert stat.S_IMODE((plain.folder / "a.py").stat().st_mode) == mode


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"\xef\xbb\xbfa\n", b"caf\xe9\n", b"\0\1\2", b"$Id$\n", b"", b"x" * 1_500_000])
def test_bytes_come_back_as_they_were_whatever_git_would_make_of_them(plain, content):
    write(plain.folder / ".gitattributes", "* text=auto ident\n")
    write(plain.folder / "odd", content)
    start = plain.take("start")
    write(plain.folder / "odd", b"another")
    plain.iteration()
    plain.roll_back(start)
    assert (plain.folder / "odd").read_bytes() == content


@pytest.mark.parametrize(
    "name", [b"new\nline", b"quo\"te'", b"-rf", b"\xff\xfe", b" ", b"\xe2\x80\xae", b"*", b"a" * 255, b"~", b"%s%d"]
)
def test_a_file_of_any_name_comes_back_and_goes(plain, name):
    top = os.fsencode(plain.folder)
    for path in (name, b"in/" + name):
        os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
        with open(os.path.join(top, path), "wb") as file:
            file.write(b"odd")
    start, before = plain.take("start"), plain.picture()
    os.unlink(os.path.join(top, name))
    os.rename(os.path.join(top, b"in", name), os.path.join(top, b"in", name[:-1] + b"+"))
    plain.iteration()
    report = plain.roll_back(start)
    assert plain.picture() == before
    assert report.deleted == [b"in/" + name[:-1] + b"+"]


def test_a_name_changed_in_case_alone_comes_back(loop):
    before = loop.picture()
    (loop.folder / "a.py").rename(loop.folder / "A.PY")
    (loop.folder / "src").rename(loop.folder / "Src")
    loop.iteration()
    loop.roll_back()
    assert loop.picture() == before


def be_file(path):
    write(path, "a file")


def be_folder(path):
    write(path / "x", "in a folder")
    write(path / "y/z", "in a folder")
    (path / "hollow").mkdir()


def be_link(path):
    path.symlink_to("a.py")


def be_link_to_folder(path):
    path.symlink_to("src")


def be_gone(path):
    pass


SHAPES = (be_file, be_folder, be_link, be_link_to_folder, be_gone)


def clear(path):
    subprocess.run(["rm", "-rf", path], check=True)


@pytest.mark.parametrize("new", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("old", SHAPES, ids=lambda shape: shape.__name__)
def test_a_path_becomes_again_what_it_was_and_then_what_it_became(plain, old, new):
    old(plain.folder / "p")
    start, before = plain.take("start"), plain.picture()
    clear(plain.folder / "p")
    new(plain.folder / "p")
    plain.iteration()
    worked = plain.picture()
    report = plain.roll_back(start)
    assert plain.picture() == before and report.kept == []
    plain.roll_back(report.safety)
    assert plain.picture() == worked


def test_a_folder_without_the_right_to_write_is_opened_and_closed_again(plain):
    folder = plain.folder / "closed"
    write(folder / "in/a", "one")
    for path in (folder / "in", folder):
        path.chmod(0o555)
    start, before = plain.take("start"), plain.picture()
    if os.getuid():
        folder.chmod(0o755)
        (folder / "in").chmod(0o755)
    write(folder / "in/a", "two")
    write(folder / "in/b", "new")
    (folder / "in").chmod(0o555)
    folder.chmod(0o555)
    plain.iteration()
    plain.roll_back(start)
    assert plain.picture() == before


def test_a_folder_whose_mode_the_loop_changed_has_its_own_again(loop):
    before = loop.picture()
    write(loop.folder / "src/b.py", "# rewritten\n")
    (loop.folder / "src").chmod(0o555)
    (loop.folder / "empty").chmod(0o700)
    loop.iteration()
    report = loop.roll_back()
    assert loop.picture() == before
    assert sorted(report.restored) == [b"empty", b"src", b"src/b.py"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_what_root_puts_back_belongs_to_whom_it_belonged(loop):
    for path in (loop.folder / "src", loop.folder / "src/b.py", loop.folder / "src/deep", loop.folder / "src/deep/c.py"):
        os.chown(path, 65534, 65534)
    start = loop.take("start")
    write(loop.folder / "src/b.py", "edited")
    clear(loop.folder / "src/deep")
    loop.iteration()
    loop.roll_back(start)
    assert {path.stat().st_uid for path in (loop.folder / "src").rglob("*")} == {65534}


def as_nobody(script):
    """Run lines as a user who is not root, in a new folder `top` with a folder `theirs` that is root's."""
    start = "import os, sys; from pathlib import Path; from tests.ralph.snapshot.rollbacks import Loop, write"
    start += "; top = Path(sys.argv[1], 'project')"
    become = "write(top / 'theirs/a', 'one', 0o666); top.chmod(0o777); os.setgid(65534); os.setuid(65534)"
    with quick_place() as folder:
        folder.chmod(0o777)
        environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
        order = [sys.executable, "-B", "-c", "\n".join((start, become, textwrap.dedent(script))), folder]
        ran = subprocess.run(order, env=environment, capture_output=True, text=True, cwd=ROOT, timeout=60)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="needs a user who is not root to become")
def test_a_user_who_is_not_root_gets_closed_folders_back_too():
    as_nobody(
        """
        write(top / "in/a", "one")
        (top / "in").chmod(0o555)
        loop = Loop(top)
        loop.start()
        before = loop.picture()
        (top / "in").chmod(0o755)
        write(top / "in/a", "two")
        write(top / "in/b/c", "new")
        (top / "in/b").chmod(0o555)
        (top / "in").chmod(0o555)
        loop.iteration()
        report = loop.roll_back()
        assert loop.picture() == before, report
        """
    )


@pytest.mark.skipif(os.getuid() != 0, reason="needs a user who is not root to become")
def test_a_folder_that_nobody_can_read_any_more_can_be_read_again():
    as_nobody(
        """
        write(top / "in/a", "one")
        loop = Loop(top)
        loop.start()
        before = loop.picture()
        (top / "in").chmod(0o311)
        loop.iteration()
        report = loop.roll_back()
        assert report.restored == [b"in"] and loop.picture() == before, report
        """
    )


@pytest.mark.skipif(os.getuid() != 0, reason="needs a user who is not root to become")
def test_what_may_not_be_changed_is_named_and_the_rest_comes_back():
    as_nobody(
        """
        write(top / "mine", "one")
        loop = Loop(top)
        loop.start()
        write(top / "mine", "two")
        write(top / "theirs/a", "two")
        loop.iteration()
        report = loop.roll_back()
        assert report.restored == [b"mine"], report
        assert report.kept == [(b"theirs/a", "cannot be changed: Permission denied")], report
        assert loop.recover() is None
        """
    )


# What is the user's


def test_a_file_the_user_changed_afterwards_is_kept_and_named(loop):
    works(loop)
    write(loop.folder / "a.py", "# mine\n")
    write(loop.folder / "untouched.txt", "mine\n")
    (loop.folder / "run.sh").unlink()
    report = loop.roll_back()
    assert (loop.folder / "a.py").read_text() == "# mine\n" and (loop.folder / "untouched.txt").read_text() == "mine\n"
    assert not (loop.folder / "run.sh").exists()
    assert report.kept == [
        (b"a.py", "changed by the loop, then by you"),
        (b"run.sh", "changed by the loop, then by you"),
        (b"untouched.txt", "changed by you"),
    ]


def test_what_a_rollback_kept_is_kept_by_the_next_one_too(loop):
    works(loop)
    write(loop.folder / "a.py", "# mine\n")
    write(loop.folder / "untouched.txt", "mine\n")
    first = loop.roll_back()
    then = loop.picture()
    for _ in range(2):
        report = loop.roll_back()
        assert (report.restored, report.deleted, report.kept) == ([], [], first.kept)
        assert loop.picture() == then


def test_what_the_user_did_after_an_undo_is_kept_by_the_next_rollback(loop):
    works(loop)
    loop.roll_back(loop.roll_back().safety)
    write(loop.folder / "src/b.py", "# mine\n")
    report = loop.roll_back()
    assert (loop.folder / "src/b.py").read_text() == "# mine\n" and (loop.folder / "a.py").read_text() == "# a.py\n"
    assert report.kept == [(b"src/b.py", "changed by the loop, then by you")]


def test_with_force_the_users_version_is_in_the_safety_snapshot(loop):
    works(loop)
    write(loop.folder / "a.py", "# mine\n")
    report = loop.roll_back(force=True)
    assert (loop.folder / "a.py").read_text() == "# a.py\n" and report.kept == []
    assert loop.content(report.safety, "a.py") == b"# mine\n"


def test_what_the_user_did_after_a_rollback_is_kept_when_it_is_undone(loop):
    works(loop)
    report = loop.roll_back()
    write(loop.folder / "a.py", "# mine\n")
    write(loop.folder / "mine.py", "# mine\n")
    undone = loop.roll_back(report.safety)
    assert (loop.folder / "a.py").read_text() == "# mine\n" and (loop.folder / "mine.py").exists()
    assert (loop.folder / "src/b.py").read_text() == "# rewritten\n"
    assert paths(undone.kept) == [b"a.py", b"mine.py"]


def user_at(step, act):
    """Return what does something at one step of a rollback, as a user in an editor does."""

    def on_step(name):
        if name == step:
            act()

    return on_step


@pytest.mark.parametrize("step", ["write a.py", "place a.py"])
def test_a_file_the_user_saves_while_files_are_put_back_is_kept_and_stays_theirs(loop, step):
    works(loop)
    report = loop.roll_back(on_step=user_at(step, lambda: write(loop.folder / "a.py", "# mine, meanwhile\n")))
    assert (loop.folder / "a.py").read_text() == "# mine, meanwhile\n"
    assert report.kept == [(b"a.py", "was changed while files were being put back")] and b"a.py" not in report.restored
    undone = loop.roll_back(report.safety, force=True)
    assert (loop.folder / "a.py").read_text() == "# mine, meanwhile\n"
    assert undone.kept == [(b"a.py", "changed by you")]


def test_a_file_the_user_saves_just_before_it_would_be_deleted_is_kept(loop):
    works(loop)
    report = loop.roll_back(on_step=user_at("place a.py", lambda: write(loop.folder / "new/module/d.py", "# mine\n")))
    assert (loop.folder / "new/module/d.py").read_text() == "# mine\n"
    assert paths(report.kept) == [b"new", b"new/module", b"new/module/d.py"] and b"new/hollow" in report.deleted


def test_a_preview_changes_nothing_and_tells_what_the_rollback_then_does(loop):
    works(loop)
    write(loop.folder / "untouched.txt", "mine\n")
    before = loop.picture()
    with open_store(loop.project) as snapshots:
        plan = restoring.preview(snapshots, loop.first, run=RUN)
    assert loop.picture() == before
    report = loop.roll_back()
    assert sorted(action.path for action in plan.actions) == sorted(report.restored + report.deleted)
    assert plan.kept == report.kept == [(b"untouched.txt", "changed by you")]


def test_a_preview_makes_nothing_of_the_users_the_loops(loop):
    works(loop)
    write(loop.folder / "untouched.txt", "mine\n")
    with open_store(loop.project) as snapshots:
        restoring.preview(snapshots, loop.first)
    loop.roll_back()
    assert (loop.folder / "untouched.txt").read_text() == "mine\n"


def test_files_come_back_a_batch_at_a_time_so_that_little_room_is_taken(loop, monkeypatch):
    for number in range(7):
        write(loop.folder / f"many/{number}", "x" * number * 10)
    start, before = loop.take("start"), loop.picture()
    clear(loop.folder / "many")
    loop.iteration()
    monkeypatch.setattr(execution, "BATCH_FILES", 3)
    monkeypatch.setattr(execution, "BATCH_BYTES", 100)
    drafts = []
    loop.roll_back(
        start, on_step=lambda name: drafts.append(len(list(loop.folder.rglob(".ralph-mem-*")))) if name == "flush" else 0
    )
    assert loop.picture() == before and drafts == [3, 2, 1, 1]


# What is never touched


def test_a_file_above_the_cap_is_never_deleted_or_overwritten_and_is_named(loop):
    loop.limits = listing.DEFAULT._replace(most_file_bytes=1000)
    write(loop.folder / "large.bin", b"1" * 2000)
    write(loop.folder / "grown.txt", "small")
    start = loop.take("start")
    write(loop.folder / "large.bin", b"2" * 3000)
    write(loop.folder / "grown.txt", b"3" * 2000)
    write(loop.folder / "new/large.bin", b"4" * 2000)
    loop.iteration()
    report = loop.roll_back(start, force=True)
    assert (loop.folder / "large.bin").read_bytes() == b"2" * 3000
    assert (loop.folder / "grown.txt").read_bytes() == b"3" * 2000
    assert (loop.folder / "new/large.bin").read_bytes() == b"4" * 2000
    assert paths(report.kept) == [b"grown.txt", b"large.bin", b"new", b"new/large.bin"]
    assert {b"grown.txt", b"large.bin", b"new/large.bin"} <= set(paths(report.unstored))


def test_a_fifo_and_a_socket_are_never_touched(loop, monkeypatch):
    write(loop.folder / "was_file", "one")
    start = loop.take("start")
    (loop.folder / "was_file").unlink()
    os.mkfifo(loop.folder / "was_file")
    os.mkfifo(loop.folder / "queue")
    monkeypatch.chdir(loop.folder)  # the path of a socket has to be short
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as end:
        end.bind("talk")
    loop.iteration()
    report = loop.roll_back(start, force=True)
    assert stat.S_ISFIFO((loop.folder / "was_file").stat().st_mode) and stat.S_ISFIFO((loop.folder / "queue").stat().st_mode)
    assert paths(report.kept) == [b"queue", b"talk", b"was_file"]


def test_ignored_and_untracked_files_survive_a_changed_gitignore(loop):
    write(loop.folder / ".gitignore", "src/\nnotes.txt\n")
    write(loop.folder / "a.py", "# broken\n")
    loop.iteration()
    loop.roll_back()
    assert (loop.folder / "ignored/cache.bin").read_bytes() == b"\0\1" and (loop.folder / "trace.log").exists()
    assert (loop.folder / "notes.txt").exists() and (loop.folder / "src/b.py").exists()
    assert (loop.folder / ".gitignore").read_text() == "ignored/\n*.log\n" and (loop.folder / "a.py").read_text() == "# a.py\n"


def test_an_agent_that_has_everything_ignored_hides_nothing_from_a_rollback(loop):
    before = loop.picture()
    write(loop.folder / ".gitignore", "*\n")
    write(loop.folder / ".git/info/exclude", "*\n")
    write(loop.folder / "pkg/.gitignore", "*\n")
    for name in ("evil.py", "pkg/evil.py", "src/evil.py"):
        write(loop.folder / name, "# hidden\n")
    write(loop.folder / "mine.log", "the person's, ignored at the start\n")
    loop.iteration()
    report = loop.roll_back()
    assert differing(before, loop.picture()) == {b"mine.log"} and report.kept == []
    loop.roll_back(report.safety)
    assert (loop.folder / "pkg/evil.py").exists() and (loop.folder / "pkg/.gitignore").read_text() == "*\n"


def test_a_new_folder_with_ignored_files_is_kept_and_named(loop):
    write(loop.folder / "new/a.py", "# new\n")
    write(loop.folder / "new/a.log", "made by a tool\n")
    loop.iteration()
    report = loop.roll_back()
    assert [path.name for path in (loop.folder / "new").iterdir()] == ["a.log"]
    assert report.kept == [(b"new", "holds what no snapshot has")]


def test_a_folder_that_became_a_link_leads_no_write_out_of_the_tree(loop, tmp_path):
    outside = tmp_path / "outside"
    write(outside / "b.py", "# not ours\n")
    write(outside / "deep/c.py", "# not ours\n")
    before = picture(outside)
    clear(loop.folder / "src")
    (loop.folder / "src").symlink_to(outside)
    start = loop.picture()
    loop.iteration()
    report = loop.roll_back()
    assert picture(outside) == before
    assert not (loop.folder / "src").is_symlink() and (loop.folder / "src/deep/c.py").exists() and report.kept == []
    loop.roll_back(report.safety)
    assert picture(outside) == before and loop.picture() == start


@pytest.mark.parametrize("step", ["begin journal", "write src/b.py", "flush", "place src/b.py"])
def test_a_folder_that_becomes_a_link_while_files_are_put_back_leads_nowhere_either(loop, tmp_path, step):
    outside = tmp_path / "outside"
    for path in (loop.folder / "src", outside):  # even where all is the same
        write(path / "b.py", "# rewritten\n")
        write(path / "new.py", "# new\n")
    loop.iteration()
    before, seen = picture(outside), []

    def replace(name):
        if name == step:
            (loop.folder / "src").rename(tmp_path / "moved")
            (loop.folder / "src").symlink_to(outside)
        seen.append(picture(outside))

    report = loop.roll_back(on_step=replace)
    assert len(seen) > 3 and all(there == before for there in seen) and picture(outside) == before
    assert (report.restored, report.deleted, paths(report.kept)) == ([], [], [b"src/b.py"])


def test_no_write_goes_through_a_hard_link(loop, tmp_path):
    os.link(loop.folder / "notes.txt", tmp_path / "twin")
    write(loop.folder / "notes.txt", "changed through both names\n")
    (loop.folder / "notes.txt").chmod(0o604)
    loop.iteration()
    loop.roll_back()
    assert (loop.folder / "notes.txt").read_text() == "untracked\n"
    assert (tmp_path / "twin").read_text() == "changed through both names\n"
    assert stat.S_IMODE((tmp_path / "twin").stat().st_mode) == 0o604


def test_what_reads_a_file_meanwhile_reads_the_old_one_to_its_end(loop):
    works(loop)
    with open(loop.folder / "a.py") as file:
        loop.roll_back()
        assert file.read() == "# broken\n"


def test_git_and_the_repositories_inside_are_as_they_were(loop):
    nested = loop.folder / "vendor/nested"
    nested.mkdir(parents=True)
    git(nested, "init", "-q", "-b", "main")
    write(nested / "a.c", "int a;\n")
    git(nested, "add", ".")
    git(nested, "commit", "-q", "-m", "nested")
    start = loop.take("start")
    write(nested / "a.c", "int b;\n")
    write(nested / "new.c", "int c;\n")
    works(loop)
    git(loop.folder, "add", "a.py")
    git(loop.folder, "stash", "-q", "--keep-index")
    git(loop.folder, "checkout", "-q", "--detach")
    git(loop.folder, "commit", "-q", "-m", "by the loop")
    loop.iteration()
    kept = [loop.folder / ".git", nested / ".git"]
    before = [picture(folder) for folder in kept]
    loop.roll_back(start)
    assert [picture(folder) for folder in kept] == before
    assert (nested / "a.c").read_text() == "int a;\n" and not (nested / "new.c").exists()
    assert (loop.folder / "a.py").read_text() == "# a.py\n"


def test_a_preview_keeps_the_folder_of_a_new_repository_as_the_rollback_does(loop):
    write(loop.folder / "outer/cloned/a.c", "int a;\n")
    write(loop.folder / "outer/gone/b.c", "int b;\n")
    git(loop.folder / "outer/cloned", "init", "-q", "-b", "main")
    loop.iteration()
    with open_store(loop.project) as snapshots:
        plan = restoring.preview(snapshots, loop.first)
    report = loop.roll_back()
    assert plan.kept == report.kept == [(path, "holds what no snapshot has") for path in (b"outer", b"outer/cloned")]
    assert [action.path for action in plan.actions] == [b"outer/cloned/a.c", b"outer/gone", b"outer/gone/b.c"]


def test_a_snapshot_outlives_whatever_git_does(loop):
    before = loop.picture()
    write(loop.folder / ".ralph-mem/memory.db", "the project's memory")
    works(loop)
    git(loop.folder, "stash", "-q")
    git(loop.folder, "clean", "-q", "-fdx")
    git(loop.folder, "reset", "-q", "--hard", "HEAD")
    git(loop.folder, "gc", "-q", "--prune=now")
    clear(loop.folder / ".ralph-mem")
    loop.iteration()
    loop.roll_back()
    ignored = {b"ignored", b"ignored/cache.bin", b"trace.log"}  # git clean took these, and nobody had them
    assert differing(before, loop.picture()) == ignored


# What fails


def test_nothing_changes_without_a_safety_snapshot(loop, monkeypatch):
    works(loop)
    before = loop.picture()

    def full(*arguments, **more):
        raise SnapshotError("the disk is full: nothing was stored", "make room")

    monkeypatch.setattr(taking, "take", full)
    with pytest.raises(SnapshotError, match="full"):
        loop.roll_back()
    assert loop.picture() == before


def test_a_rollback_to_a_snapshot_that_is_not_there_changes_nothing(loop):
    works(loop)
    before = loop.picture()
    with pytest.raises(SnapshotError, match="no snapshot 99"):
        loop.roll_back(99)
    assert loop.picture() == before


def test_a_file_that_the_store_lost_is_kept_and_the_others_come_back(loop):
    works(loop)
    with open_store(loop.project) as snapshots:
        lost = snapshots.entries(loop.first)[b"a.py"].digest
        snapshots.db.execute("UPDATE blobs SET data = x'00' WHERE digest = ?", (lost,))
    report = loop.roll_back()
    assert (loop.folder / "a.py").read_text() == "# broken\n"
    assert [(path, "damaged" in why) for path, why in report.kept] == [(b"a.py", True)]
    assert (loop.folder / "src/b.py").read_text() == "# b, edited by the user before the loop\n"
    assert not list(loop.folder.rglob(".ralph-mem-*"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_is_told_and_the_rollback_goes_on_later(loop, monkeypatch, number):
    before = loop.picture()
    works(loop)
    worked = loop.picture()
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", lambda file: (_ for _ in ()).throw(OSError(number, os.strerror(number))))
        with pytest.raises(SnapshotError, match="cannot be put back") as told:
            loop.roll_back()
    assert "goes on from here" in told.value.hint
    assert not list(loop.folder.rglob(".ralph-mem-*"))
    assert (loop.folder / "a.py").read_text() == "# broken\n" and worked != before
    assert loop.recover() is not None
    assert loop.picture() == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_really_full_leaves_every_file_whole(tmp_path):
    top = tmp_path / "disk"
    top.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", top]).returncode:
        pytest.skip("no mount allowed here")
    try:
        loop = Loop(top)
        for number in range(4):
            write(top / f"{number}", os.urandom(100_000))
        loop.start()
        before = loop.picture()
        for number in range(4):
            write(top / f"{number}", b"small")
        loop.iteration()
        write(top / "filler", os.urandom(900_000))
        with pytest.raises(SnapshotError, match="No space left"):
            loop.roll_back()
        assert {told[2] for path, told in loop.picture().items() if path != b"filler"} == {b"small"}
        (top / "filler").unlink()
        assert sorted(loop.recover().restored) == [b"0", b"1", b"2", b"3"]
        assert loop.picture() == before
    finally:
        subprocess.run(["umount", top], check=True)


# Files with several names


PAIR = {
    "written through one name": "echo changed >a.txt",
    "replaced through one name": "echo changed >new && mv new a.txt",
    "parted": "cp b.txt new && mv new b.txt",
    "one name deleted": "rm b.txt",
    "both deleted": "rm a.txt b.txt",
    "a third name": "ln a.txt src/c.txt; echo changed >b.txt",
    "joined with another file": "ln -f a.txt src/b.py",
    "moved and made anew": "mv a.txt src/d.txt; echo changed >a.txt; ln -f a.txt b.txt",
    "another mode": "chmod 600 a.txt",
}


@pytest.mark.parametrize("how", PAIR)
def test_all_names_of_a_file_come_back_as_one_file_and_go_forth_again(loop, tmp_path, how):
    write(loop.folder / "a.txt", "one file\n")
    os.link(loop.folder / "a.txt", loop.folder / "b.txt")
    os.link(loop.folder / "a.txt", loop.folder / "src/third.txt")
    start, before = loop.take("start"), loop.with_names()
    subprocess.run(["sh", "-ec", PAIR[how]], cwd=loop.folder, check=True)
    loop.iteration()
    worked = loop.with_names()
    with open_store(loop.project) as snapshots:
        planned = {action.path for action in restoring.preview(snapshots, start, run=RUN).actions}
    report = loop.roll_back(start)
    assert loop.with_names() == before and (loop.folder / "a.txt").stat().st_nlink == 3
    assert report.kept == [] and planned == {*report.restored, *report.deleted} == differing(before, worked)
    loop.roll_back(report.safety)
    assert loop.with_names() == worked


def test_a_rollback_of_hard_links_that_was_cut_off_goes_on(loop, monkeypatch):
    for name in ("a.txt", "b.txt", "c.txt"):
        os.link(loop.folder / "notes.txt", loop.folder / name)
    start, before = loop.take("start"), loop.with_names()
    write(loop.folder / "notes.txt", "changed through all four names\n")
    loop.iteration()

    def cut_off(step):
        if step == "place c.txt":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loop.roll_back(start, on_step=cut_off)
    loop.recover()
    assert loop.with_names() == before
