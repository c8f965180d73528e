"""Looping: once its event is stored, a loop that is live in the session has the last word. Loaded only where there is one."""

from ralph_mem.core import quick
from ralph_mem.events import transaction
from ralph_mem.ralph import in_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project


def go_on(event: "Event", project: "Project", settings: "dict[str, Any]") -> str:
    """Return what a loop answers to a Stop; one that cannot go on says so, and leaves the session alone."""
    for opened in transaction.KEPT:  # checks take minutes, in which others want to tidy up
        opened.close()
    try:
        answer = in_session.step(event, project, settings)
    except Exception as error:
        answer = {"systemMessage": "ralph-mem: the loop cannot go on: " + " ".join(str(error).split())[:300]}
    return quick.dumps(answer) if answer else ""


def end(event: "Event", project: "Project") -> str:
    """End the loop of a session that ends; returns that there is nothing to say."""
    try:
        in_session.end(event, project)
    except Exception:  # the next command that looks at the loop finds that its client has gone
        return ""
    return ""
