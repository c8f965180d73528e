"""What a new statement does to the facts that are there."""

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."
NO_PNPM = "We no longer use pnpm, we use bun now."


def test_a_statement_that_is_new_is_added(the_facts):
    taken = the_facts.say("Releases go out with make ship.")
    assert (taken.verb, taken.target) == ("ADD", "")
    assert the_facts.of(facts.ACTIVE) == ["Releases go out with make ship."]


@pytest.mark.parametrize("again", ["releases  go out with make ship", "Releases go out with make ship!"])
def test_a_statement_in_the_same_words_is_stored_once(the_facts, again):
    the_facts.say("Releases go out with make ship.")
    assert the_facts.say(again).verb == "NOOP"
    assert len(the_facts.of(facts.ACTIVE)) == 1


def test_a_statement_that_is_said_again_was_said_last_on_that_day_and_holds_since_the_first(the_facts):
    the_facts.say(NPM)
    the_facts.say(NPM)
    fact = the_facts.called(NPM)
    assert (fact.valid_from, fact.said_at) == (NOON + DAY, NOON + 2 * DAY)


def test_what_differs_in_one_word_replaces_and_the_old_words_stay_in_the_history(the_facts):
    old = the_facts.say(NPM)
    taken = the_facts.say(PNPM)
    assert (taken.verb, taken.target) == ("UPDATE", old.public_id)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([PNPM], [NPM])


def test_an_update_is_taken_back_by_its_link(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    the_facts.change(taking.undo, the_facts.called(PNPM), NOON)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.REJECTED)) == ([NPM], [PNPM])


def test_what_replaced_nothing_cannot_be_taken_back(the_facts):
    the_facts.say(NPM)
    with pytest.raises(RalphMemError, match="has replaced nothing"):
        the_facts.change(taking.undo, the_facts.called(NPM), NOON)


PORTS = ("The port is 80.", "The port is 81, not 80.", "The port is 82, not 81.")


def test_what_was_replaced_itself_is_not_taken_back_before_what_replaced_it(the_facts):
    _, middle, last = [the_facts.say(text).public_id for text in PORTS]
    with pytest.raises(RalphMemError, match=f"{middle} was replaced by {last}") as refused:
        the_facts.change(taking.undo, the_facts.called(PORTS[1]), NOON)
    assert f"facts undo {last}" in refused.value.hint


def test_a_chain_of_updates_is_taken_back_from_its_end(the_facts):
    for text in PORTS:
        the_facts.say(text)
    for text in PORTS[:0:-1]:
        the_facts.change(taking.undo, the_facts.called(text), NOON)
    assert the_facts.of(facts.ACTIVE) == [PORTS[0]]


def test_a_prompt_alone_makes_a_candidate_and_replaces_no_fact(the_facts):
    the_facts.say(NPM)
    taken = the_facts.say(PNPM, facts.PROMPT)
    assert taken.verb == "CONFLICT"
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.CANDIDATE)) == ([NPM], [PNPM])


def test_a_candidate_that_a_person_accepts_replaces_what_it_is_an_update_of(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM, facts.PROMPT)
    the_facts.change(taking.accept, the_facts.called(PNPM), NOON)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([PNPM], [NPM])


