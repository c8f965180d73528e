"""List the paths of a tree that git knows or does not ignore. No file is read. Without git it is all but what tools make.

Repositories inside are asked for their own files; what has no git is walked. Git writes nothing and starts nothing.
"""

import os
import subprocess
import tempfile
from collections import namedtuple
from fnmatch import fnmatchcase

from ralph_mem.core import paths, project
from ralph_mem.core.errors import SnapshotError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

Scope = namedtuple("Scope", "include_ignored most_file_bytes most_paths most_bytes quota_bytes forced")
Scope.__doc__ = """How much a snapshot may hold.

`include_ignored` are patterns of names, or of paths where they have a slash, that are in scope although git ignores them; a file
above `most_file_bytes` is seen without being stored; `forced` takes a tree above `most_paths` or `most_bytes`; all snapshots of a
tree keep within `quota_bytes` on the disk.
"""

MIB = 1_048_576
# Snapshots without any limit have filled disks with hundreds of GB.
DEFAULT = Scope((".env", ".env.*"), 10 * MIB, 200_000, 2048 * MIB, 1024 * MIB, False)

# Git's own files and our memory: never entered, at any depth. Compared in lower case, as file systems of macOS do.
BARRED = (b".git", paths.STATE.encode())
# What tools make and can make again, for a tree without git: nobody writes there by hand.
MADE_BY_TOOLS = frozenset(
    b"node_modules bower_components .venv venv __pycache__ .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache".split()
    + b".hypothesis target dist build .gradle .next .nuxt .svelte-kit .parcel-cache .turbo .cache .terraform .bundle".split()
    + b".dart_tool Pods DerivedData".split()
)

# What a run of the checks writes anew each time, stamps included: even where git does not ignore it, it is nobody's work, and a
# tree that came back would not be known by it. Tracked by git, it is in scope.
CACHES = frozenset(
    b"__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .eggs node_modules .gradle .turbo".split()
)


def is_barred(path: bytes) -> bool:
    """Say whether a path is, or lies below, what no snapshot and no rollback ever touches: `.git` and `.ralph-mem`."""
    # a quick look first: nearly no path has it
    lowered = path.lower()
    return (b".git" in lowered or b".ralph-mem" in lowered) and any(part in BARRED for part in lowered.split(b"/"))


def is_made_by_tools(name: bytes) -> bool:
    """Say whether a folder of this name is left out of a tree that has no git to tell."""
    return name in MADE_BY_TOOLS


def is_cached(path: bytes) -> bool:
    """Say whether a path is, or lies below, a cache that tools keep."""
    return not CACHES.isdisjoint(path.split(b"/"))


def is_included(path: bytes, patterns: "Sequence[str]") -> bool:
    """Say whether an ignored path is in scope all the same: a pattern means it, or a folder that it lies in."""
    told = os.fsdecode(path)
    while told and patterns:
        above, _, name = told.rpartition("/")
        if any(fnmatchcase(told if "/" in pattern else name, pattern) for pattern in patterns):
            return True
        told = above
    return False


def refuse(top: str, scope: Scope, count: int = 0, size: int = 0) -> None:
    """Raise SnapshotError for a tree that gets no snapshot: the home folder or one around it, or one that is too large.

    The first holds for `forced` too: nobody wants a home folder rolled back.
    """
    home = paths.environment("HOME")
    is_around = home.startswith("/") and f"{os.path.realpath(home)}/".startswith(f"{os.path.realpath(top).rstrip('/')}/")
    if top in ("", "/") or project.same_place(top, home or "/nowhere") or is_around:
        raise SnapshotError(f"{top or '/'} is or holds a home folder: it gets no snapshot", "go to the folder of a project")
    hint = "ignore what need not be put back in .gitignore, or go on with --no-snapshot"
    if count > scope.most_paths and not scope.forced:
        raise SnapshotError(f"{top} has more than {scope.most_paths:,} paths", hint)
    if size > scope.most_bytes and not scope.forced:
        raise SnapshotError(f"{top} has more than {scope.most_bytes // MIB:,} MiB", hint)


