"""Measure what the prompt hook tells at each query, and at prompts that nothing in the memory answers.

Beside it stand two ways of telling without asking: everything, newest first, until the budget is full, and the five
newest memories. All three spend at most the hook's budget, and what they spend is counted with the fence around it.
"""

from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

from ralph_mem.bench import everyday
from ralph_mem.bench.histories import ADVERSARIAL, SESSION, Histories, History
from ralph_mem.bench.retrieval import Announce, in_time, silent
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.core.redaction import privacy
from ralph_mem.memory import capture
from ralph_mem.memory.inject import block, prompting
from ralph_mem.memory.rows import index_text, row

ARMS = HOOK, ALL, FIVE = ("hook", "inject-all", "newest-five")
# No session of the store: nothing happened in its context window, and nothing was told yet.
NEW_SESSION = prompting.Window(0, 0, {})
NEWEST_TOLD = 5
# What telling must be worth: the share of prompts without an answer that are left alone, of what is told that is relevant,
# of tokens saved against telling everything, and no query less that gets an answer than there.
GOALS = {"left_alone": 0.9, "relevant_items": 0.8, "fewer_tokens": 0.2, "more_answered": 0.0}
MOST_EXAMPLES = 10
# More than fit into any budget for a prompt: the shortest line about a memory costs ten tokens.
MOST_TOLD = 100
NEWEST = "SELECT id FROM memories ORDER BY created_at DESC, id DESC LIMIT ?"

# One prompt with the memories that it was told and what that cost, by arm. `relevant` is empty for a prompt that nothing
# answers; `source` says where that comes from.
Asked = namedtuple("Asked", "text source relevant told tokens")


def run(histories: Histories, unanswerable: Sequence[str] = (), announce: Announce = silent) -> dict[str, Any]:
    """Ask the hook's decision at every query as of its time, and at unanswerable prompts at the end of each history.

    Those are the everyday ones, the queries of the file's other histories, and `unanswerable`. Adversarial queries are
    neither: the memory holds their words. Returns the report: plain values, ready for JSON.
    """
    asked = []
    total = sum(1 for history in histories.projects for _ in _prompts(histories, history, unanswerable))
    total += sum(len(_answerable(history)) for history in histories.projects)
    for history in histories.projects:
        for each in _answers(histories, history, unanswerable):
            asked.append(each)
            announce(history.id, len(asked), total)
    return _report(histories, asked)


def _answerable(history: History) -> list[Any]:
    return [query for query in history.queries if query.category != ADVERSARIAL]


