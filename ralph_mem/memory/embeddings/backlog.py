"""Know which memories still need a vector, and store what was embedded.

What could not be embedded is kept as tried, and tried again after a pause that doubles. Needs no package of the extra.
"""

import time
from collections import namedtuple
from collections.abc import Sequence

from ralph_mem.memory.rows import index_text, kinds
from ralph_mem.memory.store import schema
from ralph_mem.memory.store.connection import Store

COUNTER = "vectors"  # the property that grows with every change of the vectors of a database
FIRST_PAUSE_MS, MOST_DOUBLINGS = 60_000, 11  # a minute, then two, ... and never more than 34 hours
# A memory of a few words beside a pasted file: of that the beginning is enough.
MOST_CHARACTERS = 20_000

Item = namedtuple("Item", "memory checksum text attempts")
# Of the memories of a database: all that have words, those with a vector, those that failed and wait, those not tried yet.
Counts = namedtuple("Counts", "memories embedded failed missing")

# `words` is what is embedded, `sum` the row's own checksum of its texts; whose word it is that is neither the user nor the agent
# comes before.
TEXTS = """
SELECT m.id, t.checksum AS sum, trim({speaker}{asked} || char(10) || {said}, {white}) AS words, {files} || {lines} AS rest
FROM memories AS m JOIN {table} AS t ON t.id = m.{memory} {where}"""
SPEAKER = "coalesce(nullif(t.speaker, '') || ': ', '') || "
WHITE = "' ' || char(9, 10)"
# One that failed with a text that has changed since, or by another model, starts anew.
STATES = """
WITH texts AS ({texts})
SELECT x.id, CASE WHEN v.memory_id IS NULL OR v.model <> ?1 OR v.checksum <> x.sum THEN 'missing'
    WHEN v.vector IS NOT NULL THEN 'embedded'
    WHEN v.tried_at + (?2 << min(v.attempts - 1, ?3)) <= ?4 THEN 'due' ELSE 'failed' END AS state
FROM texts AS x LEFT JOIN vectors AS v ON v.memory_id = x.id WHERE x.words <> '' OR x.rest <> ''"""
WAITING = f"SELECT id FROM ({STATES}) WHERE state IN ('missing', 'due') ORDER BY id DESC"
COUNT = f"SELECT state, count(*) FROM ({STATES}) GROUP BY state"
ITEMS = """
SELECT x.id, x.sum, CASE x.words WHEN '' THEN x.rest ELSE x.words END,
    coalesce((SELECT v.attempts FROM vectors AS v WHERE v.memory_id = x.id AND v.model = ? AND v.checksum = x.sum), 0)
FROM ({texts}) AS x"""
# The memory may have changed or gone while the model ran, and its number may be another's by now.
KEEP = """
INSERT OR REPLACE INTO vectors (memory_id, model, checksum, vector, static, attempts, tried_at)
SELECT x.id, ?2, ?3, ?4, ?5, ?6, ?7 FROM ({texts}) AS x WHERE x.sum = ?3"""
COUNT_UP = "INSERT INTO properties (key, value) VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"


def count(store: Store, model: str, now: int | None = None) -> Counts:
    """Return how many memories there are, and how they stand with this model."""
    schema.make(store, "vectors")
    found = dict(store.execute(COUNT.format(texts=_texts(store)), _values(model, now)).fetchall())
    return Counts(
        sum(found.values()), found.get("embedded", 0), found.get("failed", 0), found.get("missing", 0) + found.get("due", 0)
    )


def waiting(store: Store, model: str, now: int | None = None) -> list[int]:
    """Return the numbers of the memories to embed now, the newest first."""
    schema.make(store, "vectors")
    return [number for (number,) in store.execute(WAITING.format(texts=_texts(store)), _values(model, now))]


def _texts(store: Store, where: str = "") -> str:
    """Return the SQL for the texts of all memories."""
    return " UNION ALL ".join(
        TEXTS.format(
            speaker=SPEAKER if "speaker" in kind.labels else "", asked=kind.text(kind.asked), said=kind.text(*kind.said),
            files=kind.text("files"), lines=kind.text("lines"), table=kind.table, memory=kind.memory, white=WHITE, where=where,
        )
        for kind in kinds.of_memory(store) if kind.memory
    )  # fmt: skip


def _values(model: str, now: int | None) -> tuple[object, ...]:
    return model, FIRST_PAUSE_MS, MOST_DOUBLINGS, _now() if now is None else now


def _now() -> int:
    return time.time_ns() // 1_000_000


def items(store: Store, model: str, numbers: Sequence[int]) -> list[Item]:
    """Return what is to be embedded of memories, as far as they are still there."""
    schema.make(store, "vectors")
    where = f"WHERE m.id IN ({','.join(map(str, numbers))})"
    rows = store.execute(ITEMS.format(texts=_texts(store, where)), (model,)).fetchall()
    return [Item(number, checksum, _embeddable(text), attempts) for number, checksum, text, attempts in rows]


def _embeddable(text: str) -> str:
    text = text[:MOST_CHARACTERS]
    return index_text.without_marks(text) if index_text.REDACTED in text else text


def keep(store: Store, model: str, found: Sequence[Item], whole: Sequence[bytes | None], static: Sequence[bytes | None]) -> int:
    """Store what was made of items, unless they have changed meanwhile; returns how many have a vector now."""
    now, kept, sql = _now(), 0, KEEP.format(texts=_texts(store, "WHERE m.id = ?1"))
    with Change(store):
        for item, vector, small in zip(found, whole, static, strict=True):
            attempts = 0 if vector else item.attempts + 1
            row = (item.memory, model, item.checksum, vector, small, attempts, now)
            kept += store.execute(sql, row).rowcount * bool(vector)
    return kept


def drop(store: Store) -> None:
    """Remove all vectors of a database."""
    with Change(store):
        store.execute("DELETE FROM vectors")


class Change:
    """A transaction on the vectors, as a context manager, after which their counter is another."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __enter__(self) -> None:
        self.store.begin()
        schema.make(self.store, "vectors")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.store.execute(COUNT_UP, (COUNTER,))
            self.store.commit()
        self.store.roll_back()
        self.store.properties.clear()
