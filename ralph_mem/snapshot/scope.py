"""The scope of a snapshot: which tree may have one, how much of it, and which names are never looked at."""

import os
from collections import namedtuple
from fnmatch import fnmatchcase

from ralph_mem.core import paths, project
from ralph_mem.core.errors import SnapshotError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if top in ("", "/") or project.same_place(top, home or "/nowhere") or _is_around(top, home):
        raise SnapshotError(f"{top or '/'} is or holds a home folder: it gets no snapshot", "go to the folder of a project")
    hint = "ignore what need not be put back in .gitignore, or go on with --no-snapshot"
    if count > scope.most_paths and not scope.forced:
        raise SnapshotError(f"{top} has more than {scope.most_paths:,} paths", hint)
    if size > scope.most_bytes and not scope.forced:
        raise SnapshotError(f"{top} has more than {scope.most_bytes // MIB:,} MiB", hint)


def _is_around(top: str, home: str) -> bool:
    return home.startswith("/") and f"{os.path.realpath(home)}/".startswith(f"{os.path.realpath(top).rstrip('/')}/")


def own_folder(top: str) -> bytes:
    """Return our data home as seen from a tree that holds it, else nothing: snapshots are no part of snapshots."""
    home, real = os.path.realpath(paths.data_home() or "/nowhere"), os.path.realpath(top)
    return os.fsencode(home[len(real) + 1 :]) if home.startswith(real + "/") else b""
