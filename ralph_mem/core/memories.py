"""Memories: what is worth injecting, in an index of its own, so that a hundred thousand tool rows do not set the
rarity of words for two hundred turns.
"""

from ralph_mem.core import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

# What `load` returns: number, public id, session, seq, created_at, tainted, the texts of the index's columns, what a
# person said about it: pinned, and how often it misled; who said it, where that is neither the user nor the agent; and the
# checksum of its texts.
CREATED_AT, FILES, PINNED, MISLED, SPEAKER = 4, 9, 11, 12, 13
TEXTS, MARKS = slice(6, 11), slice(11, 13)
WAS_PINNED = "pinned"  # the property of a database in which something was pinned once
TURN = """
SELECT m.id, t.public_id, t.session_id, t.seq, t.created_at, t.tainted, t.prompt, t.response, t.context, t.files, t.lines,
    t.pinned, t.misled, NULL, t.checksum
FROM turns AS t JOIN memories AS m ON m.turn_id = t.id"""
OBSERVATION = """
SELECT m.id, o.public_id, o.session_id, o.seq, o.created_at, o.tainted, o.title, o.content, o.context, o.files, o.lines,
    o.pinned, o.misled, o.speaker, o.checksum
FROM observations AS o JOIN memories AS m ON m.observation_id = o.id"""
COLUMNS = "title, body, context, files, lines"
TURN_TEXTS = "prompt, response, context, files || files_read, lines"
OBSERVATION_TEXTS = "title, content, context, files, lines"


def index_turn(store: "Store", number: int) -> None:
    """Make a turn findable as it now stands."""
    store.execute(
        "INSERT INTO memories (turn_id, created_at) SELECT id, created_at FROM turns WHERE id = ? ON CONFLICT DO NOTHING", (number,)
    )
    index(store, "turn_id", number)
    store.execute("UPDATE turns SET index_version = ? WHERE id = ?", (index_text.INDEX_VERSION, number))


def forget_turn(store: "Store", number: int) -> None:
    """Take a turn out of the index, if it is there. To be called before any of its texts changes."""
    if store.one("SELECT 1 FROM turns WHERE id = ? AND index_version > 0", (number,)):
        remove(store, "turn_id", number)
        store.execute("UPDATE turns SET index_version = 0 WHERE id = ?", (number,))


def index(store: "Store", kind: str, number: int) -> None:
    """Write the index entry of a memory; `kind` is turn_id or observation_id."""
    store.execute(f"INSERT INTO memory_fts (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", _texts(store, kind, number))


def remove(store: "Store", kind: str, number: int) -> None:
    """Remove the index entry of a memory, from the texts that it was made of."""
    store.execute(
        f"INSERT INTO memory_fts (memory_fts, rowid, {COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?, ?)", _texts(store, kind, number)
    )


def _texts(store: "Store", kind: str, number: int) -> "tuple[Any, ...]":
    """Return the row number in memory_fts and the texts of its columns."""
    table, texts = ("turns", TURN_TEXTS) if kind == "turn_id" else ("observations", OBSERVATION_TEXTS)
    memory, *stored = store.one(
        f"SELECT m.id, {texts} FROM {table} AS t JOIN memories AS m ON m.{kind} = t.id WHERE t.id = ?", (number,)
    )
    return (memory, *[index_text.of(text) for text in stored])


def load(store: "Store", numbers: "list[str]") -> "list[tuple[Any, ...]]":
    """Return the rows of memories by number, in that order."""
    listed = ",".join(numbers)
    rows = store.execute(f"{TURN} WHERE m.id IN ({listed})").fetchall()
    if len(rows) < len(numbers):  # mostly they are turns, and preparing the other question costs as much again
        rows += store.execute(f"{OBSERVATION} WHERE m.id IN ({listed})").fetchall()
    found = {str(values[0]): values for values in rows}
    return [found[number] for number in numbers if number in found]
