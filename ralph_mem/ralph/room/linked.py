"""See whether something was written to what a room has as links, which is the person's own."""

import os
from collections import deque

from ralph_mem.core.redaction import privacy
from ralph_mem.ralph.room import walls
from ralph_mem.ralph.room.dependencies import KEPT_BY_TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.ralph.loop import Loop

ENTRY = "linked"  # what the record calls it
# So many paths are looked at, the upper ones first: 0.2 seconds an iteration. An environment of some gigabytes has about as many.
MOST = 100_000
MOST_NAMED = 5


class Marks:
    """What the paths in some folders were told apart by, as path below the top -> mark."""

    def __init__(self, top: str, names: "list[str]") -> None:
        self._top, self._names = top, names
        self._folders: list[str] = []
        waiting, count = deque(names), 0
        while waiting and count < MOST:
            folder = waiting.popleft()
            self._folders.append(folder)
            for path, entry in _entries(top, folder):
                count += 1
                waiting += [path] if entry.is_dir(follow_symlinks=False) else []
        self._marks = self._look()

    def changed(self) -> "list[str]":
        """Return the paths that are not as they were when this was asked last, in order."""
        before, self._marks = self._marks, self._look()
        return sorted([path for path in before.keys() | self._marks.keys() if before.get(path) != self._marks.get(path)])

    def _look(self) -> "dict[str, int]":
        found = {}
        for name in self._names:
            if os.path.isfile(f"{self._top}/{name}"):
                found[name] = _mark(os.stat(f"{self._top}/{name}"), False)
        for folder in self._folders:
            for path, entry in _entries(self._top, folder):
                try:
                    found[path] = _mark(entry.stat(follow_symlinks=False), entry.is_dir(follow_symlinks=False))
                except OSError:  # it went just now
                    continue
        return found


def _entries(top: str, folder: str) -> "Iterator[tuple[str, os.DirEntry[str]]]":
    try:
        with os.scandir(f"{top}/{folder}") as entries:
            found = [entry for entry in entries if entry.name not in KEPT_BY_TOOLS and not entry.name.endswith(".pyc")]
    except OSError:
        return
    for entry in sorted(found, key=lambda each: each.name):
        yield f"{folder}/{entry.name}", entry


def _mark(found: os.stat_result, is_folder: bool) -> int:
    """Return what tells a path from any other; the time of a folder tells of caches in it, those within tell for themselves."""
    if is_folder:
        return hash((found.st_ino, found.st_mode))
    return hash((found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino))


def before(loop: "Loop") -> None:
    """Look at what is linked, before the first agent of this process is at work and unless nothing can be written there."""
    if loop.run.linked and loop.marks is None and not walls.holds_links(loop):
        loop.marks = Marks(loop.project.top, loop.run.linked)


def after(loop: "Loop", number: int) -> "list[str]":
    """Look again once an iteration and its checks are done, and note what was written there; returns it in a line."""
    found = loop.marks.changed() if loop.marks else []
    if not found:
        return []
    named = ", ".join(found[:MOST_NAMED]) + (f" and {len(found) - MOST_NAMED} more" if found[MOST_NAMED:] else "")
    (told,) = privacy.protect([named], loop.project, loop.settings)[0]
    loop.note(ENTRY, number=number, told=told)
    return [f"written to what is linked from your files: {told}"]
