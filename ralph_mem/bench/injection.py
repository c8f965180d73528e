"""Measure what the prompt hook tells at each query, and at prompts that nothing in the memory answers.

Beside it stand three ways of telling without asking: everything, newest first, until the budget is full, the five newest
memories, and nothing. All spend at most the hook's budget, and what they spend is counted with the fence around it. At a start
it is how often the briefing names the turn that edited last what a session goes on to edit.
"""

from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

from ralph_mem.bench import asking, measures
from ralph_mem.bench.asking import ALL, ARMS, FIVE, HOOK
from ralph_mem.bench.histories import Histories, History, Memory, source
from ralph_mem.bench.retrieval import LEXICAL, Announce, Meaning, silent
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.maintenance import count_tokens
from ralph_mem.memory.inject import briefing, prompting
from ralph_mem.memory.recall import search

# What telling must be worth: the share of prompts without an answer that are left alone, of what is told that is relevant,
# of tokens saved against telling everything, and no query less that gets an answer than there.
GOALS = {"left_alone": 0.95, "relevant_items": 0.45, "fewer_tokens": 0.2, "more_answered": 0.0}
MOST_EXAMPLES = 10

# One prompt with the memories that it was told and what that cost, by arm, and of those that the hook judged how likely each was
# meant, with whether it is relevant; and the tokens of what the hook told twice.
Asked = namedtuple("Asked", "prompt told tokens chances twice", defaults=(0,))
Figures = dict[str, Any]
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TENTHS = 10


def run(
    histories: Histories,
    others: Sequence[Histories] = (),
    given: Sequence[str] = (),
    mode: str = LEXICAL,
    announce: Announce = silent,
    with_facts: bool = False,
) -> dict[str, Any]:
    """Ask the hook's decision at every query as of its time, and at unanswerable prompts all along the histories.

    Those are everyday ones, the queries of other histories, here and in `others` of another source, this one's own before their
    evidence, and `given`. `with_facts` has what was said in passing compete as facts. Returns the report: plain values, ready
    for JSON.
    """
    meaning = Meaning() if mode != LEXICAL else None
    others = [each for each in others if source(each.name) != source(histories.name)]
    plans = [(each, asking.plan(histories.unit, each, asking.others_of((histories, *others), each), given))
             for each in histories.projects]  # fmt: skip
    total = sum(len(prompts) for _, prompts in plans)
    asked: list[Asked] = []
    for history, prompts in plans:
        for each in answers(history, prompts, mode, meaning, with_facts):
            asked.append(each)
            announce(history.id, len(asked), total)
    return _report(histories, mode, asked)


def answers(
    history: History,
    prompts: Sequence[asking.Prompt],
    mode: str = LEXICAL,
    meaning: Meaning | None = None,
    with_facts: bool = False,
) -> Iterator[Asked]:
    """Ask the prompts of one history in their order, and yield what each arm told."""
    _, price = count_tokens.pricing()
    with Throwaway(with_facts) as throwaway:
        for prompt in asking.in_time(history, prompts, throwaway):
            if meaning:
                meaning.embed(throwaway, lambda _done, _of: None)
            sense = meaning.of_mode(mode) if meaning else None
            told = asking.told(throwaway, prompt, sense)
            judged = [(chance, throwaway.names[name] in prompt.relevant)
                      for name, chance in asking.judged(throwaway, prompt, sense)]  # fmt: skip
            names = {arm: [throwaway.names[name] for name in each.names] for arm, each in told.items()}
            twice = measures.told_twice(told[HOOK].text.rpartition("\n")[0])  # without the end of the fence
            yield Asked(prompt, names, {arm: price(each.text) for arm, each in told.items()}, judged, twice)