def _prompts(histories: Histories, history: History, more: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the prompts that a history does not answer, each with where it comes from."""
    yield from everyday.prompts()
    for other in histories.projects:
        if other is not history:
            yield from (("other projects", query.text) for query in _answerable(other))
    yield from (("given", text) for text in more)


def _answers(histories: Histories, history: History, more: Sequence[str]) -> Iterator[Asked]:
    with Throwaway() as throwaway:
        for query in in_time(history._replace(queries=_answerable(history)), throwaway):
            yield _asked("", _memories_of(query.relevant, history, histories.unit), throwaway, query.text, query.at)
        now = max(memory.at for memory in history.memories)
        for source, text in _prompts(histories, history, more):
            yield _asked(source, frozenset(), throwaway, text, now)


def _memories_of(relevant: Sequence[str], history: History, unit: str) -> frozenset[str]:
    """Return the ids of the memories that are relevant: of a session all."""
    if unit == SESSION:
        return frozenset(memory.id for memory in history.memories if memory.session in relevant)
    return frozenset(relevant)


def _asked(source: str, relevant: frozenset[str], throwaway: Throwaway, text: str, now: int) -> Asked:
    told = {HOOK: _told_by_hook(throwaway, text, now), **_told_without_asking(throwaway)}
    names = {arm: [throwaway.names[name] for name, _ in items] for arm, items in told.items()}
    return Asked(text, source, relevant, names, {arm: _cost(items) for arm, items in told.items()})


def _told_by_hook(throwaway: Throwaway, text: str, now: int) -> list[tuple[str, int]]:
    """Return what UserPromptSubmit would tell a new session: public ids of memories, with what each costs in tokens."""
    words = privacy.without_injected(text)
    if capture.kind_of(words) != "prompt" or not index_text.terms(words):
        return []
    _, items = prompting.build([throwaway.store], throwaway.project, throwaway.settings, words, NEW_SESSION, now)
    return [(item.memory, item.tokens) for item in items if item.outcome != "missed"]


def _told_without_asking(throwaway: Throwaway) -> dict[str, list[tuple[str, int]]]:
    """Return what the two other ways tell: all memories in full, or five in a line each and then in full, as there is room."""
    numbers = [str(number) for (number,) in throwaway.store.execute(NEWEST, (MOST_TOLD,))]
    known = [block.Memory(values, None, throwaway.settings) for values in index_text.load_rows(throwaway.store, numbers)]
    newest = [
        (memory.public_id, row.tokens(memory.line()), row.tokens(memory.full())) for memory in known if memory.says_something()
    ]
    room = throwaway.settings["memory.inject_tokens_prompt"] - row.tokens(block.OPENING) - block.FENCE_TOKENS
    return {ALL: _in_full(newest, room), FIVE: _in_lines(newest[:NEWEST_TOLD], room)}


def _in_full(newest: list[tuple[str, int, int]], room: int) -> list[tuple[str, int]]:
    told = []
    for name, _, full in newest:
        room -= full
        if room < 0:
            break
        told.append((name, full))
    return told


def _in_lines(newest: list[tuple[str, int, int]], room: int) -> list[tuple[str, int]]:
    told = {}
    for name, line, _ in newest:
        if line <= room:
            told[name] = line
            room -= line
    for name, line, full in newest:
        if name in told and full - line <= room:
            told[name] = full
            room -= full - line
    return list(told.items())


def _cost(items: list[tuple[str, int]]) -> int:
    """Return what telling costs in tokens, with the lines around it."""
    return row.tokens(block.OPENING) + block.FENCE_TOKENS + sum(tokens for _, tokens in items) if items else 0


def _report(histories: Histories, asked: list[Asked]) -> dict[str, Any]:
    answerable, others = [[each for each in asked if bool(each.source) == silent] for silent in (False, True)]
    sources = dict.fromkeys(each.source for each in others)
    found = {arm: _arm(arm, answerable, others) for arm in ARMS}
    return {
        "name": histories.name, "unit": histories.unit, "queries": len(answerable), "unanswerable": len(others),
        **found[HOOK],
        "fewer_tokens": {arm: _saved(asked, arm) for arm in ARMS[1:]},
        "sources": {source: _source([each for each in others if each.source == source]) for source in sources},
        "arms": found, "goals": _goals(asked, found), "notes": histories.notes,
    }  # fmt: skip


def _source(asked: list[Asked]) -> dict[str, Any]:
    """Return how many prompts of one kind were left alone, and the first of those that were not."""
    disturbed = dict.fromkeys(each.text for each in asked if each.told[HOOK])
    return {"prompts": len(asked), "left_alone": _left_alone(HOOK, asked), "examples": list(disturbed)[:MOST_EXAMPLES]}


def _goals(asked: list[Asked], found: dict[str, dict[str, float | None]]) -> dict[str, dict[str, Any]]:
    """Return for each goal what was wanted, what was reached, and whether that is enough."""
    ours, everything = found[HOOK]["answered"], found[ALL]["answered"]
    reached = {
        **found[HOOK],
        "fewer_tokens": _saved(asked, ALL),
        "more_answered": None if ours is None or everything is None else ours - everything,
    }
    values = {name: reached[name] for name in GOALS}
    return {
        name: {"wanted": GOALS[name], "reached": value, "met": value is not None and value >= GOALS[name]}
        for name, value in values.items()
    }


def _arm(arm: str, answerable: list[Asked], others: list[Asked]) -> dict[str, float | None]:
    items = sum(len(each.told[arm]) for each in answerable)
    right = sum(name in each.relevant for each in answerable for name in each.told[arm])
    return {
        "answered": _share(sum(not each.relevant.isdisjoint(each.told[arm]) for each in answerable), len(answerable)),
        "relevant_items": _share(right, items),
        "items": _share(items, len(answerable)),
        "tokens": _share(sum(each.tokens[arm] for each in answerable), len(answerable)),
        "tokens_unanswerable": _share(sum(each.tokens[arm] for each in others), len(others)),
        "left_alone": _left_alone(arm, others),
    }


def _left_alone(arm: str, others: list[Asked]) -> float | None:
    return _share(sum(not each.told[arm] for each in others), len(others))


def _saved(asked: list[Asked], arm: str) -> float | None:
    """Return the share of another arm's tokens that the hook saves over all prompts."""
    theirs = sum(each.tokens[arm] for each in asked)
    return _share(theirs - sum(each.tokens[HOOK] for each in asked), theirs)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
