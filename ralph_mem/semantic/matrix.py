"""The matrix: all vectors of a database in memory, in the order of their sessions, for the nearest of them.

A memory means what it says and half of what its neighbours say, the ones just before and after it in its session:
measured on coding work and conversations, more is found that way.
"""

from typing import Any

import numpy as np

from ralph_mem.core import schema
from ralph_mem.core.store import Store
from ralph_mem.semantic.backlog import COUNTER

SHARE = 0.5  # of a neighbour
NEAREST = 100  # what ranking asks for; a hook reads so many numbers in a tenth of a millisecond
FOREVER = 2**62

ROWS = """
SELECT v.memory_id, v.vector, m.created_at, coalesce(t.session_id, o.session_id), coalesce(t.seq, o.seq)
FROM vectors AS v JOIN memories AS m ON m.id = v.memory_id
LEFT JOIN turns AS t ON t.id = m.turn_id LEFT JOIN observations AS o ON o.id = m.observation_id
WHERE v.model = ? AND length(v.vector) = ? ORDER BY 4, 5, 1"""


class Matrix:
    """The vectors of one model in one database, as they were when it was read; `stamp` says when."""

    def __init__(self, store: Store, model: dict[str, Any]) -> None:
        schema.make(store, "vectors")
        self.stamp = stamp(store)
        rows = store.execute(ROWS, (model["model"], 2 * model["dims"])).fetchall()
        raw = np.frombuffer(b"".join([row[1] for row in rows]), "<f2").astype(np.float32).reshape(len(rows), model["dims"])
        sound = np.isfinite(raw).all(axis=1)  # a flipped bit makes infinity of a number
        self.vectors = raw[sound]
        kept = [row for row, good in zip(rows, sound, strict=True) if good]
        self.numbers = np.array([row[0] for row in kept], np.int64)
        self.at = np.array([row[2] for row in kept], np.int64)
        session = np.array([row[3] for row in kept], np.int64)
        self.follows = np.concatenate([[False], session[1:] == session[:-1]]) if kept else np.zeros(0, bool)
        self.beside = _products(self.vectors, 1)
        self.across = _products(self.vectors, 2)
        self.latest = int(self.at.max(initial=0))
        self.now: tuple[Any, ...] | None = None
        self.now = self._as_of(FOREVER)

    def near(self, vector: np.ndarray, most: int = NEAREST, until: int = FOREVER) -> dict[int, float]:
        """Return the nearest memories by number with their cosines, nearest first.

        Only those count that were made before `until`, in milliseconds.
        """
        known, before, after, lengths = self._as_of(until)
        own = self.vectors @ vector
        scores = own + SHARE * (before * np.roll(own, 1) + after * np.roll(own, -1))
        scores = np.where(known, scores / lengths, -2)
        most = min(most, int(known.sum()))
        best = np.argpartition(-scores, most - 1)[:most] if 0 < most < len(scores) else np.flatnonzero(known)
        best = best[np.argsort(-scores[best], kind="stable")]
        return {int(self.numbers[at]): float(scores[at]) for at in best}

    def _as_of(self, until: int) -> tuple[Any, ...]:
        """Return what is known at a time: which rows, which have a neighbour before and after them, how long each is with those."""
        if self.now is not None and until > self.latest:
            return self.now
        known = self.at < until
        before = self.follows & np.roll(known, 1)
        after = np.roll(self.follows & known, -1)
        return known, before, after, self._lengths(before, after)

    def _lengths(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return how long a vector with its neighbours' halves is, from the products of the three."""
        single = 1 + SHARE**2 * (before.astype(np.float32) + after)
        double = 2 * SHARE * (before * self.beside + after * np.roll(self.beside, -1))
        triple = 2 * SHARE**2 * (before & after) * np.roll(self.across, -1)
        return np.asarray(np.sqrt(np.maximum(single + double + triple, 1e-6)))


def _products(vectors: np.ndarray, apart: int) -> np.ndarray:
    """Return the product of each row with the one so many rows before it, 0 where there is none."""
    found: Any = np.zeros(len(vectors), np.float32)
    found[apart:] = np.einsum("ij,ij->i", vectors[apart:], vectors[:-apart]) if len(vectors) > apart else 0
    return np.asarray(found)


def stamp(store: Store) -> tuple[object, ...]:
    """Return what changes whenever vectors or memories come or go: forgetting rewrites the file and so counts up the schema."""
    counter = store.one("SELECT value FROM properties WHERE key = ?", (COUNTER,))
    return (*store.one("PRAGMA schema_version"), counter, *store.one("SELECT count(*), max(id) FROM memories"))
