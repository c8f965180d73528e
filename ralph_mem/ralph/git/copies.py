"""Keep what a repository holds outside of the project, so that it can come back whatever becomes of it.

Git never changes an object file, so one copy of it serves every run of a tree; what git does change is copied for each run. Nothing
is linked: who writes into one of the two files must not reach the other.
"""

import json
import os
import shutil
from collections import namedtuple
from contextlib import suppress

from ralph_mem.core import paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.format import amount
from ralph_mem.ralph.git import objects
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git import state as states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository

Held = namedtuple("Held", "what bytes why")
Held.__doc__ = """What is held of a repository: ALL of it, UNPUSHED (all but the objects that a remote has, as git knew it last) or
FILES (refs, settings and the index, no objects); how many bytes its objects have, and why it is not all."""
ALL, UNPUSHED, FILES = "all", "unpushed", "files"

Contents = namedtuple("Contents", "fixed others")
Contents.__doc__ = """The files in a common folder by their paths below it: `fixed` with their sizes, those are left out
that git makes again."""

START = "start"  # the folder of a run with the files as they were before its first iteration
PACK = "unpushed.pack"
# Of runs before: what they held is of use as long as somebody wants to roll them back.
MOST_RUNS = 10
PIECE = 1_048_576
MOST_LOOSE = 1_048_576  # a larger one is quicker in a file of its own
# Made again by git where they are missing.
MADE_AGAIN = ("multi-pack-index", "commit-graph", "packs")
FOLDERS_OF_FIXED = ("lfs/objects/", "annex/objects/")


def folder_of(project: "Project", run: str = "") -> str:
    """Return where the copies of a tree lie, or those of one of its runs. Raises SnapshotError without a home."""
    home = paths.data_home()
    if not home:
        raise SnapshotError("there is no home folder to keep a copy of git in", "set HOME or XDG_DATA_HOME")
    return f"{home}/{paths.GIT_COPIES}/{paths.key_of(project.top)}" + (f"/{run}" if run else "")


def contents_of(common: str) -> Contents:
    """Return what lies in a common folder. Raises OSError where it cannot be read."""
    fixed: dict[str, int] = {}
    others: list[str] = []
    for path, entry in _files_in(common, ""):
        name = path.rpartition("/")[2]
        if path.endswith(".lock") or name.startswith("tmp_") or (name.startswith(MADE_AGAIN) and "objects/" in path):
            continue
        if _is_fixed(path):
            fixed[path] = entry.stat(follow_symlinks=False).st_size
        else:
            others.append(path)
    return Contents(fixed, others)


def _is_fixed(path: str) -> bool:
    """Say whether a file is named by what it holds."""
    before, inside, below = f"/{path}".rpartition("/objects/")
    if path.startswith(FOLDERS_OF_FIXED):
        return True
    folder = below.partition("/")[0]
    return bool(inside) and "/refs/" not in before and "/logs/" not in before and (folder == "pack" or len(folder) == 2)


def _files_in(top: str, below: str) -> "Iterator[tuple[str, os.DirEntry[str]]]":
    with os.scandir(f"{top}/{below}" if below else top) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                yield from _files_in(top, path)
            elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                yield path, entry


def keep(
    project: "Project", found: "list[Repository]", run: str, most_bytes: int, top: str, label: str = START, objects: bool = True
) -> "dict[str, Held]":  # fmt: skip
    """Copy the repositories of a tree, which has this top, under the name of a run; they are only read. Raises SnapshotError.

    Without `objects` it is what names them alone. Objects of more than `most_bytes` in all are copied only where that takes no
    room; else those that no remote has are packed. Returns what is held of each but the submodules, by their names.
    """
    store = folder_of(project)
    place = f"{store}/{run}/{label}"
    try:
        shutil.rmtree(place, ignore_errors=True)
        paths.make_folder(place)
        held, fixed = _copied(found, store, place, most_bytes, objects)
        of_each = {name: one._asdict() for name, one in held.items()}
        told = {"repositories": repositories.to_json(found, top), "fixed": fixed, "held": of_each}
        paths.write(f"{place}/held.json", json.dumps(told))
        _let_go(store, run)
    except OSError as error:
        raise SnapshotError(f"git cannot be copied: {error.strerror or error}", f"is there room in {store}?") from error
    return held


