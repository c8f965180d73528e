"""Measure by the rules of PrecisionMemBench whether what is told is what was meant, and nothing else.

A scope of a user is a project, `user:...` what holds in all projects. Beliefs become facts in the order of their times, with their
names as further words for them, by the decision that every statement goes through; what it does not replace although the set
says so, a person replaces. What is resolved is retired, what is pinned is pinned.

Each query is asked twice: as a prompt, by what the hook tells a window that holds the pins, and as a search. By the set's rules the
participants of a relation come with it, what is pinned is no answer to a query, and both have to fit into the room of a case.
The prelude of a persona is none of a memory's, and not judged.
"""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from ralph_mem.bench.beliefs import PINNED, QUESTION, QUESTIONS, RELATION, RELEVANT, Belief, Beliefs, Case, Wanted
from ralph_mem.bench.retrieval import Announce, silent
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.memory import access
from ralph_mem.memory.facts import taking
from ralph_mem.memory.inject import briefing, prompting
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, query_text, receipts

PROMPT, SEARCH = WAYS = ("prompt", "search")
EVERYWHERE = "user:"  # how the name of a scope begins that holds in all projects
NEW_SESSION, DAY_MS = 0, 86_400_000
KINDS = {"preference": facts.PREFER, "decision": facts.DECISION}  # the others are facts
GOALS = {"precision": 0.70, "recall": 0.60, "superseded": 0}

Told = dict[str, list[str]]  # the ids of beliefs, by tier


class Memories:
    """The memories of one user: one for each project, and that of all projects."""

    def __init__(self, beliefs: Iterable[Belief], opened: ExitStack) -> None:
        self.opened, self.names, self.now = opened, dict[str, str](), 0
        self.places: dict[str, Throwaway] = {}
        self.beliefs = {each.id: each for each in beliefs}
        for each in self.beliefs.values():
            self._keep(each)
        for each in self.beliefs.values():
            self._settle(each)

    def place(self, scope: str) -> Throwaway:
        """Return the memory of a scope, made where nothing was ever kept there."""
        name = EVERYWHERE if scope.startswith(EVERYWHERE) else scope
        if name not in self.places:
            self.places[name] = self.opened.enter_context(Throwaway())
        return self.places[name]

    def stores(self, scope: str) -> list[Any]:
        """Return what a session in a project reads: its memory, and that of all projects."""
        return list(dict.fromkeys([self.place(scope).store, self.place(EVERYWHERE).store]))

    def _keep(self, belief: Belief) -> None:
        store, self.now = self.place(belief.scope[0]).store, max(self.now, belief.at + DAY_MS)
        also = "\n".join([belief.name, *belief.aliases])
        said = taking.Statement(belief.content, KINDS.get(belief.type, facts.FACT), facts.ADD, belief.at, aliases=also)
        with access.Change(store):
            taken = taking.take(store, said, belief.at)
        self.names.setdefault(taken.public_id, belief.id)

    def _settle(self, belief: Belief) -> None:
        """See to it that a fact is replaced, retired or pinned as the set says."""
        store = self.place(belief.scope[0]).store
        ids = {belief_id: name for name, belief_id in self.names.items()}
        fact = facts.of_id(store, ids.get(belief.id, ""))
        if fact is None or fact.status != facts.ACTIVE:
            return
        with access.Change(store):
            if belief.replaced_by:
                taking.supersede(store, ids.get(belief.replaced_by, ""), fact, self.now, 1.0, self.now, facts.BY_PERSON)
            elif belief.resolved:
                taking.retire(store, fact, "", self.now)
            elif belief.pinned:
                facts.pin(store, fact.number)

    def at_start(self, scopes: list[str]) -> tuple[Told, dict[str, str]]:
        """Return what sessions in some projects are told at their starts, and what their windows hold then."""
        told: Told = {PINNED: [], QUESTIONS: []}
        window: dict[str, str] = {}
        for scope in scopes:
            settings = self.place(scope).settings
            _, items = briefing.build(self.stores(scope), settings, NEW_SESSION, None, self.now)
            window |= receipts.held([(item.memory, item.outcome) for item in items])
        for name in window:
            belief = self.beliefs[self.names[name]]
            tier = QUESTIONS if belief.type == QUESTION else PINNED
            told[tier] += [belief.id] if belief.pinned else []
        return told, window

    def at_prompt(self, scope: str, query: str, window: dict[str, str]) -> list[str]:
        """Return the beliefs that a prompt is told where the window holds what is pinned, and nothing else of a start."""
        if not query_text.terms(query):
            return []
        place = self.place(scope)
        known = prompting.Window(NEW_SESSION, 0, {name: how for name, how in window.items() if self._is_pinned(name)})
        _, items = prompting.build(self.stores(scope), place.project, place.settings, query, known, self.now)
        return [self.names[item.memory] for item in items if item.outcome != "missed"]

    def searched(self, scope: str, query: str, window: dict[str, str]) -> list[str]:
        """Return the beliefs that a search finds, but for the facts that are pinned."""
        if not query_text.words(query):
            return []
        place = self.place(scope)
        reader = lookup.Reader(self.stores(scope), place.project, place.settings)
        wanted = lookup.Wanted(limit=place.settings["search.max_results"])
        found = [self.names[row.public_id] for row in lookup.search(reader, query, self.now, wanted)]
        pinned = {self.names[name] for name in window if self._is_pinned(name)}
        return [each for each in found if each not in pinned or self.beliefs[each].type == QUESTION]

    def _is_pinned(self, name: str) -> bool:
        return bool(self.beliefs[self.names[name]].pinned)

    def with_participants(self, told: list[str], scopes: list[str]) -> list[str]:
        """Return beliefs with what their relations relate, of the same projects."""
        named = [each for name in told if self.beliefs[name].type == RELATION for each in self.beliefs[name].participants]
        others = [self.beliefs[name] for name in named if name in self.beliefs]
        return list(dict.fromkeys([
            *told, *[each.id for each in others if each.type != QUESTION and not each.pinned and {*each.scope} & {*scopes}],
        ]))  # fmt: skip


