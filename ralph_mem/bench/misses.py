"""Say what a query names of the memories that a search did not find.

That is the speaker, a file, a phrase, a word, or nothing.
"""

import itertools
from collections.abc import Sequence
from typing import Any

from ralph_mem.bench import measures
from ralph_mem.bench.histories import SESSION, History, Memory
from ralph_mem.memory.recall import candidates
from ralph_mem.memory.rows import index_text

NAMES = ("speaker", "file", "phrase", "word", "nothing")
SHORTEST_STEM = 4  # letters: the name of a shorter file without its ending stands in too many sentences


def of_query(text: str, relevant: Sequence[str], ranking: Sequence[str], history: History, unit: str) -> list[frozenset[str]]:
    """Return for each memory, or session, that is not among the first ten what of it the query names."""
    missed = set(relevant) - set(ranking[: measures.GAIN_DEPTH])
    named: dict[str, frozenset[str]] = dict.fromkeys(missed, frozenset())
    for memory in history.memories:
        name = memory.session if unit == SESSION else memory.id
        if name in missed:
            named[name] |= _named(text, memory)
    return list(named.values())


def report(missed: Sequence[frozenset[str]]) -> dict[str, Any]:
    """Return how many were missed, and which share of them the query names by each."""
    held = {name: [name in each or (name == "nothing" and not each) for each in missed] for name in NAMES}
    return {"missed": len(missed), **{name: measures.share(each) for name, each in held.items()}}


def _named(text: str, memory: Memory) -> frozenset[str]:
    words = set(index_text.words(text))
    said = "\n".join([memory.title or "", memory.text, *memory.files, *memory.lines]).lower()
    found = {
        "speaker": bool(memory.role) and words.issuperset(memory.role.lower().split()),
        "file": any(_names_file(text.lower(), path.lower()) for path in memory.files),
        "phrase": any(phrase in said for phrase in candidates.phrases_of(text) + _pairs(text)),
        "word": any(term in said for term in index_text.terms(text)),
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
