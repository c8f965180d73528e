"""What is learnt from the log is learnt in short steps, counted once a day, and goes with what it was learnt from."""

import time

import pytest

from ralph_mem.memory.facts import commands, log_learning
from ralph_mem.memory.rows import facts, relations, rewrite


@pytest.fixture
def learn(a_session, monkeypatch):
    """Learn from the log now, or so many days later."""

    def later(days=0.0, seconds=60.0):
        real = time.time_ns()
        monkeypatch.setattr(log_learning, "_now", lambda: real // 1_000_000 + int(days * log_learning.DAY_MS))
        return log_learning.learn(a_session.store, a_session.project.root, time.monotonic() + seconds)

    return later


def test_commands_are_taken_in_step_by_step(learn, a_session, monkeypatch):
    monkeypatch.setattr(commands, "MOST_AT_ONCE", 2)
    for _ in range(5):
        a_session.runs("make test")
    assert (learn(), learn()) == (5, 0)


def test_what_there_is_no_time_for_waits(learn, a_session):
    a_session.runs("make test")
    assert learn(seconds=-1) == 0
    assert learn() == 1


@pytest.mark.parametrize(("days", "again"), [(0.5, False), (1.5, True), (-3, True)])
def test_all_is_counted_once_a_day_also_when_the_clock_was_set_back(learn, a_store, days, again):
    learn()
    first = a_store.property(log_learning.MINED)
    learn(days)
    assert (a_store.property(log_learning.MINED) != first) == again


def test_whoever_waits_for_the_end_has_all_counted_at_once(learn, the_facts):
    learn()
    the_facts.say("Maria owns the payments service.")
    learn()
    assert relations.query(the_facts.store) == []
    learn(seconds=float("inf"))
    assert [(each.subject, each.object) for each in relations.query(the_facts.store)] == [("payments service", "Maria")]


def test_relations_are_made_of_what_holds(learn, the_facts):
    the_facts.say("Maria owns the payments service.")
    learn()
    assert [(each.subject, each.object) for each in relations.query(the_facts.store)] == [("payments service", "Maria")]


def test_a_relation_goes_with_the_fact_that_says_it(learn, the_facts):
    said = the_facts.say("Maria owns the payments service.")
    learn()
    the_facts.change(rewrite.delete, said.public_id)
    assert (relations.query(the_facts.store), facts.read(the_facts.store)) == ([], [])
