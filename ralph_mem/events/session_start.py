"""SessionStart: make the memory ready, end what crashed, and tell where the work stands."""

import posix
import time

from ralph_mem.core import adoption, briefing, context, paths, provenance, receipts, sessions, spool, store, trouble
from ralph_mem.core import project as projects
from ralph_mem.core.errors import NewerStore, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

WAIT_MS = store.PROMPT_WAIT_MS
UNFINISHED = "unfinished"  # the property of a database with a forget that was killed
SOURCES = ("startup", "resume", "clear", "compact", "fork")
# A resumed session has its context window, and a fork its parent's.
EMPTY_WINDOW = ("startup", "clear", "compact")
TWO_KERNELS = (
    "another machine, or a container with a kernel of its own, has a session open on this memory; SQLite cannot keep two kernels"
    " apart: work here from one of them at a time"
)
DAY_S = 86_400


def open_store(project: "Project", wait_ms: int = WAIT_MS) -> "store.Store":
    """Open the memory, made where it is missing; one that is damaged is repaired first. Raises as `adoption.open_ready`."""
    provenance.admit(project, starting=True)
    try:
        if not _is_doubtful(project):
            return adoption.begin(project, wait_ms)
    except NewerStore:
        raise
    except StoreError:  # if it is damaged, that is seen below
        pass
    from ralph_mem import repair

    return repair.open_at_start(project, wait_ms)


def _is_doubtful(project: "Project") -> bool:
    """Say whether a memory should be looked at before it is used: it is gone, or an event could not be stored or answered.

    That is all the difference between a new project and one whose memory was deleted, so only who has backups is asked.
    """
    try:
        size = posix.stat(project.folder + "/memory.db").st_size
    except OSError:
        size = 0
    if not size:
        return paths.exists(paths.data_home() + "/backups")
    return any(map(paths.exists, trouble.places(project.root))) or bool(spool.pending(project.root))


def records(event: "Event", project: "Project", _settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the session."""
    branch, commit = projects.head(project)
    pid = paths.environment("CLAUDE_PID")
    pid = pid if pid.isascii() and pid.isdigit() and len(pid) < 11 else ""
    source = event.text("source")
    return [{
        "verb": "session", "session": event.session, "project": project.root, "at": event.at,
        "source": source if source in SOURCES else "startup", "model": event.text("model") or None,
        "transcript": event.text("transcript_path") or None, "branch": branch, "commit_id": commit,
        "pid": int(pid) if pid else None, "born": sessions.client(int(pid)) if pid else None,
    }]  # fmt: skip


def answer(opened: "store.Store", event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Return the briefing, and one line for the user where something went wrong before."""
    sessions.end_crashed(opened, event.at, event.session)
    found: dict[str, Any] = {}
    told = [adoption.notice(opened, project), trouble.take(project.root), TWO_KERNELS * sessions.elsewhere(opened, event.session)]
    line = "; ".join([text for text in told if text])
    if line:
        found["systemMessage"] = "ralph-mem: " + line
    text = _brief(opened, event, project, settings) if event.text("source") in EMPTY_WINDOW else ""
    if text:
        found["hookSpecificOutput"] = {"hookEventName": "SessionStart", "additionalContext": text}
    return found or None


def _brief(opened: "store.Store", event: "Event", project: "Project", settings: "dict[str, Any]") -> str:
    if not settings["memory.auto_inject"] or paths.LOOP in posix.environ:  # a loop tells its agent itself
        return ""
    number, tag = opened.one("SELECT id, fence FROM sessions WHERE client_session = ?", (event.session,))
    budget = settings["memory.inject_tokens_start"]
    text, items = briefing.build([opened, *_shared(project)], project, settings, number)
    if not text:
        return ""
    receipts.add(opened, number, None, "SessionStart", event.at, budget, items)
    return context.fence(text, tag, project, settings)


def _shared(project: "Project") -> "list[store.Store]":
    """Open the memory of all projects, brought up to date where it is older than the release, if there is one."""
    everywhere = projects.everywhere()
    if everywhere is None or not store.exists(everywhere.folder):
        return []
    try:
        opened = open_store(everywhere)
    except (StoreError, OSError) as error:  # the project's own memory is told all the same
        trouble.note(project.root, f"the memory of all projects could not be read ({error})")
        return []
    line = trouble.take(everywhere.root)
    if line:  # it was repaired
        trouble.note(project.root, line)
    return [opened]


def afterwards(opened: "store.Store", _event: "Event", settings: "dict[str, Any]") -> None:
    """Remember the interpreter, empty a log that a killed session left, or that holds what was forgotten, and have what
    is new embedded where that is set up; once a day, look whether all projects take too much.
    """
    adoption.remember_interpreter()
    if opened.log_bytes() > store.SMALL_LOG_BYTES or opened.property(store.FORGETTING):
        opened.checkpoint()
    if opened.property(UNFINISHED):
        from ralph_mem import resumption

        resumption.start(opened.folder)
    if paths.exists(paths.data_home() + paths.MODEL):
        from ralph_mem.core import wake

        wake.wake(opened.folder)
    if _day_has_gone(paths.data_home() + "/quota"):
        from ralph_mem import quota

        quota.tell_daily(opened.folder.rpartition("/")[0], settings)


def _day_has_gone(mark: str) -> bool:
    try:
        return abs(time.time() - posix.stat(mark).st_mtime) > DAY_S
    except OSError:  # never yet
        return True
