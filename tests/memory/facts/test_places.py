"""What the log proves of places: files that change together, and the port at which something answers."""

import pytest

from ralph_mem.memory.facts import places
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON, Session


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
        places.write(store, places.found(store, now), now)
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
