"""Know the repository of a tree, its submodules and those that lie in it, without changing any."""

import json
import os
from collections import namedtuple

from ralph_mem.core import git as git_files
from ralph_mem.core import paths
from ralph_mem.core import project as projects
from ralph_mem.ralph.snapshot import ignoring, listing, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Loop

# Submodules in submodules deeper than this are left alone.
DEEPEST = 4
IDS = (40, 64)  # hexadecimal digits of SHA-1 and SHA-256
MOST_OF_HEAD = 4096  # bytes: the name of a branch is shorter

# What makes a folder a repository. Where one is a link, a rollback may delete what it leads to as files that the loop made.
PLACES = {".git": "{0.top}/.git", "common": "{0.common}", "objects": "{0.common}/objects", "refs": "{0.common}/refs"}
NESTED = "nested/"  # in a copy: before the path of a repository that lies in the tree and is no submodule

Repository = namedtuple("Repository", "name top private common pointer held links", defaults=("", None))
Repository.__doc__ = """Where a repository lies.

`private` holds HEAD and the index, `common` branches and objects: the same but for a linked worktree. `pointer` is what a `.git`
that is a file says, empty for a folder. `name` is empty for the tree's own, else the submodule's, or the path of one that lies in
the tree; `held` is what stands before its paths in a copy. Where the folder of a submodule is not known `top` is `common`.
`links` names what of `PLACES` was a link when a run began, None where that is not known.
"""
# So many are guarded, the first ones by their paths: each costs some milliseconds an iteration. A folder of clones, or a
# project with vendored ones, has about ten.
MOST_NESTED = 32
# Of folders that git ignores, each is looked at and so many that lie right in one: `vendor/NAME` is found, a tree is not walked.
MOST_LOOKED_AT = 1000


def of(project: "Project") -> "Repository | None":
    """Return the repository that a tree belongs to, None where it belongs to none."""
    found = projects.find(project.top)
    if not found.git or not found.common:
        return None
    made = Repository("", found.top, found.git, found.common, pointer_of(found.top))
    return made if is_there(made) else None


def pointer_of(top: str) -> str:
    """Return what a `.git` says that is a file, empty for a folder."""
    path = f"{top}/.git"
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(4096)


def with_submodules(repository: Repository) -> "list[Repository]":
    """Return a repository and those of its submodules, which lie in its own folder."""
    found = [repository]
    _add_below(f"{repository.common}/modules", repository.name, found, 0, f"{repository.held}modules/")
    return found


def _add_below(folder: str, name: str, found: "list[Repository]", depth: int, held: str) -> None:
    """Add the submodules below a folder; a name with slashes lies in folders of its own."""
    for each in paths.names(folder) if depth < DEEPEST else []:
        place, called = f"{folder}/{each}", f"{name}/{each}".strip("/")
        if os.path.isfile(f"{place}/HEAD"):
            found.append(Repository(called, place, place, place, "", f"{held}{each}/"))
            _add_below(f"{place}/modules", called, found, depth + 1, f"{held}{each}/modules/")
        elif os.path.isdir(place) and not os.path.islink(place):
            _add_below(place, called, found, depth + 1, f"{held}{each}/")


def is_submodule(repository: Repository) -> bool:
    """Say whether a repository lies in the folder of another one's, and is copied and comes back with that."""
    return repository.held not in ("", f"{NESTED}{repository.name}/")


def is_there(repository: Repository) -> bool:
    """Say whether git would still take it for a repository, and for that of its tree."""
    parts = (f"{repository.common}/objects", f"{repository.common}/refs")
    leads = repository.top == repository.common or os.path.lexists(f"{repository.top}/.git")
    return bool(leads) and all(map(os.path.exists, parts)) and has_head(repository) and not links_instead(repository)


def is_apart(repository: Repository) -> bool:
    """Say whether a repository is whole in that of another one, as of a submodule of which only the folder is gone."""
    return is_submodule(repository) and is_there(repository._replace(top=repository.common))


def links(repository: Repository) -> "list[str]":
    """Return which of `PLACES` are links."""
    return [name for name, path in PLACES.items() if os.path.islink(path.format(repository))]


def links_instead(repository: Repository) -> "list[str]":
    """Return the paths of links that have taken the place of what makes it a repository since the run began."""
    came = [] if repository.links is None else [name for name in links(repository) if name not in repository.links]
    return [PLACES[name].format(repository) for name in came]


