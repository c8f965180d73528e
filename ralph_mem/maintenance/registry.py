"""Find the projects that have a memory on this machine, and what is left of those that are gone.

The registry is a file for each project id, written at a session start: names made of paths do not lead back to them.
"""

import re
import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import fast, paths, places, project
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.memory import inspect
from ralph_mem.memory.store import connection
from ralph_mem.ralph import runs

KNOWN_FILE = re.compile(r"(project-[a-z2-9]+)\.json")
LISTED = "`ralph-mem projects` lists those that are known"

FOLDER_GONE, MEMORY_GONE, REPLACED = "folder gone", "memory gone", "another memory"
NOT_MOUNTED, NO_ENTRY = "not mounted", "entry broken"
ORPHANED = (FOLDER_GONE, MEMORY_GONE, REPLACED)

# `there` says whether its folder is; `state` is one of the above or of a glance; `bytes` is what its memory takes, with
# the events that wait; `at` is the last activity in milliseconds. What cannot be known is None.
Known = namedtuple("Known", "id path there state bytes sessions turns observations at")
Entry = namedtuple("Entry", "id path seen device")
Leftover = namedtuple("Leftover", "path bytes")


def choose(meant: str = "") -> Project:
    """Return the project that a folder, an id or a name means; without one, that of the current folder.

    A name is the last part of a project's path; a folder of that name here comes first. Raises RalphMemError.
    """
    try:
        folder = Path(meant or ".").resolve(strict=True)
    except (OSError, RuntimeError):  # the latter for links that run in a circle, before Python 3.13
        folder = Path()
    if folder.is_absolute() and folder.is_dir():
        return project.find(str(folder))
    if not meant:
        raise RalphMemError("the current folder is gone", "go to another one, or name one with --project")
    return _registered_at(_path_of(meant))


def _registered_at(path: str) -> Project:
    """Return the project whose memory is registered at a path, although the folder may lie in a repository by now."""
    found = project.find(path)
    return found if found.root == path else Project(path)


def _path_of(meant: str) -> str:
    """Return the path of the one registered project that has this id or name. Raises RalphMemError."""
    entries = [entry for entry in _registry() if entry.path]
    matching = [entry.path for entry in entries if entry.id == meant] or [
        entry.path for entry in entries if Path(entry.path).name == meant
    ]
    there: list[str] = sorted({path for path in matching if paths.exists(path)})
    if not matching:
        raise RalphMemError(f"no project is called {meant}", LISTED)
    if not there:
        raise RalphMemError(f"the folder of {meant} is gone: {matching[0]}", LISTED)
    if len(there) > 1:
        raise RalphMemError(f"{len(there)} projects are called {meant}: {', '.join(there)}", "give the folder instead")
    return there[0]


def known() -> list[Known]:
    """Return every registered project with what is in its memory, the last active one first."""
    return sorted([_look(entry) for entry in _registry()], key=lambda each: (-(each.at or 0), each.path, each.id))


def names() -> list[tuple[str, str, bool]]:
    """Return the id and the path of every registered project, and if its folder is there, by names; no memory is opened."""
    found = [(entry.id, entry.path, paths.exists(entry.path)) for entry in _registry() if entry.path]
    return sorted(found, key=lambda each: (not each[2], Path(each[1]).name.lower(), each[1]))


def gone(number: str) -> tuple[Known, list[Leftover]]:
    """Return a registered project, and what lies outside its folder for it. Raises RalphMemError where none has the id."""
    found = [entry for entry in _registry() if entry.id == number and entry.path]
    if not found:
        raise RalphMemError(f"no project has the id {ascii(number[:40])[1:-1]}", LISTED)
    return _look(found[0]), leftovers(number)


def values(known: Known) -> dict[str, object]:
    """Return a project for a program; bytes of its path that no text in UTF-8 can hold are shown as the replacement character."""
    path = terminal.plain(known.path)
    return {"name": terminal.plain(Path(known.path).name), **known._asdict(), "path": path}


