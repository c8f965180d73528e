"""Quarantine: where a damaged database is kept as it was found, beside the memory. Nothing here is ever deleted by us, but
for a copy that a repair began and gave up, while the original is still in its place.
"""

import posix
import time

from ralph_mem.core import paths

FOLDER = paths.DAMAGED
UNFINISHED = ".unfinished"
FILES = ("memory.db", "memory.db-wal")
BLOCK = 1_048_576


def copy(folder: str) -> str:
    """Copy the database of a `.ralph-mem` with its log; returns the folder, which is called unfinished until `finish`.

    Whoever calls holds the memory alone and has no connection to it. Raises OSError.
    """
    logged = _log_of(folder)
    name = time.strftime("%Y-%m-%dT%H%M%S", time.gmtime())
    target = next(
        path for path in _names(f"{folder}/{FOLDER}/{name}") if not paths.exists(path) and not paths.exists(finished(path))
    )
    paths.make_folder(target)
    try:
        copy_file(folder + "/memory.db", target + "/memory.db")
        if logged:
            copy_file(logged, target + "/memory.db-wal")
    except OSError:
        give_up(target)
        raise
    return target


def _names(base: str) -> "list[str]":
    return [f"{base}{number or ''}{UNFINISHED}" for number in range(100)]


def _log_of(folder: str) -> str:
    """Return the log to copy: where a repair was killed after it had moved the log away, that of its copy."""
    if paths.exists(folder + "/memory.db-wal"):
        return folder + "/memory.db-wal"
    for name in kept(folder):
        begun = f"{folder}/{FOLDER}/{name}"
        has_log = name.endswith(UNFINISHED) and paths.exists(begun + "/memory.db-wal")
        if has_log and _same(folder + "/memory.db", begun + "/memory.db"):
            return begun + "/memory.db-wal"
    return ""


def _same(one: str, other: str) -> bool:
    try:
        if posix.stat(one).st_size != posix.stat(other).st_size:
            return False
        with open(one, "rb") as first, open(other, "rb") as second:
            while True:
                block = first.read(BLOCK)
                if block != second.read(BLOCK):
                    return False
                if not block:
                    return True
    except OSError:
        return False


def finish(target: str) -> None:
    """Give a copy its final name: from now on it is all that is left of what was damaged. Raises OSError."""
    posix.rename(target, finished(target))


def finished(target: str) -> str:
    """Return the final name of a copy."""
    return target.removesuffix(UNFINISHED)


def give_up(target: str) -> None:
    """Remove a copy whose original is still in its place."""
    for folder in (target + "/new", target):
        try:
            for name in posix.listdir(folder):
                paths.remove(f"{folder}/{name}")
            posix.rmdir(folder)
        except OSError:
            pass


def kept(folder: str) -> "list[str]":
    """Return the names of what is kept for a memory, oldest first."""
    try:
        return sorted(posix.listdir(f"{folder}/{FOLDER}"))
    except OSError:
        return []


def remove_log(folder: str) -> None:
    """Remove the log of a database that is about to be replaced: SQLite would replay it into the new one."""
    for suffix in ("-wal", "-shm"):
        paths.remove(f"{folder}/memory.db{suffix}")


def copy_file(path: str, target: str) -> None:
    """Copy a file into a new one for its owner alone, down to the disk. Raises OSError."""
    with open(path, "rb") as source:
        file = posix.open(target, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
        try:
            while True:
                block = memoryview(source.read(BLOCK))
                if not block:
                    break
                while block:
                    block = block[posix.write(file, block) :]
            posix.fsync(file)
        finally:
            posix.close(file)
