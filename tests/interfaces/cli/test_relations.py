"""`ralph-mem relations`: what belongs to what, for people and for programs, and how a person corrects it."""

import subprocess
import sys

import pytest

from tests.hook import REPOSITORY

LEARNER = REPOSITORY / "ralph_mem" / "interfaces" / "learner.py"


@pytest.fixture
def a_person_with_a_relation(a_person):
    """Return somebody whose statement was learnt from."""
    a_person.reads("facts", "add", "Maria owns the payments service.")
    subprocess.run([sys.executable, LEARNER, a_person.memory], env=a_person.environment, check=True, timeout=60)
    return a_person


def test_relations_are_listed_with_how_much_they_are_believed(a_person_with_a_relation):
    (found,) = a_person_with_a_relation.json("relations")
    assert (found["subject"], found["predicate"], found["object"], found["confidence"]) == (
        "payments service",
        "owned_by",
        "Maria",
        0.7,
    )
    assert "payments service" in a_person_with_a_relation.reads("relations", "list", "--predicate", "owned_by")


def test_a_relation_is_corrected_and_removed(a_person_with_a_relation):
    (found,) = a_person_with_a_relation.json("relations")
    changed = a_person_with_a_relation.json("relations", "edit", found["id"], "--object", "Team Till", "--confidence", "0.9")
    assert (changed["object"], changed["confidence"]) == ("Team Till", 0.9)
    assert a_person_with_a_relation.json("relations", "remove", found["id"]) == {"removed": found["id"]}
    assert a_person_with_a_relation.json("relations") == []


def test_an_undo_of_a_relation_that_is_gone_says_that_a_fact_brings_it_back(a_person_with_a_relation):
    (found,) = a_person_with_a_relation.json("relations")
    a_person_with_a_relation.reads("relations", "remove", found["id"])
    said = a_person_with_a_relation.cli("undo")
    assert said.code == 1 and "`ralph-mem facts add` keeps a fact, and a relation that you removed comes back" in said.err


def test_a_pattern_counts_at_once_for_facts_keys_and_relations_as_they_are_listed(a_person):
    a_person.reads("core", "set", "account", "ACME-99887")
    name = a_person.json("facts", "add", "The ACME-99887 code lives in `src/acme.py`.")["id"]
    a_person.reads("learn")
    a_person.reads("config", "set", "privacy.redact_patterns", '["ACME-[0-9]+"]')
    orders = [["core"], ["core", "get", "account"], ["facts"], ["facts", "show", name], ["facts", "history", name], ["relations"]]
    told = [a_person.reads(*order, *more) for order in orders for more in ([], ["--json"])]
    assert all("REDACTED" in text and "ACME-99887" not in text for text in told)


def test_an_unknown_predicate_is_refused_with_those_that_there_are(a_person_with_a_relation):
    said = a_person_with_a_relation.cli("relations", "list", "--predicate", "likes")
    assert said.code == 1 and "owned_by" in said.err
