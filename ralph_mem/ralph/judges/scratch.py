"""Make a copy of a tree outside the project, in which its checks can run."""

import errno
import os
import re
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph import leftovers
from ralph_mem.ralph.judges import built, kinds, node_packages
from ralph_mem.ralph.snapshot import copying, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from ralph_mem.ralph.criteria import Criterion, Verdict
    from ralph_mem.ralph.snapshot.copying import Piece
    from ralph_mem.ralph.snapshot.store import Snapshots

# Of what git ignores: never taken along, since a run makes it anew, and what an agent left there is nobody's sources.
NOT_TAKEN = frozenset(
    b"__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .git .ralph-mem .coverage .nyc_output".split()
)
# Used as they are: thousands of files that somebody else wrote, or that take minutes to make.
LINKED = frozenset([*[name.encode() for name in kinds.INSTALLED], b"target"])
NODE = b"node_modules"
# What else is ignored is copied up to this; more is used where it is.
MOST_FILES, MOST_BYTES = 500, 32 * 1024 * 1024
# A file system in memory is ten times as quick with small files as a disk; a copy may have a quarter of what is free there.
MEMORY, MOST_IN_MEMORY, PART_OF_MEMORY = "/dev/shm", 512 * 1024 * 1024, 4  # noqa: S108 - in a folder that only its owner can enter
# What runners look for in the folders above the one that they are started in.
SETTINGS_ABOVE = frozenset(
    "pytest.ini .pytest.ini pytest.toml tox.ini setup.cfg pyproject.toml conftest.py setup.py package.json node_modules Cargo.toml"
    " go.mod go.work .cargo tsconfig.json .mocharc.json .babelrc babel.config.js Makefile".split()
)
LISTS_OF_PATHS = ("PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "CLASSPATH", "LD_LIBRARY_PATH")
FINDER = re.compile(r"""['"]((?:/[^'"\n]+)+)['"]""")


@contextmanager
def made(snapshots: "Snapshots", number: int, instead: "Mapping[bytes, Piece | None]", since_ns: int) -> "Iterator[Scratch]":
    """Make the copy of a snapshot with some paths otherwise, and remove it afterwards. Raises SnapshotError.

    `since_ns` is when the run began: a judge among what git ignores that is younger is left out.
    """
    around = _folder_around(os.fsdecode(snapshots.top), snapshots.find(number).bytes)
    try:
        copy = Scratch(snapshots, os.path.join(around, os.path.basename(os.path.realpath(snapshots.top)).decode() or "project"))
        os.mkdir(copy.top, 0o755)
        copy.files = copying.write_tree(snapshots, number, copy.top, instead)
        copy.take_along(number, since_ns, instead)
        yield copy
    finally:
        shutil.rmtree(around, ignore_errors=True)


def _folder_around(top: str, size: int) -> str:
    """Make a new folder outside of a tree: in memory where a copy of that size fits easily, else in our data home."""
    home, real = paths.data_home(), os.path.realpath(top)
    places = [f"{MEMORY}/ralph-mem-{os.getuid()}"] if _fits(size) else []
    places += [f"{home}/{paths.SCRATCH}"] if home else []
    outside = [place for place in [*places, tempfile.gettempdir()] if not (os.path.realpath(place) + "/").startswith(real + "/")]
    # what lies above a copy must not set how its checks run; where something does everywhere, it does so for the tree as well
    for place in sorted(outside, key=_has_settings_above):
        try:
            if place != tempfile.gettempdir():
                _sweep(place)
                return tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=place)
            return tempfile.mkdtemp(prefix=leftovers.prefix())
        except OSError:
            continue
    raise SnapshotError("there is no place for a copy of the tree", "make room on the disk")


def _fits(size: int) -> bool:
    try:
        free = os.statvfs(MEMORY)
    except OSError:
        return False
    return not free.f_flag & os.ST_NOEXEC and MOST_IN_MEMORY >= size < free.f_bavail * free.f_frsize // PART_OF_MEMORY


