"""What a search finds of facts that replaced or contradict each other."""

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.memory.facts import taking
from ralph_mem.memory.recall import candidates, features, lookup, reasons, search
from tests.sessions import DAY, NOON

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."
OLD, NEW = "Timeouts are 30 seconds for the worker.", "Timeouts are 10 seconds for the client."


@pytest.fixture
def found(the_facts, a_project):
    """Search as a person does; returns the rows."""

    def finding(words, **wanted):
        reader = lookup.Reader([the_facts.store], a_project, dict(effective.DEFAULTS))
        return lookup.search(reader, words, NOON + 99 * DAY, lookup.Wanted(**wanted))

    return finding


def test_what_was_replaced_is_not_found(the_facts, found):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    assert [row.asked for row in found("install packages folder")] == [PNPM]


def test_what_was_replaced_is_found_by_its_type(the_facts, found):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    assert [row.asked for row in found("install packages folder", types=["fact"])] == [PNPM, NPM]


def test_of_two_that_hold_the_same_words_the_later_said_comes_first(the_facts, found):
    first, second = "The heron of the pier needs a long and quiet night.", "A heron pier."
    the_facts.say(second)
    the_facts.say(first)
    assert [row.asked for row in found("heron pier")] == [first, second]


def test_of_two_that_contradict_each_other_the_later_tells_of_the_other(the_facts, found):
    the_facts.say(OLD)
    assert the_facts.say(NEW).verb == "CONFLICT"
    (row,) = found("timeouts seconds")
    assert row.asked == NEW and OLD in row.said


def test_a_candidate_is_found(the_facts, found):
    the_facts.say(NPM, "prompt")
    assert [row.asked for row in found("install packages folder")] == [NPM]


# What a prompt is told


def meant(the_facts, prompt):
    """Return what a prompt is told of facts about a lamp and deployments, the second of which has other names."""
    the_facts.say("The lamp of the heron burns paraffin.")
    the_facts.say("Services are deployed to a cluster on EKS.", aliases="k8s\nrolling upgrades")
    return [hit for hit in search.hits(the_facts.store, prompt, NOON + 99 * DAY) if hit.admitted]


@pytest.mark.parametrize("prompt", ["what do we want of k8s in the spring?", "so how do we plan a rolling upgrade for the users?"])
def test_a_prompt_with_another_name_of_a_fact_is_told_it(the_facts, prompt):
    (hit,) = meant(the_facts, prompt)
    assert hit.values[features.ASKED] == "Services are deployed to a cluster on EKS."
    assert "the prompt names it" in reasons.words(features.packed(hit.features))


@pytest.mark.parametrize("prompt", ["what do we want of k8 in the spring?", "so how do we plan upgrades that keep rolling?"])
def test_a_part_of_another_name_does_not_name_the_fact(the_facts, prompt):
    assert meant(the_facts, prompt) == []


def test_a_word_tells_as_much_as_before_once_a_turn_s_sentence_is_a_fact(a_session):
    turn = a_session.has_a_turn("The tungsten lamp burns paraffin.", "It does.")
    a_session.has_a_turn("Paint the shed.", "It is green.")

    def telling():
        return candidates.find(a_session.store, "memory_fts", ["tungsten", "shed"], NOON, candidates.Wanted(), 10)[1]

    before = telling()
    a_session.store.begin()
    statement = taking.Statement("The tungsten lamp burns paraffin.", "fact", "add", NOON, turn)
    assert taking.take(a_session.store, statement, NOON).verb == "ADD"
    a_session.store.commit()
    assert telling() == before
