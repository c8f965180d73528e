"""Stop: the agent has said its last word of the turn, which is a free summary of it."""

import posix

from ralph_mem.core import keeping, paths, privacy, redact, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

WAIT_MS = store.PROMPT_WAIT_MS
RESPONSE_CHARACTERS = 4000
# Two sessions may stop at once: the later one counts.
MARK = """
INSERT INTO properties (key, value) VALUES ('stopped_at', ?)
ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)"""


def records(event: "Event", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the end of the turn."""
    (response,), redactions = privacy.protect([event.text("last_assistant_message")], project, settings, event.text("cwd"))
    return [closing(event, privacy.shorten(response, RESPONSE_CHARACTERS), redactions)]


def closing(event: "Event", response: str, redactions: "str | None") -> "dict[str, Any]":
    """Return the record that closes a turn. It can open the turn as well, where its prompt was never seen."""
    return {
        "verb": "close", "session": event.session, "turn": event.turn, "at": event.at, "status": "stopped",
        "response": response, "kind": "notification", "origin": "agent", "prompt": "", "branch": None, "commit_id": None,
        "redactions": redactions, "redaction_version": redact.RULES_VERSION,
    }  # fmt: skip


def afterwards(opened: "store.Store", event: "Event", settings: "dict[str, Any]") -> None:
    """Leave the store so that the next turn is quick, and old output without its body."""
    keeping.keep(opened, settings, event.at)
    _mark(opened, event.at)
    opened.tidy()
    if abs(event.at - (opened.property("backed_up_at") or 0)) > keeping.DAY_MS:
        from ralph_mem import backups

        backups.keep(opened, event.at)
    if paths.exists(paths.data_home() + paths.MODEL):
        from ralph_mem.core import wake

        wake.wake(opened.folder)


def _mark(opened: "store.Store", at: int) -> None:
    """Note in the memory and outside of it until when all is stored: a log that is lost shows by that."""
    opened.execute(MARK, (at,))
    try:
        posix.utime(f"{paths.data_home()}/projects/{opened.property('project_id')}.json", ns=(at * 1_000_000, at * 1_000_000))
    except OSError:  # a home without a registry
        pass


def go_on(event: "Event", project: "Project", settings: "dict[str, Any]") -> str:
    """Let a loop that is live in this project decide what comes now; returns what to print."""
    if not paths.exists(f"{paths.data_home()}/loops/{paths.key_of(project.top)}/live.json"):
        return ""
    from ralph_mem.events import looping

    return looping.go_on(event, project, settings)
