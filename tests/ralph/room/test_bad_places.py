"""On file systems and in repositories that are not as usual a loop works, or says why not; the person's files stay whole."""

import os
import posix
import subprocess
import tempfile
from pathlib import Path

import pytest

from ralph_mem.core import process
from ralph_mem.core.errors import RalphMemError
from ralph_mem.ralph import display, stop_reasons
from tests.ralph.loops import STEPS, Loops, git
from tests.ralph.snapshot.conftest import SHM, bytes_below, tree_of

MENDS = "; ".join(STEPS)
KILOBYTE = 1024


@pytest.fixture
def elsewhere(tmp_path):
    """A folder on another file system than the data home."""
    if not os.access(SHM, os.W_OK) or SHM.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is one file system only")
    with tempfile.TemporaryDirectory(prefix="ralph-mem-elsewhere-", dir=SHM) as folder:
        yield Path(folder)


@pytest.mark.check
@pytest.mark.parametrize("here", [True, False], ids=["here", "in a room"])
def test_a_project_on_another_file_system_than_the_data_home(elsewhere, here):
    loops = Loops(elsewhere)
    before = tree_of(loops.top)
    assert loops.start(MENDS, here=here).status == "success" and loops.text("three.txt") == "right\n"
    loops.back()
    assert tree_of(loops.top) == before


def test_a_check_by_a_path_that_leads_out_of_the_project_is_told_of_the_room_and_the_ways_out(tmp_path):
    loops = Loops(tmp_path)
    (tmp_path / "beside.sh").write_text("grep -q right one.txt\n")
    run = loops.start(STEPS[0], criteria=("custom=sh ../beside.sh",), here=False)
    step = stop_reasons.next_step(run.reason, run)
    assert run.reason == "broken_criteria" and step.startswith("the loop works in a room, and from there `../` leads elsewhere")
    assert "whole path" in step and "`--here`" in step


def test_where_rooms_lie_on_a_disk_that_is_mounted_noexec_that_is_told_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "is_noexec", lambda _: True)  # to mount one is not allowed everywhere
    loops = Loops(tmp_path)
    run = loops.start(MENDS, here=False, criteria=("custom=./one.txt",))
    assert "./one.txt lies on a disk that is mounted noexec" in run.why
    assert "start again with `--here`, or with XDG_DATA_HOME" in display.ended(run)[-1]
    assert "--here" not in display.ended(loops.start(MENDS, here=True, criteria=("custom=./one.txt",)))[-1]


def test_a_bare_repository_is_a_folder_of_files_and_stays_as_it_is(tmp_path):
    loops = Loops(tmp_path)
    git(loops.top, "init", "-q", "--bare", ".")
    before = bytes_below(loops.top)
    run = loops.start("true", here=False, limits={"iterations": 1})
    assert (run.reason, bytes_below(loops.top)) == ("max_iterations", before)


@pytest.mark.nightly
@pytest.mark.parametrize("here", [True, False], ids=["here", "in a room"])
def test_a_hundred_thousand_untracked_files(tmp_path, here):
    loops = Loops(tmp_path)
    git(loops.top, "init", "-q")
    for number in range(100_000):
        loops.write(f"data/{number // 1000}/{number}", str(number))
    before = tree_of(loops.top / "data")
    run = loops.start(f"rm -r data/7; {MENDS}", here=here, limits={"duration_ms": 3_600_000})
    # nobody has looked yet, so what comes from a room by itself throws nothing away that is not committed
    assert run.status == "success" and (loops.top / "data/7").exists() is not here
    loops.back()
    assert tree_of(loops.top / "data") == before


@pytest.fixture
def a_small_disk(tmp_path, monkeypatch):
    """Mount a data home of so many kilobytes."""
    home = tmp_path / "small"
    home.mkdir()

    def mount(size):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size * KILOBYTE}", "tmpfs", home]).returncode:
            pytest.skip("no mount allowed here")
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setattr(posix, "environ", dict(os.environb))

    yield mount
    subprocess.run(["umount", "-l", home], check=False)


def _reason_or_hint(loops, here):
    try:
        return loops.start(f"{MENDS}; head -c 100000 /dev/urandom >made", here=here).reason
    except RalphMemError as error:
        return error.hint


# From a disk that holds not even the lock to one that holds all: each is full at another step.
SIZES = [4, 64, 128, 160, 192, 256, 384, 512, 768, 1024, 2048, 8192]


@pytest.mark.nightly
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("here", [True, False], ids=["here", "in a room"])
@pytest.mark.parametrize("size", SIZES)
def test_a_disk_that_is_full_at_any_step_leaves_every_file_whole(tmp_path, a_small_disk, size, here):
    loops = Loops(tmp_path)
    git(loops.top, "init", "-q")
    loops.write("mine.txt", "mine\n" * 10_000)
    a_small_disk(size)
    assert _reason_or_hint(loops, here)
    mended = [loops.text(f"{name}.txt") for name in ("one", "two", "three")]
    assert mended in (["wrong\n"] * 3, ["right\n"] * 3) and loops.text("mine.txt") == "mine\n" * 10_000
