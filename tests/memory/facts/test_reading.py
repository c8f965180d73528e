"""The place of facts among the memories that a prompt may mean."""

import pytest

from ralph_mem.memory.facts import wording
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import facts
from tests.sessions import DAY

QUERY = "how are the zeppelin lamps fed?"
ONE, OTHER = "The zeppelin lamps are fed by gas line seven.", "The zeppelin lamps are fed by coal cart three."


@pytest.fixture
def a_memory(a_session):
    """Make a memory in which a few turns are about something else."""
    for number in range(8):
        a_session.has_a_turn(f"polish the lantern {number}", f"Polished lantern {number} in amber.")
    return a_session


def knows(session, text, **known):
    """Store a fact, of kind rule and active unless said otherwise; returns its id."""
    name = session.notes(text)
    (number,) = session.store.one("SELECT id FROM observations WHERE public_id = ?", (name,))
    whole = {"kind": facts.RULE, "status": facts.ACTIVE, "source": facts.ADD, "said_at": session.now, **known}
    session.store.begin()
    facts.add(session.store, number, {"text_key": wording.key(text), **whole})
    session.store.commit()
    return name


def order(session, query=QUERY):
    """Return the ids of what a prompt may mean and is told, the best first."""
    return [hit.values[1] for hit in search.hits(session.store, query, session.now) if hit.admitted]


@pytest.mark.parametrize("worse", [{"harmful": 4}, {"procedural": 0.1}])
@pytest.mark.parametrize("place", [0, 1])
def test_of_two_facts_that_fit_as_well_the_stronger_comes_first(a_memory, worse, place):
    names = [knows(a_memory, text, **(worse if at == place else {})) for at, text in enumerate((ONE, OTHER))]
    assert order(a_memory) == [names[1 - place], names[place]]


def test_what_contradicts_another_fact_comes_behind_one_that_nothing_contradicts(a_memory):
    one, other, third = [knows(a_memory, text) for text in (ONE, OTHER, "The zeppelin lamps are fed by oil tank five.")]
    a_memory.store.begin()
    facts.link(a_memory.store, other, facts.CONFLICTS, one, 0.5, a_memory.now)
    a_memory.store.commit()
    assert order(a_memory)[0] == third


def test_a_fact_past_its_day_is_not_told(a_memory):
    knows(a_memory, ONE, expires_at=a_memory.now + DAY)
    assert len(order(a_memory)) == 1
    a_memory.now += 2 * DAY
    assert order(a_memory) == []


def test_among_equals_how_to_do_something_comes_before_what_happened_and_that_before_what_is_so(a_memory):
    kinds = {knows(a_memory, text, kind=kind): kind for text, kind in ((ONE, facts.FACT), (OTHER, facts.RULE))}
    found = search.hits(a_memory.store, QUERY, a_memory.now)
    places = {kinds[hit.values[1]]: hit.place for hit in found if hit.values[1] in kinds}
    assert places[facts.RULE] < places[facts.FACT]
