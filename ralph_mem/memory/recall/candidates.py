"""Find the rows that hold the rarest words of a query, at a bounded cost.

Each word is looked up newest rows first and no further than its share of a budget; how far back that reaches says how
common it is. FTS5's own bm25 would cost 8,000 instructions for every row that matches.
"""

import math

from ralph_mem.memory.recall import common_words, ranking
from ralph_mem.memory.rows import index_text, query_text, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# Rows that are read for all words together: 6,000 take a millisecond and a half, and of raw rows half of that will do. Of
# ten words each may have one of sixteen of ten thousand memories before it counts as common.
POSTINGS, FEWEST_POSTINGS = {"memory_fts": 6_000, "observations_fts": 3_000}, 250
# Of those that hold the rarest words, so many times the rows wanted are weighed by their day too before the rest is read.
WEIGHED = 4
# At a prompt as many are weighed by how many rows came after them: that costs no look-up. What is told of LoCoMo's notes, which do
# not age, loses nothing at 0.3; sixteen rows of commits and coding sessions then hold as many answers as twenty-four did.
NEWEST_FIRST, NEW_ROWS, RECENT_ROWS = 60, 200, 0.3
FOREVER = 2**62
# What a query has that names a time: the ends of names of days and months, and the beginnings of years.
TIMES_HAVE = (
    *("day", "week", "month", "year", "night", " ago", "uary", "march", "april", "june", "july", "august", "ember", "ober", "may "),
    *("in may", "of may", " 19", " 20"),
)
# The same in German, Spanish and French, of which only the question what was done then is read.
TIMES_ELSEWHERE = (
    *(" heute", "gestern", " woche", " monat", " ayer", "anteayer", " hoy", " semana", "este mes", "mes pasado", " hier", "-hier"),
    *(" aujourd", " semaine", " mois"),
)
# How such a question begins, where it may name a day of the week or a month; it has a few words alone.
ASKED_ELSEWHERE = (
    *(" was ", " wo", " hallo", " guten ", " qu\u00e9 ", " que ", " en qu", " \u00bf", " hola", " buenos "),
    *(" qu'", " qu\u2019", " sur quoi", " bonjour", " salut"),
)
LONGEST_ASKED = 80  # characters
QUOTES, MARKS, MOST_PHRASES = '"`', "@.,:;!?()[]{}<>'\"`", 8

STANDS = """
SELECT group_concat(number) FROM (SELECT f.rowid AS number FROM {index} AS f {joins}
WHERE {index} MATCH ? {filters} ORDER BY f.rowid DESC LIMIT ?)"""
JOINS = {
    "memory_fts": "JOIN memories AS r ON r.id = f.rowid LEFT JOIN observations AS o ON o.id = r.observation_id",
    "observations_fts": "JOIN observations AS r ON r.id = f.rowid JOIN observations AS o ON o.id = r.id",
}
TABLES = {"memory_fts": "memories", "observations_fts": "observations"}
OWN = "AND f.rowid > 0 "  # a team's memories have numbers below nought (`existing.remember`)
OLDEST = "SELECT min(id) FROM memories"
TIMES = {
    "memory_fts": "SELECT id, created_at, turn_id NOT NULL FROM memories WHERE id IN ({})",
    "observations_fts": "SELECT id, created_at, 1 FROM observations WHERE id IN ({})",
}

# The facts that a turn said which is there too. Here, since a prompt would pay for reading another module.
REPEATS = """
SELECT m.id FROM facts AS f JOIN observations AS o ON o.id = f.id JOIN memories AS m ON m.observation_id = f.id
WHERE EXISTS (SELECT 1 FROM derived_from AS d JOIN turns AS t ON t.public_id = d.parent WHERE d.child = o.public_id)"""


class Wanted:
    """What a search is limited to: times in milliseconds, types of rows (none means all), how many rows.

    With a type may come how the column of the tool begins: of items, their namespace.
    """

    __slots__ = ("limit", "since", "tool", "types", "until")

    def __init__(
        self, limit: int = 10, since: int = 0, until: int = FOREVER, types: "tuple[str, ...] | list[str]" = (), tool: str = ""
    ) -> None:  # fmt: skip
        self.limit, self.since, self.until, self.types, self.tool = limit, since, until, types, tool