def run(given: Beliefs, announce: Announce = silent) -> dict[str, Any]:
    """Ask every query of a set in both ways, and return the report: plain values, ready for JSON."""
    users = dict.fromkeys([each.user for each in (*given.beliefs, *given.cases)])
    superseded = {each.id for each in given.beliefs if each.replaced_by}
    with ExitStack() as opened:
        memories = {user: Memories([each for each in given.beliefs if each.user == user], opened) for user in users}
        judged: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
        for number, case in enumerate(given.cases, 1):
            start, window = memories[case.user].at_start(case.scopes)
            for way in WAYS:
                told = {**start, RELEVANT: answered(memories[case.user], way, case, window)}
                judged[way].append(judge(case, told, superseded, {each.id for each in given.beliefs if each.pinned}))
            announce(case.id, number, len(given.cases))
    return {
        "beliefs": len(given.beliefs), "cases": len(given.cases), **{way: _figures(judged[way]) for way in WAYS},
        "categories": {name: {way: _figures([each for each in judged[way] if each["category"] == name]) for way in WAYS}
                       for name in dict.fromkeys(case.category for case in given.cases)},
        "judged": judged, "goals": GOALS,
    }  # fmt: skip


def answered(memories: Memories, way: str, case: Case, window: dict[str, str]) -> list[str]:
    """Return the beliefs that answer a case, the best of each project in turn, as far as its room beside the pins goes."""
    ask: Callable[[str, str, dict[str, str]], list[str]] = memories.at_prompt if way == PROMPT else memories.searched
    lists = [ask(scope, case.query, window) for scope in case.scopes]
    deepest = max(map(len, lists), default=0)
    found = list(dict.fromkeys(each[rank] for rank in range(deepest) for each in lists if rank < len(each)))
    pinned = sum(each.pinned and each.type != QUESTION and bool({*each.scope} & {*case.scopes}) and not each.replaced_by
                 and not each.resolved for each in memories.beliefs.values())  # fmt: skip
    whole = memories.with_participants(found[: case.most], case.scopes) if case.most else []
    return whole[: max(0, case.most - pinned)]


def judge(case: Case, told: Told, superseded: set[str], pinned: set[str]) -> dict[str, Any]:
    """Return whether a case passed, what was wrong, its precision and recall, and what was told that had been replaced."""
    relevant, wanted = told[RELEVANT], case.wanted[RELEVANT]
    right = set(wanted.only if wanted.only is not None else [name for name in wanted.include if name not in pinned])
    hits = len(right.intersection(relevant))
    faults = [
        *_faults_of_answer(wanted, relevant, {*relevant, *told[PINNED]}),
        *_faults(case.wanted[PINNED], told[PINNED]), *_faults(case.wanted[QUESTIONS], told[QUESTIONS]),
    ]  # fmt: skip
    return {
        "case": case.id, "category": case.category, "told": relevant, "wanted": sorted(right), "faults": faults,
        "precision": hits / len(relevant) if relevant else 0.0 if right else None,
        "recall": hits / len(right) if right else None,
        "superseded": sorted(superseded.intersection([*relevant, *told[PINNED]])),
    }  # fmt: skip


def _faults(wanted: Wanted, told: Iterable[str]) -> list[str]:
    there = set(told)
    missing = [f"missing: {name}" for name in (*wanted.include, *wanted.should) if name not in there]
    return missing + [f"not to be told: {name}" for name in wanted.exclude if name in there]


def _faults_of_answer(wanted: Wanted, relevant: list[str], whole: set[str]) -> list[str]:
    found = _faults(wanted, whole)
    if wanted.only is not None:
        found += [f"missing: {name}" for name in wanted.only if name not in relevant]
        found += [f"not to be told: {name}" for name in relevant if name not in wanted.only]
    if wanted.most is not None and len(relevant) > wanted.most:
        found.append(f"more than {wanted.most}")
    if wanted.least is not None and len(relevant) < wanted.least:
        found.append(f"fewer than {wanted.least}")
    for one, other in wanted.ordered:
        if not (one in relevant and other in relevant and relevant.index(one) < relevant.index(other)):
            found.append(f"{one} not before {other}")
    return found


def _figures(judged: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cases": len(judged), "passed": sum(not each["faults"] for each in judged),
        "active": sum(not each["faults"] and each["precision"] is not None for each in judged),
        "precision": _mean([each["precision"] for each in judged]), "recall": _mean([each["recall"] for each in judged]),
        "superseded": sum(bool(each["superseded"]) for each in judged),
    }  # fmt: skip


def _mean(values: list[float | None]) -> float | None:
    """Return the mean of the values that there are; a case without an answer has no precision where none was given."""
    there = [each for each in values if each is not None]
    return sum(there) / len(there) if there else None