def of_id(number: str) -> Project:
    """Return the registered project of an id. Raises RalphMemError where none has it, or its folder is gone."""
    found = [entry for entry in _registry() if entry.id == number and entry.path]
    if not found:
        raise RalphMemError(f"no project has the id {ascii(number[:40])[1:-1]}", LISTED)
    if not paths.exists(found[0].path):
        raise RalphMemError(f"the folder of {number} is gone: {found[0].path}", LISTED)
    return _registered_at(found[0].path)


def _registry() -> list[Entry]:
    home = paths.data_home()
    found = [(file, KNOWN_FILE.fullmatch(file.name)) for file in _files_in(Path(home, paths.PROJECTS))] if home else []
    return [_entry(file, name[1]) for file, name in found if name]


def _entry(file: Path, number: str) -> Entry:
    try:
        told = fast.loads(paths.read(str(file)))
    except ValueError:
        told = None
    path = told.get("path") if isinstance(told, dict) else None
    if not (isinstance(path, str) and path.startswith("/")):
        return Entry(number, "", "", None)
    return Entry(number, path, str(told.get("seen") or path), told.get("device"))


def _look(entry: Entry) -> Known:
    """Look at a project where the registry says that it is."""
    folder = Path(entry.path, paths.STATE)
    nothing = inspect.Glance(_why_gone(entry, folder), None, None, None, None, None)
    seen = nothing if nothing.state else inspect.of(str(folder))
    state = REPLACED if seen.id not in (None, entry.id) else seen.state
    told = (None, None, None, None) if state == REPLACED else (seen.sessions, seen.turns, seen.observations, seen.at)
    size = 0 if state in (*ORPHANED, NOT_MOUNTED, NO_ENTRY) else _bytes_of(folder, entry)
    return Known(entry.id, entry.path, bool(entry.path) and paths.exists(entry.path), state, size, *told)


def _why_gone(entry: Entry, folder: Path) -> str:
    """Say why there can be no memory at a registered place, nothing where there is one."""
    if not entry.path:
        return NO_ENTRY
    if inspect.is_gone(folder.parent):
        return NOT_MOUNTED if _is_elsewhere(folder.parent, entry.device) else FOLDER_GONE
    return MEMORY_GONE if inspect.is_gone(folder / "memory.db") else ""


def _is_elsewhere(path: Path, device: object) -> bool:
    """Say whether a folder that is missing lay on another file system than what is left above it: a drive was taken out."""
    above = next(folder for folder in path.parents if not inspect.is_gone(folder))
    try:
        return isinstance(device, int) and above.stat().st_dev != device
    except OSError:
        return True


def _bytes_of(folder: Path, entry: Entry) -> int:
    waiting = [Path(paths.data_home(), paths.SPOOL, key) for key in _keys(entry)]
    return sum([size(path) for path in (folder / "memory.db", folder / "memory.db-wal", folder / paths.SPOOL, *waiting)])


def leftovers(number: str) -> list[Leftover]:
    """Return what lies outside the project of an id for it: events that wait, settings, trouble, what was approved of it, that its
    memory is known, a forget that was not finished, backups, its entry last.

    What loops left is among them only where the project's folder is gone; until then `kept` tells of it, and the entry stays.
    What another project that is still there uses by its path, such as one made anew in the same place, is not its.
    """
    return _left_of(number)[0]


def kept(number: str) -> list[Leftover]:
    """Return what loops left of a project whose memory is gone and whose folder is not: it can put files of it back."""
    return _left_of(number)[1]


def _left_of(number: str) -> tuple[list[Leftover], list[Leftover]]:
    """Return what can go of a project, and what stays."""
    entries = {entry.id: entry for entry in _registry()}
    if number not in entries:
        return [], []
    entry = entries.pop(number)
    mine = set(_keys(entry))
    beside = [entry for entry in entries.values() if mine.intersection(_keys(entry))]
    mine.difference_update(*[_keys(entry) for entry in beside if _look(entry).state not in ORPHANED])
    # what can put a tree's files back, and the records of its loops, outlive the memory, which an agent may delete
    of_trees = {*mine, *_keys_of_trees(entry)} if mine else set()
    trees = [path for path, key in _by_key(places.TREE) if key in of_trees]
    is_gone = bool(entry.path) and inspect.is_gone(Path(entry.path))
    found = [path for path, key in _by_key(places.PROJECT, *[places.TREE] * is_gone) if key in mine | of_trees]
    found += [path for path, of in _by_id() if of == number]
    found += [] if trees and not is_gone else [Path(paths.data_home(), paths.PROJECTS, number + ".json")]
    return [Leftover(str(path), size(path)) for path in found], [Leftover(str(path), size(path)) for path in trees if not is_gone]


