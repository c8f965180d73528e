"""Open the memories that a person's command reads or changes, with errors that say what to do."""

import posix
import time

from ralph_mem.core import paths, spool
from ralph_mem.core import project as projects
from ralph_mem.core.errors import StoreError
from ralph_mem.memory import opening
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection

# A person who typed a command waits longer than a hook may.
WAIT_MS = 5000
PAUSE_MS = 50


class NothingYet(StoreError):
    """Neither a project nor all projects have a memory."""


def to_read(project: "projects.Project") -> "list[connection.Store]":
    """Open the memories of a project and of all projects, as far as they are there, in this order.

    Raises NothingYet without any, StoreError where the project's cannot be opened; the other one is left out then.
    """
    own, *shared = places(project)
    found = [open_to_read(own)] if is_there(own) else []
    for place in shared:
        try:
            found += [open_to_read(place)] if connection.exists(place.folder) else []
        except StoreError:
            if not found:
                raise
    if not found:
        raise _nothing_yet(project)
    return found


def need_memory(project: "projects.Project") -> None:
    """Raise NothingYet where a project has no memory of its own, and nothing waits for one."""
    if not is_there(project) and not spool.pending(project.root):
        raise _nothing_yet(project)


def _nothing_yet(project: "projects.Project") -> NothingYet:
    what = f"nothing is remembered for {project.root} yet"
    return NothingYet(what, "`ralph-mem status` says whether it is recorded, `ralph-mem inject` keeps a note")


def to_look(project: "projects.Project", wait_ms: int) -> "list[connection.Store]":
    """Open what `to_read` opens as it lies there, for reading alone: nothing is made, brought up to date or set aside.

    What is there can be none. Raises StoreError where the project's cannot be opened.
    """
    from ralph_mem.memory import inspect  # lazy: only for a memory that is looked at

    own, *shared = places(project)
    found = [inspect.opened(own.folder, wait_ms)] if is_there(own) else []
    for opened in found:
        opened.tree = own.top
    for place in shared:
        try:
            found += [inspect.opened(place.folder, wait_ms)] if connection.exists(place.folder) else []
        except StoreError:  # told by `status` and `doctor`
            continue
    return found


def is_there(place: "projects.Project") -> bool:
    """Say whether a place has a memory. Raises StoreError for a folder that keeps that to itself."""
    if paths.exists(place.folder) and not posix.access(place.folder, posix.R_OK | posix.X_OK):
        raise StoreError(f"cannot look into {place.folder}", f"chmod 700 {place.folder}, if it is yours")
    return connection.exists(place.folder)


def pause(place: "projects.Project") -> None:
    """Switch recording off in a project, whether it has a memory or not. Raises StoreError."""
    try:
        opening.prepare(place)
        paths.write(f"{place.folder}/{paths.OFF}", "")
    except OSError as error:
        raise _not_writable(place, error) from error


def pause_session(session: str) -> None:
    """Record and tell nothing of one session from its next event on. Raises StoreError."""
    if not session or not paths.data_home():
        raise StoreError("it is not known which session this is", "type /mem pause session in the session; /mem pause is for all")
    from ralph_mem.core import session_pause  # lazy: only for a session that is paused

    try:
        session_pause.pause(session)
    except OSError as error:
        raise StoreError(f"the session cannot be paused: {error.strerror}", f"is {paths.data_home()} yours?") from error


def resume_session(session: str) -> bool:
    """Record and tell again in one session; says whether it was paused. Raises StoreError."""
    from ralph_mem.core import session_pause  # lazy: only for a session that may be paused

    try:
        return session_pause.end(session)
    except OSError as error:
        raise StoreError(f"the session cannot go on: {error.strerror}", f"remove {paths.pause_of(session)}") from error


def open_to_read(place: "projects.Project") -> "connection.Store":
    """Open the memory of one place, as it lies there where it cannot be written. Raises StoreError."""
    if closed(place) and connection.exists(place.folder):
        from ralph_mem.memory import inspect  # lazy: only for a memory that cannot be written

        return inspect.opened(place.folder, WAIT_MS)
    return open_one(place)


