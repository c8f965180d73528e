"""Find the memories that a prompt means, and say how likely each of them is meant.

The terms are joined by OR, but looked up one by one, newest rows first and no further than a budget: that bounds the cost at any
size and tells how rare each is. The few rows that hold the rarest are read and ranked, and the best of them are judged.
"""

from ralph_mem.memory.recall import candidates, features, ranking, score
from ralph_mem.memory.rows import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

# Rows that are looked up for all words together, and for one word at least; those that are read; those that are judged.
POSTINGS, FEWEST_POSTINGS, POOL, JUDGED = 1_500, 80, features.POOL, 4
# What is told is at least so likely beside the likeliest: nobody asked for what is far behind. Between 0.5 and 0.7 one query in a
# hundred loses its answer, and four items in a hundred more are relevant.
LEAST_SHARE = 0.7
# Where a model says how near a memory comes, a cosine of 0.65 is enough too: no everyday prompt and none of another set came so
# near, while more of the queries of each set got a relevant memory. At 0.6 one of 150 prompts of another set did.
NEAR_ENOUGH, MOST_NEAR = 0.65, 3
INDEX, ANY = "memory_fts", candidates.Wanted()


class Hit:
    """A memory that answers a query.

    `values` is its row, as `index_text.load_rows` returns it; `score` orders, `chance` says how likely it is meant, by its
    `features`, and `admitted` whether that is enough to be told.
    """

    __slots__ = ("admitted", "chance", "features", "score", "values")

    def __init__(self, values: "tuple[Any, ...]", score: float, chance: float, found: "tuple[float, ...]", admitted: bool) -> None:
        self.values, self.score, self.chance, self.features, self.admitted = values, score, chance, found, admitted


def hits(store: "Store", query: str, now: int, sense: "Sense | None" = None, tell: str = score.NORMAL) -> "list[Hit]":
    """Return the memories that a prompt may mean, the likeliest first; those that are not likely enough are not admitted.

    `now` is in milliseconds; it only orders. `tell` is how likely is enough. Where a `sense` is given, memories that only mean
    what the prompt says are among them. Without a table of weights nothing is found.
    """
    table = score.in_force()
    if not table or not index_text.terms(query):
        return []
    found = judged(store, query, now, sense)
    chances = [table.chance(values) for _, _, values, _ in found]
    best = max(chances, default=0.0)
    hits = []
    for (row, points, values, cosine), chance in zip(found, chances):
        enough = chance >= LEAST_SHARE * best and chance >= table.least(tell, row[index_text.MISLED])
        near = cosine >= NEAR_ENOUGH and not row[index_text.MISLED]
        hits.append(Hit(row, points, chance, values, enough or near))
    hits.sort(key=lambda hit: (not hit.admitted, -ranking.marked(hit.chance, *hit.values[index_text.MARKS])))
    return hits


def judged(
    store: "Store", query: str, now: int, sense: "Sense | None" = None
) -> "list[tuple[tuple[Any, ...], float, tuple[float, ...], float]]":
    """Return the best rows of a wide pool with their scores, features and cosines, which are 0 where no model says them."""
    terms = candidates.terms_of(query)
    limit = max(FEWEST_POSTINGS, POSTINGS // max(1, len(terms)))
    stands = candidates.read(store, INDEX, terms, ANY, limit)
    counts = candidates.counted(store, INDEX, stands, limit)
    held, weights = candidates.best(stands, counts, limit)
    rows = index_text.load_rows(store, list(held)[:POOL])
    nearest, near = _add_near(sense, store, query, rows) if sense else ({}, {})
    if not rows:
        return []
    texts = ranking.text_scores(rows, weights)
    undated = ranking.undated(rows, texts, set(index_text.words(query)), near)
    scores = ranking.dated(rows, undated, now)
    places = sorted(range(len(rows)), key=lambda at: -scores[at])
    if nearest:
        places = places[:JUDGED] + [at for at in places[JUDGED:] if nearest.get(rows[at][0], 0.0) >= NEAR_ENOUGH]
    else:
        places = places[:JUDGED]
    prompt = features.Prompt(query, counts)
    found = features.of(prompt, rows, texts, undated, places, counts.total)
    return [(rows[at], scores[at], values, nearest.get(rows[at][0], 0.0)) for at, values in zip(places, found)]


def _add_near(
    sense: "Sense", store: "Store", query: str, rows: "list[tuple[Any, ...]]"
) -> "tuple[dict[int, float], dict[int, float]]":
    """Add the rows that come near enough to be told without a common word; returns the cosines of the nearest memories, and how
    near all come.
    """
    from ralph_mem.memory.recall import meaning  # lazy: only where embeddings are set up

    nearest, alike = meaning.near(sense, store, query, rows)
    known = {row[0] for row in rows}
    more = [number for number, cosine in nearest.items() if cosine >= NEAR_ENOUGH and number not in known]
    rows += index_text.load_rows(store, [str(number) for number in more[:MOST_NEAR]])
    return nearest, meaning.values(nearest, alike)
