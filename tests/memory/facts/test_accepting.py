"""What a person decides of a fact, and how it is undone."""

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import accepting
from ralph_mem.memory.rows import facts
from tests.sessions import NOON

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."
NO_PNPM = "We no longer use pnpm, we use bun now."
PORTS = ("The port is 80.", "The port is 81, not 80.", "The port is 82, not 81.")


def test_an_update_is_taken_back_by_its_link(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    the_facts.change(accepting.undo, the_facts.called(PNPM), NOON)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.REJECTED)) == ([NPM], [PNPM])


def test_what_replaced_nothing_cannot_be_taken_back(the_facts):
    the_facts.say(NPM)
    with pytest.raises(RalphMemError, match="has replaced nothing"):
        the_facts.change(accepting.undo, the_facts.called(NPM), NOON)


def test_what_was_replaced_itself_is_not_taken_back_before_what_replaced_it(the_facts):
    _, middle, last = [the_facts.say(text).public_id for text in PORTS]
    with pytest.raises(RalphMemError, match=f"{middle} was replaced by {last}") as refused:
        the_facts.change(accepting.undo, the_facts.called(PORTS[1]), NOON)
    assert f"facts undo {last}" in refused.value.hint


def test_a_chain_of_updates_is_taken_back_from_its_end(the_facts):
    for text in PORTS:
        the_facts.say(text)
    for text in PORTS[:0:-1]:
        the_facts.change(accepting.undo, the_facts.called(text), NOON)
    assert the_facts.of(facts.ACTIVE) == [PORTS[0]]


def test_a_candidate_that_a_person_accepts_replaces_what_it_is_an_update_of(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM, facts.PROMPT)
    the_facts.change(accepting.accept, the_facts.called(PNPM), NOON)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([PNPM], [NPM])


def test_what_was_replaced_and_is_accepted_holds_again_and_contradicts_what_replaced_it(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    the_facts.change(accepting.accept, the_facts.called(NPM), NOON)
    old = the_facts.called(NPM)
    assert (old.status, old.valid_until, old.retired_at, old.retired_why) == (facts.ACTIVE, None, None, None)
    assert [kind for _, _, kind, *_ in facts.links(the_facts.store, old.public_id)] == [facts.CONFLICTS]


def test_a_candidate_that_a_person_rejected_does_not_come_back(the_facts):
    the_facts.say(NPM, facts.PROMPT, parent="turn-aaaaaaaaaa")
    the_facts.change(accepting.reject, the_facts.called(NPM), NOON)
    assert the_facts.say(NPM, facts.PROMPT, parent="turn-bbbbbbbbbb").verb == "NOOP"
    assert the_facts.of(facts.CANDIDATE) == []


def test_what_was_refused_is_not_accepted_beside_a_fact_in_the_same_words(the_facts):
    the_facts.say(NPM, facts.PROMPT)
    refused = the_facts.called(NPM)
    the_facts.change(accepting.reject, refused, NOON)
    the_facts.say(NPM)
    refused = facts.of_id(the_facts.store, refused.public_id)
    with pytest.raises(RalphMemError, match="says the same and holds"):
        the_facts.change(accepting.accept, refused, NOON)


def test_a_prompt_that_takes_back_and_goes_on_contradicts_until_a_person_accepts_it(the_facts):
    the_facts.say("Always use pnpm, never npm.")
    assert the_facts.say(NO_PNPM, facts.PROMPT).verb == "CONFLICT"
    the_facts.change(accepting.accept, the_facts.called(NO_PNPM), NOON)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([NO_PNPM], ["Always use pnpm, never npm."])
