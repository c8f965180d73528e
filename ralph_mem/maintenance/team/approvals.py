"""Keep outside of the repository what of a team a person has approved, and say what holds by that."""

import os
import posix
import stat
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import day
from ralph_mem.core.project import Project
from ralph_mem.maintenance.team.shared_item import Shared

MOST_BYTES = 33_554_432  # 200,000 items
OTHERS_MAY_WRITE = 0o022
PARTS = APPROVED, ITEMS, STORES, KEYS = ("approved", "items", "stores", "keys")
WAITING, TOLD, REPLACED, BESIDE = "waiting", "approved", "replaced", "beside a newer one"
SAID_TOO = "said otherwise on"


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


class Standing(NamedTuple):
    """How an item stands, and the successors of the same item that are told with it, newest first."""

    word: str
    others: tuple[Shared, ...] = ()


def standings(items: Mapping[str, Shared], approved: Iterable[str]) -> dict[str, Standing]:
    """Return how each item stands; `approved` are the ids of those that a person here has approved or said themselves.

    What nobody has approved waits, and replaces nothing. Of approved successors of one item that replace each other not, the
    newest is told, with the others behind it.
    """
    held = {name: items[name] for name in approved if name in items}
    replaced = {old for item in held.values() for old in item.supersedes}
    found = {name: Standing(WAITING) for name in items if name not in held}
    found.update({name: Standing(REPLACED) for name in held if name in replaced})
    standing = {name: item for name, item in held.items() if name not in replaced}
    for group in _of_one_origin(standing):
        newest, *others = sorted(group, key=lambda item: (-item.at, item.id))
        found[newest.id] = Standing(TOLD, tuple(others))
        found.update({other.id: Standing(BESIDE, tuple(each for each in (newest, *others) if each != other)) for other in others})
    return found


def _of_one_origin(items: Mapping[str, Shared]) -> list[list[Shared]]:
    """Return items in groups: those that replace a common one belong together, all others stand alone."""
    groups: list[tuple[set[str], list[Shared]]] = []
    for item in items.values():
        olds, members = set(item.supersedes), [item]
        for group in [each for each in groups if each[0] & olds]:
            groups.remove(group)
            olds |= group[0]
            members += group[1]
        if not item.supersedes:
            olds = set()
        groups.append((olds, members))
    return [members for _, members in groups]


def beside(others: Iterable[Shared]) -> str:
    """Return what is told behind an item that others contradict, a line each, newest first."""
    return "\n".join([f"{each.author} {SAID_TOO} {day(each.at)} [{each.id}]: {' '.join(each.body.split())}" for each in others])
