"""What became of a check: its exit code where the line has it, else the marks in its output; a failure is never called passed.

The recorded checks are runs of real tools on small projects, each as its label, how the check itself ended, the exit code of
the line, the line, and what it printed. `unknown` are those of which a failing run may print the same, or nothing.
"""

import json
from pathlib import Path

import pytest

from ralph_mem.core.command_lines import exit_codes, outcomes
from tests.hosts.claude_code.test_capture import picked, ran

RECORDED = json.loads(Path(__file__).with_name("recorded_checks.json").read_text())
TYPES = {"passed": "success", "failed": "error", "unknown": "tool_use"}


def told(command, output, code=0):
    """Return the type of the observation that a line leaves which the client calls a success."""
    return outcomes.of(command, output) or ("error" if code else "success")


def coloured(text):
    return "".join(f"\x1b[1m\x1b[32m{line}\x1b[0m\r\n" if line else "\n" for line in text.split("\n"))


@pytest.mark.parametrize("changed", [str, coloured], ids=["plain", "coloured"])
def test_of_the_recorded_checks_nearly_all_are_told_as_they_ended_and_no_failure_as_passed(changed):
    wrong = [row for row in RECORDED if told(row[3], changed(row[4]), row[2]) != TYPES[row[0]]]
    assert len(wrong) <= 0.03 * len(RECORDED), wrong
    assert not [row for row in RECORDED if row[1] == "failed" and told(row[3], changed(row[4]), row[2]) == "success"]
    assert not [row for row in RECORDED if row[1] == "passed" and told(row[3], changed(row[4]), row[2]) == "error" and not row[2]]


def test_the_recorded_checks_are_of_many_tools_and_end_in_every_way():
    assert len(RECORDED) > 200
    assert {label: sum(row[0] == label for row in RECORDED) > 30 for label in TYPES} == dict.fromkeys(TYPES, True)
    assert sum("|" in row[3] for row in RECORDED) > 150


PASSING = "tests/test_a.py ..                                    [100%]\n\n2 passed in 0.10s"
FAILING = "FAILED tests/test_a.py::test_b - assert 3 == 4\n1 failed, 1 passed in 0.12s"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q | tail -20",
        "pytest; echo done",
        "pytest || true",
        "pytest -q 2>&1 | tee log",
        "pytest & wait",
        "pytest\necho done",
    ],
)
def test_a_check_whose_exit_code_is_hidden_is_told_by_its_output(command):
    assert picked(ran(command, PASSING), "type", "origin") == ("success", "test")
    assert picked(ran(command, FAILING), "type", "origin") == ("error", "test")
    assert ran(command, FAILING)["lines"].splitlines() == FAILING.splitlines()
    assert picked(ran(command, "tests/test_a.py .."), "type", "lines") == ("tool_use", "")


@pytest.mark.parametrize(
    "command", ["cd src && pytest", "pytest > log 2>&1", "pytest -k 'a|b;c'", "set -o pipefail; pytest | tail -3"]
)
def test_a_check_whose_exit_code_the_line_has_needs_no_mark(command):
    assert picked(ran(command, "nothing that says how it ended"), "type") == ("success",)


def test_a_check_that_was_interrupted_is_no_success():
    assert ran("pytest")["type"] == "success"
    record = ran("pytest; echo done", PASSING, is_interrupt=True, error="Exit code 137\nkilled")
    assert record["type"] == "tool_use"


# Whose exit code a line has

