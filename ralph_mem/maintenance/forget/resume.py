"""Finish a forget that was killed, in a process of its own that a session start begins.

Started as a script by path, so that a bare checkout needs no installation: `python3 -I -S resume.py ROOT`.
"""

import contextlib
import os
import sys

if __name__ == "__main__":  # the folder that holds `ralph_mem`
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))

from ralph_mem.core import background, notices
from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance.forget import erase, pending
from ralph_mem.memory import access
from ralph_mem.memory.recall.lookup import Reader
from ralph_mem.memory.store import connection

DONE = "a forget that was interrupted is finished now"
LEFT = "a forget that was interrupted is finished, but not everything could be reached: forget the same again to see what"
WAITS = (
    "a forget that was interrupted could not be gone on with: its rows are hidden, other copies are not looked through yet; forget"
    " the same again, or start another session"
)


def start(folder: str) -> None:
    """Have the forget finished that is unfinished in the memory of a `.ralph-mem`. Returns at once, and raises nothing."""
    root = folder.rpartition("/")[0]
    try:
        background.spawn([sys.executable, "-I", "-S", "-X", "utf8", os.path.abspath(__file__), root])
    except (OSError, ValueError, TypeError):  # the next start tries again
        notices.note(root, WAITS)


def go_on(project: Project) -> None:
    """Finish the forget; the next session start tells. Raises RalphMemError where another process is at it, and OSError."""
    stores = access.to_change(project)
    reader = Reader(stores, project, effective.load(project))
    report = erase.resume(reader)
    if report:
        notices.note(project.root, DONE if report.is_clean() else LEFT)
    elif not pending.waits(project):  # a job that could not be read
        for store in stores:
            with access.Change(store):
                store.set_property(connection.UNFINISHED, None)


if __name__ == "__main__":
    os.umask(0o077)
    if os.getsid(0) != os.getpid():
        with contextlib.suppress(PermissionError):  # the leader of a group is as much on its own
            os.setsid()
    found = projects.find(sys.argv[1])
    try:
        # a memory that was registered in a folder which lies in a repository by now
        go_on(found if found.root == sys.argv[1] else Project(sys.argv[1]))
    except (RalphMemError, OSError):
        sys.exit(1)
