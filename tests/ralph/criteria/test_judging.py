"""The criteria are run by ourselves, all of them, and an exit code of 0 is not taken at its word."""

import os
import sys
import time

import pytest

from ralph_mem.core.outputs.report import Report
from ralph_mem.core.process import Outcome
from ralph_mem.ralph.criteria import (
    BROKEN,
    BUILD_SUCCESS,
    CUSTOM,
    FAILED,
    LINT_CLEAN,
    MARKER,
    PASSED,
    TEST_PASS,
    TIMED_OUT,
    VACUOUS,
    Criterion,
    Verdict,
    evidence,
    excerpts,
    judging,
    weighing,
)
from ralph_mem.ralph.criteria.judging import Ran
from tests import clock
from tests.folded import folded
from tests.ralph.criteria.conftest import plain

MARKER_LINE = Criterion(MARKER, "marker", (), "/", 0, 0, "--criteria", "")


@pytest.fixture
def check(tmp_path):
    """Judges shell lines, each a criterion of its own."""

    def judge(*lines, expected=0, seconds=20.0, **wishes):
        criteria = [Criterion(CUSTOM, line, ("sh", "-c", line), str(tmp_path), seconds, expected, "", "") for line in lines]
        return judging.judge(criteria, str(tmp_path), seconds=wishes.pop("cap", None), **wishes)

    return judge


# All of them


def test_every_criterion_is_run_whatever_the_ones_before_came_to(check):
    verdicts = check("exit 1", "no-such-program-here", "sleep 60", "touch ran", "test -e ran", seconds=0.5)
    assert [verdict.status for verdict in verdicts] == [FAILED, BROKEN, TIMED_OUT, PASSED, PASSED]


def test_each_is_told_before_it_runs(check, tmp_path):
    told = []
    check("touch one", "touch two", told=lambda criterion, position: told.append((position, os.listdir(tmp_path))))
    assert told == [(1, []), (2, ["one"])]


def test_one_limit_caps_all_of_them(check):
    watch = clock.Watch()
    verdicts = check("sleep 0.1", "sleep 60", "true", cap=1.0)
    assert [verdict.status for verdict in verdicts] == [PASSED, TIMED_OUT, TIMED_OUT]
    assert verdicts[2].why == "no time was left to run it"
    assert watch.free() < 5


def test_a_criterion_runs_in_its_own_folder_without_a_shell(tmp_path):
    (tmp_path / "web").mkdir()
    argv = (sys.executable, "-c", "import os, sys; print(os.getcwd(), sys.argv[1:])", "$(touch oops)", "a;b", "*")
    criterion = Criterion(CUSTOM, "it", argv, str(tmp_path / "web"), 20, f"{tmp_path}/web ['$(touch oops)', 'a;b', '*']", "", "")
    assert judging.judge([criterion], str(tmp_path))[0].status == PASSED


def test_no_criteria_give_no_verdicts(tmp_path):
    assert judging.judge([], str(tmp_path)) == []


@pytest.mark.check
def test_a_verdict_is_plain_json(a_suite):
    a_suite.write("def test_wrong():\n    assert 1 == 2\n")
    verdict = a_suite.judge()
    assert plain(verdict) == verdict and isinstance(verdict, Verdict)


def test_whoever_asks_may_stop_it(check):
    started = time.monotonic()
    (verdict,) = check("sleep 60", stopped=lambda: time.monotonic() > started + 0.2)
    assert (verdict.status, verdict.why) == (BROKEN, "stopped before it was done")


# What it runs with


