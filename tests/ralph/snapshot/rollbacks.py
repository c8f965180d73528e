"""A project in which a loop works, as the tests of rollbacks see it."""

import contextlib
import os
import posix
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from ralph_mem.core.project import Project
from ralph_mem.ralph.snapshot import listing, restoring, taking
from ralph_mem.ralph.snapshot.store import open_store

RUN = "run-1"
# Where there is one, a disk in memory: tests that write a thousand trees would else wait for the disk most of the time.
QUICK = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


@contextlib.contextmanager
def quick_place():
    """Give a folder on a quick disk, which has the data home too."""
    with tempfile.TemporaryDirectory(prefix="ralph-mem-", dir=QUICK) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setitem(posix.environ, b"XDG_DATA_HOME", os.fsencode(folder) + b"/data")
        yield Path(folder)


class Loop:
    """A folder with a loop at work: `start` and `iteration` take its snapshots, `roll_back` goes back."""

    def __init__(self, folder, limits=listing.DEFAULT):
        self.folder = folder
        self.project = Project(str(folder))
        self.limits = limits
        self.first = 0

    def take(self, label):
        with open_store(self.project) as snapshots:
            return taking.take(snapshots, label, RUN, self.limits).id

    def start(self):
        self.first = self.take("start")
        return self.first

    def iteration(self):
        return self.take("iteration")

    def roll_back(self, target=None, **more):
        with open_store(self.project) as snapshots:
            return restoring.roll_back(snapshots, target or self.first, run=RUN, scope=self.limits, **more)

    def recover(self, **more):
        with open_store(self.project) as snapshots:
            return restoring.recover(snapshots, **more)

    def content(self, number, path):
        with open_store(self.project) as snapshots:
            return snapshots.content(snapshots.entries(number)[os.fsencode(path)])

    def picture(self):
        return picture(self.folder)

    def with_names(self):
        return with_names(self.folder)


def with_names(folder):
    """Return a picture in which each file has the other names of it too, those in the folder."""
    found, files = picture(folder), {}
    for path in found:
        state = os.lstat(os.path.join(os.fsencode(folder), path))
        if stat.S_ISREG(state.st_mode):
            files.setdefault((state.st_dev, state.st_ino), set()).add(path)
    names = {path: frozenset(group) for group in files.values() for path in group}
    return {path: (*told, names.get(path)) for path, told in found.items()}


def picture(folder, skip=(b".git",)):
    """Return {path: (kind, mode, content or target)} of all that lies in a folder, but for what is skipped at its top."""
    top = os.fsencode(folder)
    found = {}
    for here, folders, files in os.walk(top):
        skipped = skip if here == top else ()
        folders[:] = [name for name in folders if name not in skipped]
        for name in {*folders, *files}.difference(skipped):
            path = os.path.join(here, name)
            found[path[len(top) + 1 :]] = _told(path)
    return found


def _told(path):
    state = os.lstat(path)
    mode = stat.S_IMODE(state.st_mode)
    if stat.S_ISLNK(state.st_mode):
        return "link", os.readlink(path)
    if stat.S_ISREG(state.st_mode):
        with open(path, "rb") as file:
            return "file", mode, file.read()
    return "folder" if stat.S_ISDIR(state.st_mode) else "other", mode


def differing(before, after):
    """Return the paths that are not the same in two pictures."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def git(folder, *arguments):
    """Run git for real and return what it printed."""
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, timeout=60).stdout


def write(path, text="", mode=None):
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if mode is not None:
        path.chmod(mode)
