"""SessionStart: make the memory ready, end what crashed, and tell where the work stands."""

import posix

from ralph_mem.core import adoption, briefing, context, paths, receipts, sessions, store, trouble
from ralph_mem.core import project as projects
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

WAIT_MS = store.PROMPT_WAIT_MS
SOURCES = ("startup", "resume", "clear", "compact", "fork")
# A resumed session has its context window, and a fork its parent's.
EMPTY_WINDOW = ("startup", "clear", "compact")

open_store = adoption.open_ready


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
        "pid": int(pid) if pid else None, "born": sessions.born(int(pid)) if pid else None,
    }]  # fmt: skip


def answer(opened: "store.Store", event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Return the briefing, and one line for the user where something went wrong before."""
    sessions.end_crashed(opened, event.at, event.session)
    found: dict[str, Any] = {}
    line = "; ".join([text for text in (adoption.notice(opened, project), trouble.take(project.root)) if text])
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
        return [adoption.open_ready(everywhere, WAIT_MS)]
    except (StoreError, OSError) as error:  # the project's own memory is told all the same
        trouble.note(project.root, f"the memory of all projects could not be read ({error})")
        return []


def afterwards(opened: "store.Store", _event: "Event", _settings: "dict[str, Any]") -> None:
    """Remember the interpreter, empty a log that a killed session left, or that holds what was forgotten, and have what
    is new embedded where that is set up.
    """
    adoption.remember_interpreter()
    if opened.log_bytes() > store.SMALL_LOG_BYTES or opened.property(store.FORGETTING):
        opened.checkpoint()
    if paths.exists(paths.data_home() + paths.MODEL):
        from ralph_mem.core import wake

        wake.wake(opened.folder)
