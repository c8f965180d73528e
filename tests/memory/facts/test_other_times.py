"""Facts of another time: what was known then, and what was true then."""

from ralph_mem.core.settings import effective
from ralph_mem.memory.facts import accepting, by_hand
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import fact_queries, facts
from tests.sessions import DAY, NOON

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."


def texts(found):
    return [fact.text for fact in found]


def test_what_was_known_then_is_what_had_been_said_and_not_been_replaced(the_facts):
    the_facts.say(NPM)  # on the first day
    the_facts.say(PNPM)  # on the second
    known = [texts(fact_queries.as_of(the_facts.store, NOON + day * DAY)) for day in (0, 1, 2)]
    assert known == [[], [NPM], [PNPM]]


def test_a_candidate_was_known_as_a_fact_from_when_a_person_accepted_it(the_facts):
    the_facts.say(NPM, facts.PROMPT)
    the_facts.change(accepting.accept, the_facts.called(NPM), NOON + 5 * DAY)
    assert [texts(fact_queries.as_of(the_facts.store, NOON + day * DAY)) for day in (4, 5)] == [[], [NPM]]


def test_what_was_true_then_may_have_become_known_later(the_facts):
    the_facts.say(NPM, facts.PROMPT)
    the_facts.change(accepting.accept, the_facts.called(NPM), NOON + 5 * DAY)
    assert texts(fact_queries.valid_at(the_facts.store, NOON + 2 * DAY)) == [NPM]


def test_what_was_taken_back_is_of_no_time(the_facts):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    the_facts.change(accepting.undo, the_facts.called(PNPM), NOON + 5 * DAY)
    assert [texts(fact_queries.as_of(the_facts.store, NOON + day * DAY)) for day in (1, 6)] == [[NPM], [NPM]]


def test_the_words_that_took_a_fact_back_are_no_fact_of_any_time(the_facts):
    the_facts.say(NPM)
    the_facts.say("Forget that we install packages with npm 10 in every folder.")
    assert [texts(fact_queries.as_of(the_facts.store, NOON + day * DAY)) for day in (1, 3)] == [[NPM], []]


def test_a_fact_that_had_expired_was_known_until_then(the_facts):
    the_facts.say(NPM, expires_at=NOON + 3 * DAY)
    assert [texts(fact_queries.as_of(the_facts.store, NOON + day * DAY)) for day in (2, 3)] == [[NPM], []]


def test_both_questions_can_be_asked_at_once(the_facts, a_project):
    the_facts.say(NPM)
    the_facts.say(PNPM)
    reader = lookup.Reader([the_facts.store], a_project, effective.DEFAULTS)
    assert texts(by_hand.at_another_time(reader, NOON + 2 * DAY, NOON + DAY)) == []
    assert texts(by_hand.at_another_time(reader, None, NOON + DAY)) == [NPM]