def test_a_criterion_gets_nothing_of_the_session(check, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDECODE", "CLAUDE_PLUGIN_ROOT", "RALPH_MEM_LOOP"):
        monkeypatch.setenv(name, "set")
    monkeypatch.setenv("DATABASE_TOKEN", "of the person")
    monkeypatch.delenv("CI", raising=False)
    (verdict,) = check("env | grep -E 'ANTHROPIC|CLAUDE|RALPH_MEM_LOOP'", expected=1)
    assert verdict.status == PASSED
    assert (
        check('test "$DATABASE_TOKEN" = "of the person" && test "$RALPH_MEM_RECORDING" = off && test -z "$CI"')[0].status == PASSED
    )


def test_an_environment_of_the_callers_takes_the_place_of_ours():
    assert judging.environment_of({"A": "1", "CLAUDE_X": "2"}) == {"A": "1", "RALPH_MEM_RECORDING": "off"}


# What a run comes to


@pytest.mark.parametrize(
    ("line", "expected", "status", "why"),
    [
        ("true", 0, PASSED, "as expected"),
        ("exit 3", 0, FAILED, "exit code 3"),
        ("exit 3", 3, PASSED, "as expected"),
        ("true", 3, FAILED, "exit code 0, and 3 is expected"),
        ("kill -9 $$", 0, FAILED, "ended by signal 9"),
        ("echo all good", "all good", PASSED, "as expected"),
        ("echo all good >&2", "all good", PASSED, "as expected"),
        ("echo all bad", "all good", FAILED, "the output does not say 'all good'"),
        ("echo all good; exit 1", "all good", FAILED, "exit code 1"),
        ("exit 127", 0, BROKEN, "exit code 127: a command in it is not found or not executable"),
        ("exit 126", 0, BROKEN, "exit code 126: a command in it is not found or not executable"),
        ("exit 127", 127, PASSED, "as expected"),
        ("read answer || exit 5", 5, PASSED, "as expected"),
    ],
)
def test_a_line_comes_to(check, line, expected, status, why):
    (verdict,) = check(line, expected=expected)
    assert (verdict.status, verdict.why) == (status, why)


@pytest.mark.parametrize("argv", [("no-such-program-here",), ("./not-there",), ("./not-executable",)])
def test_what_cannot_be_started_is_broken_and_not_failed(tmp_path, argv):
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    (verdict,) = judging.judge([Criterion(CUSTOM, "it", argv, str(tmp_path), 5, 0, "", "")], str(tmp_path))
    assert verdict.status == BROKEN and verdict.why.startswith(argv[0])


def test_a_folder_that_is_gone_is_broken(tmp_path):
    (verdict,) = judging.judge([Criterion(CUSTOM, "it", ("true",), str(tmp_path / "gone"), 5, 0, "", "")], str(tmp_path))
    assert (verdict.status, verdict.why) == (BROKEN, f"the folder {tmp_path}/gone is not there")


def test_a_runner_that_is_not_installed_is_broken(tmp_path):
    argv = (sys.executable, "-m", "no_such_runner_here")
    (verdict,) = judging.judge([Criterion(TEST_PASS, "it", argv, str(tmp_path), 20, 0, "", "")], str(tmp_path))
    assert (verdict.status, verdict.why) == (BROKEN, "no_such_runner_here is not installed, or not there")


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        (f"{sys.executable} check.py", "check.py"),
        ("sh ./check.sh", "check.sh"),
        ("bash check.sh", "check.sh"),
        ("./not-executable", "./not-executable"),
        ("env no-such-program -q", "no-such-program"),
        ("no-such-program -q | tee log; exit 127", "no-such-program"),
        (f"{sys.executable} -m no_such.runner", "no_such"),
        ("make no-such-target", "no-such-target"),
        ("make lint", "no-such-linter"),
        ("make types", "mypy"),
        ("perl check.pl", "check.pl"),
    ],
)
def test_a_check_that_cannot_run_says_what_it_lacks(check, tmp_path, line, missing):
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    types = 'types:\n\t@echo "/usr/bin/python3: No module named mypy"; exit 1\n'
    (tmp_path / "Makefile").write_text("lint:\n\tno-such-linter -q\n" + types)
    (verdict,) = check(line)
    assert verdict.status == BROKEN and missing in verdict.why


@pytest.mark.parametrize(
    "line",
    [
        f"{sys.executable} -c 'import store'",
        f"{sys.executable} shop/check.py",
        "cat said.txt; exit 1",
        "make; exit 2",
        "cat data.txt; exit 1",
    ],
)
def test_what_an_agent_has_to_write_is_no_check_that_cannot_run(check, tmp_path, line):
    (tmp_path / "said.txt").write_text("Cannot find module './cart'\nNo rule to make target 'cart'\ncart: command not found\n")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "check.py").write_text("import shop.cart\n")
    (tmp_path / "Makefile").write_text("all: built.txt\n")
    assert check(line)[0].status == FAILED


def test_a_hanging_criterion_is_ended_with_all_it_started(check, tmp_path):
    (verdict,) = check("trap '' TERM; (while :; do sleep 0.1; date > alive; done) & sleep 60", seconds=0.5)
    assert verdict.status == TIMED_OUT and verdict.why == "not done after 1 s, and ended"
    (tmp_path / "alive").unlink()
    time.sleep(0.3)
    assert not (tmp_path / "alive").exists()


@pytest.mark.check
def test_a_gigabyte_of_output_is_survived(check):
    # it is ended before its end: what it printed until then is far more than is kept
    (verdict,) = check("yes this is printed", seconds=0.5)
    assert verdict.status == TIMED_OUT and "this is printed" in verdict.excerpt and len(verdict.excerpt) <= 4000


