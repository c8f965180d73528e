"""Measure how often the briefing names the turn that edited last what a session goes on to edit."""

from collections import namedtuple
from typing import Any

from ralph_mem.bench import measures
from ralph_mem.bench.histories import Histories, History, Memory
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.memory.inject import briefing

BRIEFING, NEWEST = ARMS = ("briefing", "newest-ten")
NEWEST_NAMED = 10
NEW_SESSION = 0
# A file that more than a tenth of the sessions edit, but for one or two, says nothing about which turn matters.
WIDESPREAD = 0.1

# A session that edits files again: where it begins, and the turns that edited them last.
Start = namedtuple("Start", "place matters")


def measure(histories: Histories) -> dict[str, Any]:
    """Return how many sessions there are, of how many each arm named a turn that matters, and the tokens that starts told twice."""
    named: dict[str, list[bool]] = {arm: [] for arm in ARMS}
    twice = 0
    for history in histories.projects:
        found, more = _of_history(history)
        twice += more
        for arm in ARMS:
            named[arm] += found[arm]
    return {"sessions": len(named[BRIEFING]), **{arm: measures.share(found) for arm, found in named.items()}, "told_twice": twice}


def _of_history(history: History) -> tuple[dict[str, list[bool]], int]:
    named: dict[str, list[bool]] = {arm: [] for arm in ARMS}
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
