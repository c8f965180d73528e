"""Complete what is stored of an event of another client than that of the plugin."""

from ralph_mem.core import session_pause
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts import known, others
from ralph_mem.memory import activities, conversation
from ralph_mem.memory.rows import receipts, tombstones, turns
from ralph_mem.memory.rows import records as write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.project import Activity, Project
    from ralph_mem.memory.store.connection import Store

    Records = list[dict[str, Any]]

# Where both the plugin and a file of the client run our hooks, they hear of an event within this time.
TWICE_MS = 10_000
UNHEARD = "unknown"  # the source of a session of which no start was heard


def late(seen: "Activity", place: "Project", values: "dict[str, Any]") -> "Records":
    """Return what is known only now of tools that a turn used: how commands ended that are stored, and edits; nothing of a session
    that was paused, or that was forgotten.
    """
    if session_pause.was_paused(seen.session):
        return []
    whole: Records = []
    for each in seen.late:
        privacy.rename(each)
        found = activities.records(each, place, values)
        if each.kind == "command":
            found = [{**record, "verb": write.OUTCOME} for record in found if record["verb"] == "observation"]
        whole += found
    return tombstones.left(whole)


def answer(module: "ModuleType", opened: "Store", seen: "Activity", place: "Project", values: "dict[str, Any]") -> "dict[str, str]":
    """Return what the module of an activity says; nothing to who asks twice. A session of which no start was heard is told of
    earlier ones with its first prompt.
    """
    _catch_up(opened, seen, place, values)
    if not hasattr(module, "answer") or (seen.kind in others.ANSWERED and not others.takes_in(seen)):
        return {}
    event = receipts.AT_START if seen.kind == "start" else receipts.AT_PROMPT
    if receipts.was_given(opened, seen.session, event, seen.turn, seen.at - TWICE_MS):
        return {}
    said: dict[str, str] = module.answer(opened, seen, place, values)
    if seen.kind != "prompt" or not turns.is_first_unheard(opened, seen.session, UNHEARD):
        return said
    from ralph_mem.interfaces.hooks import session_start  # lazy: only with the first prompt of a client that tells of no start

    start = type(seen)("start", **{**{key: value for key, value in seen.__dict__.items() if key != "kind"}, "source": "startup"})
    begun = session_start.answer(opened, start, place, values)
    return {key: "\n".join([each[key] for each in (begun, said) if each.get(key)]) for key in (*begun, *said)}


def _catch_up(opened: "Store", seen: "Activity", place: "Project", values: "dict[str, Any]") -> None:
    """Complete the last turns of clients whose answers stand in their records alone, which they may write later."""
    for host in known.ANSWERED_LATE:
        for session, event, since, ended in turns.unanswered(opened, host):
            text = "" if session_pause.was_paused(session) else others.said(host, session, since)
            if text:
                (response,), redactions = privacy.protect([text], place, values, seen.cwd)
                response = privacy.shorten(response, conversation.RESPONSE_CHARACTERS)
                write.apply(opened, write.close(session, event, ended, response, origin="agent", redactions=redactions))