@pytest.mark.check
def test_a_real_suite_is_read(a_suite):
    a_suite.write("""
        def test_right():
            pass

        def test_wrong():
            assert sum([1, 2]) == 4

        @pytest.mark.skip(reason="not today")
        def test_later():
            pass
    """)
    verdict = a_suite.judge()
    assert (verdict.status, verdict.total, list(verdict.failing)) == (FAILED, 2, ["test_it.py::test_wrong"])
    assert verdict.skipped == ["test_it.py::test_later"]
    assert verdict.why == "1 of 2 test fails: test_it.py::test_wrong"
    assert "assert 3 == 4" in verdict.failing["test_it.py::test_wrong"]
    assert "assert sum([1, 2]) == 4" in verdict.excerpt


# Exit code 0, and nothing was shown

FORGED = "import os, sys\nsys.stderr.write('\\nRan 1 test in 0.0s\\n\\nOK\\n')\nsys.stderr.flush()\nos._exit(0)\n"


@pytest.mark.parametrize(("product", "status"), [("def one(): return 1\n", PASSED), (FORGED, VACUOUS)])
def test_a_product_that_prints_the_report_of_unittest_does_not_pass(tmp_path, product, status):
    (tmp_path / "shop.py").write_text(product)
    (tmp_path / "test_shop.py").write_text(
        "import os, sys, unittest, shop\nclass Shop(unittest.TestCase):\n    def test_one(self):\n"
        "        self.assertEqual((shop.one(), sys.path[0], sys.argv[0][-11:]), (1, os.getcwd(), '-m unittest'))\n"
    )
    argv = (sys.executable, "-m", "unittest", "discover")
    (verdict,) = judging.judge([Criterion(TEST_PASS, "tests", argv, str(tmp_path), 60.0, 0, "", "")], str(tmp_path))
    assert (verdict.status, verdict.total) == (status, 1 if status == PASSED else 0)


def test_a_suite_of_which_tests_were_deleted_does_not_pass(a_suite):
    a_suite.write("def test_a(): pass\ndef test_b(): assert False\n")
    baseline = a_suite.judge()
    a_suite.write("def test_a(): pass\n")
    verdict = a_suite.judge(baseline)
    assert (verdict.status, verdict.why) == (VACUOUS, "fewer tests than at the start: 1, then 2")


@pytest.mark.check
def test_a_suite_of_which_tests_are_skipped_does_not_pass(a_suite):
    a_suite.write("def test_a(): pass\ndef test_b(): assert False\n")
    baseline = a_suite.judge()
    a_suite.write("def test_a(): pass\ndef test_c(): pass\n@pytest.mark.skip\ndef test_b(): assert False\n")
    verdict = a_suite.judge(baseline)
    assert (verdict.status, verdict.why) == (VACUOUS, "skipped, and not skipped at the start: test_it.py::test_b")


@pytest.mark.check
def test_a_suite_without_a_test_does_not_pass(a_suite):
    verdict = a_suite.judge()
    assert verdict.status != PASSED and verdict.why == "no test was run"


def ran(total=None, skipped=(), diagnostics=None, code=0, failing=()):
    return Ran(Outcome(code, b"", b"", 0.1, "", 0), "", Report(total, dict.fromkeys(failing, ""), skipped, diagnostics))


def at_start(total=None, skipped=()):
    return Verdict(TEST_PASS, "it", FAILED, "", total, {}, list(skipped), None, "", 0.1, [])


