"""Say when a history is asked its queries, and prompts that nothing in it answers.

The unanswerable ones are of three sorts, and asked all along the history, as often at each place as queries are asked there:
what people say in any project, what was asked in other projects, and what is asked in this one before its evidence exists.
"""

import json
import random
from collections import namedtuple
from collections.abc import Iterator, Sequence
from pathlib import Path

from ralph_mem.bench.histories import ADVERSARIAL, SESSION, Histories, History, Query
from ralph_mem.bench.throwaway import Throwaway

EVERYDAY, OTHERS, BEFORE, GIVEN = SORTS = ("everyday", "other projects", "before its evidence", "given")
SEED = 14  # any; the same one deals the same prompts in every run
# So many of other projects are asked at least, if there are as many: a history with few queries has a figure all the same.
FEWEST_OTHERS = 300

# One prompt. `here` says how many memories there are when it is asked, those behind the first `known` by its own session;
# `relevant` is empty for one that nothing answers, and `sort` says of which sort it is then.
Prompt = namedtuple("Prompt", "text at known here sort relevant")
EVERYDAY_FILE = Path(__file__).with_name("everyday.jsonl")


def answerable(history: History) -> list[Query]:
    """Return the queries of a history, but for the adversarial ones: the memory holds their words, and no answer."""
    return [query for query in history.queries if query.category != ADVERSARIAL]


def plan(unit: str, history: History, others: Sequence[str] = (), given: Sequence[str] = ()) -> list[Prompt]:
    """Return what is asked of a history, in time: its queries and all sorts of prompts that nothing in it answers."""
    queries = sorted(answerable(history), key=lambda query: query.here)
    drawn = random.Random(SEED)  # noqa: S311 - no secret
    places = [(query.at, query.known, query.here) for query in queries]
    asked = [Prompt(query.text, query.at, query.known, query.here, "", _memories_of(query, history, unit)) for query in queries]
    said = [text for _, text in everyday_prompts()]
    asked += _dealt(EVERYDAY, said, max(len(said), len(queries)), places, drawn)
    asked += _dealt(OTHERS, others, max(FEWEST_OTHERS, len(queries)), places, drawn)
    asked += _dealt(GIVEN, given, len(given), places, drawn)
    asked += _before(unit, history, queries, drawn)
    return sorted(asked, key=lambda prompt: prompt.here)


def others_of(every: Sequence[Histories], history: History) -> list[str]:
    """Return the queries of all histories but one."""
    known = {query.text for query in history.queries}
    queries = [query.text for each in every for other in each.projects if other is not history for query in answerable(other)]
    return [text for text in dict.fromkeys(queries) if text not in known]


def in_time(history: History, prompts: Sequence[Prompt], throwaway: Throwaway) -> Iterator[Prompt]:
    """Yield prompts in their order, before each having remembered what comes before it."""
    there = 0
    for prompt in prompts:
        throwaway.remember(history.memories[there : prompt.here])
        there = max(there, prompt.here)
        yield prompt


def _memories_of(query: Query, history: History, unit: str) -> frozenset[str]:
    """Return the ids of the memories that are relevant: of a session all."""
    if unit == SESSION:
        return frozenset(memory.id for memory in history.memories if memory.session in query.relevant)
    return frozenset(query.relevant)


def _dealt(
    sort: str, texts: Sequence[str], most: int, places: Sequence[tuple[int, int, int]], drawn: random.Random
) -> list[Prompt]:
    """Deal prompts evenly to the places where queries are asked: at least one to each, some again where there are too few."""
    if not texts or not places:
        return []
    pile = drawn.sample(texts, len(texts))
    count = max(len(places), min(len(pile), most))
    dealt = [(pile[number % len(pile)], places[number * len(places) // count]) for number in range(count)]
    return [Prompt(text, *place, sort, frozenset()) for text, place in dealt]


def _before(unit: str, history: History, queries: Sequence[Query], drawn: random.Random) -> list[Prompt]:
    """Return at each query's place one of which the evidence is yet to come; where none is, one query at an earlier place."""
    firsts = _first_places(unit, history)
    waiting = [(min(firsts[name] for name in query.relevant), query.text) for query in queries]
    found = []
    for query in queries:
        later = [text for first, text in waiting if first >= query.known > 0]
        if later:
            found.append(Prompt(drawn.choice(later), query.at, query.known, query.here, BEFORE, frozenset()))
            continue
        first, text = drawn.choice(waiting)
        if first > 1:
            known = drawn.randrange(1, first)
            found.append(Prompt(text, history.memories[known].at, known, known, BEFORE, frozenset()))
    return found


def _first_places(unit: str, history: History) -> dict[str, int]:
    """Return for each memory, or session, at which place it begins."""
    firsts: dict[str, int] = {}
    for place, memory in enumerate(history.memories):
        firsts.setdefault(memory.session if unit == SESSION else memory.id, place)
    return firsts


def everyday_prompts() -> list[tuple[str, str]]:
    """Return each voice with what it says."""
    said = [json.loads(line) for line in EVERYDAY_FILE.read_text(encoding="utf-8").splitlines()]
    return [(each["voice"], each["text"]) for each in said]
