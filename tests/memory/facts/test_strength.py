"""How strong a fact still is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.facts import strength
from ralph_mem.memory.facts.strength import Clock
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON

EXACT = pytest.approx
YEAR = 365 * DAY


def a_fact(the_facts, kind=facts.RULE, **known):
    """Return a fact that was said at noon and touched when 100 accesses had been."""
    name = the_facts.say(f"The {kind} of the lamp is 7.", kind=kind).public_id
    known = {"touched_at": NOON, "touched_clock": 100, **known}
    the_facts.change(facts.change, facts.of_id(the_facts.store, name).number, known)
    return facts.of_id(the_facts.store, name)


# The formulas


@pytest.mark.parametrize(
    ("strengths", "passed", "expected"),
    [
        ({"semantic": 1.0}, {"semantic": 10}, 0.9043820750088044),
        ({"episodic": 1.0}, {"episodic": 10}, 0.5987369392383787),
        ({"procedural": 1.0}, {"procedural": 10}, 0.9801790433519495),
        (dict.fromkeys(strength.COMPONENTS, 2.0), dict.fromkeys(strength.COMPONENTS, 1), 5.876),
        ({"semantic": 0.5, "procedural": 0.25}, {"semantic": 100}, 0.4330161706366146),
    ],
)
def test_the_three_components_decay_each_at_its_rate(strengths, passed, expected):
    assert strength.total(strengths, passed) == EXACT(expected, abs=1e-9)


@pytest.mark.parametrize(("component", "accesses"), [("semantic", 69), ("episodic", 14), ("procedural", 347)])
def test_half_is_left_after_so_many_accesses_and_not_one_earlier(component, accesses):
    assert (
        strength.total({component: 1.0}, {component: accesses}) <= 0.5 < strength.total({component: 1.0}, {component: accesses - 1})
    )


@pytest.mark.parametrize(("rate", "left"), [(2.0, 0.0), (-1.0, 1.0), (0.5, 0.125)])
def test_a_rate_of_ones_own_counts_from_nothing_to_one(rate, left):
    assert strength.total({"semantic": 1.0}, {"semantic": 3}, {"semantic": rate}) == EXACT(left, abs=1e-9)


@pytest.mark.parametrize("given_strength", [0.0, -1.0])
def test_a_strength_that_is_not_above_nothing_adds_nothing(given_strength):
    assert strength.total({"semantic": given_strength, "episodic": 1.0}, {}) == 1.0


def test_what_was_never_stamped_was_touched_now():
    assert Clock(5_000, NOON).since(None, None) == 0


@pytest.mark.parametrize(("helpful", "harmful", "share"), [(0, 0, 0.5), (1, 0, 2 / 3), (0, 2, 0.25), (3, 1, 4 / 6)])
def test_usefulness_is_the_share_of_what_helped_and_a_half_before_anything_did(helpful, harmful, share):
    assert strength.usefulness(helpful, harmful) == EXACT(share, abs=1e-9)


# The two clocks


@pytest.mark.parametrize(("accesses", "days", "passed"), [(10, 365, 10), (2_000, 1, 20), (0, 365, 0), (40, 2, 40)])
def test_the_slower_of_the_two_clocks_counts(accesses, days, passed):
    assert Clock(100 + accesses, NOON + days * DAY, pace=20).since(100, NOON) == EXACT(passed)


@given(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000), st.floats(0, 1_000))
def test_a_clock_set_back_makes_nothing_negative_and_nothing_stronger(accesses, days, pace):
    passed = Clock(accesses, NOON + days * DAY, pace).since(0, NOON)
    assert passed >= 0 and 0 <= strength.decayed(1.0, 0.05, passed) <= 1.0


@pytest.mark.parametrize("kind", facts.KINDS)
@pytest.mark.parametrize("clock", [Clock(100, NOON + YEAR, 20), Clock(2_100, NOON + DAY, 20), Clock(2_100, NOON + DAY, 2_000)])
def test_a_year_s_sleep_or_two_thousand_accesses_in_a_day_cost_at_most_a_tenth_of_a_rank_score(the_facts, kind, clock):
    fact = a_fact(the_facts, kind)
    before, after = (1.0 + strength.prominence(fact, each) for each in (Clock(100, NOON, clock.pace), clock))
    assert 0.9 * before <= after <= before


def test_the_pace_is_the_median_of_the_days_that_had_any():
    assert [strength.pace(days) for days in ((), (0, 0), (3, 0, 9, 4), (2, 6))] == [1.0, 1.0, 4.0, 4.0]


# Facts


@pytest.mark.parametrize(
    ("kinds", "component"),
    [(("rule", "prefer", "correction", "command"), "procedural"), (("fact", "decision", "place"), "semantic"),
     (("lesson",), "episodic")],
)  # fmt: skip
def test_each_kind_is_of_one_class(the_facts, kinds, component):
    for kind in kinds:
        assert strength.strengths_of(a_fact(the_facts, kind)) == {component: 1.0}


def test_what_contradicts_another_and_what_did_harm_are_ranked_lower(the_facts):
    clock = Clock(100, NOON)
    fine, harmful = a_fact(the_facts), a_fact(the_facts, facts.DECISION, harmful=2)
    assert strength.prominence(fine, clock) > strength.prominence(harmful, clock) > strength.prominence(harmful, clock, True)
    assert strength.prominence(fine, clock) <= strength.WEIGHT


# Relations and what was mined


@pytest.mark.parametrize(
    ("days", "left", "hidden"), [(0, 0.7, False), (720, 0.20439231703714067, False), (750, 0.19417270118528362, True)]
)
def test_a_relation_that_nobody_confirms_is_hidden_after_750_days(days, left, hidden):
    at = NOON + days * DAY
    assert strength.of_relation(NOON, at) == EXACT(left, abs=1e-9) and strength.is_hidden(NOON, at) is hidden


def test_what_was_mined_loses_a_tenth_a_week_and_nothing_by_a_clock_set_back():
    assert strength.of_mined(NOON, NOON + 14 * DAY, 0.6) == EXACT(0.486, abs=1e-9)
    assert strength.of_mined(NOON, NOON - DAY, 0.6) == 0.6


def test_the_factors_of_a_score_are_told_in_words(the_facts):
    fact = a_fact(the_facts, helpful=1)
    assert strength.explained(fact, Clock(110, NOON + 100 * DAY)) == (
        "score 0.653: strength 0.980 (procedural) times usefulness 0.667 (helped 1 times, harmed 0 times)"
    )