def has_head(repository: Repository) -> bool:
    """Say whether HEAD names a ref or an id, without which git takes nothing for a repository."""
    try:
        with open(f"{repository.private}/HEAD", "rb") as file:
            said = file.read(MOST_OF_HEAD).strip()
    except OSError:
        return False
    is_ref = said.startswith(b"ref:") and said[4:].strip().startswith(b"refs/")
    return is_ref or (len(said) in IDS and said.isalnum())


def under(repository: Repository, path: str) -> str:
    """Return where a path lies that is told as seen from the common folder."""
    return f"{repository.common}/{path}"


def own(repository: Repository) -> str:
    """Return what stands before the paths of HEAD, the index and the like, as seen from the common folder."""
    if repository.private == repository.common:
        return ""
    return f"{os.path.relpath(repository.private, repository.common)}/"


def ask(repository: Repository, *words: str, given: bytes = b"", **variables: str) -> "tuple[int, bytes]":
    """Return the exit code of a git command and what it prints; listing.COULD_NOT_RUN without git. Nothing is written."""
    place = repository.top if os.path.isdir(repository.top) else repository.common
    command = [*listing.GIT, "--git-dir", repository.private, *words]
    return listing.run_git(command, place, given, variables)


def to_json(repositories: "list[Repository]", top: str) -> "dict[str, Any]":
    """Return the repositories of a tree as plain values that still hold when it has moved."""

    def seen(path: str) -> str:
        return f"./{path[len(top) + 1 :]}" if path.startswith(f"{top}/") else path

    return {"top": top, "all": [[each.name, *map(seen, each[1:4]), *each[4:]] for each in repositories]}


def from_json(told: "dict[str, Any]", top: str) -> "list[Repository]":
    """Return what `to_json` told of, in a tree that has this top now."""

    def place(path: str) -> str:
        return f"{top}/{path[2:]}" if path[:2] == "./" else top if path == told["top"] else path

    return [Repository(each[0], *map(place, each[1:4]), *each[4:]) for each in told["all"]]


def in_tree(loop: "Loop", main: "Repository | None") -> "tuple[list[Repository], list[str]]":
    """Return the repositories of a loop's tree, its own and submodules first, and the paths of those that are too many.

    Others are known by the snapshot of the start; without one there are none.
    """
    found = with_submodules(main) if main else []
    known = {os.path.realpath(each.common): at for at, each in enumerate(found)}
    number = 0
    left_out = []
    for name in _nested_named(loop):
        each = _nested_at(loop.place.top, name)
        at = known.get(os.path.realpath(each.common)) if each else None
        if each is None:
            continue
        if at is not None:
            # a submodule, or a worktree of what is known already
            if is_submodule(found[at]):
                found[at] = found[at]._replace(top=each.top, pointer=each.pointer)
        elif number < MOST_NESTED:
            number += 1
            known[os.path.realpath(each.common)] = len(found)
            found += with_submodules(each)
        else:
            left_out.append(name)
    return found, left_out


def _nested_named(loop: "Loop") -> "list[str]":
    """Return the folders in which there may be a repository, in order."""
    if not loop.option("snapshot"):
        return []
    with store.open_store(loop.place) as snapshots:
        rules = json.loads(snapshots.property(ignoring.AT_START + loop.run.id) or "{}")
        ignored = [row[0] for row in snapshots.query("SELECT path FROM ignored")]
    listed = [prefix.rstrip("/") for prefix in rules if prefix]
    return sorted({*listed, *_nested_ignored(loop.place.top, ignored)})


def _nested_ignored(top: str, folders: "Iterable[bytes]") -> "list[str]":
    found = []
    for name in [os.fsdecode(path).rstrip("/") for path in folders if not listing.is_cached(path)]:
        inner = [name] if os.path.lexists(f"{top}/{name}/.git") else [f"{name}/{each}" for each in _folders_in(f"{top}/{name}")]
        found += [each for each in inner if os.path.lexists(f"{top}/{each}/.git")]
    return found


def _folders_in(folder: str) -> "list[str]":
    try:
        with os.scandir(folder) as entries:
            return sorted([entry.name for _, entry in zip(range(MOST_LOOKED_AT), entries) if entry.is_dir(follow_symlinks=False)])
    except OSError:
        return []


def _nested_at(top: str, name: str) -> "Repository | None":
    """Return the repository in a folder of the tree."""
    place = f"{top}/{name}"
    git = f"{place}/.git"
    if os.path.isdir(git):
        found = Repository(name, place, git, git, "", f"{NESTED}{name}/")
    else:
        private, common, _ = git_files.follow(place, git)
        found = Repository(name, place, private, common, pointer_of(place), f"{NESTED}{name}/")
    return found if found.common and is_there(found) else None
