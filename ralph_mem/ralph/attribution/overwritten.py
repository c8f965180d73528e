"""Keep what somebody else wrote in a file that a program of a loop is about to destroy.

The kernel tells of each call before it is carried out, so that nothing need be read twice. A snapshot takes it in later.
"""

import itertools
import os
import stat
import struct
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.ralph import runs
from ralph_mem.ralph.snapshot import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.core.project import Project

SUFFIX = "overwritten"  # behind the name of a run
HEAD = struct.Struct("=IIQ")  # mode, bytes of the path, bytes of the file
# Text that a person types is smaller by far; the program waits while it is read.
MOST_BYTES = 8_388_608
# What one run keeps between two snapshots.
MOST_IN_ALL = 134_217_728
# Files of a folder that is moved: more than a person has edited, and looked at within a tenth of a second.
MOST_BELOW = 10_000

Kept = namedtuple("Kept", "path mode data")
Kept.__doc__ = """A file as somebody else left it: its path from the top as bytes, its permission bits, and its bytes."""


class Overwritten:
    """Keeps such files of a tree. What changed no later than `since_ns` is in a snapshot, or will be before the first program."""

    __slots__ = ("_left", "_path", "_top", "since_ns")

    def __init__(self, path: str, top: str) -> None:
        self._path, self._top, self._left = path, f"{os.path.realpath(top).rstrip('/')}/", MOST_IN_ALL
        self.since_ns = time.time_ns()

    def holds(self, path: str) -> bool:
        """Say whether a path is a file of the tree, and neither of a repository nor of the memory, which hooks write."""
        return path.startswith(self._top) and "/.git/" not in path and f"/{paths.STATE}/" not in path

    def is_new(self, path: str, st: os.stat_result) -> bool:
        """Say whether no snapshot has a file as it is."""
        return stat.S_ISREG(st.st_mode) and st.st_ctime_ns > self.since_ns and self.holds(path)

    def keep(self, path: str) -> None:
        """Keep a file as it is now; one that is too large, or cannot be read, is not kept."""
        try:
            file = os.open(path, READ)
            with open(file, "rb") as opened:
                data = opened.read(MOST_BYTES + 1)
                mode = stat.S_IMODE(os.fstat(file).st_mode)
        except OSError:
            return
        name = os.fsencode(path[len(self._top) :])
        if len(data) <= min(MOST_BYTES, self._left):
            self._append(HEAD.pack(mode, len(name), len(data)) + name + data)

    def _append(self, entry: bytes) -> None:
        self._left -= len(entry)
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with open(file, "ab") as out:
                out.write(entry)
        except OSError:  # the disk is full
            self._left = 0


def files_at(path: str, with_all_below: bool) -> "Iterator[str]":
    """Yield a path, with the first MOST_BELOW files below one that is a folder and no link to one, where those are wanted."""
    yield path
    if with_all_below and not os.path.islink(path):
        below = (f"{folder}/{name}" for folder, _, names in os.walk(path) for name in names)
        yield from itertools.islice(below, MOST_BELOW)


def path_of(project: "Project", run_id: str) -> str:
    """Return where a run keeps such files until a snapshot has them."""
    return runs.beside(project, run_id, SUFFIX)


def taken_from(project: "Project", run_id: str) -> "dict[bytes, Kept]":
    """Return what a run has kept, the last of each path, and leave nothing of it beside its record."""
    path = path_of(project, run_id)
    try:
        data = Path(path).read_bytes() if paths.exists(path) else b""
    except OSError:
        return {}
    found = {each.path: each for each in _entries(data)}
    paths.remove(path)
    return found


def _entries(data: bytes) -> "Iterator[Kept]":
    at = 0
    while at + HEAD.size <= len(data):
        mode, name, size = HEAD.unpack_from(data, at)
        begins, at = at + HEAD.size, at + HEAD.size + name + size
        if at <= len(data):  # the last may be half written
            yield Kept(data[begins : begins + name], mode, data[begins + name : at])