def _report(histories: Histories, mode: str, asked: list[Asked]) -> dict[str, Any]:
    queries, others = [[each for each in asked if bool(each.prompt.sort) == silent] for silent in (False, True)]
    found = {arm: _arm(arm, queries, others) for arm in ARMS}
    sorts = {sort: [each for each in others if each.prompt.sort == sort] for sort in asking.SORTS}
    return {
        "name": histories.name, "unit": histories.unit, "mode": mode, "queries": len(queries), "unanswerable": len(others),
        **{name: figure and figure["value"] for name, figure in found[HOOK].items()},
        "fewer_tokens": {arm: _saved(asked, arm) for arm in (ALL, FIVE)},
        "sorts": {sort: _sort(each) for sort, each in sorts.items() if each},
        "arms": found, "curve": at_thresholds(asked),
        "reliability": reliability(asked), "goals": _goals(asked, found), "start": at_starts(histories),
        "told_twice": sum(each.twice for each in asked),
        "counted_by": count_tokens.pricing()[0], "notes": histories.notes,
    }  # fmt: skip


def _sort(asked: list[Asked]) -> dict[str, Any]:
    """Return how many prompts of one sort each arm left alone, and the first of those that the hook did not."""
    disturbed = dict.fromkeys(each.prompt.text for each in asked if each.told[HOOK])
    left_alone = {arm: measures.share([not each.told[arm] for each in asked]) for arm in ARMS}
    return {
        "prompts": len(asked), "left_alone": left_alone[HOOK], "arms": left_alone, "false_items": _false_items(HOOK, asked),
        "examples": list(disturbed)[:MOST_EXAMPLES],
    }  # fmt: skip


def _arm(arm: str, queries: list[Asked], others: list[Asked]) -> Figures:
    told = [len(each.told[arm]) for each in queries]
    right = [len(each.prompt.relevant.intersection(each.told[arm])) for each in queries]
    return {
        "answered": measures.share([count > 0 for count in right]),
        "relevant_items": measures.ratio(right, told),
        "items": measures.ratio(told, [1] * len(told)),
        "tokens": measures.ratio([each.tokens[arm] for each in queries], [1] * len(queries)),
        "tokens_unanswerable": measures.ratio([each.tokens[arm] for each in others], [1] * len(others)),
        "left_alone": measures.share([not each.told[arm] for each in others]),
        "false_items": _false_items(arm, queries + others),
    }


def _false_items(arm: str, asked: list[Asked]) -> Figures | None:
    """Return how many items that are not relevant were told in a hundred prompts."""
    return measures.ratio([100 * len(set(each.told[arm]) - each.prompt.relevant) for each in asked], [1] * len(asked))


def _goals(asked: list[Asked], found: dict[str, Figures]) -> dict[str, dict[str, Any]]:
    """Return for each goal what was wanted, what was reached, and whether that is enough."""
    ours, everything = found[HOOK]["answered"], found[ALL]["answered"]
    reached = {name: figure and figure["value"] for name, figure in found[HOOK].items()}
    reached["fewer_tokens"] = _saved(asked, ALL)
    reached["more_answered"] = ours and everything and ours["value"] - everything["value"]
    return {
        name: {"wanted": wanted, "reached": reached[name], "met": reached[name] is not None and reached[name] >= wanted}
        for name, wanted in GOALS.items()
    }


def _saved(asked: list[Asked], arm: str) -> float | None:
    """Return the share of another arm's tokens that the hook saves over all prompts."""
    theirs = sum(each.tokens[arm] for each in asked)
    return (theirs - sum(each.tokens[HOOK] for each in asked)) / theirs if theirs else None


def at_thresholds(asked: Sequence[Any]) -> list[dict[str, Any]]:
    """Return for each threshold what would be answered, relevant and left alone, before the budget and folding."""
    return [_at_threshold(least, asked) for least in THRESHOLDS]


def _at_threshold(least: float, asked: Sequence[Any]) -> dict[str, Any]:
    told = [_told_at(each.chances, least) for each in asked]
    queries = [right for each, right in zip(asked, told, strict=True) if not each.prompt.sort]
    alone = {
        sort: measures.share([not right for each, right in zip(asked, told, strict=True) if each.prompt.sort == sort])
        for sort in asking.SORTS
    }
    return {
        "threshold": least,
        "answered": measures.share([any(right) for right in queries]),
        "relevant_items": measures.ratio([sum(right) for right in queries], [len(right) for right in queries]),
        "left_alone": {sort: figure for sort, figure in alone.items() if figure},
    }


