"""Find the memories that a prompt means, and say how likely each of them is meant.

The terms are joined by OR, but looked up one by one, newest rows first and no further than a budget: that bounds the cost at any
size and tells how rare each is. The few rows that hold the rarest are read and ranked, and the best of them are judged.
"""

from ralph_mem.core import fast
from ralph_mem.memory.recall import candidates, features, ranking
from ralph_mem.memory.rows import index_text, query_text, reading
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

# Rows that are looked up for all words together, and for one word at least; those that are read; those that are judged.
POSTINGS, FEWEST_POSTINGS, POOL, JUDGED = 1_500, 80, features.POOL, 4
# What is told is at least so likely beside the likeliest: nobody asked for what is far behind. At 0.7 two queries in a hundred
# lose their answer, and five items in a hundred more are relevant.
LEAST_SHARE = 0.4
# Where a model says how near a memory comes, so many of the nearest are judged as well, which need no word in common. How near is
# near enough says the table of weights: a fixed cosine of 0.65 took a tenth off what is relevant on commits.
NEAREST = 3
STRICTER = {"quiet": "quiet", "normal": "quiet", "eager": "normal"}
# Properties of a database that has facts: that it has any, and as JSON by their ids what each gains or loses in rank, its place
# among equals, its expiry in ms or 0, and if it has anchors (memory/facts/prepared.py). Of what is no fact the place is the last.
HAS_FACTS, GAINS, LAST_PLACE = "facts", "facts_gains", 3
NOTHING_AT_HAND: "tuple[list[str], frozenset[str]]" = ([], frozenset())
INDEX, ANY = "memory_fts", candidates.Wanted()


class Hit:
    """A memory that answers a query.

    `values` is its row, as `reading.load_rows` returns it; `score` orders, `chance` says how likely it is meant, by its
    `features`, and `admitted` whether that is enough to be told. A fact has a `gain` by its strength, at most a sixth, and a
    `place` among equals.
    """

    __slots__ = ("admitted", "chance", "features", "gain", "place", "score", "values")

    def __init__(self, values: "tuple[Any, ...]", score: float, chance: float, found: "tuple[float, ...]", admitted: bool) -> None:
        self.values, self.score, self.chance, self.features, self.admitted = values, score, chance, found, admitted
        self.gain, self.place = 0.0, LAST_PLACE


def hits(
    store: "Store", query: str, now: int, sense: "Sense | None" = None, tell: str = features.NORMAL,
    at_hand: "tuple[list[str], frozenset[str]]" = NOTHING_AT_HAND,
) -> "list[Hit]":  # fmt: skip
    """Return the memories that a prompt may mean, the likeliest first; those that are not likely enough are not admitted.

    `now` is in milliseconds; it only orders. `tell` is how likely is enough. Where a `sense` is given, memories that only mean
    what the prompt says are among them. Without a table of weights nothing is found. Of what is `at_hand` in the session that
    asks, as `turns.at_hand` returns it, the turns are not found, and the files are evidence.
    """
    if not query_text.terms(query) or not features.in_force():
        return []
    query = index_text.composed(query)
    found = judged(store, query, now, sense, at_hand)
    by_meaning = bool(found) and len(found[0][2]) > len(features.NAMES)
    table = (by_meaning and features.in_force(by_meaning)) or features.in_force()
    if not table:
        return []
    chances = [table.chance(values) for _, _, values in found]
    if found[-1:] and found[-1][0][0] < 0:  # a team's stand last
        from ralph_mem.memory.recall import others  # lazy: only where a team's items are judged

        number = candidates.others_in(store)
        chances = [others.less_likely(chance, number) if row[0] < 0 else chance for (row, _, _), chance in zip(found, chances)]
    best = max(chances, default=0.0)
    hits = []
    for (row, points, values), chance in zip(found, chances):
        enough = chance >= LEAST_SHARE * best and chance >= table.least(tell if row[0] > 0 else STRICTER[tell], row[reading.MISLED])
        hits.append(Hit(row, points, chance, values, enough))
    if store.property(HAS_FACTS) and any([hit.values[1][:4] == "obs-" for hit in hits]):
        hits = _weighed(store, hits, now)
    hits.sort(key=lambda hit: (not hit.admitted, -ranking.marked(hit.chance, *hit.values[reading.MARKS]) - hit.gain, hit.place))
    return hits


