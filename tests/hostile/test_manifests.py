"""Crafted manifests: whatever paths a store of snapshots claims to hold, a rollback changes nothing outside, nor in git."""

import itertools
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK, store
from tests.ralph.snapshot.rollbacks import Loop, picture

PATHS = [
    *(b"../outside/new", b"../outside/theirs", b"src/../../outside/new", b"./../outside/theirs", b"src//../../outside/theirs"),
    *(b"..", b".", b"", b"/", b"ABSOLUTE/new", b"ABSOLUTE/theirs", b"away/new", b"away/theirs", b"src/a\0b"),
    *(b".git/config", b".git/hooks/post-checkout", b".GIT/config", b"src/.git/HEAD", b".g\xe2\x80\x8cit/config"),
    b".ralph-mem/config.yaml",
]
MANIFESTS = [*itertools.product(PATHS, (FILE, LINK, FOLDER))]
ADD = """
INSERT INTO past (path, first, last, kind, mode, size, digest, why)
SELECT ?, first, last, ?, ?, size, digest, why FROM past WHERE path = ?"""


@pytest.fixture
def a_loop(tmp_path, monkeypatch):
    """Have a loop of which one iteration is done, in a repository with a link that leads out of it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for path in ("project/a.py", "project/src/b.py", "outside/theirs", "project/.ralph-mem/config.yaml"):
        Path(tmp_path, path).parent.mkdir(parents=True, exist_ok=True)
        Path(tmp_path, path).write_text(f"# {path}\n")
    subprocess.run(["git", "init", "--quiet", tmp_path / "project"], check=True)
    (tmp_path / "project/away").symlink_to(tmp_path / "outside")
    loop = Loop(tmp_path / "project")
    loop.start()
    (loop.folder / "a.py").write_text("# broken\n")
    loop.iteration()
    return loop


def forge(loop, path, kind):
    """Have the first snapshot claim that something was at a path, with the content of a file that it has."""
    database = Path(store.folder_of(loop.project), "store.db")
    with closing(sqlite3.connect(database)) as db:
        assert db.execute(ADD, (path, kind, 0o777, b"a.py")).rowcount == 1
        db.commit()


def watched(loop):
    """Return all that no rollback may touch, with the number of each file."""
    places = (loop.folder.parent / "outside", loop.folder / ".git", loop.folder / ".ralph-mem")
    found = {str(place): picture(place, skip=()) for place in places}
    numbers = sorted(os.lstat(path).st_ino for place in places for path in place.rglob("*"))
    return found, numbers, sorted(os.listdir(loop.folder.parent))


def test_there_are_sixty_of_them():
    print(f"{len(MANIFESTS)} crafted manifests")
    assert len(set(MANIFESTS)) == 60


@pytest.mark.check
@pytest.mark.parametrize(("path", "kind"), MANIFESTS)
def test_a_crafted_manifest_leads_no_write_out_of_the_project_nor_into_git(a_loop, path, kind):
    forge(a_loop, path.replace(b"ABSOLUTE", os.fsencode(a_loop.folder.parent / "outside")), kind)
    before = watched(a_loop)
    try:
        a_loop.roll_back(force=True)
    except SnapshotError:
        assert (a_loop.folder / "a.py").read_text() == "# broken\n"  # before the first write
    assert watched(a_loop) == before


def test_a_manifest_that_names_what_is_in_the_project_is_followed(a_loop):
    forge(a_loop, b"src/new.py", FILE)
    a_loop.roll_back()
    assert (a_loop.folder / "src/new.py").read_text() == (a_loop.folder / "a.py").read_text() == "# project/a.py\n"