def _told_at(chances: Sequence[tuple[float, bool]], least: float) -> list[bool]:
    """Return of each memory that would be told whether it is relevant."""
    best = sorted(chances, key=lambda each: -each[0])[: prompting.MOST_ITEMS]
    return [right for chance, right in best if chance >= max(least, search.LEAST_SHARE * best[0][0])]


def reliability(asked: Sequence[Any]) -> list[dict[str, Any]]:
    """Return for each tenth of the chances how many memories were judged so, what was said, and how many are relevant."""
    tenths: list[list[tuple[float, bool]]] = [[] for _ in range(TENTHS)]
    for chance, right in [each for one in asked for each in one.chances]:
        tenths[min(TENTHS - 1, int(chance * TENTHS))].append((chance, right))
    return [_tenth(each) for each in tenths if each]


def _tenth(judged: list[tuple[float, bool]]) -> dict[str, Any]:
    said = sum(chance for chance, _ in judged) / len(judged)
    return {"cases": len(judged), "said": said, "relevant": measures.share([right for _, right in judged])}


# What is told at a start

BRIEFING, NEWEST = AT_START = ("briefing", "newest-ten")
NEWEST_NAMED = 10
NEW_SESSION = 0
# A file that more than a tenth of the sessions edit, but for one or two, says nothing about which turn matters.
WIDESPREAD = 0.1

# A session that edits files again: where it begins, and the turns that edited them last.
Start = namedtuple("Start", "place matters")


def at_starts(histories: Histories) -> dict[str, Any]:
    """Return how many sessions there are, of how many each arm named a turn that matters, and the tokens that starts told twice."""
    named: dict[str, list[bool]] = {arm: [] for arm in AT_START}
    twice = 0
    for history in histories.projects:
        found, more = _of_history(history)
        twice += more
        for arm in AT_START:
            named[arm] += found[arm]
    return {"sessions": len(named[BRIEFING]), **{arm: measures.share(found) for arm, found in named.items()}, "told_twice": twice}


def _of_history(history: History) -> tuple[dict[str, list[bool]], int]:
    named: dict[str, list[bool]] = {arm: [] for arm in AT_START}
    there = twice = 0
    with Throwaway() as throwaway:
        for start in starts(history):
            throwaway.remember(history.memories[there : start.place])
            there = start.place
            text, items = briefing.build([throwaway.store], throwaway.settings, NEW_SESSION, None, 0)
            twice += measures.told_twice(text)
            told = {throwaway.names.get(item.memory) for item in items if item.tokens}
            newest = {memory.id for memory in history.memories[max(0, there - NEWEST_NAMED) : there]}
            named[BRIEFING].append(not start.matters.isdisjoint(told))
            named[NEWEST].append(not start.matters.isdisjoint(newest))
    return named, twice


def starts(history: History) -> list[Start]:
    """Return the sessions that go on to edit a file that an earlier session edited."""
    telling = _telling_files(history.memories)
    edits: dict[str, set[str]] = {}
    for memory in history.memories:
        edits.setdefault(memory.session, set()).update(telling.intersection(memory.files))
    found: list[Start] = []
    begun: set[str] = set()
    last: dict[str, str] = {}
    for place, memory in enumerate(history.memories):
        if memory.session not in begun:
            begun.add(memory.session)
            matters = frozenset(last[path] for path in edits[memory.session] if path in last)
            found += [Start(place, matters)] if matters else []
        last.update(dict.fromkeys(memory.files, memory.id))
    return found


def _telling_files(memories: list[Memory]) -> set[str]:
    sessions: dict[str, set[str]] = {}
    for memory in memories:
        for path in memory.files:
            sessions.setdefault(path, set()).add(memory.session)
    most = max(2, WIDESPREAD * len({memory.session for memory in memories}))
    return {path for path, named in sessions.items() if len(named) <= most}
