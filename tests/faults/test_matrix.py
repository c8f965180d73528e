"""Every row of the fault matrix is proven by tests that exist, and that run when the row says."""

import functools
import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.faults.matrix import MATRIX
from tests.hook import REPOSITORY

ROWS = 44
FILES = sorted({test.partition("::")[0] for row in MATRIX for test in row.tests})
# What `make` is asked for -> when the rows are proven that it runs.
GOALS = {"P": "check", "N": "nightly"}
pytestmark = pytest.mark.check  # it collects a third of the suite, three times


@functools.cache
def run_by(goal):
    """Return the tests, without their parameters, that `make GOAL` collects of the files of the matrix."""
    found = set()
    for expression in expressions_of(goal):
        order = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m", expression]
        run = subprocess.run([*order, *(f"tests/{file}" for file in FILES)], cwd=REPOSITORY, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout
        found |= set(re.findall(r"^tests/(\S+?::\w+)", run.stdout, re.MULTILINE))
    return found


@functools.cache
def expressions_of(goal):
    """Return by what `make GOAL` selects tests, read from what it would run."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}
    shown = subprocess.run(["make", "-n", goal], cwd=REPOSITORY, env=plain, capture_output=True, text=True, check=True).stdout
    calls = [shlex.split(line.partition("||")[0]) for line in shown.splitlines() if " -m pytest " in line]
    return tuple(call[max(at for at, word in enumerate(call) if word == "-m") + 1] for call in calls)


def missing(row):
    """Return the tests of a row that are not there, or would not run when they must."""
    running = run_by(GOALS[row.when])
    return [test for test in row.tests if test not in running and not ("::" not in test and _has_one(test, running))]


def _has_one(file, running):
    return any(test.startswith(f"{file}::") for test in running)


def test_the_matrix_has_every_row_once():
    assert [row.number for row in MATRIX] == list(range(1, ROWS + 1))
    assert {row.when for row in MATRIX} == {"P", "N"}


def test_every_change_and_every_night_run_what_make_says():
    assert expressions_of("check") == ("not nightly",)
    assert expressions_of("nightly") == ("not nightly", "nightly")


def test_a_row_is_proven_by_tests_that_are_there_and_run_when_it_says():
    assert {f"{row.number}: {row.fault}": missing(row) for row in MATRIX if missing(row) or not row.tests} == {}


def test_a_test_that_is_gone_or_asleep_is_noticed():
    first = MATRIX[0]
    assert missing(first._replace(tests=("interfaces/hooks/test_faults.py::test_no_such_thing",)))
    assert missing(first._replace(tests=("events/no_such_file.py::test_x",)))
    asleep = "faults/test_rows.py::test_a_disk_that_is_full_during_a_checkpoint_costs_nothing"
    assert missing(first._replace(tests=(asleep,))) and not missing(first._replace(tests=(asleep,), when="N"))
