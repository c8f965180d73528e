"""Find the memories that share enough of a prompt's words to be worth telling.

The terms are joined by OR, but looked up one by one, newest rows first and no further than "common" begins: that bounds
the cost at any size, tells how rare each is, and says which rows hold it. The few rows that hold the rarest are then
read and scored on all terms; FTS5's own bm25 would cost 8,000 instructions for every row that matches.
"""

import math

from ralph_mem.memory.recall import common_words, ranking
from ralph_mem.memory.rows import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

CANDIDATES = 12
# The floor. What a memory holds of a prompt must be enough, and at least two fifths of what the prompt says, each word as
# telling as it is rare here, ordinary English half: a prompt about something else may well share a rare word.
# Enough is nine tenths of a word that no other memory holds; or in terms, which is kinder to a young memory: an uncommon one
# stands in at most eight memories or one in fifty, and counts two, or one where it is ordinary English; three are enough. A
# rare one is enough alone: it stands in one memory only, or in at most three or one in 500 if those have it in the prompt,
# the files or the lines.
# Chosen on the development sets, by what they answer: with the terms alone 33 % of the questions about a chat, 29 % of the
# subjects of commits and 43 % of the prompts of coding sessions were told a relevant memory, and 84 to 86 % of everyday
# prompts and 60 to 90 % of those of another set were left alone. With both it is 36, 36 and 46 %, and 93 to 95 and 96 to
# 99 %; with 6 to 60 memories 96 to 100 % are left alone instead of 86 to 99 %. In a young memory, where all words are rare, a
# quarter of what the prompt says will do, and two fifths from sixty memories on.
# Where a model says how near a memory comes, a cosine of 0.65 is enough too: no everyday prompt and none of another set came
# so near, while one more of twenty questions about a chat, three of twenty commits and five of twenty prompts of a coding
# session got a relevant memory. At 0.6 one of 150 prompts of another set did.
NEAR_ENOUGH, MOST_NEAR = 0.65, 3
RARE, RARE_SHARE = 3, 500
UNCOMMON, UNCOMMON_SHARE = 8, 50
TOGETHER, COVERED, COVERED_AT_FIRST, YOUNG = 0.9, 0.4, 0.25, 400
MOST_POSTINGS = 500  # a quarter of a millisecond
FULL, HALF, ENOUGH = 2, 1, 3
NOTHING = (0, False, 0.0)
ANYWHERE, TELLING = "title body files lines", "title files lines"
OWN_TEXTS = (6, 7, 9, 10)  # of a row of `memories.load`: all columns but the context


class Hit:
    """A memory that answers a query.

    `values` is its row, as `memories.load` returns it. `evidence` is what the terms count that it holds outside its
    context; `admitted` says whether that is enough.
    """

    __slots__ = ("admitted", "evidence", "score", "values")

    def __init__(self, values: "tuple[Any, ...]", score: float, evidence: int, admitted: bool) -> None:
        self.values = values
        self.score = score
        self.evidence = evidence
        self.admitted = admitted


class Floor:
    """What a memory must hold of a prompt before it is worth saying."""

    __slots__ = ("common", "covered", "nearest", "together")

    def __init__(self, worth: "dict[str, float]", common: "list[str]", nearest: "dict[int, float]", total: int) -> None:
        self.nearest = nearest
        self.common = [(ranking.root_of(term), worth[term]) for term in common]
        self.covered = min(COVERED, COVERED_AT_FIRST + total / YOUNG) * sum(worth.values())
        self.together = TOGETHER * math.log(total + 1)

    def judge(self, row: "tuple[Any, ...]", evidence: "tuple[int, bool, float]") -> "tuple[int, bool]":
        """Return what the uncommon terms count that a row holds, and whether it is admitted."""
        count, enough, weight = evidence
        if self.common and (weight < self.covered or not enough):
            text = "\n".join([row[at] for at in OWN_TEXTS]).lower()
            weight += sum([worth for root, worth in self.common if root in text])
        # what misled must be meant twice as clearly
        clear = not row[index_text.MISLED] or count >= ENOUGH * (1 + row[index_text.MISLED])
        meant = (enough or weight >= self.together) and weight >= self.covered
        return count, clear and (meant or self.nearest.get(row[0], 0.0) >= NEAR_ENOUGH)


