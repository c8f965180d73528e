"""Of facts about the same the later said comes first in a search, and of others the one that answers."""

from ralph_mem.core.settings import effective
from ralph_mem.memory.facts import taking
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON

PORT, NEW_PORT = "The staging server listens on port 8443.", "Our staging server now answers at port 9443."
ASIDE = "Is the port of the staging server to be changed?"


def searched(session, query, *texts):
    """Return the facts that a search finds, in its order, when they were said a day apart in this one."""
    session.store.begin()
    for day, text in enumerate(texts):
        taking.take(session.store, taking.Statement(text, facts.FACT, facts.ADD, NOON + day * DAY), NOON + day * DAY)
    session.store.commit()
    reader = lookup.Reader([session.store], session.project, dict(effective.DEFAULTS))
    return [row.asked for row in lookup.search(reader, query, NOON + 9 * DAY, lookup.Wanted(limit=10))]


def test_of_two_that_hold_the_same_of_the_query_the_later_said_comes_first(a_session):
    assert searched(a_session, "staging server port", PORT, NEW_PORT)[0] == NEW_PORT


def test_what_was_said_later_and_answers_less_stays_behind_what_answers(a_session):
    assert searched(a_session, "staging server port", PORT, ASIDE) == [PORT, ASIDE]
