"""Rewriting: turns that follow when a text beside them was changed or deleted: what they quote is read anew.

For the CLI and the skills; no hook needs it.
"""

from ralph_mem.core import memories, sessions, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.core.store import Store


def say(store: "Store", number: int, response: str) -> None:
    """Give a turn another answer, and its neighbours the quotation of it. The caller holds the transaction."""
    memories.forget_turn(store, number)
    store.execute("UPDATE turns SET response = ? WHERE id = ?", (response, number))
    rebuild(store, number)
    session, seq = store.one("SELECT session_id, seq FROM turns WHERE id = ?", (number,))
    quote_again(store, session, seq)


def rebuild(store: "Store", number: int, gone: "Sequence[str]" = ()) -> None:
    """Write a turn's commands, context, price and index entry from what is there now.

    `gone` are paths that leave the turn, unless one of its observations still names them.
    """
    session, seq, was_found = store.one(
        "SELECT session_id, seq, index_version > 0 OR status <> 'open' FROM turns WHERE id = ?", (number,)
    )
    memories.forget_turn(store, number)
    if gone:
        _take_off(store, number, gone)
    context = turns.context_of(store, session, seq)
    store.execute("UPDATE turns SET context = ?, lines = ? WHERE id = ?", (context, turns.lines_of(store, number), number))
    if any(turns.weigh(store, number)) and was_found:
        memories.index_turn(store, number)


def _take_off(store: "Store", number: int, gone: "Sequence[str]") -> None:
    rows = store.execute("SELECT files FROM observations WHERE turn_id = ?", (number,))
    left = {path for (files,) in rows for path in files.splitlines()}
    for column in ("files", "files_read"):
        (files,) = store.one(f"SELECT {column} FROM turns WHERE id = ?", (number,))
        kept = [path + "\n" for path in files.splitlines() if path in left or path not in gone]
        store.execute(f"UPDATE turns SET {column} = ? WHERE id = ?", ("".join(kept), number))


def quote_again(store: "Store", session: int, seq: int) -> int:
    """Rebuild the turns that quote what stood at a place in a session, and its summary; returns how many turns those are."""
    rows = store.execute(
        "SELECT id FROM turns WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?", (session, seq, turns.CONTEXT_TURNS)
    ).fetchall()
    for (number,) in rows:
        rebuild(store, number)
    sessions.sum_up_again(store, session)
    return len(rows)