def orphans() -> dict[Known, list[Leftover]]:
    """Return the projects whose memory is gone, each with what can go of it; a file that two of them share is told once."""
    found: dict[Known, list[Leftover]] = {}
    for each in known():
        if each.state in ORPHANED:
            told = {leftover.path for files in found.values() for leftover in files}
            found[each] = [leftover for leftover in leftovers(each.id) if leftover.path not in told]
    return found


def unknown() -> list[Leftover]:
    """Return what lies outside projects for one that is not registered; whose it is cannot be known, so it stays."""
    entries = _registry()
    keys = {key for entry in entries for key in [*_keys(entry), *_keys_of_trees(entry)]}
    numbers = {entry.id for entry in entries}
    found = [path for path, key in _by_key(places.PROJECT, places.TREE) if key not in keys]
    found += [path for path, of in _by_id() if of not in numbers]
    return [Leftover(str(path), size(path)) for path in found]


def clean() -> list[Leftover]:
    """Remove what is left of projects whose memory is gone; returns what was removed. Raises RalphMemError."""
    removed = []
    for number in [each.id for each in orphans()]:
        # looked at anew: a session may have begun there in the meantime
        if any(_look(entry).state in ORPHANED for entry in _registry() if entry.id == number):
            removed += [leftover for leftover in leftovers(number) if remove(Path(leftover.path))]
    return removed


def _keys(entry: Entry) -> list[str]:
    """Return the names of a project's files outside: by the path that it had at a session start, and by its real one."""
    places = [path for path in dict.fromkeys((entry.seen, entry.path)) if path]
    verdicts = [connection.verdict_of("", f"{path.rstrip('/')}/{paths.STATE}", 0)[0] for path in places]
    return [*[paths.key_of(path) for path in places], *[path.rpartition("/")[2] for path in verdicts]]


def _keys_of_trees(entry: Entry) -> list[str]:
    """Return the names of what loops left in any worktree of a project."""
    return [paths.key_of(top) for path in dict.fromkeys((entry.seen, entry.path)) if path for top in runs.trees_of(path)]


def _by_key(*whose: str) -> Iterator[tuple[Path, str]]:
    """Yield what lies outside of projects by a key, with that; also what is of one project in a place that is of all of them."""
    for place in places.IN_DATA_HOME:
        shared = place.whose == places.ALL and place.on_move == places.FOLLOWS
        for path in _files_in(Path(paths.data_home() or "/nowhere", place.name)) if shared or place.whose in whose else ():
            if not shared or places.JOB in path.name:
                name = path.name.removeprefix("approved-").removeprefix("criteria-") if place.name == paths.TRUST else path.name
                yield path, name.partition(".")[0]  # a key has no dot


def _by_id() -> Iterator[tuple[Path, str]]:
    # but for the registry itself
    for name in [place.name for place in places.IN_DATA_HOME if place.whose == places.ONE_MEMORY and place.name != paths.PROJECTS]:
        for path in _files_in(Path(paths.data_home() or "/nowhere", name)):
            yield path, "-".join(path.name.partition(".")[0].split("-")[:2])


def _files_in(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def size(path: Path) -> int:
    """Return the bytes of a file or of all files in a folder; links count for nothing."""
    try:
        if path.is_symlink():
            return 0
        return sum([size(inner) for inner in path.iterdir()]) if path.is_dir() else path.stat().st_size
    except OSError:
        return 0


def remove(path: Path) -> bool:
    """Remove a file, a link or a folder with all that is in it; says whether it was there. Raises RalphMemError."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise RalphMemError(f"cannot remove {path}: {error.strerror}", "is it yours?") from error
    return True
