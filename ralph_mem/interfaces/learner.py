"""A short-lived process that looks for secrets in a memory by all rules, and learns from its prompts.

`learner.py FOLDER [over [TREE]]` is for a `.ralph-mem`; `over` says that a session has ended, TREE is the worktree at work.

Hooks start it (interfaces/hooks/waking.py) under their own Python, without any package. One runs at a time for each user;
what it leaves undone waits for the next one, and killed it loses nothing.
"""

import os
import sys
import time

if __name__ == "__main__":  # the folder that holds `ralph_mem`
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from ralph_mem.core import background, fast, paths
from ralph_mem.core import project as projects
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance import tending
from ralph_mem.memory.store import connection

MOST_TURNS, MOST_S = 50, 2.0
# A turn takes some milliseconds; a tenth of this is what fifty of the longest prompts took.
MOST_CPU_S = 20
MOST_BYTES = 1024**3  # address space: a Python with SQLite has some 0.1 GB
NICE = 15
WAIT_MS = 1000  # for a lock that a hook holds


def main(folder: str, over: str = "", tree: str = "") -> int:
    """Do what waits in the memory of a `.ralph-mem`, and look for secrets where a session is over; returns the exit code."""
    background.stand_alone(MOST_BYTES, MOST_CPU_S)
    os.nice(NICE)
    if _alone() is None:
        return 0
    root = folder.rpartition("/")[0]
    found = projects.find(root)
    place = found if found.folder == folder else Project(root)
    settings = effective.load(place)
    if not _is_wanted(place, settings):
        return 0
    try:
        opened = connection.connect(place.folder, WAIT_MS)
        opened.tree = tree or place.top
        if opened.one("PRAGMA user_version")[0] == connection.SCHEMA_VERSION:
            tending.tend(opened, place, settings, MOST_TURNS, time.monotonic() + MOST_S, is_over=bool(over))
        opened.close()
    except (fast.errors().RalphMemError, connection.sqlite.Error, OSError):  # busy, full or gone: the next one tries again
        return 1
    return 0


def _is_wanted(place: Project, settings: "dict[str, object]") -> bool:
    """Say whether the person lets it happen: a pause and the settings count, the environment is that of no session."""
    is_off = paths.exists(f"{place.folder}/{paths.OFF}") or settings.get("recording") is False
    return bool(settings["memory.worker"] and not is_off)


def _alone() -> "int | None":
    """Become the one that learns; returns a file that has to stay open, or None where another one is at it."""
    home = paths.data_home()
    if not home:
        return None
    try:
        paths.make_folder(f"{home}/{paths.LEARNER}")
        file = paths.open_lock(f"{home}/{paths.LEARNER}")
        if paths.lock(file):
            return file
        os.close(file)
    except OSError:  # a home that cannot be written to, or a file system without locks
        pass
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