@folded(
    ("type_", "expected", "now", "before", "status"),
    [
        (TEST_PASS, 0, ran(3), None, PASSED),
        (TEST_PASS, 0, ran(0), None, VACUOUS),
        (CUSTOM, 0, ran(0), None, VACUOUS),
        (CUSTOM, "", ran(0), None, VACUOUS),
        (CUSTOM, 5, ran(0, code=5), None, PASSED),  # who expects exit code 5 of pytest expects no test
        (BUILD_SUCCESS, 0, ran(0), None, PASSED),
        (LINT_CLEAN, 0, ran(diagnostics=0), None, PASSED),
        (TEST_PASS, 0, ran(None), None, PASSED),  # a runner that we cannot read
        (TEST_PASS, 0, ran(None), at_start(None), PASSED),
        (TEST_PASS, 0, ran(None), at_start(5), VACUOUS),
        (TEST_PASS, 0, ran(None), at_start(0), PASSED),
        (TEST_PASS, 0, ran(4), at_start(5), VACUOUS),
        (TEST_PASS, 0, ran(5), at_start(5), PASSED),
        (TEST_PASS, 0, ran(6), at_start(5), PASSED),
        (TEST_PASS, 0, ran(1), at_start(None), PASSED),
        (TEST_PASS, 0, ran(5, ("a",)), at_start(5, ("a",)), PASSED),
        (TEST_PASS, 0, ran(5, ()), at_start(5, ("a",)), PASSED),
        (TEST_PASS, 0, ran(5, ("b",)), at_start(5, ("a",)), VACUOUS),
        (TEST_PASS, 0, ran(5, ("skipped-1", "skipped-2")), at_start(5, ("skipped-1",)), VACUOUS),
        (TEST_PASS, 0, ran(5, ("skipped-1",)), at_start(5, ("skipped-1", "skipped-2")), PASSED),
        (TEST_PASS, 0, ran(4, code=1, failing=("a",)), at_start(5), FAILED),
        (TEST_PASS, 0, ran(5, failing=("a",)), at_start(5), FAILED),  # a source, a script or a Makefile leaves with 0 all the same
        (CUSTOM, 0, ran(5, failing=("a",)), None, FAILED),
        (CUSTOM, "summary", ran(5, failing=("a",))._replace(output="summary"), None, PASSED),  # who expects a text knows why
    ],
)
def test_exit_code_0_is_weighed_against_the_start(type_, expected, now, before, status):
    criterion = Criterion(type_, "it", ("it",), "/", 60, expected, "", "")
    assert weighing.weigh(criterion, now, before)[0] == status


# The marker


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("DONE 7f3a", True),
        ("All is repaired.\n\nDONE 7f3a\n\n  \n", True),
        ("  DONE \t 7f3a  ", True),
        ("Here:\n```\ncode\n```\nDONE 7f3a", True),
        ("", False),
        ("DONE", False),
        ("DONE 0000", False),  # of another run
        ("done 7f3a", False),
        ("I will say DONE 7f3a", False),
        ("DONE 7f3a.", False),
        ("DONE 7f3a as soon as it works", False),
        ("DONE 7f3a\nBut one test still fails.", False),
        ("`DONE 7f3a`", False),
        ("> DONE 7f3a", False),
        ('"DONE 7f3a"', False),
        ("```\nDONE 7f3a\n```", False),
        ("```\nDONE 7f3a", False),
        ("~~~text\nDONE 7f3a", False),
    ],
)
def test_the_marker_counts_as_the_last_line_alone(tmp_path, message, given):
    (verdict,) = judging.judge([MARKER_LINE], str(tmp_path), message=message, promise=" DONE ", nonce="7f3a")
    assert verdict.status == (PASSED if given else FAILED)


def test_whitespace_within_a_promise_does_not_matter():
    assert judging.is_given("all  tests\tpass 7f3a", "all tests\n pass", "7f3a")


@pytest.mark.parametrize(("promise", "nonce"), [("", "7f3a"), ("DONE", ""), (" ", " ")])
def test_without_a_promise_or_a_nonce_nothing_is_a_marker(promise, nonce):
    assert not judging.is_given(f"{promise} {nonce}", promise, nonce)


# The evidence


VALUES = {
    "times": ("12.3 s", "12.4 s"),
    "dates": ("2026-01-31T10:20:30.123Z", "2026-01-31T10:20:31Z"),
    "hours": ("10:20:30", "10:20:31"),
    "ports": ("localhost:4000", "localhost:4001"),
    "ids": ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-4000-8000-000000000001"),
    "temporary paths": ("/tmp/one/a", "/tmp/two/a"),
    "addresses": ("0x7f10a2b3", "0x7f10a2b4"),
    "durations": ("duration_ms 17", "elapsed: 9"),
}


@pytest.mark.check
def test_the_evidence_is_what_was_compared_word_for_word(a_suite):
    a_suite.write(
        "".join([f"def test_{kind.split()[0]}():\n    assert {one!r} == {other!r}\n" for kind, (one, other) in VALUES.items()])
    )
    verdict = a_suite.judge()
    for one, other in VALUES.values():
        assert f"assert '{one}' == '{other}'" in verdict.excerpt
    assert not [said for said in verdict.failing.values() if "<" in said]


@pytest.mark.check
def test_the_same_failure_has_one_signature_whatever_its_evidence_says(a_suite):
    a_suite.write("""
        import tempfile, time, uuid
        def test_wrong(tmp_path):
            raise ValueError(f"{uuid.uuid4()} at {time.strftime('%H:%M:%S')} took {count('n')}.5s in {tempfile.mkdtemp()}")
    """)
    first, second = a_suite.judge(), a_suite.judge()
    assert first.failing != second.failing
    assert len({evidence.signature_of(*each) for verdict in (first, second) for each in verdict.failing.items()}) == 1


