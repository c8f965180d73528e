"""Change or delete a row that is there, or make a memory of it."""

from ralph_mem.memory.rows import index_text, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ralph_mem.memory.rows.row import Kind
    from ralph_mem.memory.store.connection import Store

LAST = "(SELECT min(0, coalesce((SELECT min(id) FROM memories), 0)) - 1)"


def replace(store: "Store", kind: "Kind", number: int, values: "Mapping[str, Any]") -> None:
    """Write columns of a row, with its price, its checksum and its index entry. The caller holds the transaction."""
    was_found = remove_entry(store, kind, number)
    changes = ", ".join([f"{name} = ?" for name in values])
    store.execute(f"UPDATE {kind.table} SET {changes} WHERE id = ?", (*values.values(), number))
    if any([name in kind.hashed for name in values]):
        weigh(store, kind, number)
    if was_found:
        add_entry(store, kind, number)


def delete(store: "Store", kind: "Kind", number: int) -> None:
    """Delete a row with its index entry. The caller holds the transaction."""
    remove_entry(store, kind, number)
    store.execute(f"DELETE FROM {kind.table} WHERE id = ?", (number,))


def weigh(store: "Store", kind: "Kind", number: int) -> "tuple[str, ...]":
    """Write what a row's texts cost and their checksum, and that the long list has not seen them; returns the texts."""
    found = store.one(f"SELECT {', '.join(kind.hashed)} FROM {kind.table} WHERE id = ?", (number,))
    texts = tuple([text or "" for text in found])
    weight = (row.tokens(*texts), row.checksum(*texts), number)
    store.execute(f"UPDATE {kind.table} SET tokens = ?, counted_by = NULL, checksum = ?, scan_level = 1 WHERE id = ?", weight)
    return texts


def remember(store: "Store", kind: "Kind", number: int, is_others: bool = False) -> None:
    """Make a row a memory, unless it is one, and findable as it now stands.

    Memories are looked up from the newest on and no further than a budget: what `is_others`, of which there may be thousands, gets
    a number below all that are there, so that it never stands before a person's own.
    """
    place = LAST if is_others else "NULL"
    sql = f"INSERT INTO memories (id, {kind.memory}, created_at) SELECT {place}, id, created_at FROM {kind.table} WHERE id = ?"
    store.execute(sql + " ON CONFLICT DO NOTHING", (number,))
    add_entry(store, kind, number)


def add_entry(store: "Store", kind: "Kind", number: int) -> None:
    """Write the index entry of a row as it now stands: in the index of memories if it is one, else in the one of its kind."""
    row.enter(store, *_entry(store, kind, number))
    store.execute(f"UPDATE {kind.table} SET index_version = ? WHERE id = ?", (index_text.INDEX_VERSION, number))


def remove_entry(store: "Store", kind: "Kind", number: int) -> bool:
    """Take a row out of its index, before any of its texts changes, as these are needed for it; says whether it was there."""
    if not store.one(f"SELECT 1 FROM {kind.table} WHERE id = ? AND index_version > 0", (number,)):
        return False
    index, columns, values = _entry(store, kind, number)
    row.enter(store, index, columns, values, index + ", ", "'delete', ")
    store.execute(f"UPDATE {kind.table} SET index_version = 0 WHERE id = ?", (number,))
    return True


def _entry(store: "Store", kind: "Kind", number: int) -> "tuple[str, str, tuple[Any, ...]]":
    """Return the index where a row stands, its columns, and the number and the texts of the row there."""
    if kind.memory:
        files = kind.text("files", "files_read", between="")  # not in two lines: entries that are there have them so
        texts = f"{kind.text(kind.asked)}, {kind.text(*kind.said)}, {kind.text('context')}, {files}, {kind.text('lines')}"
        sql = f"SELECT m.id, {texts} FROM {kind.table} AS t JOIN memories AS m ON m.{kind.memory} = t.id WHERE t.id = ?"
        found = store.one(sql, (number,))
        if found:
            return row.MEMORY_INDEX, row.MEMORY_COLUMNS, found
    found = store.one(f"SELECT id, {', '.join(kind.indexed)} FROM {kind.table} WHERE id = ?", (number,))
    return kind.index, ", ".join(kind.index_columns), found
