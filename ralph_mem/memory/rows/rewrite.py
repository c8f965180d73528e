"""Give a row other texts or delete it, with its index entry and what its neighbours quote. No hook needs it."""

from ralph_mem.memory.rows import existing, notes, row, sessions, turns
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ralph_mem.memory.store.connection import Store

SIZES = """
SELECT session_id, count(*) FROM (SELECT session_id FROM turns UNION ALL SELECT session_id FROM observations)
WHERE session_id IN (SELECT session_id FROM turns) GROUP BY session_id"""
EMPTY = """
DELETE FROM sessions WHERE substr(client_session, 1, ?1) = ?2
    AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
    AND NOT EXISTS (SELECT 1 FROM observations WHERE session_id = sessions.id)"""


def delete(store: "Store", public_id: str) -> bool:
    """Delete one observation with its index entry, a raw one or one that stands for itself; says whether it was there."""
    found = store.one("SELECT id FROM observations WHERE public_id = ?", (public_id,))
    if found:
        existing.delete(store, row.OBSERVATION, found[0])
    return found is not None


def drop_empty_sessions(store: "Store", beginning: str) -> None:
    """Delete the sessions without any row whose name begins so. The caller holds the transaction."""
    store.execute(EMPTY, (len(beginning), beginning))


def sizes(store: "Store") -> "dict[int, int]":
    """Return how many rows each session has that has turns, by its number."""
    return dict(store.execute(SIZES).fetchall())


def texts_of(store: "Store", kind: "row.Kind", number: int, texts: "Mapping[str, str | None]") -> None:
    """Give a row other texts, by column, in its table and in its index, and in what quotes it. The caller holds the transaction."""
    if not kind.indexed:
        changes = ", ".join([f"{name} = ?" for name in texts])
        store.execute(f"UPDATE {kind.table} SET {changes} WHERE rowid = ?", (*texts.values(), number))
        return
    existing.replace(store, kind, number, texts)
    if kind is row.TURN:
        quote_again(store, *store.one("SELECT session_id, seq FROM turns WHERE id = ?", (number,)))
    elif kind is row.OBSERVATION:
        store.drop(connection.STANDING)
        _quote_observation(store, number)


def _quote_observation(store: "Store", number: int) -> None:
    turn, is_memory = store.one(
        "SELECT turn_id, EXISTS (SELECT 1 FROM memories WHERE observation_id = o.id) FROM observations AS o WHERE id = ?", (number,)
    )
    if is_memory:
        notes.put_into_context(store, number)
    if turn:  # which tells its command and its error lines
        rebuild(store, turn)


def derived(store: "Store", kind: "row.Kind", number: int, name: str) -> str:
    """Return a derived text of a row, made anew of what it quotes as that stands now."""
    if kind is row.OBSERVATION:
        return notes.context_of(store, number)
    if kind is not row.TURN:
        return sessions.summary_of(store, number)
    if name == "lines":
        return turns.lines_of(store, number)
    return turns.context_of(store, *store.one("SELECT session_id, seq FROM turns WHERE id = ?", (number,)))


def say(store: "Store", number: int, response: str) -> None:
    """Give a turn another answer, and its neighbours the quotation of it. The caller holds the transaction."""
    rebuild(store, number, response=response)
    session, seq = store.one("SELECT session_id, seq FROM turns WHERE id = ?", (number,))
    quote_again(store, session, seq)


def rebuild(store: "Store", number: int, gone: "Sequence[str]" = (), response: "str | None" = None) -> None:
    """Write a turn's commands, context, price and index entry from what is there now, or with another answer.

    `gone` are paths that leave the turn, unless one of its observations still names them. A turn of which nothing is left
    is no memory any more.
    """
    session, seq, was_found = store.one(
        "SELECT session_id, seq, index_version > 0 OR status <> 'open' FROM turns WHERE id = ?", (number,)
    )
    existing.remove_entry(store, row.TURN, number)
    if response is not None:
        store.execute("UPDATE turns SET response = ? WHERE id = ?", (response, number))
    if gone:
        _take_off(store, number, gone)
    context = turns.context_of(store, session, seq)
    store.execute("UPDATE turns SET context = ?, lines = ? WHERE id = ?", (context, turns.lines_of(store, number), number))
    left = any(existing.weigh(store, row.TURN, number))
    if left and was_found:
        existing.remember(store, row.TURN, number)
    if not left:
        store.execute("DELETE FROM memories WHERE turn_id = ?", (number,))


def _take_off(store: "Store", number: int, gone: "Sequence[str]") -> None:
    rows = store.execute("SELECT files FROM observations WHERE turn_id = ?", (number,))
    left = {path for (files,) in rows for path in files.splitlines()}
    for column in ("files", "files_read"):
        (files,) = store.one(f"SELECT {column} FROM turns WHERE id = ?", (number,))
        kept = [path + "\n" for path in files.splitlines() if path in left or path not in gone]
        store.execute(f"UPDATE turns SET {column} = ? WHERE id = ?", ("".join(kept), number))


def quote_again(store: "Store", session: int, seq: int) -> int:
    """Rebuild the turns and notes that quote what stood at a place in a session, and its summary; returns how many turns."""
    rows = store.execute(
        "SELECT id FROM turns WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?", (session, seq, turns.CONTEXT_TURNS)
    ).fetchall()
    for (number,) in rows:
        rebuild(store, number)
    for note in notes.notes_beside(store, session, seq):
        notes.write_context(store, note)
    sessions.sum_up_again(store, session)
    return len(rows)
