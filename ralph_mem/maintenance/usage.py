"""Measure with the standard library alone what all memories take on the disk, and warn where that is too much."""

import os
import posix
import time
from collections import namedtuple

from ralph_mem.core import fast, notices, paths, places
from ralph_mem.core.format import amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEGABYTE = 1_000_000
# Four projects whose snapshots have filled their own quota; a sixtieth of the smallest disk that is sold today.
DEFAULT_MB = 4096
# Some five millionths of a second each: what a person waits for at a terminal, and what a session start may take once a day.
MOST_FILES, MOST_FILES_OF_A_HOOK = 200_000, 10_000
DAY_S = 86_400
LARGEST_SHOWN = 3
DO = {
    "memory": "`ralph-mem compress` cuts old tool outputs",
    "snapshots": "a smaller snapshot.quota_mb drops the oldest runs with the next loop",
    "loops": "`ralph-mem projects clean` removes those of projects that are gone",
    "backups": "`ralph-mem projects clean` removes those of projects that are gone",
    "waiting": "`ralph-mem doctor` says why events wait",
}

# What one project takes, in bytes by kind; `path` is empty for what belongs to no known project.
Use = namedtuple("Use", "path memory snapshots loops backups waiting")
# `shared` is what all projects share: the memory of all of them and the model of embeddings. `is_whole` is False where there
# were more files than could be looked at.
Usage = namedtuple("Usage", "projects shared is_whole")


def measure(most_files: int = MOST_FILES) -> Usage:
    """Return what every registered project takes, the largest first, the rest under no path, and what they share."""
    home, counted = paths.data_home(), _Count(most_files)
    if not home:
        return Usage([], 0, True)
    owners, found = _owners(home), {}
    for path in dict.fromkeys(owners.values()):
        found[path] = {"memory": counted.bytes(f"{path.rstrip('/')}/{paths.STATE}")}
    for place in [place for place in places.IN_DATA_HOME if place.counts_as not in ("", places.SHARED)]:
        for name in paths.names(f"{home}/{place.name}"):
            of_one = found.setdefault(_owner(owners, name), {})
            of_one[place.counts_as] = of_one.get(place.counts_as, 0) + counted.bytes(f"{home}/{place.name}/{name}")
    shared = [f"{home}/{place.name}" for place in places.IN_DATA_HOME if place.counts_as == places.SHARED]
    shared += [f"{paths.config_home()}/{place.name}" for place in places.IN_MEMORY if place.counts_as]
    size = sum([counted.bytes(path) for path in shared])
    uses = [Use(path, *[of_one.get(kind, 0) for kind in Use._fields[1:]]) for path, of_one in found.items()]
    return Usage(sorted([use for use in uses if total(use)], key=lambda use: (-total(use), use.path)), size, counted.left > 0)


def total(use: Use) -> int:
    """Return all that one project takes."""
    return int(sum(use[1:]))


def taken(usage: Usage) -> int:
    """Return all that is taken."""
    return int(usage.shared + sum([total(use) for use in usage.projects]))


def allowed(values: "dict[str, Any]") -> int:
    """Return how many bytes may be taken by the settings in force; 0 is any number."""
    return int(values.get("memory.quota_mb", DEFAULT_MB)) * MEGABYTE


def warning(usage: Usage, values: "dict[str, Any]") -> "tuple[str, str]":
    """Return what is too much, with the largest projects, and what to do about the largest part; nothing where all is well."""
    most = allowed(values)
    if not most or taken(usage) <= most:
        return "", ""
    largest = [f"{use.path or 'projects that are gone'} {amount(total(use))}" for use in usage.projects[:LARGEST_SHOWN]]
    seen = f"all projects together take {amount(taken(usage))}, more than the {amount(most)} of memory.quota_mb"
    return f"{seen}: {', '.join(largest)}" if largest else seen, _what_to_do(usage)


def _what_to_do(usage: Usage) -> str:
    parts = {kind: sum([getattr(use, kind) for use in usage.projects]) for kind in DO}
    return f"`ralph-mem projects --sizes` shows all; {DO[max(parts, key=lambda kind: parts[kind])]}; nothing goes by itself"


def tell_daily(root: str, values: "dict[str, Any]") -> None:
    """Once a day, leave a line for the next session start in a project where all of them take too much.

    The first day has nothing to tell. Where nothing can be written, nothing is told.
    """
    if not paths.data_home() or not allowed(values) or not _is_due(time.time()):
        return
    seen, do = warning(measure(MOST_FILES_OF_A_HOOK), values)
    if seen:
        # the line has room for 300 characters: what to do must not be cut off
        most = 295 - len(do)
        notices.note(root, f"{seen if len(seen) <= most else seen[: most - 3] + '...'}; {do}")


def _is_due(now: float) -> bool:
    """Say whether a day has gone since this was last asked, and begin a new one."""
    mark = f"{paths.data_home()}/{paths.QUOTA}"
    try:
        # one that lies ahead by more than a day: the clock was set back
        if abs(now - posix.stat(mark).st_mtime) < DAY_S:
            return False
        posix.utime(mark, (now, now))
    except FileNotFoundError:
        try:
            paths.make_folder(mark.rpartition("/")[0])
            paths.write(mark, "")
        except OSError:
            pass
        return False
    except OSError:
        return False
    return True


class _Count:
    """Adds up what lies in folders, links left alone, until so many files were looked at."""

    def __init__(self, most_files: int) -> None:
        self.left = most_files

    def bytes(self, path: str) -> int:
        """Return the bytes of a file, or of all files in a folder."""
        size, folders = 0, []
        try:
            status = posix.lstat(path)
        except (OSError, ValueError):
            return 0
        kind = status.st_mode & 0o170000
        folders += [path] if kind == 0o040000 else []
        size += status.st_size if kind == 0o100000 else 0
        while folders and self.left > 0:
            size += self._of_folder(folders.pop(), folders)
        return size

    def _of_folder(self, path: str, folders: "list[str]") -> int:
        size = 0
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    self.left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:  # gone in the meantime, or closed to us
            pass
        return size


def _owners(home: str) -> "dict[str, str]":
    """Return the path of each registered project by its id, and by the key of each path that its files outside may have."""
    found: dict[str, str] = {}
    for name in paths.names(f"{home}/{paths.PROJECTS}"):
        try:
            told = fast.loads(paths.read(f"{home}/{paths.PROJECTS}/{name}"))
        except ValueError:
            continue
        path = told.get("path") if isinstance(told, dict) else None
        if isinstance(path, str) and path.startswith("/"):
            for key in (paths.key_of(path), paths.key_of(str(told.get("seen") or path)), *_worktrees(path)):
                found.setdefault(key, path)
            found[name.partition(".")[0]] = path
    return found


def _worktrees(path: str) -> "list[str]":
    """Return the keys of a repository's worktrees: snapshots and loops lie under those of the tree that they are of."""
    lists = [paths.read(f"{path}/.git/worktrees/{name}/gitdir", 4096) for name in paths.names(f"{path}/.git/worktrees")]
    return [paths.key_of(told.rstrip("\n").rpartition("/")[0]) for told in lists]


def _owner(owners: "dict[str, str]", name: str) -> str:
    """Return the project that a file in the data home belongs to by its name: a key, or an id with more behind it."""
    key = name.partition(".")[0]  # neither has a dot
    return owners.get(key) or owners.get("-".join(name.partition(".")[0].split("-")[:2])) or ""