def hits(store: "Store", query: str, now: int, sense: "Sense | None" = None) -> "list[Hit]":
    """Return the memories that a prompt may mean, best first; those below the floor come last, not admitted.

    `now` is in milliseconds; it only orders. Where a `sense` is given, memories that only mean what the prompt says are among
    them.
    """
    wanted = index_text.terms(query)
    tells = {term: common_words.tells(term) for term in wanted}
    total = store.one("SELECT max(id) FROM memories")[0] or 0
    most = min(max(UNCOMMON, total // UNCOMMON_SHARE), MOST_POSTINGS)
    found = {term: holding(store, term, ANYWHERE, most + 1) for term in wanted if tells[term]} if total else {}
    uncommon = {term: rows for term, rows in found.items() if 0 < len(rows) <= most}
    if not uncommon and not (sense and total):
        return []
    rarity = {term: _rarity(rows, most, total) for term, rows in found.items()}
    worth = {term: value * tells[term] for term, value in rarity.items()}
    evidence = _evidence(store, uncommon, rarity, worth, total)
    chosen = sorted(evidence, key=lambda row: (evidence[row][1], evidence[row][2], int(row)), reverse=True)[:CANDIDATES]
    rows = index_text.load_rows(store, chosen)
    nearest, near = _near(sense, store, query, rows) if sense else ({}, {})
    # a weak word tells less than any other
    weights = {**dict.fromkeys(wanted, 0.5 * min([rarity[term] for term in uncommon], default=1.0)), **rarity}
    scores = ranking.scores(rows, weights, set(wanted), now, near)
    floor = Floor(worth, [term for term, rows_of in found.items() if len(rows_of) > most], nearest, total)
    hits = [Hit(row, score, *floor.judge(row, evidence.get(str(row[0]), NOTHING))) for row, score in zip(rows, scores)]
    hits.sort(key=lambda hit: (not hit.admitted, -hit.score))
    return hits


def _near(sense: "Sense", store: "Store", query: str, rows: "list[tuple[Any, ...]]") -> "tuple[dict[int, float], dict[int, float]]":
    """Add the rows that come near enough to be told without a common word; returns the cosines of the nearest memories,
    and how near all come.
    """
    from ralph_mem.memory.recall import meaning  # lazy: only where embeddings are set up

    nearest, alike = meaning.near(sense, store, query, rows)
    known = {row[0] for row in rows}
    told = [number for number, cosine in nearest.items() if cosine >= NEAR_ENOUGH and number not in known]
    rows += index_text.load_rows(store, [str(number) for number in told[:MOST_NEAR]])
    return nearest, meaning.values(nearest, alike)


def holding(store: "Store", term: str, columns: str, limit: int) -> "list[str]":
    """Return the numbers of the newest memories that hold a term in some columns."""
    # in one string: a row of its own for each number would cost ten times as much
    (numbers,) = store.one(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC LIMIT ?)",
        (f"{{{columns}}} : {index_text.quoted(term)}", limit),
    )
    return numbers.split(",") if numbers else []


def _rarity(rows: "list[str]", most: int, total: int) -> float:
    """Return the inverse document frequency of a term; where not all of its rows were read, as frequent as it was so far.

    A term that no memory holds tells as much as one that one memory holds.
    """
    count = float(len(rows) or 1)
    if count > most:
        count *= total / (total - int(rows[-1]) + 1)
    return math.log((total + 1) / (min(count, total) + 0.5))


def _evidence(
    store: "Store", uncommon: "dict[str, list[str]]", rarity: "dict[str, float]", worth: "dict[str, float]", total: int
) -> "dict[str, tuple[int, bool, float]]":
    """Return for each row how much the uncommon terms count that it holds, whether that is enough, and how telling they
    are together.
    """
    held: dict[str, tuple[int, bool, float]] = {}
    for term, rows in uncommon.items():
        value = FULL if worth[term] == rarity[term] else HALF
        telling = _telling(store, term, rows, total) if value == FULL else []
        for number in rows:
            count, enough, weight = held.get(number, (0, False, 0.0))
            enough = enough or count + value >= ENOUGH or number in telling
            held[number] = (count + value, enough, weight + worth[term])
    return held


def _telling(store: "Store", term: str, rows: "list[str]", total: int) -> "list[str]":
    """Return the rows for which a term is evidence enough by itself."""
    if len(rows) == 1:
        return rows
    rare = max(RARE, total // RARE_SHARE)
    return holding(store, term, TELLING, rare) if len(rows) <= rare else []
