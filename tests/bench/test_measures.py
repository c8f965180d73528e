import math

import pytest
from hypothesis import given, strategies

from ralph_mem.bench import measures

TWO = 1 / math.log2(3)  # what the second place gains


@pytest.mark.parametrize(
    ("ranking", "relevant", "wanted"),
    [
        ("a", "a", {"recall@1": 1, "recall@20": 1, "mrr": 1, "ndcg@10": 1}),
        ("ba", "a", {"recall@1": 0, "recall@3": 1, "mrr": 0.5, "ndcg@10": TWO}),
        ("abc", "ac", {"recall@1": 0.5, "recall@3": 1, "mrr": 1, "ndcg@10": 1.5 / (1 + TWO)}),
        ("bca", "az", {"recall@1": 0, "recall@3": 0.5, "mrr": 1 / 3, "ndcg@10": 0.5 / (1 + TWO)}),
        ("bcdefghijka", "a", {"recall@10": 0, "recall@20": 1, "mrr": 1 / 11, "ndcg@10": 0}),
        ("bcd", "a", {"recall@1": 0, "recall@20": 0, "mrr": 0, "ndcg@10": 0}),
        ("", "a", {"recall@1": 0, "recall@20": 0, "mrr": 0, "ndcg@10": 0}),
    ],
)
def test_a_ranking_is_measured_as_by_hand(ranking, relevant, wanted):
    found = measures.of(ranking, relevant)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)


def test_what_comes_after_the_twentieth_place_does_not_count():
    assert set(measures.of([*map(str, range(20)), "a"], {"a"}).values()) == {0.0}


def test_more_relevant_ones_than_places_can_still_be_answered_perfectly():
    relevant = [str(number) for number in range(30)]
    found = measures.of(relevant, relevant)
    assert found["ndcg@10"] == pytest.approx(1) and found["recall@10"] == pytest.approx(1 / 3)


@given(strategies.permutations("abcdefghijklmnopqrstuvwxyz"), strategies.sets(strategies.sampled_from("aeiouz"), min_size=1))
def test_measures_lie_between_nothing_and_one_and_grow_with_what_is_looked_at(ranking, relevant):
    found = measures.of(ranking, relevant)
    assert all(0 <= value <= 1 + 1e-9 for value in found.values())
    seen = [found[f"recall@{cut}"] for cut in measures.CUTS]
    assert seen == sorted(seen)
    assert measures.of(sorted(ranking, key=lambda name: name not in relevant), relevant)["ndcg@10"] >= found["ndcg@10"] - 1e-9


def test_a_mean_is_over_queries():
    found = measures.mean([measures.of("a", "a"), measures.of("ba", "a")])
    assert (found["recall@1"], found["mrr"]) == (0.5, 0.75)
    assert measures.mean([]) == {}


def test_the_same_answers_differ_by_nothing():
    found = measures.difference([0.5, 0.25, 1.0], [0.5, 0.25, 1.0], draws=200)
    assert found == {"difference": 0, "low": 0, "high": 0, "p": 1}


def test_a_steady_lead_is_no_luck():
    found = measures.difference([1.0, 0.9] * 20, [0.5, 0.4] * 20, draws=200)
    assert found == pytest.approx({"difference": 0.5, "low": 0.5, "high": 0.5, "p": 0})


def test_one_lucky_query_may_be_luck():
    found = measures.difference([1.0] + [0.0] * 9, [0.0] * 10)
    # it is drawn in 1 - 0.9 ** 10 = 65 % of the draws; p is twice the rest
    assert found["difference"] == pytest.approx(0.1) and found["low"] == 0
    assert found["p"] == pytest.approx(2 * 0.9**10, abs=0.02)


answers = strategies.lists(strategies.tuples(strategies.floats(0, 1), strategies.floats(0, 1)), min_size=1, max_size=30)


@given(answers)
def test_an_interval_holds_the_difference_and_turns_with_the_sides(pairs):
    ours, theirs = zip(*pairs, strict=True)
    found, turned = measures.difference(ours, theirs, draws=400), measures.difference(theirs, ours, draws=400)
    assert turned["difference"] == pytest.approx(-found["difference"], abs=1e-9)
    assert (turned["low"], turned["high"]) == pytest.approx((-found["high"], -found["low"]), abs=1e-9)
    assert -1e-9 + min(a - b for a, b in pairs) <= found["low"] <= found["high"] <= max(a - b for a, b in pairs) + 1e-9
    assert 0 <= found["p"] <= 1


def test_the_same_answers_make_the_same_figures_in_every_run():
    ours, theirs = [0.1, 0.9, 0.4, 0.6], [0.2, 0.5, 0.4, 0.1]
    assert measures.difference(ours, theirs, draws=300) == measures.difference(ours, theirs, draws=300)
