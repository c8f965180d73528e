"""What a new statement does to the facts that are there."""

import pytest

from ralph_mem.memory.facts import accepting
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


def test_a_prompt_alone_makes_a_candidate_and_replaces_no_fact(the_facts):
    the_facts.say(NPM)
    taken = the_facts.say(PNPM, facts.PROMPT)
    assert taken.verb == "CONFLICT"
    assert (the_facts.of(facts.ACTIVE), the_facts.of(facts.CANDIDATE)) == ([NPM], [PNPM])


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
    the_facts.change(accepting.accept, the_facts.called(gone), NOON)
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