def _weighed(store: "Store", hits: "list[Hit]", now: int) -> "list[Hit]":
    """Return hits without facts that are over at a time in ms, and those of which a path is gone; the others by their strength."""
    gains, kept = store.property(GAINS), []
    if not gains:
        from ralph_mem.memory.facts import prepared  # lazy: only where no learner ran since a fact changed

        gains = prepared.write(store, now)[GAINS]
    for hit in hits:
        at = gains.find(hit.values[1])  # of some hundred facts one or two are looked up
        if at >= 0:
            hit.gain, hit.place, until, is_anchored = fast.loads(gains[gains.find("[", at) : gains.find("]", at) + 1])
            if 0 < until <= now or (is_anchored and _is_gone(store, hit)):
                continue
        kept.append(hit)
    return kept


def _is_gone(store: "Store", hit: Hit) -> bool:
    """Say whether a path is gone that a fact names."""
    from ralph_mem.memory.facts import anchors  # lazy: only for a fact that names a path
    from ralph_mem.memory.rows import facts  # lazy: as above

    fact = facts.of_id(store, hit.values[1])
    return fact is not None and bool(anchors.gone(fact.anchors, store.tree))


def judged(
    store: "Store",
    query: str,
    now: int,
    sense: "Sense | None" = None,
    at_hand: "tuple[list[str], frozenset[str]]" = NOTHING_AT_HAND,
) -> "list[tuple[tuple[Any, ...], float, tuple[float, ...]]]":
    """Return the best rows of a wide pool with their scores and features, of which the cosine is the last where a model says it."""
    terms = candidates.terms_of(query)
    limit = max(FEWEST_POSTINGS, POSTINGS // max(1, len(terms)))
    # the index is made with the first items of a team, of which none need be approved
    has_others = bool(store.property(connection.NOTES_INDEXED)) and candidates.others_in(store) > 0
    stands = candidates.read(store, INDEX, terms, ANY, limit, candidates.OWN if has_others else "")
    counts = candidates.counted(store, INDEX, stands, limit)
    held, weights = candidates.best(stands, counts, limit, candidates.NEWEST_FIRST)
    own, open_files = at_hand
    for number in own:
        held.pop(number, None)
    rows = reading.load_rows(store, candidates.with_newer_first(held, counts.newest)[:POOL])
    nearest: dict[int, float] = {}
    near: dict[int, float] = {}
    if sense:
        from ralph_mem.memory.recall import meaning  # lazy: only where embeddings are set up

        nearest, near = meaning.add_nearest(sense, store, query, rows, own, NEAREST)
    if not rows and not has_others:
        return []
    texts = ranking.text_scores(rows, weights)
    words, span, prompt = (
        set(query_text.words(query)),
        candidates.time_named(query, now),
        features.Prompt(query, counts, open_files),
    )
    undated = ranking.undated(rows, texts, words, near)
    scores = ranking.dated(rows, undated, now, counts.newest, span)
    places = sorted(range(len(rows)), key=lambda at: -scores[at])
    seats = _seats(rows, places)
    first = list(nearest)[:NEAREST]
    places = seats + [at for at in places if rows[at][0] in first and at not in seats]
    found = features.of(prompt, rows, texts, undated, scores, places, counts.newest)
    if nearest:
        far = min(nearest.values())
        found = [(*values, nearest.get(rows[at][0], far)) for at, values in zip(places, found)]
    answers = [(rows[at], scores[at], values) for at, values in zip(places, found)]
    if has_others:
        from ralph_mem.memory.recall import others  # lazy: only in a memory that has items of a team

        answers += others.judged(store, others.Pool(rows, texts, words, span, prompt, counts), now, nearest, near)
    return answers


def _seats(rows: "list[tuple[Any, ...]]", places: "list[int]") -> "list[int]":
    """Return the places of the rows that are judged: the best that say different things, and what says the same as one of them."""
    found: dict[str, list[int]] = {}
    for at in places:
        said = features.subject(rows[at])
        if said in found or len(found) < JUDGED:
            found.setdefault(said, []).append(at)
    return [at for seats in found.values() for at in seats]
