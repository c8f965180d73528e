"""What is learnt from the log is learnt in short steps, counted once a day, and goes with what it was learnt from."""

import time

import pytest

from ralph_mem.memory.facts import commands, log_learning
from ralph_mem.memory.rows import facts, relations, rewrite
from tests.sessions import DAY, NOON, Session


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


# What the log proves of places: files that change together, and the port at which something answers.


@pytest.fixture
def worked(a_session):
    """Let sessions edit files, one session a day; returns what is known of places then."""
    store, days = a_session.store, []

    def through(*sessions, run=()):
        for paths in sessions:
            days.append(paths)
            each = Session(store, a_session.project, f"day-{len(days)}", NOON + len(days) * DAY)
            each.starts("resume")
            each.asks("Go on with it")
            for path in paths:
                each.edits(path)
            for line, output in run:
                each.runs(line, output)
            each.is_answered("Done.")
        now = NOON + (len(days) + 1) * DAY
        store.begin()
        log_learning.write_places(store, log_learning.places_found(store, now), now)
        store.commit()
        return sorted(fact.text for fact in facts.read(store, "WHERE f.kind = 'place' AND f.status = 'active'"))

    return through


TOGETHER = ("shop/cart.py", "shop/totals.py")


def test_files_that_changed_together_in_four_sessions_are_a_fact(worked):
    assert worked(*[TOGETHER] * 4) == ["`shop/cart.py` and `shop/totals.py` change together (4 sessions, last on 2026-01-05)"]


def test_three_sessions_prove_nothing(worked):
    assert worked(*[TOGETHER] * 3) == []


def test_a_file_that_goes_with_all_goes_with_none(worked):
    others = [("CHANGELOG.md", f"shop/part{number}.py") for number in range(6)]
    assert worked(*[("CHANGELOG.md", "shop/cart.py")] * 4, *others) == []


def test_a_sweep_through_the_project_says_nothing_of_two_of_its_files(worked):
    sweep = (*TOGETHER, *[f"shop/part{number}.py" for number in range(20)])
    assert worked(*[sweep] * 4) == []


def test_what_changes_together_no_longer_is_retired_and_comes_back(worked, a_store):
    worked(*[TOGETHER] * 4)
    assert worked(*[("shop/cart.py",)] * 5) == []
    assert facts.of_status(a_store, facts.RETIRED)[0].text.startswith("`shop/cart.py` and")
    assert worked(*[TOGETHER] * 2) == ["`shop/cart.py` and `shop/totals.py` change together (6 sessions, last on 2026-01-12)"]


def test_the_turns_that_prove_it_are_its_sources(worked, a_store):
    worked(*[TOGETHER] * 4)
    (fact,) = facts.read(a_store)
    assert (facts.sessions(a_store, fact.public_id), [each["path"] for each in fact.anchors]) == (4, list(TOGETHER))


def test_an_address_that_answered_in_two_sessions_is_a_fact(worked):
    run = [("curl -s http://localhost:5173/health", "ok")]
    assert worked((), run=run) == []
    assert worked((), run=run) == ["Something answers at http://localhost:5173 (2 sessions, last on 2026-01-03)"]


def test_an_address_that_gave_no_answer_is_none(worked):
    assert worked((), (), run=[("curl -s http://localhost:5173/health", "")]) == []
