"""Hold what the programs of a loop wrote, in memory and beside the record of its run.

A kill of the loop leaves the file, which tells as much as the loop knew. It names no path: of each it has a digest.
"""

import os
import struct
from hashlib import blake2b
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.ralph import record_lines, runs
from ralph_mem.ralph.attribution import overwritten
from ralph_mem.ralph.attribution.system_calls import FILE, GONE, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.attribution.overwritten import Overwritten
    from ralph_mem.ralph.git.touches import Touches

SUFFIX = "writes"  # behind the name of a run
ENTRY, DIGEST = struct.Struct("=B16sq"), 16
STARTED, MET, DONE = "started", "met", "done"
KINDS = (FILE, TREE, GONE, STARTED, MET, DONE)  # an entry has a position in it
# What is written later than this after the last call that opened a file to write may be somebody else's: a program writes at once.
SLACK_NS = 1_000_000_000
# Some 670,000 writes, as many as a hundred builds of a large project. What more is written counts as the person's after a kill.
MOST_BYTES = 16_777_216


class Writes:
    """What was written, as path -> time of the last call in ns; `trees` are paths with all that is below them.

    `gone` are those that a program took away last: what is there in spite of that is somebody else's. Of the programs that were
    `started`, so many were `met`. `touches` hears of each call before it is carried out, and `overwritten` keeps what it would
    destroy. `done` has what a file was as its program was done with it. What `path` names has the same, and what it has is known
    from the beginning.
    """

    __slots__ = ("_file", "_left", "_path", "done", "files", "gone", "met", "overwritten", "started", "touches", "trees")

    checks_are_heard = True

    def __init__(self, path: str = "") -> None:
        self.files: dict[bytes, int] = {}
        self.trees: dict[bytes, int] = {}
        self.gone: set[bytes] = set()
        self.done: dict[bytes, int] = {}
        self.overwritten: Overwritten | None = None
        self.started = self.met = 0
        self.touches: Touches | None = None
        self._path, self._file, self._left = path, -1, MOST_BYTES
        for kind, digest, at in _read(path):
            self._take(KINDS[kind], digest, at)

    def heard(self) -> bool:
        """Say whether every program was listened to; where one was not, nothing can be told from this."""
        return self.started == self.met

    def add(self, path: str, kind: str, at: int) -> None:
        """Note a path."""
        self._note(kind, _digest(path), at)

    def is_of_the_tree(self, path: str) -> bool:
        """Say whether a path is a file of the tree that is watched."""
        return self.overwritten is not None and self.overwritten.holds(path)

    def rescue(self, path: str, kind: str) -> None:
        """Keep what is about to be written, removed or moved away, of each file that somebody else wrote."""
        if self.overwritten is not None and self.overwritten.holds(path):
            for each in overwritten.files_at(path, with_all_below=kind == TREE):
                self._rescue_file(self.overwritten, each)

    def _rescue_file(self, held: "Overwritten", path: str) -> None:
        try:
            st = os.lstat(path)
        except OSError:
            return
        state = state_of(st)
        by_another_name = st.st_nlink > 1 and state in self.done.values()
        if held.is_new(path, st) and not by_another_name and not self.explains(path, st.st_ctime_ns, False, state):
            held.keep(path)

    def finish(self, done: "Iterable[str]") -> None:
        """Note that programs are done with files, which are as they left them, unless somebody else has written to one since."""
        for path in done:
            try:
                st = os.lstat(path)
            except OSError:  # it is gone
                continue
            if self.explains(path, st.st_ctime_ns, False):
                self._note(DONE, _digest(path), state_of(st))

    def count(self, kind: str) -> None:
        """Note that a program was STARTED, or MET."""
        self._note(kind, b"", 0)

    def _note(self, kind: str, digest: bytes, at: int) -> None:
        self._take(kind, digest, at)
        if self._path and self._left > 0:
            self._keep(ENTRY.pack(KINDS.index(kind), digest, at))

    def _take(self, kind: str, digest: bytes, at: int) -> None:
        if kind in (STARTED, MET):
            setattr(self, kind, getattr(self, kind) + 1)
            return
        if kind == DONE:
            self.done[digest] = at
            return
        self.done.pop(digest, None)
        (self.trees if kind == TREE else self.files)[digest] = at
        (self.gone.add if kind == GONE else self.gone.discard)(digest)

    def _keep(self, entry: bytes) -> None:
        try:
            if self._file < 0:
                self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            whole = os.write(self._file, entry) == len(entry)
        except OSError:  # the disk is full: what it does not have counts as the person's
            whole = False
        self._left = self._left - len(entry) if whole else 0

    def close(self) -> None:
        """End; the file stays."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def explains(self, path: str, at: int, gone: bool, state: int = 0) -> bool:
        """Say whether a change of that time is the loop's; what is `gone`, or is a folder, changes at other times too.

        `state` is that of the file, where it is known: one that its program was done with tells more than any time.
        """
        last, digest = self.last(path), _digest(path)
        if gone or not last or digest in self.gone:
            return bool(last) and gone
        if state and digest in self.done:
            return self.done[digest] == state
        return at <= last + SLACK_NS

    def took(self, path: str) -> bool:
        """Say whether a program took a path away last, by itself or with a folder above it."""
        digest = _digest(path)
        return digest in self.gone or (digest not in self.files and bool(self.last(path)))

    def last(self, path: str) -> int:
        """Return when a path was written last, 0 for never."""
        found, above = self.files.get(_digest(path), 0), path
        while self.trees and above:
            found = max(found, self.trees.get(_digest(above), 0))
            above = above.rpartition("/")[0]
        return found


def state_of(st: os.stat_result) -> int:
    """Return a number that changes whenever a file is written to, or another takes its place."""
    return state_by(st.st_size, st.st_mtime_ns, st.st_ino)


def state_by(size: int, modified_ns: int, number: int) -> int:
    """Return the same by a file's size in bytes, the time at which it was written to, and its number in the file system."""
    told = struct.pack("=qqQ", size, modified_ns, number)
    return int.from_bytes(blake2b(told, digest_size=8).digest(), "big", signed=True) or 1


def _digest(path: str) -> bytes:
    return blake2b(os.fsencode(path), digest_size=DIGEST).digest()


def _read(path: str) -> "list[tuple[int, bytes, int]]":
    try:
        data = Path(path).read_bytes() if path else b""
    except OSError:
        return []
    whole = len(data) - len(data) % ENTRY.size
    return [entry for entry in ENTRY.iter_unpack(data[:whole]) if entry[0] < len(KINDS)]


def anew(path: str) -> Writes:
    """Return writes of which nothing is known yet."""
    paths.remove(path)
    return Writes(path)


def path_of(project: "Project", run_id: str) -> str:
    """Return where the writes of a run are kept while it is at work."""
    return runs.beside(project, run_id, SUFFIX)


def left_by(project: "Project", run_id: str) -> "Writes | None":
    """Return what a run that was cut off had written, None where nobody knows, as of a project that was moved since."""
    path = path_of(project, run_id)
    if not paths.exists(path) or record_lines.place_of(record_lines.read(runs.path_of(project, run_id))) != project.tree:
        return None
    left = Writes(path)
    return left if left.heard() else None
