"""What a forget leaves of the facts that came from what goes."""

import time

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.maintenance.forget import pending
from ralph_mem.memory.facts import learning, log_learning, taking
from ralph_mem.memory.rows import facts, outbox, relations
from tests.readers import files_of, forget, holding, in_order, note, reader_of
from tests.sessions import NOON

TAUGHT = "Always run `make zeppelin` before you push."
REWORDED = "Always please run `make zeppelin` before you push."


@pytest.fixture
def learn(a_session):
    """Learn from what waits."""
    return lambda: learning.learn(a_session.store, a_session.project, dict(effective.DEFAULTS), 50, float("inf"))


def known(session):
    """Return the statements that are known, with how often each was said."""
    return [(fact.text, fact.sightings) for fact in facts.of_status(session.store, facts.CANDIDATE, facts.ACTIVE)]


def test_a_fact_goes_with_the_one_turn_that_it_came_from(a_session, learn):
    turn = a_session.has_a_turn(TAUGHT, "Done.")
    learn()
    forget(reader_of(a_session), turn)
    assert known(a_session) == []
    assert holding(files_of(a_session.project), "make zeppelin") == []


def test_a_fact_that_another_turn_says_too_loses_one_of_two(a_session, another_session, learn):
    turn = a_session.has_a_turn(TAUGHT, "Done.")
    another_session.has_a_turn(TAUGHT, "Done.")
    learn()
    assert known(a_session) == [(TAUGHT, 2)]
    forget(reader_of(a_session), turn)
    assert known(a_session) == [(TAUGHT, 1)]


def test_a_fact_of_which_only_the_forgotten_turn_has_the_words_is_learned_anew_from_the_other(a_session, another_session, learn):
    turn = a_session.has_a_turn(REWORDED, "Done.")
    another_session.has_a_turn(TAUGHT, "Done.")
    learn()
    assert known(a_session) == [(REWORDED, 2)]
    forget(reader_of(a_session), turn)
    assert known(a_session) == []
    learn()
    assert known(a_session) == [(TAUGHT, 1)]


def test_a_turn_that_stays_is_not_learned_from_once_more(a_session, another_session, learn):
    turn = a_session.has_a_turn(TAUGHT, "Done.")
    another_session.has_a_turn(TAUGHT, "Done.")
    learn()
    forget(reader_of(a_session), turn)
    assert learn() == []


def test_what_a_forgotten_fact_was_linked_to_names_it_no_more(a_session, learn):
    turn = a_session.has_a_turn(TAUGHT, "Done.")
    learn()
    (fact,) = facts.of_status(a_session.store, facts.CANDIDATE)
    a_session.store.begin()
    statement = taking.Statement("Always run `make balloon` before you push.", facts.RULE, facts.ADD, NOON)
    taking.take(a_session.store, statement, NOON)
    a_session.store.commit()
    assert facts.links(a_session.store)
    forget(reader_of(a_session), turn)
    assert facts.links(a_session.store) == [] and holding(files_of(a_session.project), fact.public_id) == []


def test_a_fact_that_was_itself_chosen_does_not_come_back(a_session, another_session, learn):
    for session in (a_session, another_session):
        session.has_a_turn(TAUGHT, "Done.")
    learn()
    (fact,) = facts.of_status(a_session.store, facts.CANDIDATE)
    forget(reader_of(a_session), fact.public_id)
    assert (learn(), known(a_session)) == ([], [])


def quoted_by_a_note(session):
    """Keep two facts that a person stated and a note right after them; returns the ids of the facts."""
    session.store.begin()
    said_at = time.time_ns() // 1_000_000
    for text in ("Customer Quillfeather lives at 12 Zebra Street.", "The depot opens at six."):
        taking.take(session.store, taking.Statement(text, facts.FACT, facts.ADD, said_at), said_at)
    session.store.commit()
    note(session, "The lamp is green today.")
    assert session.rows("SELECT count(*) FROM observations WHERE context LIKE '%Quillfeather%'") == [(2,)]
    return [name for (name,) in session.rows("SELECT public_id FROM observations WHERE type = 'fact' ORDER BY id")]


def test_a_fact_leaves_what_was_noted_beside_it(a_session):
    name, _ = quoted_by_a_note(a_session)
    report = forget(reader_of(a_session), name)
    assert (report.is_clean(), report.residue.rows) == (True, [])
    assert holding(files_of(a_session.project), "quillfeather") == []
    in_order(a_session.store)


def test_it_leaves_a_fact_beside_it_that_holds_no_longer_too(a_session):
    name, beside = quoted_by_a_note(a_session)
    a_session.store.begin()
    facts.change(a_session.store, facts.of_id(a_session.store, beside).number, {"status": facts.RETIRED})
    a_session.store.commit()
    assert forget(reader_of(a_session), name).residue.rows == []
    assert holding(files_of(a_session.project), "quillfeather") == []
    in_order(a_session.store)


def test_it_leaves_what_is_kept_for_a_team_and_no_loop_is_spoken_of(a_session):
    name = note(a_session, "Customer Quillfeather lives at 12 Zebra Street.")
    a_session.store.begin()
    outbox.put(a_session.store, "shop", name, "Customer Quillfeather lives at 12 Zebra Street.", NOON)
    a_session.store.commit()
    report = forget(reader_of(a_session), name)
    assert list(report.changed) == ["team tables"]
    assert f"for a team's server is rid of it: 1 value in {a_session.store.folder}" in "\n".join(pending.lines_of_report(report))


# What the log proved


def ran(*sessions):
    """Let sessions run a command, and learn from it; returns the turns."""
    turns = []
    for session in sessions:
        session.asks("Check it")
        session.runs("make zeppelin test")
        session.is_answered("Done.")
        turns.append(session.rows("SELECT public_id FROM turns ORDER BY id DESC LIMIT 1")[0][0])
    log_learning.learn(session.store, session.project.root, float("inf"))
    return turns


def test_a_command_goes_with_the_one_run_that_proved_it(a_session):
    (turn,) = ran(a_session)
    assert len(known(a_session)) == 1
    forget(reader_of(a_session), turn)
    assert known(a_session) == []
    assert holding(files_of(a_session.project), "make zeppelin") == []


def test_a_command_that_another_run_proved_too_stays(a_session, another_session):
    turn, _ = ran(a_session, another_session)
    forget(reader_of(a_session), turn)
    assert [sightings for _, sightings in known(a_session)] == [1]


def test_a_relation_goes_with_the_words_that_are_forgotten(a_session):
    a_session.store.begin()
    taking.take(a_session.store, taking.Statement("Maria owns the zeppelin service.", facts.FACT, facts.ADD, NOON), NOON)
    a_session.store.commit()
    log_learning.learn(a_session.store, a_session.project.root, float("inf"))
    assert relations.query(a_session.store)[0].subject == "zeppelin service"
    forget(reader_of(a_session), known_id(a_session))
    assert relations.query(a_session.store) == []
    assert holding(files_of(a_session.project), "zeppelin") == []


def known_id(session):
    (fact,) = facts.of_status(session.store, facts.ACTIVE)
    return fact.public_id
