"""A disk or a limit that leaves no room for a result or a way back: files stay whole, and it goes on once there is room."""

import os
import posix
import resource
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.ralph import stopping
from ralph_mem.ralph.room import applying
from tests.ralph.loops import STEPS, Loops, git
from tests.ralph.room.test_kills import tree

MENDS = "; ".join(STEPS)
MEGABYTE = 1_048_576
MAKES = "head -c 700000 /dev/urandom >made"


@pytest.fixture
def mounted(tmp_path):
    """Mount small disks; only root can."""
    places = []

    def mount(name, options):
        place = tmp_path / name
        place.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place]).returncode:
            pytest.skip("no mount allowed here")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", "-l", place], check=False)


def a_repository(folder):
    loops = Loops(folder)
    git(loops.top, "init", "-q")
    git(loops.top, "add", ".")
    git(loops.top, "commit", "-qm", "first")
    return loops


def kept_by_a_small_process(act, most):
    """Do something in a process that may write no file of more than so many bytes; returns what it says was not done."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            os.write(into, repr(act().kept).encode())
        finally:
            os._exit(0)
    os.close(into)
    os.waitpid(child, 0)
    with os.fdopen(out) as told:
        return told.read()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_result_for_which_the_disk_has_no_room_changes_no_file_and_comes_later(mounted):
    loops = a_repository(mounted("disk", "size=6m"))
    loops.start(f"{MENDS}; {MAKES}", here=False, apply="never")
    before = tree(loops)
    filler = Path(loops.folder, "filler")
    with pytest.raises(OSError, match="No space"):
        filler.write_bytes(bytes(8 * MEGABYTE))
    with pytest.raises(RalphMemError):
        applying.apply(loops.project, loops.values(), loops.latest(), "")
    assert tree(loops) == before
    filler.unlink()
    stopping.finish_rollback(loops.project)
    if loops.text("one.txt") == "wrong\n":
        applying.apply(loops.project, loops.values(), loops.latest(), "")
    assert (loops.text("one.txt"), (loops.top / "made").stat().st_size) == ("right\n", 700_000)


def test_a_file_that_may_not_be_as_large_is_named_by_an_apply_and_comes_with_the_next(tmp_path):
    loops = a_repository(tmp_path)
    loops.start(f"{MENDS}; {MAKES}", here=False, apply="never")
    kept = kept_by_a_small_process(lambda: applied(loops), 100_000)
    assert kept == "[(b'made', 'cannot be changed: File too large')]"
    assert (loops.text("one.txt"), list(loops.top.glob("*made*"))) == ("right\n", [])
    assert applied(loops).kept == [] and (loops.top / "made").stat().st_size == 700_000


def applied(loops):
    return applying.apply(loops.project, loops.values(), loops.latest(), "")[1]


def test_a_file_that_may_not_be_as_large_is_named_by_a_rollback_and_comes_with_the_next(tmp_path):
    loops = a_repository(tmp_path)
    (loops.top / "large").write_bytes(os.urandom(700_000))
    before = tree(loops)
    loops.start(f"{MENDS}; echo small >large")
    assert kept_by_a_small_process(loops.back, 100_000) == "[(b'large', 'cannot be changed: File too large')]"
    assert loops.text("large") == "small\n" and loops.text("one.txt") == "wrong\n"
    loops.back()
    assert tree(loops) == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_folder_for_temporary_files_in_which_nothing_can_be_run_is_no_hindrance(mounted, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(mounted("unrunnable", "size=64m,noexec,nosuid,nodev")))
    monkeypatch.setattr(posix, "environ", dict(os.environb))
    monkeypatch.setattr(tempfile, "tempdir", None)
    loops = a_repository(tmp_path)
    before = tree(loops)
    assert loops.start(MENDS, here=False).status == "success" and loops.text("three.txt") == "right\n"
    loops.back()
    assert tree(loops) == before


@pytest.mark.parametrize("here", [True, False], ids=["here", "in a room"])
def test_a_file_of_two_gigabytes_stays_as_it_is_and_is_not_kept(tmp_path, here, a_home):
    loops = a_repository(tmp_path)
    with (loops.top / "large.bin").open("wb") as file:
        file.truncate(2048 * MEGABYTE)
        file.write(b"begins")
    before = (loops.top / "large.bin").stat()
    assert loops.start(MENDS, here=here).status == "success"
    loops.back()
    after = (loops.top / "large.bin").stat()
    assert (after.st_size, after.st_mtime_ns, loops.text("one.txt")) == (before.st_size, before.st_mtime_ns, "wrong\n")
    assert sum(path.stat().st_size for path in Path(a_home).rglob("*") if path.is_file()) < MEGABYTE
