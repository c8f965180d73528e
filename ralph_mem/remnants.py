"""Remnants: a secret that was cut out of a memory lies in the copies of it as well. They are scrubbed as the memory is.

A backup that cannot be, such as one that an older release wrote, goes, and one of today takes its place. What was set aside
is left alone, and named.
"""

import time
from collections import namedtuple
from pathlib import Path

from ralph_mem import artefacts, backups, copies, reclaiming, scrubbing, unfinished
from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store
    from ralph_mem.scrubbing import Protect

# Paths of copies: those that hold a secret, or were written anew without it; those that go; those into which nobody looks.
Remnants = namedtuple("Remnants", "scrubbed removed unread")


def remembering(protect: "Protect") -> "Protect":
    """Return a protector that looks once at a text in which it finds nothing: a backup says mostly what the memory says."""
    clean: set[int] = set()

    def once(text: str) -> "tuple[str, dict[str, int]]":
        if hash(text) in clean:
            return text, {}
        safe, counts = protect(text)
        if safe == text and not counts:
            clean.add(hash(text))
        return safe, counts

    return once


def look(project: "Project", stores: "list[Store]", protect: "Protect", tell: "Callable[[str], object]" = len) -> Remnants:
    """Return what a scrub would do to the copies of memories, nothing changed."""
    found = artefacts.of(project, stores)
    told = Remnants([], [], [])
    for artefact in found:
        path = artefact.path
        if artefact.kind not in (artefacts.COPY, artefacts.ASIDE) or path not in copies.databases([path]):
            continue  # a log goes with its database
        tell(f"looking into {Path(path).name}")
        if artefact.kind == artefacts.ASIDE and reclaiming.foreign(path):
            told.unread.append(path)
        else:
            _look_into(told, path, protect)
    return told


def _look_into(told: Remnants, path: str, protect: "Protect") -> None:
    held: list[bool] = []

    def is_changed(opened: "Store") -> bool:
        held.append(bool(scrubbing.preview(opened, protect).counts))
        return False

    if copies.rewrite(path, is_changed) is None:
        told.scrubbed.extend([path] if held[0] else [])
    else:
        (told.removed if path.startswith(paths.data_home() + "/backups/") else told.unread).append(path)


def scrub(project: "Project", stores: "list[Store]", protect: "Protect", tell: "Callable[[str], object]" = len) -> Remnants:
    """Scrub the copies of memories, after these themselves. Raises OSError or StoreError where no new backup can be made.

    A forget writes the same copies anew, and each would undo what the other does: one waits, or raises RalphMemError.
    """
    with unfinished.Lock():
        return _scrub(project, stores, protect, tell)


def _scrub(project: "Project", stores: "list[Store]", protect: "Protect", tell: "Callable[[str], object]") -> Remnants:
    told = look(project, stores, protect, tell)
    for path in list(told.scrubbed):
        tell(f"scrubbing {Path(path).name}")
        if not copies.rewrite(path, lambda opened: scrubbing.scrub(opened, protect)[0].touched):
            told.scrubbed.remove(path)
            told.unread.append(path)
    if told.removed:
        for store in stores:
            backups.make(store, time.time_ns() // 1_000_000)
    for path in told.removed:
        copies.remove(path)
    return told