def own_folder(top: str) -> bytes:
    """Return our data home as seen from a tree that holds it, else nothing: snapshots are no part of snapshots."""
    home, real = os.path.realpath(paths.data_home() or "/nowhere"), os.path.realpath(top)
    return os.fsencode(home[len(real) + 1 :]) if home.startswith(real + "/") else b""


# Half a million files take git seconds on a slow disk; what takes longer hangs.
LONGEST_S = 120
# Repositories in repositories deeper than this are walked, as folders are.
DEEPEST = 16
# fsmonitor and hooks are programs that a repository may name.
GIT = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.untrackedCache=keep"]
UNTRACKED = [f"--exclude={os.fsdecode(name)}/" for name in sorted(CACHES)]
LIST = [*GIT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *UNTRACKED]
ASK = [*GIT, "check-ignore", "-z", "--stdin"]
NONE_IGNORED, COULD_NOT_RUN = 1, 1000  # its exit code, and one that no program has
IS_REPOSITORY = [*GIT, "rev-parse", "--git-dir"]
# Git gives no answer at all when one path is in a submodule that is not there; so many are asked again, in halves.
MOST_ASKED_AGAIN = 256
KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")


class Listing:
    """The listing of a tree. Git is at work on it from the beginning; `paths` waits for that, and `close` ends it."""

    def __init__(self, top: bytes, most_paths: int, strict: bool) -> None:
        """Begin. A strict one is no list at all where git works and cannot make it, instead of one that git did not make."""
        self._top = top
        self._strict = strict
        self._most = most_paths
        self._found: set[bytes] = set()
        self._repositories: list[bytes] = []
        self._asked = _Question(top) if os.path.lexists(top + b"/.git") else None

    def paths(self) -> "set[bytes]":
        """Return the path of every file and link in scope, as seen from the top; some may be gone. Raises SnapshotError.

        A repository that git knows as part of this one is named like a file: `inside` tells what it holds.
        """
        self._list(b"", self._asked, 0)
        return self._found

    def inside(self, path: bytes) -> "set[bytes]":
        """Return the paths in a folder that is listed like a file: a repository, or what took the place of a file."""
        is_repository = os.path.lexists(self._top + b"/" + path + b"/.git")
        if not is_repository and any(each.startswith(path + b"/") for each in self._found):
            return set()
        before, self._found = self._found, set()
        self._list_repository(path, path.count(b"/"))
        found, self._found = self._found, before | self._found
        return found

    def ignored(self, chosen: "dict[bytes, bool]") -> "set[bytes]":
        """Return which of some paths are ignored; the values say which are folders. Where git cannot tell, all are."""
        asked: dict[bytes, list[bytes]] = {}
        found = set()
        for path, is_folder in chosen.items():
            if is_cached(path):
                found.add(path)
                continue
            near = max([prefix for prefix in self._repositories if path.startswith(prefix)], key=len, default=None)
            if near is not None:
                asked.setdefault(near, []).append(path[len(near) :])
            elif is_folder and is_made_by_tools(path.rpartition(b"/")[2]):
                found.add(path)
        for prefix, inner in asked.items():
            place = os.fsdecode((self._top + b"/" + prefix).rstrip(b"/"))
            # a name that begins with a colon would be read as an instruction
            found.update([prefix + path[2:] for path in told_ignored(ASK, place, [b"./" + path for path in inner])])
        return found

    def repositories(self) -> "list[bytes]":
        """Return the repositories that git listed so far, empty or with a slash at the end."""
        return self._repositories

    def close(self) -> None:
        """Leave nothing running."""
        if self._asked:
            self._asked.close()

    def _list(self, prefix: bytes, asked: "_Question | None", depth: int) -> None:
        """Add the paths below `prefix`, which is empty or ends in a slash."""
        told = asked.answer() if asked else None
        if told is None and asked and self._strict and not prefix and not run_git(IS_REPOSITORY, os.fsdecode(self._top))[0]:
            raise SnapshotError(f"git cannot list the files of {os.fsdecode(self._top)}", "look at `git status` there")
        if told is None:
            repositories = self._walk(prefix)
        else:
            self._repositories.append(prefix)
            found = [prefix + path for path in told.split(b"\0")] if prefix else told.split(b"\0")
            self._found.update(found)
            # an untracked one; git asks nobody what is in it
            repositories = [path.rstrip(b"/") for path in found if path[-1:] == b"/"] if b"/\0" in told else []
            self._found.difference_update([prefix], [path + b"/" for path in repositories])
        for path in repositories:
            self._list_repository(path, depth + 1)

    def _list_repository(self, path: bytes, depth: int) -> None:
        folder = self._top + b"/" + path
        # one that vanished, or became a link, has nothing to list
        if os.path.isdir(folder) and not os.path.islink(folder):
            is_asked = depth < DEEPEST and os.path.lexists(folder + b"/.git")
            self._list(path + b"/", _Question(folder) if is_asked else None, depth)

    def _walk(self, prefix: bytes) -> "list[bytes]":
        """Add what lies below a folder that git cannot tell about; returns the repositories that were met."""
        nested, waiting = [], [prefix]
        while waiting and len(self._found) <= self._most:
            here = waiting.pop()
            for name, is_folder in _names(self._top + b"/" + here):
                if not is_folder:
                    self._found.add(here + name)
                elif os.path.lexists(self._top + b"/" + here + name + b"/.git"):
                    nested.append(here + name)
                elif not is_made_by_tools(name):
                    waiting.append(here + name + b"/")
        return nested