def _has_settings_above(place: str) -> bool:
    """Say whether a folder, or one above it, holds what runners look for in the folders above a project."""
    while len(place) > 1:
        if not SETTINGS_ABOVE.isdisjoint(paths.names(place)):
            return True
        place = os.path.dirname(place)
    return False


def _sweep(place: str) -> None:
    """Make the folder of the copies, ours alone, and remove what a loop that was killed left there. Raises OSError."""
    paths.make_folder(place)
    st = os.lstat(place)
    if st.st_uid != os.getuid() or not stat.S_ISDIR(st.st_mode) or st.st_mode & 0o077:
        raise OSError(errno.EPERM, "it is not ours")
    for name in os.listdir(place):
        pid = name.partition("-")[0]
        if not (pid.isdigit() and leftovers.is_running(int(pid))):
            shutil.rmtree(f"{place}/{name}", ignore_errors=True)


class Scratch:
    """A copy of a tree. `top` is its folder, `place` that of the tree which it is a copy of."""

    def __init__(self, snapshots: "Snapshots", top: str) -> None:
        self.top = top
        self.place = os.fsdecode(snapshots.top)
        self.files = 0
        self._snapshots = snapshots

    def change(self, instead: "Mapping[bytes, Piece | None]") -> None:
        """Write some paths otherwise. Raises OSError."""
        for path, piece in instead.items():
            place = os.fsencode(self.top) + b"/" + path
            if piece is None:
                copying.remove(place)
            else:
                copying.write_piece(place, piece)

    def take_along(self, number: int, since_ns: int, instead: "Collection[bytes]" = ()) -> None:
        """Bring what is in no snapshot and may be needed: installed packages by a link, the rest as a copy where it is small.

        What stands in `instead` is not brought.
        """
        ignored = [row[0] for row in self._snapshots.query("SELECT path FROM ignored ORDER BY path")]
        unstored = [path for path, _ in self._snapshots.find(number).unstored]
        for path in [each for each in (*ignored, *unstored) if each not in instead]:
            name = path.rpartition(b"/")[2]
            source, target = os.path.join(os.fsencode(self.place), path), os.path.join(os.fsencode(self.top), path)
            if name in NOT_TAKEN or listing.is_barred(path) or name.endswith((b".pyc", b".pyo")) or os.path.lexists(target):
                continue
            try:
                if name == NODE and os.path.isdir(source):
                    node_packages.link_into(os.fsdecode(source), os.fsdecode(target), self.place, self.top)
                else:
                    _take(source, target, name, since_ns)
            except OSError:  # gone since then, or out of reach: the checks will say what they lack
                continue

    def criterion(self, criterion: "Criterion") -> "Criterion":
        """Return a criterion that runs here."""
        argv = tuple([self._word(word) for word in criterion.argv])
        return criterion._replace(argv=argv, folder=self.here(criterion.folder or self.place))

    def _word(self, word: str) -> str:
        before, equals, path = word.rpartition("=")
        return f"{before}{equals}{self.here(path)}"

    def here(self, path: str) -> str:
        """Return the place of a path in the copy; one that leads elsewhere, or to what was not brought, stays as it is."""
        for top in (self.place, os.path.realpath(self.place)):
            if path == top or path.startswith(top.rstrip("/") + "/"):
                inside = os.path.join(self.top, path[len(top) :].lstrip("/"))
                return inside if not _is_installed(inside, self.top) else path
        return path

    def renamed(self, verdict: "Verdict") -> "Verdict":
        """Return a verdict in which the copy is called by the name of the tree."""
        failing = {name: text.replace(self.top, self.place) for name, text in verdict.failing.items()}
        return verdict._replace(
            failing=failing, why=verdict.why.replace(self.top, self.place), excerpt=verdict.excerpt.replace(self.top, self.place)
        )

    def environment(self, environment: "Mapping[str, str]", sites: "list[str]", without_caches: bool) -> "dict[str, str]":
        """Return an environment in which nothing leads to the tree that has a copy here; `sites` are where packages lie.

        `without_caches` has Python compile anew what it imports, wherever that lies.
        """
        found = {**environment, "PYTHONDONTWRITEBYTECODE": "1"}
        found.update({"PYTHONPYCACHEPREFIX": f"{self.top}.caches"} if without_caches else {})
        for name in LISTS_OF_PATHS:
            if found.get(name):
                found[name] = os.pathsep.join([self.here(part) for part in found[name].split(os.pathsep)])
        roots = [self.here(root) for root in editable(sites, self.place)]
        roots = [root for root in dict.fromkeys(roots) if os.path.isdir(root)]
        if roots:
            found["PYTHONPATH"] = os.pathsep.join(filter(None, [*roots, found.get("PYTHONPATH", "")]))
        if "PWD" in found:
            found["PWD"] = self.here(found["PWD"])
        return found


