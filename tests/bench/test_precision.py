"""Whether what is told is what was meant, by the rules of PrecisionMemBench, on a tiny folder of its format."""

import json

import pytest

from ralph_mem.bench import beliefs, precision
from ralph_mem.core.errors import RalphMemError

PIER, HERON, FERRY, OLD, NEW = "b-pier", "b-heron", "b-ferry", "b-old", "b-new"


def a_belief(name, content, aliases=(), scope="domain:harbour", **more):
    return {"_id": name, "user_id": "test-user", "type": "preference", "canonical_name": name[2:], "aliases": list(aliases),
            "content": content, "scope": [scope], "pinned": False, "created_at": "2026-01-01T00:00:00Z", **more}  # fmt: skip


def a_case(query, expected, scope=("domain:harbour",), **more):
    tiers = {"relevantBeliefs": {"shouldOnlyInclude": expected}, **more.pop("expect", {})}
    return {"caseId": query, "category": "all", "scope": list(scope), "query": query, "expect": tiers, **more}


SEED = [
    a_belief(PIER, "Lanterns on the pier burn paraffin.", ["jetty"], pinned=True),
    a_belief(HERON, "The zeppelin is moored by night.", ["airship", "dirigible"]),
    a_belief(FERRY, "The ferry takes bicycles.", ["barge"], scope="domain:river"),
    a_belief(OLD, "Tickets were sold by Wolfram.", ["Wolfram"], superseded_by=NEW),
    a_belief(NEW, "Basalt prints all of the tickets.", ["Basalt"], created_at="2026-02-01T00:00:00Z"),
]


@pytest.fixture
def asked(tmp_path):
    """Write a folder of the seed and some cases, and measure it; returns the report."""

    def asking(*cases, seed=SEED):
        for name, value in ((beliefs.SEED, seed), (beliefs.CASES, list(cases))):
            (tmp_path / name).write_text(json.dumps(value))
        return precision.run(beliefs.read(str(tmp_path)))

    return asking


def test_a_prompt_that_names_a_belief_by_another_word_is_told_it_and_nothing_else(asked):
    report = asked(a_case("when does the dirigible come in?", [HERON]))
    assert report["prompt"] == {"cases": 1, "passed": 1, "active": 1, "precision": 1, "recall": 1, "superseded": 0}


def test_what_is_told_beside_what_was_meant_costs_precision_and_what_is_missing_recall(asked):
    report = asked(a_case("airship?", []), a_case("dirigible?", [HERON, NEW]))
    (noise, half) = report["judged"]["prompt"]
    assert (noise["precision"], noise["recall"], noise["faults"]) == (0, None, [f"not to be told: {HERON}"])
    assert (half["precision"], half["recall"], half["faults"]) == (1, 0.5, [f"missing: {NEW}"])


def test_silence_where_nothing_is_meant_has_no_precision_and_passes(asked):
    report = asked(a_case("what is for dinner?", []), a_case("", []))
    assert (report["prompt"]["passed"], report["prompt"]["precision"], report["prompt"]["active"]) == (2, None, 0)


def test_a_scope_is_a_project_of_its_own(asked):
    assert asked(a_case("barge?", []), a_case("barge?", [FERRY], ["domain:river"]))["prompt"]["passed"] == 2


def test_what_was_superseded_is_told_by_no_way(asked):
    report = asked(a_case("does Wolfram sell tickets?", [NEW]))
    assert OLD not in report["judged"]["prompt"][0]["told"] + report["judged"]["search"][0]["told"]
    assert report["prompt"]["superseded"] == report["search"]["superseded"] == 0


def test_what_is_pinned_is_told_at_the_start_and_answers_no_query(asked):
    report = asked(a_case("which lantern is on the jetty?", [], expect={"pinnedFacts": {"mustInclude": [PIER]}}))
    assert report["prompt"]["passed"] == report["search"]["passed"] == 1


def test_pins_take_room_and_a_relation_brings_what_it_relates(asked):
    tied = a_belief("b-tied", "The airship is tied to the lighthouse.", ["tied"], type="relation", participants=[HERON, "b-x"])
    cases = a_case("what is tied?", ["b-tied", HERON]), a_case("what is tied?", ["b-tied"], budget={"maxBeliefs": 2})
    assert asked(*cases, seed=[*SEED, tied])["prompt"]["passed"] == 2


def test_another_user_knows_nothing_of_it(asked):
    assert asked(a_case("airship?", [], userId="somebody-else"))["prompt"]["passed"] == 1


@pytest.mark.parametrize(
    ("seed", "cases"),
    [("{", []), ([{"_id": 7}], []), (SEED, [{}]), (SEED, [a_case("x", ["b-nobody"])]), ([], [a_case("x", [])]), (SEED, [])],
)
def test_what_is_wrong_with_a_folder_is_told(tmp_path, seed, cases):
    (tmp_path / beliefs.SEED).write_text(seed if isinstance(seed, str) else json.dumps(seed))
    (tmp_path / beliefs.CASES).write_text(json.dumps(cases))
    with pytest.raises(RalphMemError, match=r"beliefs\.seed\.json|retrieval\.cases\.json"):
        beliefs.read(str(tmp_path))
