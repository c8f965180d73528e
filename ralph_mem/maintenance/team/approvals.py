"""Keep outside of the repository which items of a team a person has approved, and where its server is."""

import os
import posix
import stat
import time
from typing import Any

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project

MOST_BYTES = 16_777_216  # 100,000 items
OTHERS_MAY_WRITE = 0o022
APPROVED, STORES, KEYS = "approved", "stores", "keys"


def path_of(project: Project) -> str:
    """Return where a project's approvals lie. Raises RalphMemError where that is inside of the project, or nowhere."""
    home, root = paths.data_home(), os.path.realpath(project.root).rstrip("/") + "/"
    if not home or (home.startswith(root) and not (paths.environment("HOME") + "/").startswith(root)):
        raise RalphMemError("there is no home folder for what you approve", "set HOME to a folder outside of the project")
    return f"{home}/{paths.TEAM}/{paths.key_of(project.root)}.json"


def read(project: Project) -> set[str]:
    """Return the hashes that a person has approved; what others could have written holds none."""
    return {digest for digest, at in _read(project, APPROVED).items() if isinstance(at, int)}


def stores(project: Project) -> dict[str, str]:
    """Return the addresses of the servers that a project has joined, by the names of their teams."""
    return {name: address for name, address in _read(project, STORES).items() if isinstance(address, str)}


def keys(project: Project) -> dict[str, str]:
    """Return the files of the keys by the names of the teams whose texts they lock."""
    return {name: path for name, path in _read(project, KEYS).items() if isinstance(path, str)}


def change(project: Project, add: set[str], drop: set[str]) -> None:
    """Approve hashes and take approvals back. The caller holds the memory's transaction. Raises RalphMemError."""
    now, known = int(time.time()), _read(project, APPROVED)
    _write(project, APPROVED, {**known, **{digest: now for digest in add if digest not in known}}, drop)


def join(project: Project, team: str, address: str, key: str = "") -> None:
    """Keep the address of a team's server and the file of its key, no address to leave it. Without a new key the old one stays.

    The caller holds the memory's transaction. Raises RalphMemError.
    """
    _write(project, STORES, {**_read(project, STORES), team: address}, set() if address else {team})
    if key or not address:
        _write(project, KEYS, {**_read(project, KEYS), team: key}, set() if key else {team})


def _read(project: Project, part: str) -> dict[str, Any]:
    try:
        known = posix.lstat(path_of(project))
        if known.st_uid != posix.geteuid() or stat.S_IFMT(known.st_mode) != stat.S_IFREG or known.st_mode & OTHERS_MAY_WRITE:
            return {}
        return dict(fast.loads(paths.read(path_of(project), MOST_BYTES))[part])
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _write(project: Project, part: str, values: dict[str, Any], drop: set[str]) -> None:
    path = path_of(project)
    whole = {name: _read(project, name) for name in (APPROVED, STORES, KEYS)}
    whole[part] = {name: value for name, value in sorted(values.items()) if name not in drop}
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, fast.dumps(whole))
    except OSError as error:
        raise RalphMemError(f"what you approved cannot be kept: {error.strerror}", f"is {path} yours?") from error
