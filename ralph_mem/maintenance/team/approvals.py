"""Keep outside of the repository which items of a team a person has approved, and where its server is."""

import os
import posix
import stat
import time
from collections.abc import Mapping
from typing import Any

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project

MOST_BYTES = 33_554_432  # 200,000 items
OTHERS_MAY_WRITE = 0o022
PARTS = APPROVED, ITEMS, STORES, KEYS = ("approved", "items", "stores", "keys")


def path_of(project: Project) -> str:
    """Return where a project's approvals lie. Raises RalphMemError where that is inside of the project, or nowhere."""
    home, root = paths.data_home(), os.path.realpath(project.root).rstrip("/") + "/"
    if not home or (home.startswith(root) and not (paths.environment("HOME") + "/").startswith(root)):
        raise RalphMemError("there is no home folder for what you approve", "set HOME to a folder outside of the project")
    return f"{home}/{paths.TEAM}/{paths.key_of(project.root)}.json"


def read(project: Project) -> set[str]:
    """Return the hashes that a person has approved; what others could have written holds none."""
    return {digest for digest, at in _read(project, APPROVED).items() if isinstance(at, int)}


def items(project: Project) -> set[str]:
    """Return the ids of the items of which a person has approved a text, be it the one that is there now or an earlier one."""
    return set(_texts(project, ITEMS).values())


def stores(project: Project) -> dict[str, str]:
    """Return the addresses of the servers that a project has joined, by the names of their teams."""
    return _texts(project, STORES)


def keys(project: Project) -> dict[str, str]:
    """Return the files of the keys by the names of the teams whose texts they lock."""
    return _texts(project, KEYS)


def change(project: Project, digests: Mapping[str, str], take_back: bool = False) -> None:
    """Approve hashes, each given with the id of its item, or take back whatever was approved of these items.

    The caller holds the memory's transaction. Raises RalphMemError.
    """
    known = {**_texts(project, ITEMS), **digests}
    approved = {**dict.fromkeys(digests, int(time.time())), **_read(project, APPROVED)}
    names = set(digests.values()) if take_back else set()
    kept = {digest: at for digest, at in approved.items() if known.get(digest) not in names}
    _write(project, {APPROVED: kept, ITEMS: {digest: name for digest, name in known.items() if digest in kept}})


def join(project: Project, team: str, address: str, key: str = "") -> None:
    """Keep the address of a team's server and the file of its key, no address to leave it. Without a new key the old one stays.

    The caller holds the memory's transaction. Raises RalphMemError.
    """
    file = (key or keys(project).get(team, "")) if address else ""
    _write(project, {STORES: {**stores(project), team: address}, KEYS: {**keys(project), team: file}})


def _texts(project: Project, part: str) -> dict[str, str]:
    return {name: value for name, value in _read(project, part).items() if isinstance(value, str)}


def _read(project: Project, part: str) -> dict[str, Any]:
    try:
        known = posix.lstat(path_of(project))
        if known.st_uid != posix.geteuid() or stat.S_IFMT(known.st_mode) != stat.S_IFREG or known.st_mode & OTHERS_MAY_WRITE:
            return {}
        return dict(fast.loads(paths.read(path_of(project), MOST_BYTES))[part])
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _write(project: Project, changed: dict[str, dict[str, Any]]) -> None:
    """Write parts anew, without what is empty in them, and leave the others."""
    path = path_of(project)
    parts = {part: changed[part] if part in changed else _read(project, part) for part in PARTS}
    whole = {part: {name: value for name, value in sorted(values.items()) if value} for part, values in parts.items()}
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, fast.dumps(whole))
    except OSError as error:
        raise RalphMemError(f"what you approved cannot be kept: {error.strerror}", f"is {path} yours?") from error
