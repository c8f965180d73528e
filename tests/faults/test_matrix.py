"""Every row of the fault matrix is proven by tests that exist, and that run when the row says."""

import ast
import functools
from pathlib import Path

import pytest

from tests.faults.matrix import MATRIX

TESTS = Path(__file__).resolve().parents[1]
ROWS = 44


@functools.cache
def proofs_in(file):
    """Return {name of a test: whether it runs at night only} of a file; that of the file itself is nothing."""
    path = TESTS / file
    if not (path.is_file() and path.name.startswith("test_")):
        return {}
    body = ast.parse(path.read_text(encoding="utf-8")).body
    found = [each for each in body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")]
    return {each.name: any(ast.unparse(mark).endswith("mark.nightly") for mark in each.decorator_list) for each in found}


def missing(row):
    """Return the tests of a row that are not there, or would not run with every change although they must."""
    split = [(file, name) for file, _, name in (test.partition("::") for test in row.tests)]
    absent = [(file, name) for file, name in split if not proofs_in(file) or (name and name not in proofs_in(file))]
    asleep = [(file, name) for file, name in split if row.when == "P" and name and proofs_in(file).get(name)]
    return absent + asleep


def test_the_matrix_has_every_row_once():
    assert [row.number for row in MATRIX] == list(range(1, ROWS + 1))
    assert {row.when for row in MATRIX} == {"P", "N"}


@pytest.mark.parametrize("row", MATRIX, ids=[f"{row.number}: {row.fault}" for row in MATRIX])
def test_a_row_is_proven_by_tests_that_are_there(row):
    assert row.tests and missing(row) == []


def test_a_test_that_is_gone_or_asleep_is_noticed():
    first = MATRIX[0]
    assert missing(first._replace(tests=("events/test_faults.py::test_no_such_thing",)))
    assert missing(first._replace(tests=("events/no_such_file.py::test_x",)))
    asleep = "faults/test_rows.py::test_a_disk_that_is_full_during_a_checkpoint_costs_nothing"
    assert missing(first._replace(tests=(asleep,))) and not missing(first._replace(tests=(asleep,), when="N"))
