"""Replacing: the texts of a row give way to others, in its index entry, and in what quotes it, too."""

from ralph_mem.core import finishing, index_text, memories, notes, rewriting, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.store import Store

    Texts = dict[str, str | None]


def texts_of(opened: "Store", table: str, number: int, texts: "Texts") -> None:
    """Write texts, by column, into a row of a table. The caller holds the transaction."""
    if table == "turns":
        _of_turn(opened, number, texts)
    elif table == "observations":
        _of_observation(opened, number, texts)
    else:
        _update(opened, table, number, texts)


def _update(opened: "Store", table: str, number: int, texts: "Texts") -> None:
    changes = ", ".join([f"{name} = ?" for name in texts])
    opened.execute(f"UPDATE {table} SET {changes} WHERE id = ?", (*texts.values(), number))


def _of_turn(opened: "Store", number: int, texts: "Texts") -> None:
    session, seq, indexed = opened.one("SELECT session_id, seq, index_version FROM turns WHERE id = ?", (number,))
    memories.forget_turn(opened, number)
    _update(opened, "turns", number, texts)
    finishing.weigh(opened, number)
    if indexed:
        memories.index_turn(opened, number)
    rewriting.quote_again(opened, session, seq)


def _of_observation(opened: "Store", number: int, texts: "Texts") -> None:
    is_memory = opened.one("SELECT 1 FROM memories WHERE observation_id = ?", (number,)) is not None
    if is_memory:
        memories.remove(opened, "observation_id", number)
    else:
        _index_raw(opened, number, "observations_fts, ", "'delete', ")
    _update(opened, "observations", number, texts)
    told = opened.one("SELECT title, content, files, lines FROM observations WHERE id = ?", (number,))
    weight = (row.tokens(*told), row.checksum(*told), index_text.INDEX_VERSION, number)
    opened.execute("UPDATE observations SET tokens = ?, counted_by = NULL, checksum = ?, index_version = ? WHERE id = ?", weight)
    if is_memory:
        memories.index(opened, "observation_id", number)
        notes.put_into_context(opened, number)
    else:
        _index_raw(opened, number)
    (turn,) = opened.one("SELECT turn_id FROM observations WHERE id = ?", (number,))
    if turn:  # which tells its command and its error lines
        rewriting.rebuild(opened, turn)


def _index_raw(opened: "Store", number: int, column: str = "", command: str = "") -> None:
    texts = opened.one("SELECT title, content, files, lines FROM observations WHERE id = ?", (number,))
    sql = f"INSERT INTO observations_fts ({column}rowid, title, body, files, lines) VALUES ({command}?, ?, ?, ?, ?)"
    opened.execute(sql, (number, *[index_text.of(text) for text in texts]))
