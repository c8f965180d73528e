"""Rewriting: a row gets other texts or goes, with its index entry, and what its neighbours quote of it is read anew.

For the CLI and the skills; no hook needs it.
"""

from ralph_mem.core import finishing, index_text, memories, notes, row, sessions, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph_mem.core.store import Store


def delete(store: "Store", public_id: str) -> bool:
    """Delete one observation with its index entry, a raw one or one that stands for itself; says whether it was there."""
    found = store.one("SELECT id FROM observations WHERE public_id = ?", (public_id,))
    if found is None:
        return False
    _change_observation(store, found[0], memories.remove, "'delete'")
    store.execute("DELETE FROM observations WHERE id = ?", found)
    return True


def rewrite(store: "Store", number: int, title: str, content: str) -> None:
    """Give an observation other texts, in its row and in its index; the error lines of the old ones go."""
    _change_observation(store, number, memories.remove, "'delete'")
    store.execute("UPDATE observations SET title = ?, content = ?, lines = '' WHERE id = ?", (title, content, number))
    texts = store.one("SELECT title, content, files, lines FROM observations WHERE id = ?", (number,))
    weight = (row.tokens(*texts), row.checksum(*texts), index_text.INDEX_VERSION, number)
    store.execute("UPDATE observations SET tokens = ?, counted_by = NULL, checksum = ?, index_version = ? WHERE id = ?", weight)
    _change_observation(store, number, memories.index, "")
    if _is_memory(store, number):
        notes.put_into_context(store, number)


def _change_observation(store: "Store", number: int, change: "Callable[[Store, str, int], None]", command: str) -> None:
    """Write or remove the index entry of an observation, in the index where it stands."""
    if _is_memory(store, number):
        change(store, "observation_id", number)
        return
    texts = store.one("SELECT title, content, files, lines FROM observations WHERE id = ?", (number,))
    column, value = ("observations_fts, ", command + ", ") if command else ("", "")
    store.execute(
        f"INSERT INTO observations_fts ({column}rowid, title, body, files, lines) VALUES ({value}?, ?, ?, ?, ?)",
        (number, *[index_text.of(text) for text in texts]),
    )


def _is_memory(store: "Store", number: int) -> bool:
    return store.one("SELECT 1 FROM memories WHERE observation_id = ?", (number,)) is not None


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
    memories.forget_turn(store, number)
    if response is not None:
        store.execute("UPDATE turns SET response = ? WHERE id = ?", (response, number))
    if gone:
        _take_off(store, number, gone)
    context = turns.context_of(store, session, seq)
    store.execute("UPDATE turns SET context = ?, lines = ? WHERE id = ?", (context, finishing.lines_of(store, number), number))
    left = any(finishing.weigh(store, number))
    if left and was_found:
        memories.index_turn(store, number)
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
