"""The spool: records that the database could not take, a file for each event, until a later event brings them in.

A file appears whole or not at all, so that neither locks nor checksums are needed. It lies beside the database, or in
the user's data home where the project cannot be written.
"""

import posix
import time

from ralph_mem.core import paths, quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_FILES = 4096  # some 16 MB: a database that fails for that long will not come back by itself
MOST_BYTES = 262_144


def folders(project: str) -> "list[str]":
    """Return the places where a project's records may wait, the nearest first."""
    home = paths.data_home()
    near = f"{project.rstrip('/')}/{paths.STATE}/spool"
    return [near, f"{home}/spool/{paths.key_of(project)}"] if home else [near]


def put(project: str, records: "list[dict[str, Any]]") -> bool:
    """Keep redacted records for later; says whether there was a place for them."""
    for folder in folders(project):
        # beside the database only while its folder is there: a deleted memory stays deleted
        if not folder.startswith(project) or paths.exists(folder.rpartition("/")[0]):
            try:
                paths.make_folder(folder)
                if len(posix.listdir(folder)) >= MOST_FILES:
                    return False
                paths.write(f"{folder}/{time.time_ns()}-{posix.getpid()}.json", quick.dumps(records))
            except OSError:
                continue
            return True
    return False


def pending(project: str) -> "list[str]":
    """Return the files that wait for a project, oldest first."""
    found = []
    for folder in folders(project):
        try:
            names = posix.listdir(folder)
        except OSError:
            continue
        found += [f"{folder}/{name}" for name in sorted(names) if name.endswith(".json")]
    return found


def waits_outside(project: str) -> bool:
    """Say whether records of a project that could not be written wait in the user's data home."""
    return any(paths.exists(folder) for folder in folders(project)[1:])


def take(path: str) -> str:
    """Return the text of a file."""
    return paths.read(path, MOST_BYTES)


def set_aside(path: str) -> None:
    """Put a file that cannot be understood out of the way, under a name that is not looked at again."""
    try:
        posix.rename(path, path + ".unreadable")
    except OSError:
        pass


def remove(files: "list[str]") -> None:
    """Remove files that were brought in, and their folder once it is empty."""
    for path in files:
        paths.remove(path)
    for folder in {path.rpartition("/")[0] for path in files}:
        try:
            posix.rmdir(folder)
        except OSError:
            pass
