"""The door behind `hooks/run.py`: takes an event in, lets its file say what to store and what to answer, and fails open.

A file of an event has `records(event, project, settings)`: what to store. It may have `open_store`, where opening takes
more than connecting, `answer`, which runs in the transaction after the records and returns what to print,
`afterwards`, which runs when the user no longer waits for the answer, `go_on`, with which a live loop has the last word
once the event is stored, and `DURABLE`, `WAIT_MS`.
"""

import posix

from ralph_mem.core import event as events
from ralph_mem.core import paths, project, quick, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

NAMES = (
    "session-start", "user-prompt-submit", "post-tool-use", "post-tool-use-failure", "stop", "subagent-stop", "pre-compact",
    "post-compact", "session-end",
)  # fmt: skip


def enter(name: str = "") -> str:
    """Handle the event on stdin; returns what to print, nothing for nearly all. Raises only what nobody foresaw."""
    posix.umask(0o077)
    if name not in NAMES:
        return ""
    event = events.read(name)
    if not event.session:
        return ""
    place = project.find(paths.environment("CLAUDE_PROJECT_DIR") or event.text("cwd") or posix.getcwd())
    values = settings.load(place)
    if not settings.recording(place, values):
        return ""
    try:
        file = _file_of(name)
    except ImportError as error:  # a Python that was built without SQLite
        return _tell(event, place, "nothing can be remembered" if name == "session-start" else "", error)
    said = _handle(file, event, place, values)
    return str(said or file.go_on(event, place, values)) if hasattr(file, "go_on") else said


def _file_of(name: str) -> "ModuleType":
    module = "ralph_mem.events." + name.replace("-", "_")
    return __import__(module, None, None, ("records",))


def _handle(file: "ModuleType", event: events.Event, place: project.Project, values: "dict[str, Any]") -> str:
    records: list[dict[str, Any]] = []
    try:
        records = file.records(event, place, values)
        if not records and not hasattr(file, "answer"):
            return ""
        # loaded only now, since an event that leaves nothing does not need the database
        from ralph_mem.events import transaction

        answer = transaction.run(file, records, event, place, values)
    except Exception as error:  # the one place that must survive everything: keep what is redacted, and tell
        told = _tell(event, place, _keep(place, records), error)
        return _from_a_copy(file, records, event, place, values, told) if hasattr(file, "answer") else told
    return quick.dumps(answer) if answer else ""


def _from_a_copy(
    file: "ModuleType",
    records: "list[dict[str, Any]]",
    event: events.Event,
    place: project.Project,
    values: "dict[str, Any]",
    told: str,
) -> str:
    """Answer from a memory that can only be read, and add what is told about that."""
    from ralph_mem import unwritable

    answer = unwritable.answer(file, records, event, place, values)
    return quick.dumps({**answer, **(quick.loads(told) if told else {})}) if answer else told


def _keep(place: project.Project, records: "list[dict[str, Any]]") -> str:
    """Keep records for later; returns what became of them, nothing where there is no memory to keep them for."""
    from ralph_mem.core import spool

    there = paths.exists(place.folder)
    starting = any([record["verb"] == "session" for record in records])
    # a memory that was deleted in the middle of a session stays deleted until the next start
    if not (there or starting or spool.waits_for_a_memory(place.root)):
        return ""
    return "an event waits to be stored" if records and spool.put(place.root, records) else "an event was lost"


def _tell(event: events.Event, place: project.Project, outcome: str, error: Exception) -> str:
    """Tell about trouble: at a session start at once, otherwise at the next one."""
    from ralph_mem.core import trouble

    line = f"{outcome}: {error}"
    if event.name == "session-start":
        trouble.take(place.root)
        return quick.dumps({"systemMessage": "ralph-mem: " + line[:300].replace("\n", " ")})
    if outcome:
        trouble.note(place.root, line)
    return ""