HIDING = """
pytest | tail
pytest |& tail
pytest; echo done
pytest || true
pytest || exit 0
pytest &
pytest & wait
if pytest; then echo yes; fi
for each in a b; do (cd $each && pytest); done
while true; do pytest; break; done
case a in a) pytest;; esac
! pytest
bash -c 'pytest | tail'
timeout 60 bash -lc "pytest | tail -5"
ssh host 'cd shop; pytest | tail'
echo "$(pytest)"
out=$(pytest); echo $out
cat <(pytest)
pytest && echo ok || echo no
set -e; pytest | tail
set -o pipefail; set +o pipefail; pytest | tail
f() { pytest; }; f; ls
pytest | tail; exit $?
(pytest || exit 1); echo on
pytest | tee log; echo ${PIPESTATUS[0]}
ruff check . | head && ls
""".strip().splitlines()
TELLING = """
pytest -q
cd shop && pytest -q
pytest 2>&1
pytest &> log
pytest > >(tee log) 2>&1
pytest -k "a || b; c"
pytest # ; echo
echo start; pytest
ls | xargs echo; pytest
(cd web && pytest)
{ pytest; }
time pytest
bash -c 'cd x && pytest'
bash -o pipefail -c 'pytest | tail'
set -euo pipefail; pytest | tee log; echo done
set -e; pytest; echo done
pytest || exit 1; echo on
pytest || { echo bad; exit 1; }; echo on
pytest; exit $?
pytest | tail; exit ${PIPESTATUS[0]}
pytest | tail; test "${PIPESTATUS[0]}" -eq 0
pytest > log 2>&1; code=$?; tail log; exit $code
out=$(pytest 2>&1)
""".strip().splitlines()


@pytest.mark.parametrize("command", [*HIDING, "pytest\necho done", "pytest -q\n\nls"])
def test_a_line_hides_the_exit_code_of_its_check(command):
    assert [check.hidden for check in exit_codes.checks(command)] == [True]


@pytest.mark.parametrize("command", [*TELLING, "python -m pytest <<'END'\na | b; c\nEND", "A=1 pytest \\\n  -q"])
def test_a_line_ends_with_the_exit_code_of_its_check(command):
    assert [check.hidden for check in exit_codes.checks(command)] == [False]


@pytest.mark.parametrize(
    "command", ["", "((", "'", "pytest | ( ) ; ) fi done | &&", "a$(b$(c`d", "pytest <<X", "if if if | pytest", "|||| pytest"]
)
def test_a_line_that_is_no_shell_s_is_read_without_an_error(command):
    assert exit_codes.checks(command)


# What the line prints itself

PRINTED = [
    ("pytest -q > /dev/null 2>&1; echo exit=$?", "exit=0", "success"),
    ("pytest -q > /dev/null 2>&1; echo exit=$?", "exit=1", "error"),
    ('make test >/dev/null; echo "Exit code: $? (make)"', "Exit code: 2 (make)", "error"),
    ("make test >/dev/null; code=$?; ls; echo $code", "Makefile\n0", "success"),
    ("pytest -q | tail -1; echo ${PIPESTATUS[0]}", "...\n1", "error"),
    ("pytest -q | tail -1; echo $?", "...\n0", "tool_use"),  # that of tail
    ("npx tsc --noEmit && echo TYPES OK || echo TYPES BAD", "TYPES OK", "success"),
    ("npx tsc --noEmit && echo TYPES OK || echo TYPES BAD", "TYPES BAD", "error"),
    ("npx tsc --noEmit || echo failed", "failed", "error"),
    ("npx tsc --noEmit | head -5 && echo TYPES OK || true", "TYPES OK", "tool_use"),  # head is well
]


@pytest.mark.parametrize(("command", "output", "expected"), PRINTED)
def test_an_exit_code_that_the_line_prints_counts_where_it_is_the_check_s(command, output, expected):
    assert told(command, output) == expected


# Outputs that mislead