def _is_installed(path: str, top: str) -> bool:
    """Say whether a path lies in what is only linked to: an interpreter finds its packages by the name that it is called by."""
    names = os.path.relpath(path, top).split("/")
    return any([os.path.islink(os.path.join(top, *names[: at + 1])) for at in range(len(names))])


def _take(source: bytes, target: bytes, name: bytes, since_ns: int) -> None:
    if os.path.islink(source) or os.fsdecode(name) in kinds.INSTALLED:
        os.symlink(source, target)
    elif os.path.isdir(source):
        if name not in LINKED and _is_small(source):
            shutil.copytree(os.fsdecode(source), os.fsdecode(target), symlinks=True, ignore=_left_since(since_ns))
            built.age(target, since_ns, since_ns)
        elif not built.is_configured(os.listdir(source)):
            built.age(source, time.time_ns(), since_ns)
            os.symlink(source, target)
    elif os.path.isfile(source):
        if built.is_new_judge(os.fsdecode(source), since_ns):
            return
        if os.stat(source).st_size <= MOST_BYTES:
            shutil.copy2(source, target)
        else:
            os.symlink(source, target)


def _left_since(since_ns: int) -> "Callable[[str, list[str]], list[str]]":
    """Return what says which names of a folder are not copied."""

    def left(folder: str, names: "list[str]") -> "list[str]":
        if built.is_configured([os.fsencode(each) for each in names]):
            return names
        return [name for name in names if _is_left(os.fsencode(name)) or built.is_new_judge(f"{folder}/{name}", since_ns)]

    return left


def _is_left(name: bytes) -> bool:
    return name in NOT_TAKEN or name.endswith((b".pyc", b".pyo"))


def _is_small(folder: bytes) -> bool:
    files = size = 0
    for here, _, names in os.walk(folder):
        files += len(names)
        size += sum([os.lstat(os.path.join(here, name)).st_size for name in names])
        if files > MOST_FILES or size > MOST_BYTES:
            return False
    return True


def editable(sites: "list[str]", place: str) -> "list[str]":
    """Return the folders of a tree from which an installation that can be edited imports."""
    found = []
    for site in sites:
        for name in sorted(paths.names(site)):
            text = paths.read(f"{site}/{name}", 100_000) if name.endswith((".pth", ".egg-link")) or _is_finder(name) else ""
            for line in text.splitlines():
                if line.startswith("/") and name.endswith((".pth", ".egg-link")):
                    found.append(line.strip())
                elif _is_finder(name) and line.startswith("MAPPING"):
                    found += [os.path.dirname(path) for path in FINDER.findall(line)]
    return [each for each in dict.fromkeys(found) if (each + "/").startswith(place.rstrip("/") + "/")]


def _is_finder(name: str) -> bool:
    return name.startswith("__editable__") and name.endswith("_finder.py")
