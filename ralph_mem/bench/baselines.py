"""Baselines: what anybody gets without this product, over the same memories and as of the same time."""

import sqlite3
from collections.abc import Sequence

from ralph_mem.bench.histories import Memory

# Plain search leaves out what every English text is full of. A list of its own: the product's may change, and what it is
# measured against may not.
STOPWORDS = frozenset(
    "a about after again all also am an and any are as at be because been before being between both but by can could did do"
    " does doing don down during each few for from further had has have having he her here hers him his how i if in into is"
    " it its just me more most my no nor not now of off on once only or other our out over own s same she should so some"
    " such t than that the their them then there these they this those through to too under until up very was we were what"
    " when where which while who whom why will with would you your".split()
)
TABLE = "CREATE VIRTUAL TABLE memories USING fts5(text, tokenize='unicode61')"
ASK = "SELECT rowid FROM memories WHERE memories MATCH ? ORDER BY rank, rowid"


class PlainSearch:
    """SQLite's full-text search as it comes: one column, bm25, the words of the query joined by OR."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(TABLE)
        self.ids: list[str] = []

    def remember(self, memories: Sequence[Memory]) -> None:
        """Add memories, everything that is known of one in one text."""
        for memory in memories:
            self.ids.append(memory.id)
            self.db.execute("INSERT INTO memories (rowid, text) VALUES (?, ?)", (len(self.ids), _all_of(memory)))

    def ask(self, query: str) -> list[str]:
        """Return the ids of what holds any word of a query, the best first."""
        words = [word for word in _words(query) if word not in STOPWORDS] or _words(query)
        if not words:
            return []
        return [self.ids[number - 1] for (number,) in self.db.execute(ASK, (" OR ".join(f'"{word}"' for word in words),))]

    def close(self) -> None:
        """Let go of it."""
        self.db.close()


def _all_of(memory: Memory) -> str:
    said = f"{memory.role}: {memory.text}" if memory.role else memory.text
    return "\n".join([memory.title or "", said, *memory.files, *memory.lines])


def _words(text: str) -> list[str]:
    return list(dict.fromkeys("".join(char if char.isalnum() else " " for char in text.lower()).split()))


def newest(memories: Sequence[Memory]) -> list[str]:
    """Return the ids of all memories, the last one first, whatever was asked."""
    return [memory.id for memory in reversed(memories)]
