"""Keep which items of a team a person has approved, by their hashes, outside of the repository."""

import os
import posix
import stat
import time

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project

MOST_BYTES = 16_777_216  # 100,000 items
OTHERS_MAY_WRITE = 0o022


def path_of(project: Project) -> str:
    """Return where a project's approvals lie. Raises RalphMemError where that is inside of the project, or nowhere."""
    home, root = paths.data_home(), os.path.realpath(project.root).rstrip("/") + "/"
    if not home or (home.startswith(root) and not (paths.environment("HOME") + "/").startswith(root)):
        raise RalphMemError("there is no home folder for what you approve", "set HOME to a folder outside of the project")
    return f"{home}/{paths.TEAM}/{paths.key_of(project.root)}.json"


def read(project: Project) -> set[str]:
    """Return the hashes that a person has approved; what others could have written holds none."""
    try:
        known = posix.lstat(path_of(project))
        if known.st_uid != posix.geteuid() or stat.S_IFMT(known.st_mode) != stat.S_IFREG or known.st_mode & OTHERS_MAY_WRITE:
            return set()
        told = fast.loads(paths.read(path_of(project), MOST_BYTES))
        return {digest for digest, at in told.items() if isinstance(at, int)}
    except (OSError, ValueError, TypeError, AttributeError):
        return set()


def change(project: Project, add: set[str], drop: set[str]) -> set[str]:
    """Approve hashes and take approvals back; returns those in force. The caller holds the memory's transaction.

    Raises RalphMemError where they cannot be kept.
    """
    path, now = path_of(project), int(time.time())
    kept = (read(project) | add) - drop
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, fast.dumps(dict.fromkeys(sorted(kept), now)))
    except OSError as error:
        raise RalphMemError(f"what you approved cannot be kept: {error.strerror}", f"is {path} yours?") from error
    return kept
