"""Judge what of a team's items a prompt may mean, beside a person's own memories."""

from ralph_mem.memory.recall import candidates, features, ranking
from ralph_mem.memory.rows import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.candidates import Counts
    from ralph_mem.memory.store.connection import Store

MOST, LOOKED_AT = 2, 4  # rows that are judged, and that are read for it: each costs a prompt what two look-ups of a word do
FOUND = candidates.STANDS.format(index="memory_fts", joins="", filters="AND f.rowid < 0")


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
    others = index_text.load_rows(store, numbers, has_turns=False) if numbers else []
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
    """Return a team's rows that hold the three words that are the rarest among a person's own, or at least two of them.

    They are not weighed against one's own, of which fewer would be looked up then: what a person has stays as it is without a team.
    """
    rarest = sorted([term for term in counts.worth if term.isalnum()], key=lambda term: -counts.worth[term])[:3]
    if len(rarest) < 2:
        return []
    words = [index_text.quoted(term) for term in rarest]
    pairs = " OR ".join([f"({one} AND {other})" for at, one in enumerate(words) for other in words[at + 1 :]])
    found: list[str] = []
    for wanted in dict.fromkeys((" AND ".join(words), pairs)):
        if len(found) < MOST:
            (numbers,) = store.one(FOUND, (wanted, LOOKED_AT))
            found += [number for number in (numbers or "").split(",") if number and number not in found]
    return found[:LOOKED_AT]
