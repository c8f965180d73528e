"""Observations: what a tool call, a subagent or a compaction left behind, a row each, with its index entry."""

from ralph_mem.core import index_text, row
from ralph_mem.core.errors import StoreError, UnknownSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

TYPES = frozenset(("tool_use", "error", "success", "note", "decision", "response", "summary"))

ADD = """
INSERT INTO observations (
    public_id, event_id, session_id, turn_id, seq, type, origin, tool_name, title, content, files, lines, metadata,
    agent_id, agent_type, tainted, tokens, checksum, redactions, redaction_version, scan_level, index_version, created_at,
    speaker)
SELECT ?, ?, s.id, (SELECT id FROM turns WHERE event_id = ?),
    max(?, 1 + coalesce((SELECT max(seq) FROM observations WHERE session_id = s.id), 0),
           1 + coalesce((SELECT max(seq) FROM turns WHERE session_id = s.id), 0)),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?
FROM sessions AS s WHERE s.client_session = ?
ON CONFLICT (event_id) DO NOTHING"""

WAS_OUTSIDE = """
SELECT 1 FROM turns WHERE session_id = (SELECT id FROM sessions WHERE client_session = ?) AND tainted LIMIT 1"""


def add(store: "Store", record: "dict[str, Any]") -> int:
    """Store one observation with its index entry; returns its row number.

    Returns 0, and changes nothing, where the event is already stored. Raises StoreError for an unknown type and
    UnknownSession. The caller holds the transaction.
    """
    if record["type"] == "response":
        record = {**record, "tainted": _is_repeated(store, record)}
    number = insert(store, record)
    if number:
        indexed = [index_text.of(record[field]) for field in ("title", "content", "files", "lines")]
        store.execute("INSERT INTO observations_fts (rowid, title, body, files, lines) VALUES (?, ?, ?, ?, ?)", (number, *indexed))
        if record["tainted"]:
            store.execute("UPDATE turns SET tainted = 1 WHERE event_id = ?", (turn_of(store, record),))
        if record.get("shingles"):
            from ralph_mem.core import shingles

            shingles.keep(store, number, record["shingles"], record["at"])
    return number


def _is_repeated(store: "Store", record: "dict[str, Any]") -> int:
    """Say of a subagent's report whether it repeats what a web or MCP tool brought into its session."""
    if record["tainted"] or store.one(WAS_OUTSIDE, (record["session"],)) is None:
        return int(record["tainted"])
    from ralph_mem.core import shingles

    return int(shingles.repeats(store, record["session"], record["content"]))


def insert(store: "Store", record: "dict[str, Any]") -> int:
    """Store the row alone, for a caller that indexes it elsewhere. Otherwise as `add`."""
    if record["type"] not in TYPES:
        raise StoreError(f"unknown type of observation: {record['type']}", "one of " + ", ".join(sorted(TYPES)))
    cursor = store.execute(ADD, _values(record, turn_of(store, record)))
    if cursor.rowcount > 0:
        return int(cursor.lastrowid)
    if store.one("SELECT 1 FROM sessions WHERE client_session = ?", (record["session"],)) is None:
        raise UnknownSession(f"unknown session: {record['session']}")
    return 0


def turn_of(store: "Store", record: "dict[str, Any]") -> str:
    """Return the event id of the turn that a record belongs to: the session's last one where the client did not say."""
    if record["turn"]:
        return str(record["turn"])
    last = store.one(
        "SELECT event_id FROM turns WHERE session_id = (SELECT id FROM sessions WHERE client_session = ?)"
        " ORDER BY seq DESC LIMIT 1",
        (record["session"],),
    )
    return str(last[0]) if last else ""


def _values(record: "dict[str, Any]", turn: str) -> "tuple[Any, ...]":
    texts = [record[field] for field in ("title", "content", "files", "lines")]
    return (
        row.public_id("obs"), record["event_id"], turn, record["at"] * 1000,
        record["type"], record["origin"], record["tool_name"], *texts, record["metadata"],
        record["agent_id"], record["agent_type"], record["tainted"], row.tokens(*texts), row.checksum(*texts),
        record["redactions"], record["redaction_version"], index_text.INDEX_VERSION, record["at"],
        record.get("speaker"), record["session"],
    )  # fmt: skip
