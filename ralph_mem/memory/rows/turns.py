"""Open a turn with its prompt, and close it by its answer or by whatever comes instead."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# What the neighbours of a turn lend it for finding it: measured on conversations, +0.17 recall at ten.
CONTEXT_TURNS = 2
LAST = 2**62
CONTEXT_CHARACTERS = 80  # of the prompt and of the answer each
LEAST_CHARACTERS = 12  # of an answer to a notification: less is a nod

# Those of a record that bear the names of their columns.
COLUMNS = ("kind", "origin", "prompt", "branch", "commit_id", "redactions", "redaction_version")
# What is looked up with the session `s`: the next place in its order.
LOOKED_UP = {
    "session_id": "s.id",
    "seq": """max(?, 1 + coalesce((SELECT max(seq) FROM turns WHERE session_id = s.id), 0),
           1 + coalesce((SELECT max(seq) FROM observations WHERE session_id = s.id), 0))""",
}
MADE_AT = "SELECT created_at FROM turns WHERE event_id = ?"
OF_SESSION = "FROM sessions AS s WHERE s.client_session = ?"

# A path a line, each once, and not so many that a search-and-replace over a whole tree fills the row.
NOTE_FILES = """
UPDATE turns SET {column} = {column} || ?1 || char(10)
WHERE id = ?2 AND length({column}) < 8000 AND instr(char(10) || {column}, char(10) || ?1 || char(10)) = 0"""
# Of a turn: its number, and whether it is tainted.
OF_EVENT = "SELECT id, tainted FROM turns WHERE event_id = ?"


def start(store: "Store", record: "dict[str, Any]") -> int:
    """Open a turn and close the open one; returns its row number, 0 where it is there, in a transaction. Raises UnknownSession."""
    session = store.one(
        "SELECT id, ended_at, EXISTS (SELECT 1 FROM turns WHERE event_id = ?),"
        " EXISTS (SELECT 1 FROM turns AS t WHERE t.session_id = s.id AND t.status = 'open') FROM sessions AS s"
        " WHERE client_session = ?",
        (record["turn"], record["session"]),
    )
    if session is None:
        raise fast.errors().UnknownSession(f"unknown session: {record['session']}")
    if session[2]:
        return 0
    if session[3]:
        close_abandoned(store, session[0], record["at"])
    if session[1] is not None:
        store.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", session[:1])
    values = {name: record[name] for name in COLUMNS}
    values.update(event_id=record["turn"], created_at=record["at"], scan_level=1, context=context_of(store, session[0]))
    values.update(status="open", response="", files="", files_read="", lines="")
    return row.put(store, row.TURN, values, LOOKED_UP, OF_SESSION, (record["at"] * 1000, record["session"]))


def window(store: "Store", session: str) -> "tuple[int, int, str, int]":
    """Return of a session, by the client's id: its number, since when its window holds everything, its tag, its last turn."""
    found: tuple[int, int, str, int] = store.one(
        "SELECT id, context_since, fence, (SELECT max(id) FROM turns WHERE session_id = s.id) FROM sessions AS s"
        " WHERE client_session = ?",
        (session,),
    )
    return found


def kind_stored(store: "Store", event_id: str) -> str:
    """Return the kind of the turn of an event, nothing for one that is not stored."""
    found = store.one("SELECT kind FROM turns WHERE event_id = ?", (event_id,))
    return str(found[0]) if found else ""


def write_context(store: "Store", number: int) -> None:
    """Write the beginnings of the turns just before a turn into its row, which has no index entry yet."""
    session, seq = store.one("SELECT session_id, seq FROM turns WHERE id = ?", (number,))
    store.execute("UPDATE turns SET context = ? WHERE id = ?", (context_of(store, session, seq), number))


def context_of(store: "Store", session: int, seq: int = LAST) -> str:
    """Return the beginnings of the turns just before a place in the order."""
    before = store.execute(
        "SELECT prompt, response FROM turns WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        (session, seq, CONTEXT_TURNS),
    ).fetchall()
    return "\n".join([f"{prompt[:CONTEXT_CHARACTERS]} {response[:CONTEXT_CHARACTERS]}".strip() for prompt, response in before])


def close(store: "Store", record: "dict[str, Any]") -> None:
    """Close a turn, again or for the first time, with the last message, and make it findable; one never opened is opened first."""
    turn = row.turn_of(store, record) or f"stop:{record['session']}"
    start(store, {**record, "turn": turn})
    number, is_tainted = store.one(OF_EVENT, (turn,))
    if not is_tainted and row.has_heard(store):
        from ralph_mem.memory.rows import shingles  # lazy: only where something came in from outside

        if shingles.repeats(store, record["session"], record["response"]):
            store.execute("UPDATE turns SET tainted = 1 WHERE id = ?", (number,))
    row.remove_entry(store, row.TURN, number)
    # The answer to one of our commands quotes memories, which would come back as a memory of themselves; and a "Done." to the
    # client's word that a subagent has ended says nothing: what that reported is stored beside it.
    empty = "kind = 'command' OR (kind = 'notification' AND length(?1) <= ?2)"
    store.execute(
        f"UPDATE turns SET response = CASE WHEN {empty} THEN '' ELSE ?1 END, redactions = ?3 WHERE id = ?4",
        (record["response"], LEAST_CHARACTERS, _all_redactions(store, number, record["redactions"]), number),
    )
    finish(store, number, record["status"], record["at"])


def _all_redactions(store: "Store", number: int, more: "str | None") -> "str | None":
    """Add up what was cut out of the prompt and of the answer."""
    before = store.one("SELECT redactions FROM turns WHERE id = ?", (number,))[0]
    if not before or not more:
        return before or more
    counts = fast.loads(before)
    for kind, count in fast.loads(more).items():
        counts[kind] = counts.get(kind, 0) + count
    return fast.dumps(counts)


def note_files(store: "Store", record: "dict[str, Any]") -> None:
    """Note paths, one a line, on the turn that changed or read them; without a turn they are not kept."""
    found = store.one("SELECT id, index_version FROM turns WHERE event_id = ?", (row.turn_of(store, record),))
    if found is None:
        return
    number, indexed = found
    if indexed:  # a compaction or a stop came before: the index entry goes with the texts that it was made from
        row.remove_entry(store, row.TURN, number)
    for path in record["files"].splitlines():
        store.execute(NOTE_FILES.format(column="files_read" if record["read"] else "files"), (path, number))
    if indexed:
        row.weigh(store, row.TURN, number)
        row.add_entry(store, row.TURN, number)


def close_abandoned(store: "Store", session: int, at: int) -> None:
    """Close the turns of a session that never stopped, and mark them so: Esc, a crash, a kill."""
    for (number,) in store.execute("SELECT id FROM turns WHERE session_id = ? AND status = 'open'", (session,)).fetchall():
        finish(store, number, "interrupted", at)


def keep(store: "Store", record: "dict[str, Any]") -> None:
    """Make the open turns of a session findable as they stand, and leave them open."""
    rows = store.execute(
        "SELECT t.id FROM turns AS t JOIN sessions AS s ON s.id = t.session_id WHERE s.client_session = ? AND t.status = 'open'",
        (record["session"],),
    ).fetchall()
    for (number,) in rows:
        finish(store, number, "open", None)


def finish(store: "Store", number: int, status: str, at: "int | None") -> None:
    """Gather what a turn ran, write its last form and make it findable."""
    from ralph_mem.memory.rows import turn_ends  # lazy: a prompt rarely finds an open turn

    turn_ends.finish(store, number, status, at)
