"""Score a ranking against one query, average over queries, and test whether a difference is significant."""

import math
import random
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from ralph_mem.bench.histories import Memory
from ralph_mem.memory.rows import row

# No measure looks further: a ranking counts as far as this, whatever made it.
DEPTH = 20
CUTS = (1, 3, 5, 10, 20)
GAIN_DEPTH = 10
NAMES = (*(f"recall@{cut}" for cut in CUTS), "mrr", "ndcg@10")
COMPARED = ("recall@10", "ndcg@10")
DRAWS = 10_000
TWICE = 0.8
NORMAL = 1.96  # so many deviations hold 95 %
SEED = 4  # any; the same one makes the same figures in every run


def of(ranking: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Measure a ranking, best first, each name once, against the names that are relevant, of which there is one at least.

    recall@k is the share of what is relevant that stands among the first k; mrr is 1 / the place of the first that is
    relevant, 0 where it is not among the first 20; ndcg@10 counts a relevant one 1 / log2(1 + its place), against the
    best order there could be.
    """
    places = [place for place, name in enumerate(ranking[:DEPTH], 1) if name in relevant]
    found = {f"recall@{cut}": sum(place <= cut for place in places) / len(relevant) for cut in CUTS}
    ideal = sum(_gain(place) for place in range(1, min(GAIN_DEPTH, len(relevant)) + 1))
    gained = sum(_gain(place) for place in places if place <= GAIN_DEPTH)
    return {**found, "mrr": 1 / places[0] if places else 0.0, "ndcg@10": gained / ideal}


def _gain(place: int) -> float:
    return 1 / math.log2(1 + place)


def mean(measured: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over queries; nothing where there are none."""
    return {name: sum(each[name] for each in measured) / len(measured) for name in NAMES} if measured else {}


def difference(ours: Iterable[float], theirs: Iterable[float], draws: int = DRAWS) -> dict[str, float]:
    """Compare two ways of answering the same queries: the mean difference, its 95 % interval, and p.

    A paired bootstrap: queries are drawn anew, as many as there are, with replacement. p is twice the share of the draws
    in which the difference is gone or has the other sign.
    """
    gaps = [one - other for one, other in zip(ours, theirs, strict=True)]
    drawn = random.Random(SEED)  # noqa: S311 - no secret
    means = sorted(sum(drawn.choices(gaps, k=len(gaps))) / len(gaps) for _ in range(draws))
    below, above = (sum(side) / draws for side in ([value <= 0 for value in means], [value >= 0 for value in means]))
    tail = int(0.025 * draws)
    return {
        "difference": sum(gaps) / len(gaps), "low": means[tail], "high": means[-1 - tail], "p": min(1.0, 2 * min(below, above)),
    }  # fmt: skip


def told_twice(text: str) -> int:
    """Return what those items of a block cost of which an earlier one has nearly all words, four in five of both: in tokens."""
    items = [item for item in ("\n" + text).split("\n- ")[1:] if item.strip()]
    words = [set(item[item.find("] ") + 1 if item[:1] == "[" else 0 :].lower().split()) for item in items]
    return sum(
        row.tokens(item) for at, item in enumerate(items)
        if any(words[at] and len(words[at] & other) >= TWICE * len(words[at] | other) for other in words[:at])
    )  # fmt: skip


def share(held: Collection[bool]) -> dict[str, float] | None:
    """Return the share of what holds with its 95 % interval by Wilson's score; nothing where there is nothing."""
    count = len(held)
    if not count:
        return None
    found = sum(held) / count
    middle = (found + NORMAL**2 / (2 * count)) / (1 + NORMAL**2 / count)
    reach = NORMAL / (1 + NORMAL**2 / count) * math.sqrt(found * (1 - found) / count + NORMAL**2 / (4 * count**2))
    return {"value": found, "low": max(0.0, min(found, middle - reach)), "high": min(1.0, max(found, middle + reach))}


def ratio(parts: Sequence[float], wholes: Sequence[float]) -> dict[str, float] | None:
    """Return a sum over a sum of the same cases with its 95 % interval by the delta method; nothing where the whole is nothing."""
    whole = sum(wholes)
    if not whole:
        return None
    found = sum(parts) / whole
    reach = NORMAL * math.sqrt(sum((part - found * each) ** 2 for part, each in zip(parts, wholes, strict=True))) / whole
    return {"value": found, "low": max(0.0, found - reach), "high": found + reach}


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
