"""Judge what of a team's items a prompt may mean, beside a person's own memories."""

import math

from ralph_mem.memory.recall import features, ranking
from ralph_mem.memory.rows import query_text, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.candidates import Counts
    from ralph_mem.memory.store.connection import Store

MOST, LOOKED_AT = 2, 8  # rows that are judged, and that are read for it
# From the newest on: what came last has the lowest number, and to read an index forwards takes two thirds of the other way.
FOUND = "SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? AND rowid < 0 ORDER BY rowid LIMIT ?"
# The more items there are, the more of them have a prompt's words by chance: the odds are divided by the root of how many times
# more there are than in a memory of some months. Chosen with 50,000 unrelated items beside coding sessions, curl and LoCoMo: by a
# power of 0.4 more prompts are disturbed than without a team, and by 0.6 fewer queries get an answer of the team's than by 0.5.
MANY = 300


def less_likely(chance: float, others: int) -> float:
    """Return how likely one of so many items of a team is meant, of which its features alone say `chance`."""
    return chance / (chance + (1 - chance) * math.sqrt(1 + others / MANY))


class Pool:
    """A person's own rows that a prompt may mean, and what the words say for each; the prompt; how many rows hold each word.

    `words` are those of the prompt, `span` is the time that it names.
    """

    __slots__ = ("counts", "prompt", "rows", "span", "texts", "words")

    def __init__(
        self, rows: "list[tuple[Any, ...]]", texts: "list[float]", words: "set[str]", span: "tuple[int, int] | None",
        prompt: "features.Prompt", counts: "Counts",
    ) -> None:  # fmt: skip
        self.rows, self.texts, self.words, self.span, self.prompt, self.counts = rows, texts, words, span, prompt, counts


def judged(
    store: "Store", own: Pool, now: int, nearest: "dict[int, float]", near: "dict[int, float]"
) -> "list[tuple[tuple[Any, ...], float, tuple[float, ...]]]":
    """Return a team's rows as `search.judged` returns a person's own; `nearest` and `near` are what a model says of these."""
    numbers = _found(store, own.counts)
    others = reading.load_rows(store, numbers, has_turns=False) if numbers else []
    if not others:
        return []
    rows, texts = own.rows + others, own.texts + ranking.text_scores(others, own.counts.worth)
    undated = ranking.undated(rows, texts, own.words, near)
    scores = ranking.dated(rows, undated, now, own.counts.newest, own.span)
    places = sorted(range(len(own.rows), len(rows)), key=lambda at: -scores[at])[:MOST]
    found = features.of(own.prompt, rows, texts, undated, scores, places, own.counts.newest)
    if nearest:
        far = min(nearest.values())
        found = [(*values, nearest.get(rows[at][0], far)) for at, values in zip(places, found)]
    return [(rows[at], scores[at], values) for at, values in zip(places, found)]


def _found(store: "Store", counts: "Counts") -> "list[str]":
    """Return a team's rows, newest first, that hold the word that is the rarest among a person's own, and one of the next two.

    Where there are too many, those that hold all three.
    They are not weighed against one's own, of which fewer would be looked up then: what a person has stays as it is without a team.
    """
    rarest = sorted([term for term in counts.worth if term.isalnum()], key=lambda term: -counts.worth[term])[:3]
    if len(rarest) < 2:
        return []
    words = [query_text.quoted(term) for term in rarest]
    for wanted in (f"{words[0]} AND ({' OR '.join(words[1:])})", " AND ".join(words)):
        found = store.execute(FOUND, (wanted, LOOKED_AT + 1)).fetchall()
        if len(found) <= LOOKED_AT:
            break
    return [str(number) for (number,) in found[:LOOKED_AT]]
