"""Find what was written in a room that no snapshot has, where git ignores it and through links."""

import os
import re
from collections import deque
from itertools import islice
from stat import S_ISDIR, S_ISLNK, S_ISREG

from ralph_mem.core.format import listed
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph.judges import built
from ralph_mem.ralph.room import walls
from ralph_mem.ralph.room.dependencies import BUILT, KEPT_BY_TOOLS
from ralph_mem.ralph.snapshot.listing import BARRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot.store import Snapshots

WHY = "git ignores it: it lies in the loop's room alone"
# What runs of tests, builds and editors leave beside their work, where the checks did not leave it anew.
LEFT_BY_TOOLS = re.compile(
    r".*\.(pyc|log|pid|tsbuildinfo|egg-info|sw[op]|o|a|obj|lib|d|gcda|gcno|class)|.*~|\.DS_Store"
    r"|\..*cache.*|\.coverage.*|coverage\..*|\.nyc_output|junit.*\.xml|cmake-build-.*"
)
# The same for folders that are ignored as a whole; a package may bear such a name.
LEFT_WHOLE = frozenset("coverage htmlcov test-results playwright-report log logs tmp _build".split()) | {*map(os.fsdecode, BUILT)}
# The kernel stamps a file with the time of its last tick, which may lie before the moment at which its writer was started.
TICK_NS, NS_PER_MS = 20_000_000, 1_000_000
MOST = 100_000  # paths that are looked at, as of what is linked: 0.5 seconds
MOST_NAMED = 10  # of one ignored path; where more has changed it is named as a whole
BEGAN = "SELECT min(began_ns) FROM snapshots WHERE run = ? AND label = ? AND began_ns >= ?"
ENTRY = "linked"  # what the record calls it
# So many paths are looked at, the upper ones first: 0.2 seconds an iteration. An environment of some gigabytes has about as many.
MOST_LOOKED_AT = 100_000
MOST_LINKS_NAMED = 5


def written(snapshots: "Snapshots", run: "Run") -> "list[bytes]":
    """Return the ignored paths that an agent wrote and that the person has otherwise, a folder that they lack as one.

    What the checks have written since is theirs, and caches and builds are nobody's work.
    """
    if not os.path.isdir(run.room):
        return []
    top, spans, found = os.fsdecode(snapshots.top), _spans(snapshots, run), []
    for root in [os.fsdecode(row[0]) for row in snapshots.query("SELECT path FROM ignored ORDER BY path")]:
        if os.path.basename(root) not in LEFT_WHOLE:
            below = [path for path, at in islice(_below(run.room, root), MOST) if any(one <= at <= end for one, end in spans)]
            own = [path for path in below if not (_is_program(f"{run.room}/{path}") or _is_same(run.room, top, path))]
            names = {_named(top, root, path) for path in own}
            found += sorted(names) if len(names) <= MOST_NAMED else [root]
    return [os.fsencode(name) for name in found]


def _spans(snapshots: "Snapshots", run: "Run") -> "list[tuple[int, int]]":
    """Return from when until when agents were at work: until the first snapshot of an iteration, with which its checks begin."""
    begun = [(f"iteration {each.number}", each.started * NS_PER_MS) for each in run.iterations]
    return [(at - TICK_NS, snapshots.query(BEGAN, (run.id, label, at))[0][0] or 0) for label, at in begun]


def _below(top: str, root: str) -> "Iterator[tuple[str, int]]":
    """Yield the files and links at and below a path, but for what tools keep and leave, each with the time of its last change."""
    waiting = [root]
    while waiting:
        path = waiting.pop()
        name = os.path.basename(path)
        if name in KEPT_BY_TOOLS or os.fsencode(name) in BARRED or LEFT_BY_TOOLS.fullmatch(name):
            continue
        try:
            found = os.lstat(f"{top}/{path}")
            if S_ISDIR(found.st_mode):
                waiting += [f"{path}/{each}" for each in os.listdir(f"{top}/{path}")]
            elif S_ISREG(found.st_mode) or S_ISLNK(found.st_mode):
                yield path, found.st_ctime_ns
        except OSError:
            continue


def _is_program(path: str) -> bool:
    try:
        return built.is_program(path)
    except OSError:
        return False


def _is_same(room: str, top: str, path: str) -> bool:
    """Say whether the person has the same file or link; one into the room is one into their tree."""
    import filecmp  # lazy: hardly any loop writes to what git ignores

    ours, theirs = f"{room}/{path}", f"{top}/{path}"
    try:
        if os.path.islink(ours) or os.path.islink(theirs):
            return os.readlink(ours).replace(room, top, 1) == os.readlink(theirs)
        one, other = os.lstat(ours), os.lstat(theirs)
        return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns) or filecmp.cmp(ours, theirs, shallow=False)
    except OSError:
        return False


def _named(top: str, root: str, path: str) -> str:
    """Return the uppermost folder on the way from `root` to a path that the person does not have, else the path."""
    names = path[len(root) :].split("/")
    ways = [root + "/".join(names[: number + 1]) for number in range(len(names))]
    return next((way for way in ways if not os.path.lexists(f"{top}/{way}")), path)


class Marks:
    """What the paths in some folders were told apart by, as path below the top -> mark."""

    def __init__(self, top: str, names: "list[str]") -> None:
        self._top, self._names = top, names
        self._folders: list[str] = []
        waiting, count = deque(names), 0
        while waiting and count < MOST_LOOKED_AT:
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


def look_at_links(loop: "Loop") -> None:
    """Look at what is linked, before the first agent of this process is at work and unless nothing can be written there."""
    if loop.run.linked and loop.marks is None and not walls.holds_links(loop):
        loop.marks = Marks(loop.project.top, loop.run.linked)


def links_written(loop: "Loop", number: int) -> "list[str]":
    """Look again once an iteration and its checks are done, and note what was written there; returns it in a line."""
    found = loop.marks.changed() if loop.marks else []
    if not found:
        return []
    (told,) = privacy.protect([listed(found, MOST_LINKS_NAMED)], loop.project, loop.settings)[0]
    loop.note(ENTRY, number=number, told=told)
    return [f"written to what is linked from your files: {told}"]