def _copied(
    found: "list[Repository]", store: str, place: str, most_bytes: int, objects: bool
) -> "tuple[dict[str, Held], list[str]]":
    """Copy the files; returns what is held, and the object files among it, by their paths in the copy."""
    fixed: list[str] = []
    held: dict[str, Held] = {}
    for each in [each for each in found if not repositories.is_submodule(each) and repositories.is_there(each)]:
        contents = contents_of(each.common)
        left = most_bytes - sum([one.bytes for one in held.values() if one.what == ALL])
        what = foresee(contents, each.common, store, left) if objects else Held(FILES, 0, "its objects are held elsewhere")
        if what.what == ALL:
            _copy_missing(contents.fixed, each, store, what.bytes <= left)
            fixed += [f"{each.held}{path}" for path in contents.fixed]
        held[each.name] = _pack_unpushed(each, place, what, left) if what.what == UNPUSHED else what
        for path in contents.others:
            with suppress(FileNotFoundError):  # a lock, a draft: git is at work on it
                copy(f"{each.common}/{path}", f"{place}/files/{each.held}{path}")
    return held, fixed


def foresee(contents: Contents, common: str, store: str, most_bytes: int) -> Held:
    """Return what would be held, without copying anything."""
    size = sum(contents.fixed.values())
    if size <= most_bytes or _takes_no_room(contents, common, store):
        return Held(ALL, size, "")
    return Held(UNPUSHED, size, f"its objects take {amount(size)}, more than the {amount(most_bytes)} of ralph.git_backup_mb")


def _takes_no_room(contents: Contents, common: str, store: str) -> bool:
    """Say whether a file can be copied without taking room, by trying that on a small one."""
    least = min(contents.fixed, key=lambda path: contents.fixed[path])
    paths.make_folder(store)
    draft = f"{store}/clone-{os.getpid()}"
    try:
        with open(f"{common}/{least}", "rb") as source, open(draft, "wb") as target:
            return paths.clone(source.fileno(), target.fileno())
    finally:
        paths.remove(draft)


def _copy_missing(fixed: "dict[str, int]", repository: "Repository", store: str, takes_room: bool) -> None:
    """Copy what is not held yet: loose objects together, unless a file of each is a clone that takes no room."""
    loose = {}
    for path, size in fixed.items():
        target = f"{store}/objects/{repository.held}{path}"
        if takes_room and objects.is_loose(path) and size <= MOST_LOOSE:
            loose[path] = size
            continue
        try:
            if os.stat(target).st_size == size:
                continue
        except OSError:
            pass
        with suppress(FileNotFoundError):  # git packs objects while we read
            copy(f"{repository.common}/{path}", target)
    if loose:
        objects.keep(f"{store}/objects", repository.common, repository.held, loose)


def copy(source: str, target: str, shared: bool = False) -> None:
    """Copy a file or link, whole or not at all; folders are made. Raises OSError.

    It is for the owner alone, who may run it if they could, or `shared` as a file of git's is.
    """
    if shared:
        os.makedirs(os.path.dirname(target), exist_ok=True)
    else:
        paths.make_folder(os.path.dirname(target))
    draft = f"{target}.{os.getpid()}~"
    try:
        if os.path.islink(source):
            os.symlink(os.readlink(source), draft)
        else:
            _copy_bytes(source, draft, shared)
        os.replace(draft, target)
    except OSError:
        paths.remove(draft)
        raise


def _copy_bytes(source: str, draft: str, shared: bool) -> None:
    with open(source, "rb") as read, open(draft, "wb") as write:
        if not paths.clone(read.fileno(), write.fileno()):
            shutil.copyfileobj(read, write, PIECE)
        mode = os.fstat(read.fileno()).st_mode & 0o700
        os.fchmod(write.fileno(), mode | (mode & 0o500) >> 3 | (mode & 0o500) >> 6 if shared else mode)