def test_what_was_replaced_and_is_accepted_holds_again_and_contradicts_what_replaced_it(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    the_facts.change(taking.accept, the_facts.called(NPM), NOON)
    old = the_facts.called(NPM)
    assert (old.status, old.valid_until, old.retired_at, old.retired_why) == (facts.ACTIVE, None, None, None)
    assert [kind for _, _, kind, *_ in facts.links(the_facts.store, old.public_id)] == [facts.CONFLICTS]


def test_a_candidate_that_a_person_rejected_does_not_come_back(the_facts):
    the_facts.say(NPM, facts.PROMPT, parent="turn-aaaaaaaaaa")
    the_facts.change(taking.reject, the_facts.called(NPM), NOON)
    assert the_facts.say(NPM, facts.PROMPT, parent="turn-bbbbbbbbbb").verb == "NOOP"
    assert the_facts.of(facts.CANDIDATE) == []


def test_what_a_person_adds_to_a_fact_that_is_known_is_kept_with_it(the_facts):
    the_facts.say(NPM, aliases="packages")
    assert the_facts.say(NPM, aliases="packages\ndeps", expires_at=NOON + 9 * DAY).is_extended
    fact = the_facts.called(NPM)
    assert (fact.aliases, fact.expires_at) == ("packages\ndeps", NOON + 9 * DAY)
    assert not the_facts.say(NPM).is_extended


def test_what_a_prompt_says_again_changes_nothing_of_a_fact(the_facts):
    the_facts.say(NPM)
    assert not the_facts.say(NPM, facts.PROMPT, aliases="deps").is_extended
    assert the_facts.called(NPM).aliases == ""


def test_what_was_refused_is_not_accepted_beside_a_fact_in_the_same_words(the_facts):
    the_facts.say(NPM, facts.PROMPT)
    refused = the_facts.called(NPM)
    the_facts.change(taking.reject, refused, NOON)
    the_facts.say(NPM)
    refused = facts.of_id(the_facts.store, refused.public_id)
    with pytest.raises(RalphMemError, match="says the same and holds"):
        the_facts.change(taking.accept, refused, NOON)


def test_a_note_by_hand_is_replaced_by_no_rule(the_facts):
    the_facts.say(NPM, facts.INJECT)
    assert the_facts.say(PNPM).verb == "CONFLICT"
    assert sorted(the_facts.of(facts.ACTIVE)) == [NPM, PNPM]


def test_what_a_person_takes_back_holds_no_longer(the_facts):
    the_facts.say(NPM)
    assert the_facts.say("Forget that we install packages with npm 10 in every folder").verb == "DELETE"
    assert (the_facts.of(facts.ACTIVE), NPM in the_facts.of(facts.RETIRED)) == ([], True)


def test_what_stands_in_the_file_of_rules_is_compared_as_what_holds(the_facts):
    the_facts.say(NPM)
    the_facts.change(facts.change, the_facts.called(NPM).number, {"status": facts.EXPORTED})
    assert the_facts.say(NPM).verb == "NOOP"
    assert (the_facts.say(PNPM).verb, the_facts.called(NPM).status) == ("UPDATE", facts.SUPERSEDED)


def test_what_is_taken_back_by_a_sentence_that_goes_on_is_replaced_by_it(the_facts):
    the_facts.say("Always use pnpm, never npm.")
    assert the_facts.say(NO_PNPM).verb == "UPDATE"
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([NO_PNPM], ["Always use pnpm, never npm."])


def test_a_prompt_that_takes_back_and_goes_on_contradicts_until_a_person_accepts_it(the_facts):
    the_facts.say("Always use pnpm, never npm.")
    assert the_facts.say(NO_PNPM, facts.PROMPT).verb == "CONFLICT"
    the_facts.change(taking.accept, the_facts.called(NO_PNPM), NOON)
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([NO_PNPM], ["Always use pnpm, never npm."])


def test_what_takes_back_and_goes_on_is_known_when_it_is_said_again(the_facts):
    the_facts.say("Always use pnpm, never npm.")
    the_facts.say(NO_PNPM)
    assert the_facts.say(NO_PNPM).verb == "NOOP"


def test_who_takes_back_an_update_that_waits_does_not_bring_back_what_that_contradicts(the_facts):
    old, gone = "We deploy with make deploy.", "We no longer deploy with ./ship.sh."
    the_facts.say(old)
    the_facts.say("Deploy with ./ship.sh from now on.", facts.PROMPT)
    assert the_facts.say(gone, facts.PROMPT).verb == "DELETE"
    assert (the_facts.of(facts.CANDIDATE), the_facts.of(facts.ACTIVE)) == ([gone], [old])
    the_facts.change(taking.accept, the_facts.called(gone), NOON)
    assert (the_facts.of(facts.CANDIDATE, facts.ACTIVE), the_facts.of(facts.SUPERSEDED)) == ([], [old])


def test_the_same_statement_of_the_same_turn_is_taken_once(the_facts):
    for _ in range(2):
        the_facts.say(NPM, facts.PROMPT, parent="turn-aaaaaaaaaa")
    assert the_facts.called(NPM).sightings == 1


def test_a_fact_that_holds_is_a_memory_and_one_that_does_not_is_none(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    names = [name for (name,) in the_facts.store.execute(
        "SELECT o.title FROM memories AS m JOIN observations AS o ON o.id = m.observation_id"
    )]  # fmt: skip
    assert names == [PNPM]
