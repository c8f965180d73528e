"""What comes again and again: a command that is left failing, one that belongs to a weekday, a test that goes with a file."""

import pytest

from ralph_mem.memory.facts import mining
from ralph_mem.memory.rows import facts, relations
from tests.sessions import DAY, NOON, Session

NOW = NOON + 28 * DAY


@pytest.fixture
def mined(a_session):
    """Let sessions work on given days: each does what it is given, `edit PATH` or a command, with `!` before one that fails."""
    count = []

    def through(*days):
        for day, *deeds in days:
            count.append(day)
            each = Session(a_session.store, a_session.project, f"session-{len(count)}", NOON + day * DAY)
            each.starts("resume")
            each.asks("Go on with it")
            for deed in deeds:
                if deed.startswith("edit "):
                    each.edits(deed.removeprefix("edit "))
                else:
                    each.runs(deed.lstrip("!"), error="Exit code 1\nno" if deed[0] == "!" else None)
        for _ in range(2):  # the second time changes nothing
            store = a_session.store
            store.begin()
            mining.write(store, mining.patterns(store, NOW), mining.tested(store, NOW), NOW)
            store.commit()
        return sorted(fact.text for fact in facts.read(a_session.store, "WHERE f.kind = 'pattern'"))

    return through


def test_a_command_that_three_sessions_left_failing_is_found(mined):
    assert mined((1, "!make e2e"), (2, "!make e2e"), (4, "!make e2e")) == ["`make e2e` failed and was left so, in 3 sessions"]


def test_a_command_that_was_mended_in_its_session_is_not(mined):
    assert mined(*[(day, "!make e2e", "make e2e") for day in (1, 2, 4)]) == []


@pytest.mark.parametrize(
    ("failed", "later"),
    [("pytest -q tests/test_0.py", "pytest -q"), ("black --check .", "npm ci && black ."), ("ls nope", "ls yes")],
)
def test_what_passed_later_in_each_session_as_a_part_or_in_another_line_or_only_looks_is_not(mined, failed, later):
    assert mined(*[(day, f"!{failed}", "edit shop/cart.py", later) for day in (1, 2, 4)]) == []


def test_a_part_that_fails_again_after_all_has_passed_is_left_failing(mined):
    sessions = [(day, "pytest -q", "!pytest -q tests/test_0.py") for day in (1, 2, 4)]
    assert mined(*sessions) == ["`pytest -q tests/test_0.py` failed and was left so, in 3 sessions"]


def test_a_command_that_passed_in_another_folder_is_left_failing(mined):
    sessions = [(day, "!cd web && npm test", "cd api && npm test") for day in (1, 2, 4)]
    assert mined(*sessions) == ["`cd web && npm test` failed and was left so, in 3 sessions"]


def test_a_command_of_one_weekday_in_three_weeks_is_a_routine(mined):
    assert mined(*[(day, "make notes") for day in (0, 7, 14)]) == ["`make notes` is run on a Thursday, in 3 sessions"]


def test_what_is_run_on_any_day_is_none(mined):
    assert mined(*[(day, "make notes") for day in (0, 3, 7, 9, 11, 14)]) == []


def test_what_happened_once_is_not_found(mined):
    assert mined((1, "!make e2e"), (2, "make notes"), (3, "edit shop/cart.py", "pytest tests/test_cart.py")) == []


def test_what_was_seen_longer_ago_than_a_month_does_not_count(mined):
    assert mined(*[(day, "!make e2e") for day in (-60, -50, -40)]) == []


def pairs_of(store):
    return [(each.subject, each.object) for each in relations.query(store, predicate=relations.TESTED_BY)]


def test_a_test_that_was_run_after_changes_to_a_file_in_three_sessions_tests_it(mined, a_store):
    mined(*[(day, "edit shop/cart.py", "uv run pytest tests/test_cart.py::test_total") for day in (1, 3, 5)])
    assert pairs_of(a_store) == [("shop/cart.py", "tests/test_cart.py")]
    assert relations.query(a_store)[0].confidence == relations.CONFIDENCE


def test_a_test_that_is_run_with_whatever_file_tests_none(mined, a_store):
    mined(*[(day, f"edit shop/part{day}.py", "pytest tests/test_all.py") for day in range(4)])
    mined(*[(day, "edit shop/cart.py", "pytest tests/test_all.py") for day in (5, 6, 7)])
    assert pairs_of(a_store) == []


def test_a_pattern_is_believed_a_tenth_less_each_week_and_then_is_no_hint(mined, a_store):
    mined((1, "!make e2e"), (2, "!make e2e"), (4, "!make e2e"))
    (fact,) = mining.hints(a_store, fact_at(a_store))
    assert mining.believed(fact, fact.said_at + 7 * DAY) == pytest.approx(0.6 * 0.9)
    assert mining.hints(a_store, fact.said_at + 14 * DAY) == []


def fact_at(store):
    return facts.read(store)[0].said_at


def test_a_pattern_is_a_candidate_that_a_person_may_accept(mined, a_store):
    mined((1, "!make e2e"), (2, "!make e2e"), (4, "!make e2e"))
    (fact,) = facts.read(a_store)
    assert (fact.status, fact.source, facts.sessions(a_store, fact.public_id)) == (facts.CANDIDATE, facts.PROPOSAL, 3)
