"""Keep records that the database could not take, until a later event brings them in.

A file appears whole or not at all, in the user's data home; one beside the database counts only where there is no such home.
"""

import posix
import time

from ralph_mem.core import fast, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_FILES = 4096  # some 16 MB: a database that fails for that long will not come back by itself
MOST_BYTES = 262_144
# Whoever has brought in the last file removes the folder, maybe just before the next is written: fifty sessions at once lost up
# to 6 of 2,000 events with one try, and none with these.
TRIES = 20
# How the name of a file ends that came before there was a memory: whichever is begun takes it in.
EARLY = "-early.json"
# The same of one that came while another process wrote: nothing is wrong with the memory.
BUSY = "-busy.json"


def folders(project: str) -> "list[str]":
    """Return the places where a project's records may wait: one, but two where the user's home cannot be written, or is none."""
    home = paths.data_home()
    if not home:
        return [beside(project)]
    far = f"{home}/{paths.SPOOL}/{paths.key_of(project)}"
    return [far, beside(project)] if paths.is_out_of_use(home) else [far]


def beside(project: str) -> str:
    """Return the place beside the database, in which a stranger may have put something."""
    return f"{project.rstrip('/')}/{paths.STATE}/{paths.SPOOL}"


def places(project: str) -> "list[str]":
    """Return those of the folders in which something may be put: beside the database only while its folder is there."""
    near = beside(project)
    return [folder for folder in folders(project) if folder != near or paths.is_folder(near.rpartition("/")[0])]


def put(project: str, records: "list[dict[str, Any]]", is_busy: bool = False) -> bool:
    """Keep redacted records for later, of a memory that is only busy or one that fails; says whether there was a place for them."""
    is_there = paths.exists(f"{project.rstrip('/')}/{paths.STATE}/memory.db")
    end = EARLY if not is_there else BUSY if is_busy else ".json"
    for folder in [each for each in places(project) for _ in range(TRIES)]:
        try:
            paths.make_folder(folder)
            if len(posix.listdir(folder)) >= MOST_FILES:
                return False
            paths.write(f"{folder}/{time.time_ns()}-{posix.getpid()}{end}", fast.dumps(records))
        except OSError:
            continue
        return True
    return False


def pending(project: str) -> "list[str]":
    """Return the files that wait for a project, oldest first."""
    found = []
    for folder in folders(project):
        found += [f"{folder}/{name}" for name in paths.names(folder) if name.endswith(".json")]
    return found


def tells_of_trouble(project: str) -> bool:
    """Say whether anything waits that the memory could not take although nobody else was at it."""
    return any([not path.endswith(BUSY) for path in pending(project)])


def waits_for_a_memory(project: str) -> bool:
    """Say whether a session began in a project where no memory could be made: what it leaves is kept, too."""
    return any([path.endswith(EARLY) for path in pending(project)])


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
    """Remove files that were brought in, and their folder once it is empty, and that of all projects'."""
    for path in files:
        paths.remove(path)
    for folder in {path.rpartition("/")[0] for path in files}:
        try:
            posix.rmdir(folder)
            posix.rmdir(f"{paths.data_home()}/{paths.SPOOL}")
        except OSError:
            pass
