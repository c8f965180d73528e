"""Say when a history is asked what, and what each way of telling tells at that.

It is asked its queries, and prompts that nothing in it answers. These are of three sorts, and asked all along the history, as often
at each place as queries are asked there: what people say in any project, what was asked in other projects, and what is asked in
this one before its evidence exists. What tells are the hook, the five newest memories, everything until the budget is full, and
nothing.
"""

import json
import random
from collections import namedtuple
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ralph_mem.bench.histories import ADVERSARIAL, SESSION, Histories, History, Query
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.memory import conversation
from ralph_mem.memory.inject import block, prompting
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import query_text, reading, row, turns

EVERYDAY, OTHERS, BEFORE, GIVEN = SORTS = ("everyday", "other projects", "before its evidence", "given")
SEED = 14  # any; the same one deals the same prompts in every run
# So many of other projects are asked at least, if there are as many: a history with few queries has a figure all the same.
FEWEST_OTHERS = 300

# One prompt. `here` says how many memories there are when it is asked, those behind the first `known` by its own session;
# `relevant` is empty for one that nothing answers, and `sort` says of which sort it is then.
Prompt = namedtuple("Prompt", "text at known here sort relevant")
EVERYDAY_FILE = Path(__file__).with_name("everyday.jsonl")
HOOK, ALL, FIVE, NOTHING = ARMS = ("hook", "inject-all", "newest-five", "none")
NEW_SESSION = 0  # no session of the store: nothing happened in its context window
NEWEST_TOLD = 5
# More than fit into any budget for a prompt: the shortest line about a memory costs ten tokens.
MOST_TOLD = 100
TAG = "0" * 24  # as long as one of a hook
NEWEST = "SELECT id FROM memories ORDER BY created_at DESC, id DESC LIMIT ?"

# The public ids of memories, and the whole text that tells them.
Told = namedtuple("Told", "names text")
SILENCE = Told((), "")


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


def told(throwaway: Throwaway, prompt: Prompt, sense: Any = None) -> dict[str, Told]:
    """Return what each arm tells at a prompt a session that was told nothing yet."""
    session = session_of(throwaway, prompt)
    return {HOOK: _by_hook(throwaway, prompt, session, sense), **_without_asking(throwaway, session), NOTHING: SILENCE}


def judged(throwaway: Throwaway, prompt: Prompt, sense: Any = None) -> list[tuple[str, float]]:
    """Return the memories that the hook judges at a prompt, by their public ids, with how likely each is meant."""
    words = is_looked_up(prompt.text)
    at_hand = turns.at_hand(throwaway.store, session_of(throwaway, prompt), 0)
    hits = search.hits(throwaway.store, words, prompt.at, sense, at_hand=at_hand) if words else []
    return [(hit.values[1], hit.chance) for hit in hits]


def session_of(throwaway: Throwaway, prompt: Prompt) -> int:
    """Return the number of the session in which a prompt is asked, which is there if it has done something before."""
    return throwaway.number_of_session() if prompt.here > prompt.known else NEW_SESSION


def is_looked_up(text: str) -> str:
    """Return the words of a prompt that the hook looks up, nothing for one that it does not."""
    words = conversation.asked(text)
    return words if conversation.kind_of(words) == "prompt" and query_text.terms(words) else ""


def _by_hook(throwaway: Throwaway, prompt: Prompt, session: int, sense: Any) -> Told:
    words = is_looked_up(prompt.text)
    if not words:
        return SILENCE
    window = prompting.Window(session, 0, {})
    said, items = prompting.build([throwaway.store], throwaway.project, throwaway.settings, words, window, prompt.at, sense)
    return _fenced(throwaway, [(item.memory, "") for item in items if item.outcome != "missed"], said)


def _fenced(throwaway: Throwaway, items: list[tuple[str, str]], said: str = "") -> Told:
    """Return what was told with the lines around it, or silence where that is nothing."""
    texts = said or "\n".join(text for _, text in items)
    whole = block.fence(texts, TAG, throwaway.project, throwaway.settings)
    return Told(tuple(name for name, _ in items), whole) if items else SILENCE


def _without_asking(throwaway: Throwaway, session: int) -> dict[str, Told]:
    """Return what the two other ways tell: all memories in full, or five in a line each and then in full, as there is room.

    What happened in the session itself they do not tell either.
    """
    numbers = [str(number) for (number,) in throwaway.store.execute(NEWEST, (MOST_TOLD,))]
    known = [block.Memory(values, None, throwaway.settings) for values in reading.load_rows(throwaway.store, numbers)]
    newest = [memory for memory in known if memory.says_something() and memory.session != session]
    room = throwaway.settings["memory.inject_tokens_prompt"] - block.AROUND_TOKENS
    told = {ALL: _in_full(newest, room), FIVE: _in_lines(newest[:NEWEST_TOLD], room)}
    return {arm: _fenced(throwaway, items) for arm, items in told.items()}


def _in_full(newest: list[block.Memory], room: int) -> list[tuple[str, str]]:
    found = []
    for memory in newest:
        room -= row.tokens(memory.full())
        if room < 0:
            break
        found.append((memory.public_id, memory.full()))
    return found


def _in_lines(newest: list[block.Memory], room: int) -> list[tuple[str, str]]:
    found = {}
    for memory in newest:
        if row.tokens(memory.line()) <= room:
            found[memory.public_id] = memory.line()
            room -= row.tokens(memory.line())
    for memory in newest:
        more = row.tokens(memory.full()) - row.tokens(memory.line())
        if memory.public_id in found and more <= room:
            found[memory.public_id] = memory.full()
            room -= more
    return list(found.items())