@folded(
    ("one", "steady"),
    [
        ("3 failed in 0.12s", "3 failed in <time>"),
        ("took 12 ms", "took <time>"),
        ("# duration_ms 142.04", "# duration_ms <time>"),
        ('"duration": 17', '"duration": <time>'),
        ("2026-01-31T10:20:30.123Z start", "<moment> start"),
        ("<object at 0x7f10a2b3c4d0>", "<object at <address>>"),
        ("/tmp/pytest-of-me/pytest-17/test_a0/out.txt: gone", "/tmp/<temporary>: gone"),
        ("http://127.0.0.1:40213/a", "http://127.0.0.1:<port>/a"),
        ("--randomly-seed=1234", "--randomly-seed=<number>"),
        ("assert 3 == 4", "assert 3 == 4"),
        ("exit code 127", "exit code 127"),
        ("src/a.py:12: in f", "src/a.py:12: in f"),
    ],
)
def test_what_differs_from_run_to_run_is_left_out_and_nothing_else(one, steady):
    assert evidence.steady(one) == steady


def test_tests_that_ran_side_by_side_are_told_in_one_order():
    sections = [f"____ {name} ____\nE   assert {name}\n" for name in ("test_a", "test_b")]
    first, second = ("==== FAILURES ====\n" + "".join(order) for order in (sections, sections[::-1]))
    assert excerpts.of(first, "/") == excerpts.of(second, "/") == "test_a\nE   assert test_a\n\ntest_b\nE   assert test_b"


@pytest.mark.check
def test_of_many_failing_tests_the_first_are_shown_whole(a_suite):
    a_suite.write("".join(f"def test_{number:02}():\n    assert {number} == 'expected'\n" for number in range(30)))
    excerpt = a_suite.judge().excerpt
    assert len(excerpt) <= 4000
    assert "assert 0 == 'expected'" in excerpt and "assert 1 == 'expected'" in excerpt and excerpt.endswith("and 10 more")


@pytest.mark.check
@pytest.mark.parametrize("source", ["    print('noise\\n' * 5000)\n", "    noise = 1\n" * 1000])
def test_of_a_long_section_what_was_compared_is_kept(a_suite, source):
    a_suite.write(f"def test_wrong():\n{source}    assert 'this' == 'that'\n")
    excerpt = a_suite.judge().excerpt
    assert len(excerpt) <= 4000 and "noise" in excerpt
    assert "E       AssertionError: assert 'this' == 'that'" in excerpt


def test_of_another_output_error_lines_and_the_end_are_kept():
    noise = "".join(f"compiling part {number}\n" for number in range(2000))
    excerpt = excerpts.of(f"{noise}src/a.c:3: error: no such thing\n{noise}make: *** stopped\n", "/project")
    assert len(excerpt) <= 4000
    assert "error: no such thing" in excerpt and excerpt.endswith("make: *** stopped")


def test_what_go_wraps_into_json_is_unwrapped():
    output = '{"Action":"output","Output":"--- FAIL: TestX (0.00s)\\n"}\n{"Action":"fail"}\nnot json\n{"Output": 3}\n'
    assert excerpts.of(output, "/project") == "--- FAIL: TestX (0.00s)\nnot json"


def test_paths_are_told_as_seen_from_the_project():
    assert excerpts.of("/home/a/project/src/a.py:3: error", "/home/a/project") == "src/a.py:3: error"


def test_the_excerpt_of_what_passed_is_empty(check):
    assert check("echo fine")[0].excerpt == ""


@pytest.mark.parametrize(
    "output", ["x" * 100_000, "x" * 100_000 + "\n" + "y " * 100_000, "error " * 50_000, "\n" * 9999, "{" * 9999]
)
def test_no_output_makes_a_long_excerpt(output):
    assert len(excerpts.of(output, "/project")) <= 4000


@pytest.mark.check
def test_secrets_are_cut_out_before_anything_is_cut_short(a_suite):
    secret = "hunter2hunter2"
    a_suite.write(f"""
        @pytest.mark.parametrize("key", ["{secret}"])
        def test_wrong(key):
            print("{secret} " * 900)
            assert key == "other"
    """)
    verdict = a_suite.judge(protect=lambda texts: [text.replace(secret, "[key]") for text in texts])
    assert list(verdict.failing) == ["test_it.py::test_wrong[[key]]"]
    told = repr(verdict)
    assert "hunter" not in told and "hunt" not in told and "[key]" in verdict.excerpt
