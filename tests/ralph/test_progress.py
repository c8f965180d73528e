"""Progress as a number: what counts, what does not, and who cannot be fooled by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.ralph import attempts, progress
from tests.folded import folded
from tests.ralph.conftest import a_run, failing_tests, iteration, lint, verdict

GREEN = verdict()


@folded(
    ("now", "at_start", "number"),
    [
        ([GREEN], [GREEN], 0),
        ([failing_tests(3)], [failing_tests(5)], 3),
        ([failing_tests(3), lint(4)], [failing_tests(3), lint(0)], 7),
        ([verdict(status="failed")], [GREEN], 1),  # it names no test: still not nothing
        ([verdict(["a"], total=37)], [verdict(["a"], total=40)], 4),  # three tests are gone
        ([verdict(["a"], total=43)], [verdict(["a"], total=40)], 1),
        ([verdict(["a"], skipped=["b", "c"])], [verdict(["a"], skipped=["b"])], 2),
        ([verdict(status="vacuous", total=0)], [failing_tests(5)], 6),  # breaking a check is worse than failing it
        ([verdict(status="broken", total=None)], [failing_tests(5)], 6),
        ([verdict(status="timed_out", total=None)], [failing_tests(5)], 6),
        ([verdict(["import error"], total=0)], [failing_tests(5)], 6),
        ([], [failing_tests(5)], 6),
    ],
)
def test_badness(now, at_start, number):
    assert progress.scores([at_start, now])[-1] == number


def test_a_state_without_a_baseline_counts_what_it_shows():
    assert progress.scores([[failing_tests(3)]]) == [3] and progress.scores([[]]) == [0]


def test_repairing_what_kept_the_tests_from_running_is_progress():
    cannot_import = verdict(["tests/test_a.py"], total=0)
    run = a_run(iteration(1, failing_tests(5)), baseline=[cannot_import])
    assert progress.numbers(run) == [6, 5] and progress.best(run).number == 1


def test_a_flaky_test_is_no_progress_whether_it_fails_or_passes():
    unlucky, lucky = verdict(["a", "b", "luck"]), verdict(["a", "b"], flaky=["luck"])
    run = a_run(iteration(1, unlucky), iteration(2, lucky), baseline=[unlucky])
    assert progress.numbers(run) == [2, 2, 2] and progress.best(run) is None


def test_luck_alone_is_nothing_left_to_do():
    assert progress.scores([[verdict(["luck"])], [verdict(flaky=["luck"])]]) == [0, 0]


def test_adding_tests_does_not_make_earlier_iterations_worse():
    run = a_run(iteration(1, verdict(["a"], total=40)), iteration(2, verdict(["a"], total=90)), baseline=[verdict(["a"], total=40)])
    assert progress.numbers(run) == [1, 1, 1]


def test_deleting_failing_tests_is_no_progress():
    run = a_run(iteration(1, verdict(["a"], total=38)), baseline=[verdict(["a", "b", "c"], total=40)])
    assert progress.numbers(run) == [3, 3] and progress.best(run) is None


def test_skipping_failing_tests_is_no_progress():
    run = a_run(iteration(1, verdict(["a"], skipped=["b", "c"], total=38)), baseline=[verdict(["a", "b", "c"], total=40)])
    assert progress.numbers(run)[1] >= 3 and progress.best(run) is None


def test_the_best_iteration_is_the_first_of_equal_ones():
    run = a_run(*[iteration(n + 1, failing_tests(left)) for n, left in enumerate((4, 2, 3, 2))], baseline=[failing_tests(5)])
    assert progress.best(run).number == 2


def test_where_nothing_is_better_than_the_start_there_is_no_best_iteration():
    assert progress.best(a_run(iteration(1, failing_tests(5)), baseline=[failing_tests(5)])) is None
    assert progress.best(a_run(baseline=[failing_tests(5)])) is None


def test_without_a_baseline_the_best_is_among_the_iterations():
    assert progress.best(a_run(iteration(1, failing_tests(3)), iteration(2, failing_tests(4)))).number == 1


def test_an_iteration_that_was_not_judged_is_as_good_as_the_one_before():
    run = a_run(iteration(1, failing_tests(2)), iteration(2, kind="stopped"), baseline=[failing_tests(3)])
    assert progress.numbers(run) == [3, 2, 2] and progress.best(run).number == 1


def test_what_fails_is_told_by_criterion_and_test():
    found = progress.failing([verdict(["t.py::a", "t.py::b"], flaky=["t.py::b"]), lint(3), GREEN])
    assert found == ["pytest :: t.py::a", "ruff check"]


def test_what_regressed_is_told_against_the_best_iteration():
    run = a_run(iteration(1, verdict(["a"])), iteration(2, verdict(["a", "c"])), baseline=[verdict(["a", "b"])])
    assert progress.regressed(run) == ["pytest :: c"]


def test_what_could_not_run_at_the_best_has_not_regressed():
    broken = verdict(status="broken", total=None)
    assert progress.regressed(a_run(iteration(1, failing_tests(9)), baseline=[broken])) == []
    run = a_run(iteration(1, broken), iteration(2, verdict(["a"])), iteration(3, verdict(["a", "b"])), baseline=[broken])
    assert progress.regressed(run) == ["pytest :: b"]


def test_what_was_fixed_is_what_failed_at_the_start_and_passes_now():
    run = a_run(iteration(1, verdict(["b"], flaky=["c"])), baseline=[verdict(["a", "b", "c"])])
    assert progress.fixed(run) == ["pytest :: a"]
    broken = a_run(iteration(1, verdict(status="broken", total=None)), baseline=[verdict(["a", "b"])])
    assert progress.fixed(broken) == []


def test_the_price_of_a_fixed_test():
    run = a_run(iteration(1, failing_tests(3), cost=0.5), iteration(2, failing_tests(1), cost=0.3), baseline=[failing_tests(5)])
    assert progress.cost_per_test_fixed(run) == pytest.approx(0.2)
    assert progress.cost_per_test_fixed(a_run(iteration(1, failing_tests(5)), baseline=[failing_tests(5)])) is None


def test_the_forecast_is_the_median():
    run = a_run(*[iteration(n, failing_tests(1), cost=cost) for n, cost in enumerate((0.1, 9.0, 0.2), 1)])
    assert progress.forecast(run) == (0.2, 120.0)
    assert progress.forecast(a_run(iteration(1, cost=None))).cost is None
    assert progress.forecast(a_run()) == (None, 0.0)


verdicts = st.builds(
    verdict,
    st.lists(st.sampled_from("abcdef"), unique=True),
    status=st.sampled_from([None, "failed", "vacuous", "broken", "timed_out"]),
    total=st.sampled_from([None, 0, 5, 40]),
    name=st.sampled_from(["pytest", "other"]),
    flaky=st.lists(st.sampled_from("abcdef"), max_size=2, unique=True),
)
histories = st.lists(st.lists(verdicts, max_size=2, unique_by=lambda each: each.name), min_size=1, max_size=6)


@given(histories)
def test_a_check_that_did_not_run_is_never_better_than_one_that_failed(history):
    for name in ("pytest", "other"):
        own = [[each for each in state if each.name == name] for state in history]
        found = progress.scores(own)
        hollow = [number for number, state in zip(found, own, strict=True) if not state or state[0].status in ("vacuous", "broken")]
        ran = [number for number, state in zip(found, own, strict=True) if state and state[0].status in ("passed", "failed")]
        assert not hollow or not ran or not any(own) or min(hollow) >= max(ran)


@given(histories, st.data())
def test_what_comes_later_does_not_make_an_earlier_best_out_of_a_worse_state(history, data):
    """A longer history may move all states that did not run, and take out what proved flaky, but never order two that ran anew."""
    steady = [
        [each._replace(flaky=[]) for each in state if each.status in ("passed", "failed") and each.total] for state in history
    ]
    steady = [[each for each in state if each.name == "pytest"] for state in steady]
    steady = [state for state in steady if state]
    if len(steady) < 2:
        return
    cut = data.draw(st.integers(1, len(steady)))
    assert progress.scores(steady)[:cut] == progress.scores(steady[:cut])


def test_a_test_that_is_skipped_is_not_fixed():
    skipped = verdict(status="vacuous", skipped=["test_a"])._replace(failing={})
    again = verdict(["test_b"], skipped=["test_a"])
    for after in (skipped, again):
        run = a_run(iteration(1, after), baseline=[verdict(["test_a", "test_b"])])
        assert "pytest :: test_a" not in progress.fixed(run)
        (text, _), *_ = attempts.told(run)
        assert "  fixed:" not in text and "test_a" in text.partition("did not fix: ")[2]


@folded(
    ("failing", "total"),
    [(["test_cart"], 0), (["test_cart"], 30), (["tests/a.py"], 0), ([], None)],
)
def test_a_test_that_no_longer_gets_to_run_is_not_fixed(failing, total):
    broken = verdict(failing, status="failed", total=total)
    run = a_run(iteration(1, broken), baseline=[verdict(["test_cart.T.test_a"])])
    assert progress.fixed(run) == [] and "  fixed:" not in attempts.told(run)[0][0]


def test_a_test_that_passed_beside_one_that_fails_is_fixed():
    run = a_run(
        iteration(1, verdict(["test_b", "test_cart.T"], total=None)), baseline=[verdict(["test_cart.Tax.test_a", "test_b"])]
    )
    assert progress.fixed(run) == ["pytest :: test_cart.Tax.test_a"]