def closed(place: "projects.Project") -> str:
    """Return the folder or file in which a memory would have to be written and cannot, nothing where it can."""
    folder = place.folder if paths.is_folder(place.folder) else place.folder.rpartition("/")[0]
    if not posix.access(folder, posix.W_OK | posix.X_OK):
        return folder
    file = f"{place.folder}/memory.db"
    return file if paths.exists(file) and not posix.access(file, posix.W_OK) else ""


def open_one(place: "projects.Project") -> "connection.Store":
    """Open the memory of one place, made where it is missing. Raises StoreError."""
    try:
        return opening.open_ready(place, WAIT_MS)
    except OSError as error:
        raise _not_writable(place, error) from error
    except StoreError as error:
        from ralph_mem.memory import inspect  # lazy: only for a memory that cannot be opened

        if error.__cause__ is None or not inspect.is_damaged(error.__cause__):
            raise
        raise inspect.unusable(error.__cause__, place.folder) from error


def _not_writable(place: "projects.Project", error: OSError) -> StoreError:
    return StoreError(f"cannot write to {place.folder}: {error.strerror}", "is the folder yours, and the disk not full?")


def to_change(project: "projects.Project") -> "list[connection.Store]":
    """Open what `to_read` opens, with the events that wait for it stored first: they are part of what is remembered."""
    for opened in to_read(project):
        opened.close()
    own, *shared = places(project)
    found = [to_write(own)] if is_there(own) else []
    for place in shared:
        try:
            found += [to_write(place)] if connection.exists(place.folder) else []
        except StoreError:  # told by `status` and `doctor`
            continue
    return found


def to_write(place: "projects.Project") -> "connection.Store":
    """Open one memory, made where it is missing, with the events that wait for it stored. Raises StoreError."""
    opened = open_one(place)
    with Change(opened) as change:
        drained = _drain(change, place)
    spool.remove(drained)
    return opened


def writing(place: "projects.Project") -> "Change":
    """Open one memory as `to_write` does for one transaction, at whose end it is closed. Raises StoreError."""
    return Change(to_write(place), closes=True)


def _drain(opened: "connection.Store", place: "projects.Project") -> "list[str]":
    if not spool.pending(place.root):
        return []
    from ralph_mem.memory.rows import draining  # lazy: only where something waits

    return draining.drain(opened, place.root)


def places(project: "projects.Project") -> "list[projects.Project]":
    """Return the places whose memories belong to a project: its own, then the one of all projects."""
    everywhere = projects.everywhere()
    return [project, everywhere] if everywhere else [project]


def is_global(opened: "connection.Store") -> bool:
    """Say whether a memory is the one of all projects."""
    return opened.folder == paths.config_home()


def empty_log(opened: "connection.Store") -> bool:
    """Checkpoint as soon as nobody else is at work; says whether the log was emptied in time."""
    end = time.monotonic() + WAIT_MS / 1000
    while not opened.checkpoint():
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE_MS / 1000)
    return True


def rewrite(opened: "connection.Store") -> bool:
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
    """A transaction, as a context manager: committed at the end, rolled back where something is raised.

    One that is not durable a power cut may take back; one that `closes` was all that the store was opened for.
    """

    def __init__(self, opened: "connection.Store", durable: bool = True, closes: bool = False) -> None:
        self.store, self.durable, self.closes = opened, durable, closes

    def __enter__(self) -> "connection.Store":
        try:
            self.store.begin(self.durable)
        except BaseException:
            self._close()
            raise
        return self.store

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.store.commit()
        finally:
            self.store.roll_back()  # whatever is still under way
            self._close()

    def _close(self) -> None:
        if self.closes:
            self.store.close()


class BackgroundChange(Change):
    """A change that nobody waits for, unless the store says so: it keeps away afterwards for as long as it took.

    SQLite gives its lock to whoever asks first, so a hook would wait for the last of many changes in a row.
    """

    def __enter__(self) -> "connection.Store":
        opened = super().__enter__()
        self.began = time.monotonic()
        return opened

    def __exit__(self, kind: object, *_: object) -> None:
        super().__exit__(kind)
        if self.store.lock >= 0 and not self.store.is_awaited:  # or it is a copy in main memory, which nobody else has open
            time.sleep(time.monotonic() - self.began)
