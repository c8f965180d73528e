"""Measure what becomes of the changes that people made to their files of rules.

Each item is a statement that came into a file. Those that stood there then are the facts of a memory, said a day apart in their
order; the statement is taken in as a person's own, and the file says what it replaced, if anything. Where it replaced one, a
person's search (`lookup.search`, not what a prompt is told) asks for the words that both have in common, three at least; what
it tells only as contradicted by a later fact, in that one's item, counts as not found. And the file itself is
asked whether it says the new one already. Where both are the same but for capitals and the marks at their ends, nothing was
changed: these are counted apart.
"""

import random
import textwrap
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from ralph_mem.bench import measures
from ralph_mem.bench.histories import Memory
from ralph_mem.bench.retrieval import Announce, silent
from ralph_mem.bench.rule_files import UPDATE, Item, RuleFile, RuleFiles, Standing
from ralph_mem.memory.facts import decision, wording
from ralph_mem.memory.inject.instruction_text import Said

DECISION, OFTEN, NEARLY_ALL = ARMS = ("decision", "jaccard .6", "jaccard .9")
SHARES = {OFTEN: 0.6, NEARLY_ALL: 0.9}
SEARCH, PLAIN, NEWEST = SEARCHES = ("search", "fts5", "newest")
FIRST = 5
# A query of fewer words asks for no statement in particular.
FEWEST_COMMON = 3
DRAWS, SEED = 2_000, 16  # any seed; the same one makes the same intervals in every run
WRAPPED = 72  # characters: as editors break a paragraph
GOALS = {
    "precision": (0.93, True), "recall": (0.74, True), "false_update": (0.02, False),
    "stale_in_5": (0.15, False), "current_in_5": (0.99, True), "current_before_stale": (0.97, True),
    "updates_hidden": (0.02, False), "repeats_hidden": (0.95, True),
}  # fmt: skip

# One item of a file: what each arm replaced, as text or None; of an update the place of the old and of the new statement in each
# search, None for one that is not found, nothing where there is no query; and what the file hides of it and of the old statement.
Case = namedtuple("Case", "file op new old replaced places hidden repeats")
Chosen = Callable[[str, Sequence[str]], "str | None"]


def run(given: RuleFiles, announce: Announce = silent) -> dict[str, Any]:
    """Take in every item of a set as of its time, and return the report: plain values, ready for JSON."""
    total = sum(len(file.items) for file in given.projects)
    cases: list[Case] = []
    for file in given.projects:
        for case in cases_of(file):
            cases.append(case)
            announce(file.id, len(cases), total)
    return _report(given.name, cases)


def cases_of(file: RuleFile) -> Iterator[Case]:
    """Yield what became of each item of one file, in the order of how much of the file stood."""
    with Standing(file.statements) as standing, closing(measures.PlainSearch()) as plain:
        plain.remember([_memory(str(at), text) for at, text in enumerate(file.statements)])
        plain.remember([_memory(f"new {at}", item.new) for at, item in enumerate(file.items)])
        for at, item in sorted(enumerate(file.items), key=lambda each: each[1].store[-1:]):
            standing.hold(item.store)
            texts = [file.statements[number] for number in item.store]
            replaced: dict[str, str | None] = {arm: _alike(item.new, texts, share) for arm, share in SHARES.items()}
            with standing.taken(item.new) as taken:
                replaced[DECISION] = standing.texts.get(taken.target) if taken.verb == decision.UPDATE else None
                places = _places(file, at, item, standing, plain) if item.op == UPDATE else {}
            old = file.statements[item.target] if item.op == UPDATE else None
            behind = _against_file(item.new, old, texts) if old is not None else (None, ())
            yield Case(file.id, item.op, item.new, old, replaced, places, *behind)


def _memory(name: str, text: str) -> Memory:
    return Memory(name, "", 0, None, text, "", [], [], [])


def _alike(new: str, there: Sequence[str], share: float) -> str | None:
    """Return the statement that shares the most words with a new one, if that is enough of the words of both."""
    words = set(wording.folded(new).split())
    every = [(_jaccard(words, set(wording.folded(text).split())), text) for text in there]
    best, text = max(every, default=(0.0, ""), key=lambda each: each[0])
    return text if share <= best and wording.key(text) != wording.key(new) else None


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


# Of an update: what a search finds, and what the file says


def _places(file: RuleFile, at: int, item: Item, standing: Standing, plain: measures.PlainSearch) -> dict[str, Any]:
    """Return the places of the old and of the new statement, from 0, in what each search finds for the words of both."""
    old = file.statements[item.target]
    query = _common(item.new, old)
    if len(query) < FEWEST_COMMON:
        return {}
    there = {str(number): file.statements[number] for number in item.store} | {f"new {at}": item.new}
    found = {
        SEARCH: standing.search(" ".join(query)),
        PLAIN: [there[name] for name in plain.ask(" ".join(query)) if name in there],
        NEWEST: [item.new, *[file.statements[number] for number in sorted(item.store, reverse=True)]],
    }
    return {arm: (_place(old, texts), _place(item.new, texts)) for arm, texts in found.items()}


