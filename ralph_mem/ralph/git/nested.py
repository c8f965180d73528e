"""Find the repositories that lie in the tree of a loop, besides its own."""

import json
import os

from ralph_mem.core import git as git_files
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git.repository import NESTED, Repository
from ralph_mem.ralph.snapshot import ignoring, listing, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.loop import Loop

# So many are guarded, the first ones by their paths: each costs some milliseconds an iteration. A folder of clones, or a
# project with vendored ones, has about ten.
MOST = 32
# Of folders that git ignores, each is looked at and so many that lie right in one: `vendor/NAME` is found, a tree is not walked.
MOST_LOOKED_AT = 1000


def find(loop: "Loop", main: "Repository | None") -> "tuple[list[Repository], list[str]]":
    """Return the repositories of a loop's tree, its own and submodules first, and the paths of those that are too many.

    Others are known by the snapshot of the start; without one there are none.
    """
    found = repositories.with_submodules(main) if main else []
    known = {os.path.realpath(each.common): at for at, each in enumerate(found)}
    number = 0
    left_out = []
    for name in _named(loop):
        each = _at(loop.place.top, name)
        at = known.get(os.path.realpath(each.common)) if each else None
        if each is None:
            continue
        if at is not None:
            # a submodule, or a worktree of what is known already
            if repositories.is_submodule(found[at]):
                found[at] = found[at]._replace(top=each.top, pointer=each.pointer)
        elif number < MOST:
            number += 1
            known[os.path.realpath(each.common)] = len(found)
            found += repositories.with_submodules(each)
        else:
            left_out.append(name)
    return found, left_out


def _named(loop: "Loop") -> "list[str]":
    """Return the folders in which there may be a repository, in order."""
    if not loop.option("snapshot"):
        return []
    with store.open_store(loop.place) as snapshots:
        rules = json.loads(snapshots.property(ignoring.AT_START + loop.run.id) or "{}")
        ignored = [row[0] for row in snapshots.query("SELECT path FROM ignored")]
    listed = [prefix.rstrip("/") for prefix in rules if prefix]
    return sorted({*listed, *_ignored(loop.place.top, ignored)})


def _ignored(top: str, folders: "Iterable[bytes]") -> "list[str]":
    found = []
    for name in [os.fsdecode(path).rstrip("/") for path in folders if not listing.is_cached(path)]:
        inner = [name] if os.path.lexists(f"{top}/{name}/.git") else [f"{name}/{each}" for each in _folders(f"{top}/{name}")]
        found += [each for each in inner if os.path.lexists(f"{top}/{each}/.git")]
    return found


def _folders(folder: str) -> "list[str]":
    try:
        with os.scandir(folder) as entries:
            return sorted([entry.name for _, entry in zip(range(MOST_LOOKED_AT), entries) if entry.is_dir(follow_symlinks=False)])
    except OSError:
        return []


def _at(top: str, name: str) -> "Repository | None":
    """Return the repository in a folder of the tree."""
    place = f"{top}/{name}"
    git = f"{place}/.git"
    if os.path.isdir(git):
        found = Repository(name, place, git, git, "", f"{NESTED}{name}/")
    else:
        private, common, _ = git_files.follow(place, git)
        found = Repository(name, place, private, common, repositories.pointer_of(place), f"{NESTED}{name}/")
    return found if found.common and repositories.is_there(found) else None