def terms_of(query: str) -> "list[str]":
    """Return what to look up: the words of a query, all of them where none carries a meaning of its own, and its phrases."""
    words = query_text.terms(query) or query_text.words(query)[: query_text.MOST_TERMS]
    return words + phrases_of(query)


def whole_of(query: str) -> "list[str]":
    """Return what to look up for rows that hold the whole of a query, of one word that word."""
    return phrases_of(f'"{query}"') or terms_of(query)


def phrases_of(query: str) -> "list[str]":
    """Return what stands in quotes, and words such as src/lamp.py, E0308 or 2.13.0, of which the parts say less."""
    query = query[: query_text.QUERY_CHARACTERS].lower()
    inside = [part for quote in QUOTES for part in query.split(quote)[1::2] if query.count(quote) % 2 == 0]
    words = [word.strip(MARKS) for word in query.split()]
    inside += [word for word in words if any([not char.isalpha() for char in word])]
    kept = [" ".join([word for word in part.split() if word not in index_text.STOPWORDS]) for part in inside]
    return [phrase for phrase in dict.fromkeys(kept) if phrase.isprintable() and len(index_text.split(phrase)) > 1][:MOST_PHRASES]


def time_named(query: str, now: int) -> "tuple[int, int] | None":
    """Return from when until when the time is that a query names, in ms, as seen from `now`; nothing without one."""
    low = " " + query.lower()
    if not any([sign in low for sign in TIMES_HAVE]):
        return None
    from ralph_mem.memory.recall import times  # lazy: only for a query that may name a time

    return times.named(query, now)


def time_asked_about(query: str, now: int) -> "tuple[int, int] | None":
    """Return the time that a query names, if it asks what was done then and nothing else: `what did we do yesterday?`."""
    span, low = time_named(query, now), " " + query.lower()
    may_ask = len(low) <= LONGEST_ASKED and low.startswith(ASKED_ELSEWHERE)
    if not span and not may_ask and not any([sign in low for sign in TIMES_ELSEWHERE]):
        return None
    from ralph_mem.memory.recall import times  # lazy: only for a query that names a time

    return span if span and times.asks_what_was_done(query) else times.asked_elsewhere(query, now)


def time_alone(query: str, now: int) -> "tuple[int, int] | None":
    """Return the time that a search names and nothing else, or asks about: `yesterday`, `2026-11-26`, `what did we do in May`."""
    span, low = time_asked_about(query, now), " " + query.lower()
    if span or len(low) > LONGEST_ASKED or not any([sign in low for sign in TIMES_HAVE + TIMES_ELSEWHERE]):
        return span
    from ralph_mem.memory.recall import times  # lazy: only for a query that may name a time

    return times.alone(query, now)