def _common(one: str, other: str) -> list[str]:
    words = [set("".join([char if char.isalnum() else " " for char in text.lower()]).split()) for text in (one, other)]
    split = "".join([char if char.isalnum() else " " for char in one.lower()]).split()
    return [word for word in dict.fromkeys(split) if word in words[0] & words[1] and word not in measures.STOPWORDS]


def _place(text: str, found: Sequence[str]) -> int | None:
    wanted = wording.key(text)
    return next((place for place, each in enumerate(dict.fromkeys(found)) if wording.key(each) == wanted), None)


def _against_file(new: str, old: str, texts: Sequence[str]) -> tuple[bool, tuple[bool, bool]]:
    """Say whether a file with the old line hides the new one, and the old one itself: as it stands, and broken into lines."""
    said = Said("\n".join([f"- {text}" for text in texts]))
    wrapped = "\n".join(textwrap.wrap(old, WRAPPED, break_long_words=False, break_on_hyphens=False))
    return said.covers(new), (said.covers(old), said.covers(wrapped))


# The report


def _report(name: str, given: list[Case]) -> dict[str, Any]:
    restated = [case for case in given if case.old is not None and wording.key(case.new) == wording.key(case.old)]
    cases = [case for case in given if case not in restated]
    updates = [case for case in cases if case.op == UPDATE]
    asked = [case for case in updates if case.places]
    found = {arm: _decided(arm, cases) for arm in ARMS}
    searched = {arm: _found(arm, asked) for arm in SEARCHES}
    hidden = _hidden(updates)
    top = {**found[DECISION], **searched[SEARCH], **hidden}
    values = {name: figure and figure["value"] for name, figure in top.items()}
    return {
        "name": name, "updates": len(updates), "adds": len(cases) - len(updates), "restated": len(restated),
        "queries": len(asked), **values,
        "decision": found, "search": searched, "instructions": hidden, "goals": _goals(values),
    }  # fmt: skip


def _decided(arm: str, cases: list[Case]) -> dict[str, Any]:
    fired = [case for case in cases if case.replaced[arm] is not None]
    updates, adds = [[case for case in cases if (case.op == UPDATE) == is_update] for is_update in (True, False)]
    return {
        "precision": _share(fired, lambda case: _is_right(arm, case)),
        "recall": _share(updates, lambda case: _is_right(arm, case)),
        "wrong_target": _share(updates, lambda case: case.replaced[arm] is not None and not _is_right(arm, case)),
        "false_update": _share(adds, lambda case: case.replaced[arm] is not None),
    }


def _is_right(arm: str, case: Case) -> bool:
    """Say whether an arm replaced what the person replaced; two lines of the same words are one statement."""
    found = case.replaced[arm]
    return case.old is not None and found is not None and wording.key(found) == wording.key(case.old)


def _found(arm: str, asked: list[Case]) -> dict[str, Any]:
    return {
        "stale_in_5": _share(asked, lambda case: _is_among(case.places[arm][0])),
        "current_in_5": _share(asked, lambda case: _is_among(case.places[arm][1])),
        "current_before_stale": _share(asked, lambda case: _is_before(case.places[arm][1], case.places[arm][0])),
    }


def _is_among(place: int | None) -> bool:
    return place is not None and place < FIRST


def _is_before(one: int | None, other: int | None) -> bool:
    return one is not None and (other is None or one < other)


def _hidden(updates: list[Case]) -> dict[str, Any]:
    return {
        "updates_hidden": _share(updates, lambda case: case.hidden),
        "repeats_hidden": _share(updates, lambda case: all(case.repeats)),
        "verbatim_hidden": _share(updates, lambda case: case.repeats[0]),
        "wrapped_hidden": _share(updates, lambda case: case.repeats[1]),
    }


def _share(cases: list[Case], holds: Callable[[Case], bool]) -> dict[str, float] | None:
    """Return of how many cases something holds, with the 95 % interval of a bootstrap over files; nothing where there is none.

    Statements of one file resemble each other, so that files are drawn and not statements.
    """
    if not cases:
        return None
    counts: dict[str, list[int]] = {}
    for case in cases:
        held = counts.setdefault(case.file, [0, 0])
        held[0] += holds(case)
        held[1] += 1
    drawn, files = random.Random(SEED), list(counts.values())  # noqa: S311 - no secret
    shares = sorted(_ratio(drawn.choices(files, k=len(files))) for _ in range(DRAWS))
    tail = int(0.025 * DRAWS)
    return {"value": _ratio(files), "low": shares[tail], "high": shares[-1 - tail]}


def _ratio(files: Sequence[list[int]]) -> float:
    return sum(held for held, _ in files) / sum(count for _, count in files)


def _goals(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: {"wanted": wanted, "reached": values[name], "met": _is_met(values[name], wanted, at_least=at_least)}
            for name, (wanted, at_least) in GOALS.items()}  # fmt: skip


def _is_met(reached: float | None, wanted: float, *, at_least: bool) -> bool:
    return reached is not None and (reached >= wanted if at_least else reached <= wanted)
