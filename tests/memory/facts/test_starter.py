"""Sets of rules for a project that has none yet."""

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import accepting, starter
from ralph_mem.memory.rows import facts


def load(session, name="tests"):
    return starter.proposed(starter.load(session.project, session.settings, name))


def told(session):
    return session.starts("clear")


@pytest.mark.parametrize("name", starter.SETS)
def test_a_set_is_proposed_as_it_stands_and_told_to_nobody_before_it_is_accepted(a_session, name):
    names = load(a_session, name)
    found = facts.of_status(a_session.store, facts.CANDIDATE)
    assert {fact.text for fact in found} == set(starter.SETS[name]) and {fact.public_id for fact in found} == set(names)
    assert told(a_session) == ""


def test_what_is_accepted_of_it_is_told_at_the_next_start(a_session):
    name = load(a_session)[0]
    a_session.store.begin()
    accepting.accept(a_session.store, facts.of_id(a_session.store, name), a_session.now)
    a_session.store.commit()
    assert starter.SETS["tests"][0] in told(a_session) and starter.SETS["tests"][1] not in told(a_session)


def test_a_set_that_is_loaded_again_proposes_nothing_twice_and_nothing_that_was_refused(a_session):
    name = load(a_session)[0]
    a_session.store.begin()
    accepting.reject(a_session.store, facts.of_id(a_session.store, name), a_session.now)
    a_session.store.commit()
    assert load(a_session) == [] and len(facts.of_status(a_session.store, facts.CANDIDATE)) == 2


def test_a_set_that_there_is_not_is_named(a_session):
    with pytest.raises(RalphMemError, match="there is no set gardening"):
        load(a_session, "gardening")
