"""Open the memories that a person's command reads or changes, with errors that say what to do."""

import posix
import time

from ralph_mem.core import paths, spool
from ralph_mem.core import project as projects
from ralph_mem.core.errors import StoreError
from ralph_mem.memory import opening
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.memory.store.connection import Store

# A person who typed a command waits longer than a hook may.
WAIT_MS = 5000
PAUSE_MS = 50


def to_read(project: "Project") -> "list[Store]":
    """Open the memory of a project and that of all projects, as far as they are there, in this order.

    Raises StoreError where neither is, and where the project's own cannot be opened; that of all projects is left out
    then, which `status` and `doctor` tell.
    """
    own, *shared = places(project)
    found = [_open(own)] if _is_there(own) else []
    for place in shared:
        try:
            found += [_open(place)] if connection.exists(place.folder) else []
        except StoreError:
            if not found:
                raise
    if not found:
        what = f"nothing is remembered for {project.root} yet"
        raise StoreError(what, "start Claude Code there with the plugin installed, or add a note (/mem-inject, `ralph-mem inject`)")
    return found


def _is_there(place: "Project") -> bool:
    """Say whether a place has a memory. Raises StoreError for a folder that keeps that to itself."""
    if paths.exists(place.folder) and not posix.access(place.folder, posix.R_OK | posix.X_OK):
        raise StoreError(f"cannot look into {place.folder}", f"chmod 700 {place.folder}, if it is yours")
    return connection.exists(place.folder)


def pause(place: "Project") -> None:
    """Switch recording off in a project, whether it has a memory or not. Raises StoreError."""
    try:
        opening.prepare(place)
        paths.write(f"{place.folder}/{paths.OFF}", "")
    except OSError as error:
        raise _not_writable(place, error) from error


def _open(place: "Project") -> "Store":
    try:
        return opening.open_ready(place, WAIT_MS)
    except OSError as error:
        raise _not_writable(place, error) from error


def _not_writable(place: "Project", error: OSError) -> StoreError:
    return StoreError(f"cannot write to {place.folder}: {error.strerror}", "is the folder yours, and the disk not full?")


def to_change(project: "Project") -> "list[Store]":
    """Open what `to_read` opens, with the events that wait for it stored first: they are part of what is remembered."""
    for opened in to_read(project):
        opened.close()
    own, *shared = places(project)
    found = [to_write(own)] if _is_there(own) else []
    for place in shared:
        try:
            found += [to_write(place)] if connection.exists(place.folder) else []
        except StoreError:  # told by `status` and `doctor`
            continue
    return found


def to_write(place: "Project") -> "Store":
    """Open one memory, made where it is missing, with the events that wait for it stored. Raises StoreError."""
    opened = _open(place)
    with Change(opened) as change:
        drained = _drain(change, place)
    spool.remove(drained)
    return opened


def _drain(opened: "Store", place: "Project") -> "list[str]":
    if not spool.pending(place.root):
        return []
    from ralph_mem.memory.rows import draining  # lazy: only where something waits

    return draining.drain(opened, place.root)


def places(project: "Project") -> "list[Project]":
    """Return the places whose memories belong to a project: its own, then the one of all projects."""
    everywhere = projects.everywhere()
    return [project, everywhere] if everywhere else [project]


def is_global(opened: "Store") -> bool:
    """Say whether a memory is the one of all projects."""
    return opened.folder == paths.config_home()


def empty_log(opened: "Store") -> bool:
    """Checkpoint as soon as nobody else is at work; says whether the log was emptied in time."""
    end = time.monotonic() + WAIT_MS / 1000
    while not opened.checkpoint():
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE_MS / 1000)
    return True


def rewrite(opened: "Store") -> bool:
    """Write the indexes and the whole file anew, without what was deleted from them; takes a second for some 50 MB.

    Overwriting what is freed (`secure_delete`) is not enough: bytes stay between the cells of a page that was rebuilt.
    Says whether the log was emptied too; where it was not, or the disk is full, the next session start tries it again.
    """
    opened.set_property(connection.FORGETTING, 1)
    try:
        kinds.rewrite_indexes(opened)
        opened.execute("VACUUM")
    except connection.sqlite.Error:  # what is left then, the one who asked reads in the files
        return empty_log(opened)
    if not empty_log(opened):
        return False
    opened.set_property(connection.FORGETTING, None)
    return empty_log(opened)


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
