"""The one transaction of an event: what waits in the spool, the event's records, its answer, commit."""

from ralph_mem.core import records as write
from ralph_mem.core import spool, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

# Before Python 3.11 a connection that nobody holds is closed at once, and to close the last one costs four fsyncs.
KEPT: "list[store.Store]" = []


def run(
    file: "ModuleType", records: "list[dict[str, Any]]", event: "Event", project: "Project", settings: "dict[str, Any]"
) -> "dict[str, Any] | None":
    """Store the records of an event and return its answer, acknowledged only when both are committed.

    Raises whatever keeps the records from being stored; an answer that fails costs nothing but itself.
    """
    opened = getattr(file, "open_store", _connect)(project, getattr(file, "WAIT_MS", store.TOOL_WAIT_MS))
    KEPT.append(opened)
    opened.begin(getattr(file, "DURABLE", False))
    try:
        drained = write.drain(opened, project.root)
        for record in records:
            write.apply(opened, record)
        answer = _answer(file, opened, event, project, settings)
        opened.commit()
    except BaseException:
        opened.roll_back()
        raise
    spool.remove(drained)
    _afterwards(file, opened, event, settings)
    return answer


def _connect(project: "Project", wait_ms: int) -> store.Store:
    return store.connect(project.folder, wait_ms)


def _answer(
    file: "ModuleType", opened: store.Store, event: "Event", project: "Project", settings: "dict[str, Any]"
) -> "dict[str, Any] | None":
    if not hasattr(file, "answer"):
        return None
    opened.execute("SAVEPOINT answering")
    try:
        answer: dict[str, Any] | None = file.answer(opened, event, project, settings)
    except Exception as error:  # the prompt must be stored even where nothing can be said about it
        opened.execute("ROLLBACK TO answering")
        _note(project, error)
        answer = None
    opened.execute("RELEASE answering")
    return answer


def _note(project: "Project", error: Exception) -> None:
    from ralph_mem.core import trouble

    trouble.note(project.root, f"nothing could be recalled ({error})")


def _afterwards(file: "ModuleType", opened: store.Store, event: "Event", settings: "dict[str, Any]") -> None:
    """Tidy up after the commit; what fails here is done by the next event."""
    try:
        if hasattr(file, "afterwards"):
            file.afterwards(opened, event, settings)
        elif opened.log_bytes() > store.LARGE_LOG_BYTES:
            opened.checkpoint()
    except store.sqlite.Error:
        pass
