"""The files by which a repository's people share items, one each, read as what a stranger wrote."""

import os
import stat
from typing import NamedTuple

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.maintenance.team import shared_item
from ralph_mem.maintenance.team.shared_item import Refused, Shared

SUFFIX = ".md"
# The longest item with all that its head may hold, four bytes a character.
MOST_BYTES = 4 * (shared_item.MOST_CHARACTERS + 2 * shared_item.MOST_NAMED * (shared_item.ANCHOR_CHARACTERS + 20))
# As many as a local copy holds; a repository with more files has a server.
MOST_FILES = 50_000


class Read(NamedTuple):
    """What a repository's files hold: the items, and of what was refused the path in it and why."""

    items: list[Shared]
    refused: list[tuple[str, str]]


def path_of(item: Shared) -> str:
    """Return where an item lies, below the top of the project."""
    return f"{paths.TEAM_FILES}/{item.kind}/{item.id}{SUFFIX}"


def write(project: Project, item: Shared) -> str:
    """Write the file of an item for its owner to commit; returns its path below the top of the project. Raises RalphMemError."""
    where = path_of(item)
    try:
        folder = project.top
        for part in where.split("/")[:-1]:
            folder = f"{folder}/{part}"
            if not os.path.lexists(folder):
                os.mkdir(folder)
            if not paths.is_folder(folder):
                raise RalphMemError(f"{folder} is no folder of this repository", "it may be a link: nothing is written through one")
        draft = f"{project.top}/{where}.{os.getpid()}"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        with os.fdopen(file, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(shared_item.text_of(item))
        os.replace(draft, f"{project.top}/{where}")
    except OSError as error:
        raise RalphMemError(f"cannot write {where}: {error.strerror}", "is the folder yours, and the disk not full?") from error
    return where


def read(project: Project, now: int) -> Read:
    """Return what the files of a work tree hold; what is not as an item has to be is refused, and the rest read."""
    found = Read([], [])
    seen: dict[str, str] = {}
    for kind, name in _named(project):
        where = f"{paths.TEAM_FILES}/{kind}/{name}"
        try:
            item = _item(project, where, seen, now)
        except Refused as error:
            found.refused.append((where, str(error)))
            continue
        seen[item.id] = where
        found.items.append(item)
    return found


def _item(project: Project, where: str, seen: dict[str, str], now: int) -> Shared:
    """Return the item of a file. Raises Refused, also for one of another name than its own."""
    item = shared_item.read(_text(f"{project.top}/{where}"), now)
    if path_of(item) != where:
        raise Refused("its name is not made of its kind and its id")
    if item.id in seen:
        raise Refused(f"{seen[item.id]} has the same id")
    return item


def _named(project: Project) -> list[tuple[str, str]]:
    """Return the files by the folder of their kind and their name. Raises RalphMemError for a folder that leads elsewhere."""
    top = f"{project.top}/{paths.TEAM_FILES}"
    if not os.path.lexists(top):
        return []
    if not paths.is_folder(top):
        raise RalphMemError(f"{paths.TEAM_FILES} is no folder", "it may be a link, which is not followed; nothing was taken in")
    kinds = [kind for kind in shared_item.KINDS if paths.is_folder(f"{top}/{kind}")]
    found = [(kind, name) for kind in kinds for name in paths.names(f"{top}/{kind}") if name.endswith(SUFFIX)]
    if len(found) > MOST_FILES:
        raise RalphMemError(f"{paths.TEAM_FILES} has {len(found):,} files, more than {MOST_FILES:,}", "is it the right folder?")
    return found


def _text(path: str) -> str:
    """Return a file's text. Raises Refused for what is no plain file, too large, or no UTF-8."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        raise Refused("it is no plain file that can be read") from None
    try:
        known = os.fstat(file)
        if not stat.S_ISREG(known.st_mode):
            raise Refused("it is no plain file")
        if known.st_size > MOST_BYTES:
            raise Refused(f"it has {known.st_size:,} bytes, more than {MOST_BYTES:,}")
        return os.read(file, MOST_BYTES + 1).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("it is no UTF-8") from None
    except OSError:
        raise Refused("it cannot be read") from None
    finally:
        os.close(file)
