"""Turns: one prompt and what followed, opened by the prompt, closed by Stop (closing.py) or by whatever comes instead."""

from ralph_mem.core import row
from ralph_mem.core.errors import UnknownSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

# What the neighbours of a turn lend it for finding it: measured on conversations, +0.17 recall at ten.
CONTEXT_TURNS = 2
LAST = 2**62
CONTEXT_CHARACTERS = 80  # of the prompt and of the answer each
NOTIFICATION = "<task-notification>"

OPEN = """
INSERT INTO turns (
    public_id, event_id, session_id, seq, kind, status, origin, prompt, response, context, files, files_read, lines,
    branch, commit_id, tokens, checksum, redactions, redaction_version, scan_level, index_version, created_at)
SELECT ?, ?, s.id,
    max(?, 1 + coalesce((SELECT max(seq) FROM turns WHERE session_id = s.id), 0),
           1 + coalesce((SELECT max(seq) FROM observations WHERE session_id = s.id), 0)),
    ?, 'open', ?, ?, '', ?, '', '', '', ?, ?, ?, ?, ?, ?, 1, 0, ?
FROM sessions AS s WHERE s.client_session = ?
ON CONFLICT (event_id) DO NOTHING"""


def kind_of(prompt: str) -> str:
    """Return the kind of turn that a prompt opens: the user's own words, a command of ours, a notification of the client."""
    text = prompt.lstrip()
    if text.startswith(NOTIFICATION):
        return "notification"
    name = text[1:].split(None, 1)[0] if text[:1] == "/" and text[1:2].strip() else ""
    name = name.removeprefix("ralph-mem:")
    if name.startswith("mem-"):
        return "command"
    return "loop" if name == "ralph" or name.startswith("ralph-") else "prompt"


def start(store: "Store", record: "dict[str, Any]") -> int:
    """Open a turn and close what its session left open; returns its row number, 0 where it is already there.

    Raises UnknownSession. The caller holds the transaction.
    """
    session = store.one(
        "SELECT id, ended_at, EXISTS (SELECT 1 FROM turns WHERE event_id = ?),"
        " EXISTS (SELECT 1 FROM turns AS t WHERE t.session_id = s.id AND t.status = 'open') FROM sessions AS s"
        " WHERE client_session = ?",
        (record["turn"], record["session"]),
    )
    if session is None:
        raise UnknownSession(f"unknown session: {record['session']}")
    if session[2]:
        return 0
    if session[3]:
        from ralph_mem.core import finishing

        finishing.close_abandoned(store, session[0], record["at"])
    if session[1] is not None:
        store.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", session[:1])
    cursor = store.execute(OPEN, _values(record, context_of(store, session[0])))
    return int(cursor.lastrowid)


def _values(record: "dict[str, Any]", context: str) -> "tuple[Any, ...]":
    prompt = record["prompt"]
    return (
        row.public_id("turn"), record["turn"], record["at"] * 1000, record["kind"], record["origin"], prompt, context,
        record["branch"], record["commit_id"], row.tokens(prompt), row.checksum(prompt, "", "", ""),
        record["redactions"], record["redaction_version"], record["at"], record["session"],
    )  # fmt: skip


def context_of(store: "Store", session: int, seq: int = LAST) -> str:
    """Return the beginnings of the turns just before a place in the order."""
    before = store.execute(
        "SELECT prompt, response FROM turns WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        (session, seq, CONTEXT_TURNS),
    ).fetchall()
    return "\n".join([f"{prompt[:CONTEXT_CHARACTERS]} {response[:CONTEXT_CHARACTERS]}".strip() for prompt, response in before])