MISLEADING = [
    ("pytest | tail -3", "1 passed, 1 error in 0.12s", "error"),
    ("pytest | tail -3", "== 3 passed, 2 warnings in 1.20s ==", "success"),
    ("pytest | tail -3", "== 1 passed, 1 rerun in 0.11s ==", "success"),
    ("pytest | tail -3", "2 xfailed, 1 skipped in 61.02s (0:01:01)", "success"),
    ("pytest | tail -3", "no tests ran in 0.01s", "error"),
    ("pytest | tail -3", "4 deselected in 0.01s", "error"),
    (
        "pytest -v | tail -3",
        "test_a.py::test_0_failed PASSED [ 50%]\ntest_a.py::test_FAILED_orders PASSED [100%]\n2 passed in 0.1s",
        "success",
    ),
    ("pytest --cov | tail -3", "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%\n3 passed in 0.2s", "error"),
    ("pytest -q | head -5", "......", "tool_use"),
    (
        "npm test 2>&1 | tail -4",
        "ERROR: error: the till is on fire\nTest Suites: 2 passed, 2 total\nTests: 4 passed, 4 total",
        "success",
    ),
    (
        "npm test 2>&1 | tail -4",
        "Tests:       4 passed, 4 total\nTime: 1 s",
        "tool_use",
    ),  # a suite that was not loaded has no tests
    ("npm test 2>&1 | tail", "Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total", "error"),
    ("npx vitest run | tail", " Test Files  1 passed (1)\n      Tests  1 passed (1)\n     Errors  1 error", "error"),
    ("npx mocha | grep passing", "  3 passing (5ms)", "tool_use"),
    ("npx mocha | grep -E 'passing|failing'", "  3 passing (5ms)", "success"),
    ("cargo test 2>&1 | tail -2", "test result: ok. 3 passed; 0 failed; 0 ignored", "success"),
    ("cargo test 2>&1 | head -9", "test result: ok. 3 passed; 0 failed; 0 ignored\n" * 9, "tool_use"),
    ("cargo build 2>&1 | tail -2", "warning: `shop` generated 1 warning\n    Finished `dev` profile in 0.1s", "success"),
    ("cargo test 2>&1 | tail -2", "    Finished `test` profile in 0.1s", "tool_use"),
    ("go test ./... | tail -1", "ok  \tshop/tax\t0.1s", "success"),
    ("go test ./... | tail -2", "ok  \tshop/tax\t0.1s\nFAIL", "error"),
    ("make test | tail -3", "Ran 3 tests in 0.1s\n\nOK\nmake: *** [Makefile:4: lint] Error 1", "error"),
    ("make test | grep passed", "3 passed in 0.1s", "tool_use"),
    ("make | tail -1", "make: [Makefile:4: clean] Error 1 (ignored)", "tool_use"),
    ("npx eslint . | tail -2", "\u2716 2 problems (0 errors, 2 warnings)", "success"),
    ("npx eslint . | tail -2", "\u2716 2 problems (1 error, 1 warning)", "error"),
    ("ruff check --fix . | tail -1", "Found 2 errors (2 fixed, 0 remaining).", "success"),
    ("mypy . | tail -1; pytest -q | tail -1", "Success: no issues found in 3 source files\n1 failed in 0.1s", "error"),
    ("mypy . | tail -1; pytest -q | tail -1", "3 passed in 0.1s", "tool_use"),
    ("ruff check . | head -3; pytest -q", "2 passed in 0.1s", "tool_use"),
    ("for each in a b; do pytest -q $each | tail -1; done", "1 failed in 0.1s\n2 passed in 0.1s", "error"),
    ("npx tsc; echo done", "done", "tool_use"),
    ("npx tsc; echo done", "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\ndone", "error"),
    ("flake8 | head", "./a.py:1:1: F401 'os' imported but unused", "error"),
    ("bundle exec rspec | tail -3", "3 examples, 0 failures, 1 pending", "success"),
    ("bundle exec rspec | tail -3", "3 examples, 0 failures, 1 error occurred outside of examples", "error"),
    ("mvn -B test | tail -5", "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS", "success"),
    ("./gradlew test | tail -5", "3 tests completed, 1 failed\n\nBUILD FAILED in 3s", "error"),
    ("dotnet test | tail -1", "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3", "success"),
    ("dotnet test | tail -1", "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3", "error"),
    ("timeout 60 pytest -q | tail -1", "2 passed in 0.1s", "success"),
    ("pytest -q 2>&1 | tail -1", "bash: line 1: pytest: command not found", "error"),
    ("npm test | tail -9", "3 orders, 1 failed\nTest Suites: 1 passed, 1 total", "success"),
]


@pytest.mark.parametrize(("command", "output", "expected"), MISLEADING)
def test_an_output_that_misleads_is_not_taken_for_what_it_is_not(command, output, expected):
    assert told(command, output) == expected