def find(
    store: "Store", index: str, terms: "list[str]", now: int, wanted: Wanted, most: int
) -> "tuple[list[str], dict[str, float]]":
    """Return the numbers of at most `most` rows, the best first, and how telling each term is: its weight.

    `index` is memory_fts or observations_fts; `now` is in milliseconds and only orders.
    """
    limit = max(FEWEST_POSTINGS, POSTINGS[index] // max(1, len(terms)))
    stands = read(store, index, terms, wanted, limit)
    repeats, others = (_repeats(store), others_in(store)) if index == "memory_fts" else (frozenset(), 0)
    counts = counted(store, index, stands, limit, repeats, others)
    held, rarity = best(stands, counts, limit, WEIGHED * most)
    return _weighed(store, index, list(held), held, now, counts.newest)[:most], rarity


def read(store: "Store", index: str, terms: "list[str]", wanted: Wanted, limit: int, only: str = "") -> "dict[str, list[str]]":
    """Return the newest rows that hold each term, at most `limit` of them; a phrase of common parts is left out.

    `only` is SQL that narrows it, such as `OWN`.
    """
    stands: dict[str, list[str]] = {}
    for term in terms:  # phrases come last
        if _is_worth_asking(term, stands, limit):
            stands[term] = _stands(store, index, term, wanted, limit, only)
    return stands


def counted(
    store: "Store",
    index: str,
    stands: "dict[str, list[str]]",
    limit: int,
    repeats: "AbstractSet[str]" = frozenset(),
    others: int = 0,
) -> "Counts":
    """Return how many rows there are, and how many hold each term, without those that repeat another one.

    `others` is how many there are of a team, which count where they are among the rows.
    """
    newest = store.one("SELECT max(id) FROM " + TABLES[index])[0] or 0
    total = max(newest, 0) + others - len(repeats)
    if repeats:
        stands = {term: [number for number in rows if number not in repeats] for term, rows in stands.items()}
    counts = Counts(total, {term: _count(rows, limit, total, newest) for term, rows in stands.items()})
    counts.newest = newest
    return counts


def others_in(store: "Store") -> int:
    """Return how many memories are a team's."""
    return max(0, -(store.one(OLDEST)[0] or 0))


def _repeats(store: "Store") -> "AbstractSet[str]":
    """Return the numbers of the facts that repeat a turn: a word is as rare as it was before somebody learned them."""
    if not store.property("facts"):
        return frozenset()
    return {str(number) for (number,) in store.execute(REPEATS)}


class Counts:
    """How many rows there are, how many of them hold each term, of a common one an estimate, what each is worth; the newest row."""

    __slots__ = ("newest", "of", "total", "worth")

    def __init__(self, total: int, of: "dict[str, float]") -> None:
        self.total, self.newest, self.of = total, total, of
        self.worth = {term: self._worth(term, count) for term, count in of.items()}

    def _worth(self, term: str, count: float) -> float:
        """Return how telling a term is: a phrase as rare as it is here, a word shrunk towards ordinary English."""
        if not term.isalnum():
            return math.log((self.total + 1) / (count + 0.5)) + 0.01
        return -math.log(min(1.0, (count + YOUNG * share_of(term)) / (self.total + YOUNG)))


def best(stands: "dict[str, list[str]]", counts: Counts, limit: int, most: int) -> "tuple[dict[str, float], dict[str, float]]":
    """Return what the rows hold that hold the most, at most so many of them in that order, and what each term weighs."""
    rarity = {term: counts.worth[term] for term, rows in stands.items() if rows}
    # a word that is everywhere brings nothing, unless all of them are
    telling = [term for term in rarity if len(stands[term]) < limit] or list(rarity)
    telling.sort(key=rarity.__getitem__, reverse=True)
    held: dict[str, float] = dict.fromkeys(stands[telling[0]], rarity[telling[0]]) if telling else {}
    for term in telling[1:]:
        weight = rarity[term]
        for number in stands[term]:
            held[number] = held.get(number, 0.0) + weight
    # to order all of some thousand rows would take as long as to count them; of equals the newest come first, as they were read
    least = sorted(held.values(), reverse=True)[most - 1] if len(held) > most else 0.0
    first = sorted([number for number in held if held[number] >= least], key=held.__getitem__, reverse=True)
    return {number: held[number] for number in first[:most]}, rarity


def with_newer_first(held: "dict[str, float]", newest: int) -> "list[str]":
    """Return the rows that hold the most, those first that hold much and are near the newest one."""
    first = list(held)
    most = held[first[0]] if first else 1.0
    first.sort(key=lambda number: -held[number] / most - RECENT_ROWS / (1 + (newest - int(number)) / NEW_ROWS))
    return first


def those_wanted(store: "Store", rows: "list[tuple[Any, ...]]", wanted: Wanted) -> "list[tuple[Any, ...]]":
    """Return the rows of `memories.load` that lie within the limits of a search."""
    found = [row for row in rows if wanted.since <= row[reading.CREATED_AT] < wanted.until]
    if not wanted.types:
        return found
    sql = f"SELECT public_id, type, tool_name FROM observations WHERE public_id IN ({', '.join('?' * len(found))})"
    known = {name: (kind, tool or "") for name, kind, tool in store.execute(sql, [row[1] for row in found])}
    told = [(row, *known.get(row[1], ("turn", ""))) for row in found]
    return [row for row, kind, tool in told if kind in wanted.types and tool.startswith(wanted.tool)]


def _is_worth_asking(term: str, stands: "dict[str, list[str]]", limit: int) -> bool:
    """Say whether a term is a word, or a phrase with a rare part: for one of common parts all of their rows would be read."""
    known = [stands[part] for part in index_text.split(term) if part != term and part in stands]
    return not known or (all(known) and any([len(rows) < limit for rows in known]))


def _stands(store: "Store", index: str, term: str, wanted: Wanted, limit: int, only: str = "") -> "list[str]":
    filters = only
    values: list[object] = []
    if wanted.since or wanted.until < FOREVER:
        filters, values = only + "AND r.created_at >= ? AND r.created_at < ?", [wanted.since, wanted.until]
    if wanted.types:
        filters += f" AND coalesce(o.type, 'turn') IN ({', '.join('?' * len(wanted.types))})"
        values += wanted.types
        if wanted.tool:
            filters += " AND substr(o.tool_name, 1, ?) = ?"
            values += [len(wanted.tool), wanted.tool]
    sql = STANDS.format(index=index, joins=JOINS[index] if values else "", filters=filters)
    # in one string: a row of its own for each number would cost ten times as much
    (numbers,) = store.one(sql, (query_text.quoted(term), *values, limit))
    return numbers.split(",") if numbers else []


def _count(rows: "list[str]", limit: int, total: int, newest: int) -> float:
    """Return how many rows hold a term; one that was not read to its end is as frequent as it was so far."""
    if len(rows) < limit:
        return float(len(rows))
    return min(len(rows) * total / max(1, newest - int(rows[-1]) + 1), float(total))


def _weighed(
    store: "Store", index: str, numbers: "list[str]", held: "dict[str, float]", now: int, newest: int
) -> "list[str]":  # fmt: skip
    """Order rows by their words and, if they are work, their age."""
    if not numbers:
        return []
    most = held[numbers[0]]
    rows: list[tuple[Any, ...]] = store.execute(TIMES[index].format(",".join(numbers))).fetchall()
    scored = []
    for number, at, ages in rows:
        day = ranking.recency(at, now, newest - number) if ages else ranking.NOTE_RECENCY
        scored.append((held[str(number)] / most + day, number))
    return [str(number) for _, number in sorted(scored, reverse=True)]


# How common a word is in ordinary English: while a memory is young nobody can know how rare it is there, and no list decides that a
# word says nothing.

# The share of texts that hold a word: of the two hundred that stand in most manuals, of those that every project is full of, of
# the rest of the lists, and of a word that stands in none. The first three are the means of the lists over the texts that they
# were made from; the last is one in two thousand.
EVERYWHERE, PROJECTS, ORDINARY, RARE = 0.08, 0.03, 0.012, 0.0005
# So many memories weigh as much as ordinary English: with 100 recall at ten loses half a point on chats and coding sessions.
YOUNG = 30
SUFFIXES, ENDS = ("s", "es", "ed", "d", "ing", "er", "ly"), "sdgry"
SHORTEST = 3  # letters: what is shorter is mostly a number or the rest of a contraction


def share_of(term: str) -> float:
    """Return the share of texts in ordinary English that hold a word."""
    if len(term) < SHORTEST and term.isascii():
        return PROJECTS
    found = RARE
    for form in _forms(term):
        word, first = f" {form} ", form[:1]
        if word in common_words.COMMON.get(first, ""):
            return EVERYWHERE
        if word in common_words.WEAK:
            found = max(found, PROJECTS)
        elif word in common_words.ORDINARY.get(first, "") or word in common_words.EVERYDAY.get(first, ""):
            found = max(found, ORDINARY)
    return found


def _forms(term: str) -> "list[str]":
    """Return a word and what it may come from: tests, tested and testing from test, running from run, used from use."""
    found = [term]
    if term[-1] not in ENDS:
        return found
    for suffix in SUFFIXES:
        if term.endswith(suffix):
            stem = term[: -len(suffix)]
            found += [stem, stem + "e"] + ([stem[:-1]] if stem[-1:] == stem[-2:-1] else [])
            found += [stem[:-1] + "y"] if stem[-1:] == "i" else []
    return found
