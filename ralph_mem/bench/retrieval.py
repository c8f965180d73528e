"""Ask every query of a set as of its time, and measure the answers beside the baselines."""

import itertools
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from ralph_mem.bench import measures
from ralph_mem.bench.histories import ADVERSARIAL, SESSION, Histories, History, Memory, Query
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.core.errors import RalphMemError, StoreError
from ralph_mem.memory import embeddings
from ralph_mem.memory.recall import candidates, lookup
from ralph_mem.memory.rows import index_text, kinds, query_text

LEXICAL, STATIC, FULL = MODES = ("lexical", "static", "full")
NAMED = ("speaker", "file", "phrase", "word", "nothing")
SHORTEST_STEM = 4  # letters: the name of a shorter file without its ending stands in too many sentences


class Table:
    """A sense with the small table alone: what a hook has while no worker answers."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole

    def near(self, _store: object, _query: str) -> dict[int, float]:
        """Know nothing: that takes the model."""
        return {}

    def alike(self, store: object, query: str, numbers: list[int]) -> dict[int, float]:
        """Return what the table says."""
        return dict(self.whole.alike(store, query, numbers))


class Meaning:
    """The prepared model, loaded. Raises MissingExtra without its packages, RalphMemError where none is set up."""

    def __init__(self) -> None:
        with embeddings.needed():
            from ralph_mem.memory.embeddings import vectors  # lazy: brings numpy, which only the embeddings extra installs
        self.sense = vectors.LocalSense()
        self.vectors = vectors

    def of_mode(self, mode: str) -> Any:
        """Return the sense that a mode has."""
        return {LEXICAL: None, STATIC: Table(self.sense), FULL: self.sense}[mode]

    def embed(self, throwaway: Throwaway, progress: Callable[[int, int], object]) -> None:
        """Embed what is not embedded yet; `progress` hears how many are done, and of how many."""
        self.vectors.embed_missing(throwaway.store, self.sense.embedder, progress)

    def nearest(self, throwaway: Throwaway, query: str) -> list[str]:
        """Return the ids of the memories nearest to a query, by the model alone."""
        near = self.sense.near(throwaway.store, query)
        names = dict(throwaway.store.execute(f"SELECT id, public_id FROM ({kinds.memories(throwaway.store)})").fetchall())
        return [throwaway.names[names[number]] for number in sorted(near, key=lambda number: (-near[number], number))]


PLAIN, NEWEST, MODEL = "fts5", "newest", "model"
ORDER = (*MODES, PLAIN, NEWEST, MODEL)
# A session is as good as its best memory, and a busy one has many: so many rows hold twenty sessions.
ROWS_OF_MEMORIES, ROWS_OF_SESSIONS = measures.DEPTH, 100

# One query with the ranking of every mode and baseline, as ids of memories or sessions, and what it names of those that the last
# of the modes did not find.
Asked = namedtuple("Asked", "query rankings missed", defaults=((),))
Announce = Callable[[str, int, int], object]


def silent(_what: str, _done: int, _total: int) -> None:
    """Announce nothing."""


def run(histories: Histories, mode: str = LEXICAL, announce: Announce = silent, with_facts: bool = False) -> dict[str, Any]:
    """Ask every query in a mode and in those that need less, and return the report: plain values, ready for JSON.

    `announce` hears what is being done, how many queries are done, and of how many. Raises RalphMemError where a mode
    needs what is not set up. `with_facts` has what was said in passing compete as facts.
    """
    modes = MODES[: MODES.index(mode) + 1]
    meaning = Meaning() if mode != LEXICAL else None
    total = sum(len(history.queries) for history in histories.projects)
    asked: list[Asked] = []
    for history in histories.projects:

        def tell(what: str, name: str = history.id) -> None:
            announce(f"{name}{what}", len(asked), total)

        for each in answers(history, histories.unit, modes, meaning, tell, with_facts):
            asked.append(each)
            tell("")
    return _report(histories, mode, asked)


def answers(
    history: History,
    unit: str,
    modes: Sequence[str] = (LEXICAL,),
    meaning: Meaning | None = None,
    tell: Callable[[str], object] = lambda _: None,
    with_facts: bool = False,
) -> Iterator[Asked]:
    """Ask the queries of one history, each when exactly the memories before it are there, in this order."""
    sessions = {memory.id: memory.session for memory in history.memories}
    with Throwaway(with_facts) as throwaway, closing(measures.PlainSearch()) as plain:
        for query in in_time(history, throwaway, plain):
            rankings = {PLAIN: plain.ask(query.text), NEWEST: measures.newest(history.memories[: query.known])}
            if meaning:
                meaning.embed(throwaway, lambda done, of: tell(f": {done} of {of} embedded") if of else None)
                rankings[MODEL] = meaning.nearest(throwaway, query.text)
            for mode in modes:
                rankings[mode] = _recalled(throwaway, query, unit, meaning.of_mode(mode) if meaning else None)
            if unit == SESSION:
                rankings = {name: [sessions[each] for each in ranking] for name, ranking in rankings.items()}
            firsts = {name: _first_of_each(ranking) for name, ranking in rankings.items()}
            missed = named_of_missed(query.text, query.relevant, firsts[modes[-1]], history, unit)
            yield Asked(query, firsts, missed)


def in_time(history: History, *memories: Any) -> Iterator[Query]:
    """Yield the queries of a history, before each having added what comes before it to some memories, at the end the rest."""
    there = 0
    for query in sorted(history.queries, key=lambda query: query.known):
        for memory in memories:
            memory.remember(history.memories[there : query.known])
        there = query.known
        yield query
    for memory in memories:
        memory.remember(history.memories[there:])


def _recalled(throwaway: Throwaway, query: Query, unit: str, sense: Any) -> list[str]:
    """Return the ids of the memories that recall finds, the best first, with the sense of a mode."""
    rows = ROWS_OF_SESSIONS if unit == SESSION else ROWS_OF_MEMORIES
    try:
        more = {"sense": sense} if sense else {}
        found = lookup.search(throwaway.reader, query.text, query.at, lookup.Wanted(limit=rows), **more)
    except StoreError:
        raise
    except RalphMemError:  # a query without a word is refused, and finds nothing
        return []
    return [name for name in map(throwaway.name_of, found) if name]


def _first_of_each(ranking: list[str]) -> list[str]:
    return list(dict.fromkeys(ranking))[: measures.DEPTH]


def _report(histories: Histories, mode: str, asked: list[Asked]) -> dict[str, Any]:
    counted = [each for each in asked if each.query.category != ADVERSARIAL]
    apart = [each for each in asked if each.query.category == ADVERSARIAL]
    measured = _measured(counted)
    categories = sorted({each.query.category for each in counted} - {""})
    return {
        "name": histories.name, "unit": histories.unit, "mode": mode, **measures.mean(measured.get(mode, [])),
        **_part(counted),
        "adversarial": _part(apart),
        "categories": {name: _part([each for each in counted if each.query.category == name]) for name in categories},
        "against": {other: _against(measured[mode], measured[other]) for other in measured if other != mode},
        "misses": report_of_missed([each for one in counted for each in one.missed]),
        "draws": measures.DRAWS,
        "notes": histories.notes,
    }  # fmt: skip


def _measured(asked: list[Asked]) -> dict[str, list[dict[str, float]]]:
    """Return the measures of every query by mode and baseline."""
    names = sorted(asked[0].rankings, key=ORDER.index) if asked else []
    return {name: [measures.of(each.rankings[name], each.query.relevant) for each in asked] for name in names}


def _part(asked: list[Asked]) -> dict[str, Any]:
    """Return how many queries there are and the figures of every mode and baseline."""
    means = {name: measures.mean(measured) for name, measured in _measured(asked).items()}
    modes = {name: figures for name, figures in means.items() if name in MODES}
    return {"queries": len(asked), "modes": modes, "baselines": {name: means[name] for name in means if name not in MODES}}


def _against(ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    return {name: measures.difference([each[name] for each in ours], [each[name] for each in theirs]) for name in measures.COMPARED}


def named_of_missed(
    text: str, relevant: Sequence[str], ranking: Sequence[str], history: History, unit: str
) -> list[frozenset[str]]:
    """Return for each memory, or session, that is not among the first ten what of it the query names."""
    missed = set(relevant) - set(ranking[: measures.GAIN_DEPTH])
    named: dict[str, frozenset[str]] = dict.fromkeys(missed, frozenset())
    for memory in history.memories:
        name = memory.session if unit == SESSION else memory.id
        if name in missed:
            named[name] |= _named(text, memory)
    return list(named.values())


def report_of_missed(missed: Sequence[frozenset[str]]) -> dict[str, Any]:
    """Return how many were missed, and which share of them the query names by each."""
    held = {name: [name in each or (name == "nothing" and not each) for each in missed] for name in NAMED}
    return {"missed": len(missed), **{name: measures.share(each) for name, each in held.items()}}


def _named(text: str, memory: Memory) -> frozenset[str]:
    words = set(query_text.words(text))
    said = "\n".join([memory.title or "", memory.text, *memory.files, *memory.lines]).lower()
    found = {
        "speaker": bool(memory.role) and words.issuperset(memory.role.lower().split()),
        "file": any(_names_file(text.lower(), path.lower()) for path in memory.files),
        "phrase": any(phrase in said for phrase in candidates.phrases_of(text) + _pairs(text)),
        "word": any(term in said for term in query_text.terms(text)),
    }
    return frozenset(name for name, holds in found.items() if holds)


def _names_file(text: str, path: str) -> bool:
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    words = [word.strip(candidates.MARKS) for word in text.split()]
    return name in text or path in text or (len(stem) >= SHORTEST_STEM and stem in words)


def _pairs(text: str) -> list[str]:
    """Return each two words that follow each other and both say something."""
    words = text.lower().split()
    pairs = [(one.strip(candidates.MARKS), two.strip(candidates.MARKS)) for one, two in itertools.pairwise(words)]
    return [f"{one} {two}" for one, two in pairs if one and two and index_text.STOPWORDS.isdisjoint((one, two))]
