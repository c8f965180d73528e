"""Situations for snapshots: a home of its own, a folder without git, a repository, and an exact picture of a tree."""

import os
import posix
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISLNK, S_ISREG

import pytest

from ralph_mem.core.project import Project
from ralph_mem.ralph.snapshot import listing, store, taking


def git(folder, *words, check=True):
    ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=check, timeout=60)
    return ran.stdout


def tree_of(folder, barred=(b".git", b".ralph-mem")):
    """Return an exact picture of a tree: path -> (kind, permission bits, bytes or target); of special files the kind alone."""
    found = {}
    top = os.fsencode(folder)
    for here, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in barred]
        for path in [os.path.join(here, name) for name in [*folders, *files]]:
            found[os.path.relpath(path, top)] = _picture(path)
    return {path: told for path, told in found.items() if not set(path.split(b"/")) & set(barred)}


def _picture(path):
    st = os.lstat(path)
    if S_ISLNK(st.st_mode):
        return "link", 0o777, os.readlink(path)
    if S_ISDIR(st.st_mode):
        return "folder", S_IMODE(st.st_mode), b""
    if S_ISREG(st.st_mode):
        with open(path, "rb") as file:
            return "file", S_IMODE(st.st_mode), file.read()
    return "other", S_IMODE(st.st_mode), b""


def bytes_below(folder):
    """Return every path below a folder with its bytes, and when those were last written."""
    found = {}
    for here, _, files in os.walk(os.fsencode(folder)):
        for name in files:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                found[path] = file.read(), os.lstat(path).st_mtime_ns
    return found


class Tree:
    """A folder with its store. `take` opens the store for one snapshot, as the loop does."""

    def __init__(self, folder):
        self.folder = folder
        self.top = os.fsencode(folder)
        self.project = Project(str(folder))

    def write(self, path, content="", mode=None):
        """Write a file; the paths and contents of tests are text or bytes."""
        full = os.path.join(self.top, os.fsencode(path))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            os.chmod(full, mode)
        return full

    def take(self, label="start", run="run-1", scope=listing.DEFAULT, told=None):
        with self.open() as snapshots:
            return taking.take(snapshots, label, run, scope, told)

    def open(self, wait_s=5.0):
        return store.open_store(self.project, wait_s)

    def paths(self, number=None):
        with self.open() as snapshots:
            return set(snapshots.entries(number or snapshots.taken()[-1].id))

    def held(self, number=None):
        """Return what a snapshot holds in the form of `tree_of`."""
        with self.open() as snapshots:
            entries = snapshots.entries(number or snapshots.taken()[-1].id)
            return {
                path: (entry.kind, entry.mode, snapshots.content(entry) if entry.stored and entry.kind in ("file", "link") else b"")
                for path, entry in entries.items()
            }

    def differences(self, older, newer):
        with self.open() as snapshots:
            return [(change.what, change.path) for change in snapshots.differences(older.id, newer.id)]


# A store is synced to the disk at each snapshot; one in memory lets the tests wait for nothing.
SHM = Path("/dev/shm")
ENOUGH_BYTES = 500_000_000


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of its own, in memory where there is room."""
    in_memory = os.access(SHM, os.W_OK) and shutil.disk_usage(SHM).free > ENOUGH_BYTES
    with tempfile.TemporaryDirectory(prefix="ralph-mem-home-", dir=SHM if in_memory else tmp_path) as folder:
        _move_to(Path(folder), monkeypatch)
        yield Path(folder)


def _move_to(home, monkeypatch):
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(posix, "environ", dict(os.environb))


@pytest.fixture
def tree(home, tmp_path):
    """A folder without git."""
    (tmp_path / "project").mkdir()
    return Tree(tmp_path / "project")


@pytest.fixture
def repository(tree):
    """A repository with a commit, a dirty file, a staged one, an untracked one, and ignored ones."""
    git(tree.folder, "init", "-q")
    tree.write(".gitignore", "node_modules/\n*.log\n")
    tree.write("src/clean.py", "clean\n")
    tree.write("src/dirty.py", "committed\n")
    git(tree.folder, "add", "-A")
    git(tree.folder, "commit", "-qm", "first")
    tree.write("src/dirty.py", "mine, not committed\n")
    tree.write("src/staged.py", "staged\n")
    git(tree.folder, "add", "src/staged.py")
    tree.write("untracked.txt", "mine\n")
    tree.write("node_modules/left/index.js", "ignored\n")
    tree.write("debug.log", "ignored\n")
    return tree


def wait_for_a_tick():
    """Let the clock of the file system go on, so that what follows is not of the same moment."""
    time.sleep(0.03)
