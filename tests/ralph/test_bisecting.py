"""Which iteration broke a test, or fixed it, read from the verdicts."""

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.attempts import bisect
from tests.ralph.conftest import a_run, iteration, lint, verdict

BROKEN = verdict(status="broken", total=None)


def a_history(*states, **more):
    """Return a run with these verdicts of pytest, the first at the start."""
    first, *others = [verdict(state) if isinstance(state, list) else state for state in states]
    return a_run(*[iteration(number, state, **more) for number, state in enumerate(others, 1)], baseline=[first])


def test_the_iteration_that_broke_a_test_is_found_with_what_it_changed():
    run = a_history(
        [], [], ["t.py::a"], ["t.py::a"], changed=[["src/x.py", "changed"], ["y.py", "added"]], tampered=["t.py was edited"]
    )
    found, lines = bisect(run, "t.py::a")
    assert found.number == 2
    assert lines == [
        "pytest :: t.py::a fails since iteration 2", "that iteration changed:",
        "  changed src/x.py", "  added y.py", "  look: t.py was edited",
    ]  # fmt: skip


def test_the_iteration_that_fixed_a_test_is_found():
    found, lines = bisect(a_history(["a"], ["a"], []), "a")
    assert found.number == 2 and lines[0] == "pytest :: a passes since iteration 2"


def test_the_last_change_counts():
    assert bisect(a_history(["a"], [], ["a"], []), "a")[0].number == 3


def test_a_test_that_failed_all_the_time_was_broken_by_none():
    assert bisect(a_history(["a"], ["a"], ["a"]), "a") == (None, ["pytest :: a failed whenever it ran: no iteration changed that"])


def test_iterations_in_which_it_did_not_run_are_named():
    found, lines = bisect(a_history([], BROKEN, verdict(["import"], total=0), ["a"]), "a")
    assert found.number == 3 and lines[1] == "or since iteration 1, 2: it did not run there, or was flaky"


def test_a_check_that_broke_between_two_failures_changed_nothing():
    assert bisect(a_history(["a"], BROKEN, ["a"]), "a")[0] is None


def test_a_flaky_verdict_is_not_believed():
    found, lines = bisect(a_history(["a"], verdict(flaky=["a"]), []), "a")
    assert found.number == 2 and "or since iteration 1" in lines[1]


def test_a_test_that_was_only_flaky_was_never_broken():
    found, lines = bisect(a_history([], verdict(flaky=["a"])), "a")
    assert found is None and "never failed where it could be told" in lines[0]


def test_a_criterion_can_be_asked_about_as_a_whole():
    run = a_run(iteration(1, lint(0)), iteration(2, lint(3)), baseline=[lint(0)])
    assert bisect(run, "ruff check")[1][0] == "ruff check fails since iteration 2"
    assert bisect(a_history([], ["a"]), "pytest")[1][0] == "pytest fails since iteration 1"


def test_a_part_of_the_name_will_do_if_it_fits_one():
    run = a_history([], ["tests/test_a.py::test_long[1]"])
    assert bisect(run, "test_long")[0].number == 1
    with pytest.raises(LoopError, match="2 fit test_: pytest :: t::test_a, pytest :: t::test_b"):
        bisect(a_history([], ["t::test_a", "t::test_b"]), "test_")


def test_an_exact_name_wins_over_one_that_holds_it():
    assert bisect(a_history([], ["test_a"], ["test_a", "test_ab"]), "test_a")[0].number == 1


def test_what_never_failed_has_no_name():
    with pytest.raises(LoopError, match="nothing of the name typo failed"):
        bisect(a_history([], ["a"]), "typo")


def test_an_iteration_that_changed_nothing_says_so():
    assert bisect(a_history([], ["a"], changed=[]), "a")[1][1] == "that iteration changed no file"


def test_many_changed_files_are_cut_and_counted():
    lines = bisect(a_history([], ["a"], changed=[[f"f{n}", "added"] for n in range(30)]), "a")[1]
    assert len(lines) == 23 and lines[-1] == "  and 10 more"