class _Question:
    """A listing that git is making. Its answer goes to a file, so that it waits for nobody."""

    def __init__(self, folder: bytes) -> None:
        self._place = os.fsdecode(folder.rstrip(b"/"))
        self._out: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._git: subprocess.Popen[bytes] | None = None
        options = {"cwd": self._place, "env": environment(self._place), "stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            self._git = subprocess.Popen(LIST, stdout=self._out, **options)  # type: ignore[call-overload]
        except OSError:  # there is no git here
            pass

    def answer(self) -> "bytes | None":
        """Return what git says, or None when there is none or it refuses, as for the repository of another user."""
        try:
            if self._git is None or self._git.wait(LONGEST_S):
                return None
            self._out.seek(0)
            return self._out.read()
        except subprocess.TimeoutExpired as error:
            told = f"git takes longer than {LONGEST_S} s to list {self._place}"
            raise SnapshotError(told, "look at `git status` there") from error
        finally:
            self.close()

    def close(self) -> None:
        """End git, unless it is done."""
        if self._git and self._git.poll() is None:
            self._git.kill()
            self._git.wait()
        self._out.close()


def run_git(command: "list[str]", place: str, given: bytes = b"", variables: "dict[str, str] | None" = None) -> "tuple[int, bytes]":
    """Return the exit code of git in a folder and what it prints; COULD_NOT_RUN where there is none, or it takes too long."""
    around = {**environment(place), **(variables or {})}
    try:
        ran = subprocess.run(command, input=given, cwd=place, env=around, capture_output=True, timeout=LONGEST_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return COULD_NOT_RUN, b""
    return ran.returncode, ran.stdout


def told_ignored(command: "list[str]", place: str, names: "list[bytes]") -> "list[bytes]":
    """Return which of some names `git check-ignore` calls ignored; where it cannot tell, all are."""
    code, said = run_git(command, place, b"".join([name + b"\0" for name in names]))
    if code == COULD_NOT_RUN:
        return names
    if code <= NONE_IGNORED:
        return said.split(b"\0")[:-1]
    if not 1 < len(names) <= MOST_ASKED_AGAIN:
        return names
    half = len(names) // 2
    return told_ignored(command, place, names[:half]) + told_ignored(command, place, names[half:])


def environment(place: str) -> "dict[str, str]":
    """Return what git gets here: no word of whoever calls us, and nothing that writes, asks or fetches."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
    # an index that is refreshed would be a write into `.git`; an object that is missing must not be fetched
    quiet = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "LC_ALL": "C",
    }
    # the repository here and no other, and the files here whatever its config says
    return {**kept, **quiet, "GIT_CEILING_DIRECTORIES": os.path.dirname(place), "GIT_WORK_TREE": place}


def _names(folder: bytes) -> "Iterator[tuple[bytes, bool]]":
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.lower() not in BARRED:
                    yield entry.name, entry.is_dir(follow_symlinks=False)
    except OSError:  # named by whoever looks at it
        return
