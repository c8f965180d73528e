"""What the memory can do beyond single turns: each row by its rule, with tests that are there and run for every change.

`python -m tests.test_capabilities` prints the table, and so does a run of this file with `-s`.
"""

import ast
import re

import pytest

from tests.docs import ROOT

FILE, SCOPE = ROOT / "tests" / "capabilities.txt", ROOT / "docs" / "scope.md"
OUT, NOT_YET = "out of scope", "not yet"
ROW = re.compile(r"([A-Z]{2}-\d{2}[a-e]?) (.+)")
# How many rows there are of each design that they come from.
ROWS = {"LS": 42, "ME": 48, "AC": 47, "LT": 20}
LEAST_SHOWN = 140


class Rows:
    """Rows by their names: the rule of each, and what stands below it, tests or why there are none."""

    def __init__(self, text):
        self.rules, self.shown = {}, {}
        for line in text.splitlines():
            if found := ROW.fullmatch(line):
                name, self.rules[found[1]] = found[1], found[2]
                assert name not in self.shown, f"{name} stands there twice"
                self.shown[name] = []
            elif line.startswith("    "):
                self.shown[name].append(line.strip())
            else:
                assert not line or line.startswith("#"), line

    def called(self, word):
        """Return the rows of which this word is said in place of a test."""
        return [name for name, shown in self.shown.items() if shown == [word]]

    def tests(self):
        """Return (row, test) of every test that is named."""
        return [(name, test) for name, shown in self.shown.items() for test in shown if shown not in ([OUT], [NOT_YET])]


TABLE = Rows(FILE.read_text())


def in_scope_md(heading, text=None):
    """Return the rows that a table of docs/scope.md has under a heading, each with what is said of it."""
    page = SCOPE.read_text() if text is None else text
    lines = page.partition(f"## {heading}\n")[2].partition("\n## ")[0].splitlines()
    told = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return {name: cells[-1] for cells in told for name in re.findall(r"[A-Z]{2}-\d{2}[a-e]?", cells[0])}


def runs(test):
    """Say whether a test is there, and among those that `make check` runs."""
    file, _, name = test.partition("::")
    if not (ROOT / file).is_file() or not file.rpartition("/")[2].startswith("test_"):
        return False
    for node in ast.parse((ROOT / file).read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return not any(ast.unparse(mark) == "pytest.mark.nightly" for mark in node.decorator_list)
    return False


def test_no_row_is_missing():
    assert {design: sum(name.startswith(design) for name in TABLE.rules) for design in ROWS} == ROWS
    assert not [name for name, shown in TABLE.shown.items() if not shown]


def test_every_test_that_a_row_names_runs_for_every_change():
    assert not [f"{row}: {test}" for row, test in TABLE.tests() if not runs(test)]


@pytest.mark.parametrize(
    "test",
    [
        "tests/nowhere.py::test_a",
        "tests/test_capabilities.py::test_a",
        "tests/sessions.py::check",
        "tests/nowhere/test_a.py::test_a",
    ],
)
def test_a_test_that_is_not_there_is_seen(test):
    assert not runs(test) and runs("tests/test_capabilities.py::test_no_row_is_missing")


@pytest.mark.parametrize(("word", "heading"), [(OUT, "Out of scope"), (NOT_YET, "Not yet")])
def test_every_row_without_a_test_has_a_line_that_says_why(word, heading):
    reasons = in_scope_md(heading)
    assert sorted(TABLE.called(word)) == sorted(name for name in reasons if name[:2] in ROWS)
    assert all(len(why.split()) > 2 for why in reasons.values())


def table():
    """Return the rows in lines, and how many hold, for people."""
    lines = []
    for name, rule in TABLE.rules.items():
        shown = TABLE.shown[name]
        told = shown[0] if shown in ([OUT], [NOT_YET]) else f"{len(shown)} test{'s' * (len(shown) > 1)}"
        lines.append(f"{name:7} {told:13} {rule}")
    out, waiting = len(TABLE.called(OUT)), len(TABLE.called(NOT_YET))
    return lines, len(lines) - out - waiting, out, waiting


def told():
    lines, holds, out, waiting = table()
    last = f"{holds} of {len(lines)} rows are shown by tests, {out} are {OUT}, {waiting} {NOT_YET}"
    return "\n".join([*lines, last])


def test_the_table_has_each_row_by_its_rule_and_enough_of_them_hold():
    print("\n" + told())
    assert len(told().splitlines()) == sum(ROWS.values()) + 1 and table()[1] >= LEAST_SHOWN


if __name__ == "__main__":
    print(told())
