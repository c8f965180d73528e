"""Read beliefs and the queries that want some of them, from a folder in the format of PrecisionMemBench.

beliefs.seed.json: [{_id, user_id, type, canonical_name, aliases, content, scope: [text], pinned, created_at, resolved_at?,
                     superseded_by?, participants?}]
retrieval.cases.json: [{caseId, category, scope: [text], query, userId?, budget?: {maxBeliefs?},
                        expect: {TIER?: {mustInclude?, mustExclude?, shouldInclude?, shouldOnlyInclude?, orderedBefore?,
                                         maxCount?, minCount?}}}]
Tiers are relevantBeliefs, pinnedFacts and openQuestions; of each the lists hold ids. What else stands there is passed over.
"""

from collections import namedtuple
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ralph_mem.bench import labelled
from ralph_mem.bench.labelled import moment, text

SEED, CASES = "beliefs.seed.json", "retrieval.cases.json"
RELEVANT, PINNED, QUESTIONS = TIERS = ("relevantBeliefs", "pinnedFacts", "openQuestions")
USER = "test-user"  # who asks where a case names nobody
MOST = 20  # beliefs that a case has room for where it does not say
QUESTION, RELATION = "open_question", "relation"

Beliefs = namedtuple("Beliefs", "beliefs cases")
# `at` is in milliseconds; `replaced_by` an id or nothing; `participants` are the ids of what a relation relates.
Belief = namedtuple("Belief", "id user type name aliases content scope pinned at resolved replaced_by participants")
# `wanted` is by tier what it is to hold and what not.
Case = namedtuple("Case", "id category user scopes query most wanted")
Wanted = namedtuple("Wanted", "include exclude should only ordered most least", defaults=((), (), (), None, (), None, None))
NAMES = ("mustInclude", "mustExclude", "shouldInclude", "shouldOnlyInclude", "orderedBefore", "maxCount", "minCount")


def read(folder: str) -> Beliefs:
    """Read and check both files of a folder. Raises RalphMemError with what is wrong in which, and OSError."""
    seed = labelled.read(str(Path(folder, SEED)), "beliefs", lambda whole: [_belief(each) for each in whole])
    known = {each.id for each in seed}
    cases = labelled.read(str(Path(folder, CASES)), "queries", lambda whole: [_case(each, known) for each in whole])
    labelled.need(SEED, bool(seed), "no belief")
    labelled.need(CASES, bool(cases), "no query")
    return Beliefs(sorted(seed, key=lambda each: each.at), cases)


def _belief(given: Any) -> Belief:
    return Belief(
        text(given["_id"]), text(given["user_id"]), text(given["type"]), text(given["canonical_name"]), _texts(given["aliases"]),
        text(given["content"]), _texts(given["scope"]), bool(given["pinned"]), moment(given["created_at"]),
        bool(given.get("resolved_at")), text(given.get("superseded_by") or ""), _texts(given.get("participants", [])),
    )  # fmt: skip


def _case(given: Any, known: set[str]) -> Case:
    wanted = {tier: _wanted(given["expect"].get(tier, {}), known) for tier in TIERS}
    most = given.get("budget", {}).get("maxBeliefs", MOST)
    return Case(
        text(given["caseId"]), text(given["category"]), text(given.get("userId", USER)), _texts(given["scope"]),
        text(given["query"]), int(most), wanted,
    )  # fmt: skip


def _wanted(given: Any, known: set[str]) -> Wanted:
    found = Wanted(**{field: given[name] for field, name in zip(Wanted._fields, NAMES, strict=True) if name in given})
    named = [*found.include, *found.exclude, *found.should, *(found.only or ()), *[each for pair in found.ordered for each in pair]]
    strange = [each for each in named if each not in known]
    if strange:
        raise ValueError(f"nobody believes {str(strange[0])[:60]!a}")
    return found


def _texts(given: Iterable[Any]) -> list[str]:
    return [text(each) for each in given]
