"""Tests that fail now and then are told from tests that fail, and never trusted."""

import json
import time

import pytest

from ralph_mem.core import paths
from ralph_mem.core.outputs.report import Report
from ralph_mem.core.process import Outcome
from ralph_mem.ralph.criteria import FAILED, PASSED, TEST_PASS, Criterion, flaky, judging
from ralph_mem.ralph.criteria.judging import Ran
from tests.folded import folded

FLAKY = "test_it.py::test_flaky"
EVERY_OTHER_TIME = """
    def test_flaky():
        assert count("flaky") % 2 == 1

    def test_steady():
        count("steady")
"""


# With real runs


def test_a_test_that_passes_when_run_again_is_named_and_not_trusted(a_suite):
    a_suite.write(EVERY_OTHER_TIME)
    verdict = a_suite.judge()
    assert (verdict.status, verdict.flaky, list(verdict.failing)) == (FAILED, [FLAKY], [FLAKY])
    assert "flaky: test_it.py::test_flaky" in verdict.why


@pytest.mark.check
def test_only_the_failing_test_is_run_again(a_suite):
    a_suite.write(EVERY_OTHER_TIME)
    a_suite.judge()
    assert (a_suite.runs("flaky"), a_suite.runs("steady")) == (2, 1)


@pytest.mark.check
def test_a_test_that_fails_both_times_is_not_flaky(a_suite):
    a_suite.write("def test_wrong():\n    count('wrong')\n    assert 1 == 2\n")
    verdict = a_suite.judge()
    assert (verdict.status, verdict.flaky, a_suite.runs("wrong")) == (FAILED, [], 2)


def test_a_suite_that_passes_is_run_once(a_suite):
    a_suite.write("def test_right():\n    count('right')\n")
    assert a_suite.judge().status == PASSED
    assert a_suite.runs("right") == 1


@pytest.mark.check
def test_a_test_known_as_flaky_is_excused_after_two_whole_green_runs(a_suite):
    a_suite.write("def test_flaky():\n    assert count('flaky') > 0\n")
    verdict = a_suite.judge(known=[("pytest", FLAKY)])
    assert (verdict.status, verdict.flaky, verdict.failing, a_suite.runs("flaky")) == (PASSED, [FLAKY], {}, 4)


@pytest.mark.check
def test_a_test_that_was_flaky_at_the_start_is_known(a_suite):
    a_suite.write("def test_flaky():\n    assert count('flaky') not in (0, 2)\n")
    baseline = a_suite.judge()
    assert baseline.flaky == [FLAKY]
    assert a_suite.judge(baseline).status == PASSED


@pytest.mark.check
def test_one_green_run_is_not_enough(a_suite):
    a_suite.write("def test_flaky():\n    assert count('flaky') in (1, 2)\n")
    assert a_suite.judge(known=[("pytest", FLAKY)]).status == FAILED


@pytest.mark.check
def test_a_known_flaky_test_excuses_no_other(a_suite):
    a_suite.write(EVERY_OTHER_TIME + "\n    def test_wrong():\n        assert False\n")
    verdict = a_suite.judge(known=[("pytest", FLAKY)])
    assert (verdict.status, verdict.flaky, sorted(verdict.failing)) == (FAILED, [FLAKY], [FLAKY, "test_it.py::test_wrong"])


@pytest.mark.check
def test_a_known_flaky_test_of_another_criterion_is_not_known_here(a_suite):
    a_suite.write("def test_flaky():\n    assert count('flaky') > 0\n")
    assert a_suite.judge(known=[("another", FLAKY)]).status == FAILED


def test_a_lucky_run_of_a_known_flaky_test_is_looked_at_again(a_suite):
    a_suite.write("def test_flaky():\n    assert count('flaky') == 0\n")
    verdict = a_suite.judge(known=[("pytest", FLAKY)])
    assert (verdict.status, verdict.flaky, list(verdict.failing)) == (FAILED, [FLAKY], [FLAKY])
    assert verdict.why == f"flaky, and failed when run again: {FLAKY}"


@pytest.mark.check
def test_a_known_flaky_test_that_is_gone_stands_in_nobodys_way(a_suite):
    a_suite.write("def test_right():\n    pass\n")
    assert a_suite.judge(known=[("pytest", FLAKY)]).status == PASSED


# What is run again, in a table


def ran(*failing, total=10, seconds=0.1, code=None, ended_by="", skipped=()):
    code = (1 if failing else 0) if code is None else code
    outcome = Outcome(code, b"", b"", seconds, ended_by, 0)
    return Ran(outcome, "", Report(total, dict.fromkeys(failing, "no"), skipped))


A_SUITE = Criterion(TEST_PASS, "make test", ("make", "test"), "/", 60, 0, "Makefile", "")


@folded(
    ("first", "again", "flaky_ids"),
    [
        (ran("a", "b"), ran("a"), ("b",)),
        (ran("a"), ran("b"), ("a", "b")),  # it passed at first, and failed then
        (ran("a"), ran("a"), ()),
        (ran("a"), ran(total=9), ()),  # a test was not run: who says that it was not this one?
        (ran("a"), ran(total=None), ()),
        (ran("a"), ran(ended_by="time"), ()),
        (ran("a"), ran(skipped=("a",)), ()),
        (ran("a"), None, ()),
    ],
)
def test_only_a_run_that_went_through_tells_what_is_flaky(first, again, flaky_ids):
    repeated = flaky.repeat(A_SUITE, first, None, set(), lambda _: again)
    assert (repeated.status, repeated.flaky) == (FAILED, flaky_ids)


