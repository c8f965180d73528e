"""Access: the memories that a person's command reads or changes, opened with errors that say what to do."""

import time

from ralph_mem.core import adoption, paths, records, spool, store
from ralph_mem.core import project as projects
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store

# A person who typed a command waits longer than a hook may.
WAIT_MS = 5000
PAUSE_MS = 50


def to_read(project: "Project") -> "list[Store]":
    """Open the memory of a project and that of all projects, as far as they are there, in this order.

    Raises StoreError where neither is.
    """
    found = [adoption.open_ready(place, WAIT_MS) for place in places(project) if store.exists(place.folder)]
    if not found:
        what = f"nothing is remembered for {project.root} yet"
        raise StoreError(what, "start Claude Code there with the plugin installed, or add a note with `inject`")
    return found


def to_change(project: "Project") -> "list[Store]":
    """Open what `to_read` opens, with the events that wait for it stored first: they are part of what is remembered."""
    return [to_write(place) for place in places(project) if store.exists(place.folder)] or to_read(project)


def to_write(place: "Project") -> "Store":
    """Open one memory, made where it is missing, with the events that wait for it stored. Raises StoreError."""
    try:
        opened = adoption.open_ready(place, WAIT_MS)
    except OSError as error:
        raise StoreError(
            f"cannot write to {place.folder}: {error.strerror}", "is the folder yours, and the disk not full?"
        ) from error
    with Change(opened) as change:
        drained = records.drain(change, place.root)
    spool.remove(drained)
    return opened


def places(project: "Project") -> "list[Project]":
    """Return the places whose memories belong to a project: its own, then the one of all projects."""
    everywhere = projects.everywhere()
    return [project, everywhere] if everywhere else [project]


def is_global(opened: "Store") -> bool:
    """Say whether a memory is the one of all projects."""
    return opened.folder == paths.config_home()


def empty_log(opened: "Store") -> bool:
    """Checkpoint as soon as nobody else is at work; says whether the log was emptied in time."""
    for _ in range(WAIT_MS // PAUSE_MS):
        if opened.checkpoint():
            return True
        time.sleep(PAUSE_MS / 1000)
    return False


def rewrite_indexes(opened: "Store") -> None:
    """Write both indexes anew, without what was deleted from them; takes a second for some 50 MB."""
    for index in ("memory_fts", "observations_fts"):
        opened.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")


class Change:
    """A durable transaction, as a context manager: committed at the end, rolled back where something is raised."""

    def __init__(self, opened: "Store") -> None:
        self.store = opened

    def __enter__(self) -> "Store":
        self.store.begin(durable=True)
        return self.store

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.store.commit()
        else:
            self.store.roll_back()