def _pack_unpushed(repository: "Repository", place: str, held: Held, most_bytes: int) -> Held:
    """Pack what no remote-tracking ref reaches and something else does: branches, stash, reflogs, the index."""
    wanted = ("--all", "--reflog", "--indexed-objects", "--not", "--remotes")
    code, said = repositories.ask(repository, "rev-list", "--objects", "--disk-usage", *wanted)
    if code or not said.strip().isdigit() or int(said) > most_bytes:
        size = f" ({amount(int(said))})" if not code and said.strip().isdigit() else ""
        return Held(FILES, held.bytes, f"{held.why}, and so does what no remote has{size}")
    pushed = {
        value for name, value in states.refs_of(repository).items() if name.startswith("refs/remotes/") and value[:4] != "ref:"
    }
    given = "".join([f"{each}\n" for each in ("--not", *sorted(pushed))]).encode()
    order = ("pack-objects", "--revs", "--all", "--reflog", "--indexed-objects", "--stdout", "-q")
    code, said = repositories.ask(repository, *order, given=given)
    if code:
        return Held(FILES, held.bytes, f"{held.why}, and git could not pack the rest")
    paths.make_folder(f"{place}/{repository.held}")
    with open(f"{place}/{repository.held}{PACK}", "wb") as file:
        file.write(said)
    return Held(UNPUSHED, held.bytes, f"{held.why}: held is what no remote has, {amount(len(said))}")


def read(project: "Project", run: str, label: str = START) -> "dict[str, Any]":
    """Return what `keep` noted, empty where it held nothing."""
    try:
        with open(f"{folder_of(project, run)}/{label}/held.json", encoding="utf-8") as file:
            told = json.load(file)
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def forget(project: "Project", *runs: str) -> None:
    """Drop what is held for runs, down to its bytes; objects that others hold too stay. Raises SnapshotError."""
    store = folder_of(project)
    for run in runs:
        shutil.rmtree(f"{store}/{run}", ignore_errors=True)
    try:
        if any([os.path.isdir(f"{store}/{name}") for name in paths.names(store) if name != "objects"]):
            _sweep(store)
        else:
            shutil.rmtree(store, ignore_errors=True)
    except (OSError, ValueError) as error:
        raise SnapshotError(f"the copy of git cannot be changed: {error}", f"is {store} yours?") from error


def _let_go(store: str, run: str) -> None:
    """Drop the copies of the oldest runs above MOST_RUNS, and the objects that no other one names."""
    names = [name for name in os.listdir(store) if name not in ("objects", run) and os.path.isdir(f"{store}/{name}")]
    old = sorted(names, key=lambda name: os.stat(f"{store}/{name}").st_mtime)[: -(MOST_RUNS - 1)]
    for name in old:
        shutil.rmtree(f"{store}/{name}", ignore_errors=True)
    if old:
        _sweep(store)


def _sweep(store: str) -> None:
    """Delete the object files that no run names any more."""
    wanted: set[str] = set()
    for here, _, names in os.walk(store):
        if "held.json" in names:
            with open(f"{here}/held.json", encoding="utf-8") as file:
                wanted.update(json.load(file).get("fixed") or [])
    if os.path.isdir(f"{store}/objects"):
        objects.sweep(f"{store}/objects", wanted)
        for path, _ in list(_files_in(f"{store}/objects", "")):
            if path not in wanted and not path.startswith(objects.NAME):
                paths.remove(f"{store}/objects/{path}")


def put_back(store: str, repository: "Repository", chosen: "Iterable[str]") -> int:
    """Copy object files back that are missing, named as in the copy; returns how many. Raises OSError."""
    number, others = 0, {}
    for path in chosen:
        target = f"{repository.common}/{path[len(repository.held) :]}"
        if os.path.lexists(target):
            continue
        if os.path.exists(f"{store}/objects/{path}"):
            copy(f"{store}/objects/{path}", target, shared=True)
            number += 1
        else:
            others[path] = target
    return number + objects.put_back(f"{store}/objects", others)