def test_a_known_test_that_fails_again_is_not_excused_by_green_runs_afterwards():
    runs = iter([ran("b"), ran(), ran()])
    repeated = flaky.repeat(A_SUITE, ran("a", "b"), None, {"a", "b"}, lambda _: next(runs))
    assert (repeated.status, repeated.flaky) == (FAILED, ("a",))


@pytest.mark.parametrize(("failing", "runs"), [(20, 1), (21, 0), (0, 0)])
def test_many_failing_tests_are_not_run_again(failing, runs):
    again = []
    first = ran(*[f"test-{number}" for number in range(failing)], total=100, code=1)
    flaky.repeat(A_SUITE, first, None, set(), again.append)
    assert len(again) == runs


@pytest.mark.parametrize(("seconds", "runs"), [(5, 2), (25, 1)])
def test_a_suite_is_run_again_where_its_time_allows_it_twice(a_suite, monkeypatch, seconds, runs):
    asked = []
    monkeypatch.setattr(judging, "run_once", lambda criterion, *_: asked.append(criterion) or ran("a", seconds=seconds))
    verdict = a_suite.judge(seconds=20)
    assert (verdict.status, len(asked)) == (FAILED, runs)


@pytest.mark.parametrize(
    ("argv", "chosen"),
    [
        (("pytest",), ("pytest", "test_it.py::a")),
        (("pytest", "-q", "tests"), ("pytest", "-q", "test_it.py::a")),
        (("/x/bin/python", "-m", "pytest", "tests", "-x"), ("/x/bin/python", "-m", "pytest", "-x", "test_it.py::a")),
        (("uv", "run", "pytest", "-k", "some"), ("uv", "run", "pytest", "-k", "some", "test_it.py::a")),
        (("pytest", "tests/unit", "--tb=short"), ("pytest", "--tb=short", "test_it.py::a")),
        (("pytest", "-c", "tests"), None),  # the value of an option, or a path? The whole is run.
        (("pytest", "--cov", "tests"), None),
        (("pytest", "tests", "--cov"), None),
        (("pytest", "--cov=tests", "tests"), ("pytest", "--cov=tests", "test_it.py::a")),
        (("make", "pytest"), None),
        (("npm", "test"), None),
        (("sh", "-c", "pytest"), None),
    ],
)
def test_failing_tests_alone_are_asked_for_where_the_tool_can(tmp_path, argv, chosen):
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    (tmp_path / "test_it.py").touch()
    criterion = flaky.only(A_SUITE._replace(argv=argv, folder=str(tmp_path)), {"test_it.py::a"})
    assert (criterion and criterion.argv) == chosen


def test_an_id_whose_file_is_not_there_is_not_asked_for(tmp_path):
    assert flaky.only(A_SUITE._replace(argv=("pytest",), folder=str(tmp_path)), {"gone.py::a"}) is None


# What is remembered


def test_what_is_flaky_is_remembered_per_project(a_home, a_project):
    flaky.remember(a_project, [("pytest", "a"), ("npm test", "b")])
    flaky.remember(a_project, [("pytest", "c")])
    assert flaky.known(a_project) == {("pytest", "a"), ("npm test", "b"), ("pytest", "c")}
    assert flaky.known(type(a_project)("/elsewhere")) == set()


def test_it_is_forgotten_when_it_was_not_seen_for_a_month(a_home, a_project, monkeypatch):
    flaky.remember(a_project, [("pytest", "old"), ("pytest", "seen again")])
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + flaky.KEPT_S - 60)
    flaky.remember(a_project, [("pytest", "seen again")])
    monkeypatch.setattr(time, "time", lambda: now + flaky.KEPT_S + 60)
    assert flaky.known(a_project) == {("pytest", "seen again")}


def test_what_a_loop_brought_in_itself_is_not_known_to_it(a_home, a_project):
    flaky.remember(a_project, [("pytest", "old")])
    begun = time.time()
    flaky.remember(a_project, [("pytest", "old"), ("pytest", "new")])
    assert flaky.known(a_project, before=begun) == {("pytest", "old")}
    assert flaky.known(a_project) == {("pytest", "old"), ("pytest", "new")}


def test_a_list_that_cannot_be_kept_disturbs_nobody(a_home, a_project):
    a_home.parent.mkdir()
    a_home.write_text("in the way")
    flaky.remember(a_project, [("pytest", "a")])
    assert flaky.known(a_project) == set()


def test_the_latest_are_kept(a_home, a_project, monkeypatch):
    monkeypatch.setattr(flaky, "MOST_KEPT", 2)
    for at, name in enumerate("abc"):
        monkeypatch.setattr(time, "time", lambda at=at: 1_000_000 + at)
        flaky.remember(a_project, [("pytest", name)])
    assert flaky.known(a_project) == {("pytest", "b"), ("pytest", "c")}


def test_the_list_is_for_its_owner_alone(a_home, a_project):
    flaky.remember(a_project, [("pytest", "a")])
    (file,) = (a_home / "flaky").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "{", "{}", "1", '[["a"]]', '[["a", "b"]]', '[["a", "b", 1, "c"]]', "[" * 100_000])
def test_a_damaged_list_is_empty_and_replaced(a_home, a_project, content):
    flaky.remember(a_project, [("pytest", "a")])
    (file,) = (a_home / "flaky").iterdir()
    file.write_text(content)
    assert flaky.known(a_project) == set()
    flaky.remember(a_project, [("pytest", "b")])
    assert json.loads(file.read_text())[0][:2] == ["pytest", "b"]


def test_without_a_home_nothing_is_kept(a_project, monkeypatch):
    monkeypatch.setattr(paths, "data_home", str)
    flaky.remember(a_project, [("pytest", "a")])
    assert flaky.known(a_project) == set()
