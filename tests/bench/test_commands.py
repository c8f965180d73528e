"""What a command of a terminal costs beside typer alone, and a status beside a bare interpreter, in instructions."""

import os
import sys

import pytest

from tests.bench import memory_of
from tests.bench.processes import ROOT, Hooks, has, interpreter

VERSION, STATUS = 1.3, 2.0  # beside an interpreter that has loaded typer
STATUS_IN_A_SESSION = 2.0  # beside a bare interpreter, of a memory of a thousand turns

pytestmark = [
    pytest.mark.check,  # valgrind takes fifty times as long
    pytest.mark.skipif(not has("valgrind"), reason="valgrind is not installed, so no instructions can be counted"),
]


@pytest.fixture(scope="module")
def at_work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    with memory_of.at_home(folder / "home"):
        place = memory_of.build(folder / "project", 1000, 1, memory_of.Words(seed=13))
        memory_of.empty_what_is_due(place)
    hooks = Hooks(place.root, folder / "home", interpreter())
    hooks.run(hooks.direct("session-start"), hooks.start())
    hooks.env = {**hooks.env, "PYTHONPATH": str(ROOT), "HOME": os.fspath(folder / "home")}
    return hooks


def of_a_terminal(hooks, *words):
    """Count the instructions of an interpreter of the tests, once everything is compiled."""
    order = [sys.executable, *words]
    hooks.run(order, b"")
    return hooks.instructions(order, b"")


@pytest.mark.parametrize(("words", "most"), [("--version", VERSION), ("status", STATUS)])
def test_a_command_costs_little_more_than_typer(at_work, words, most):
    typer = of_a_terminal(at_work, "-c", "import typer")
    count = of_a_terminal(at_work, "-m", "ralph_mem.interfaces.cli", words)
    assert count / typer <= most, f"{words}: {count / 1e6:.0f} million, {count / typer:.2f} times typer"


def test_a_status_in_a_session_reads_no_row_twice(at_work):
    bare = at_work.instructions([at_work.python, "-I", "-S", "-c", "pass"], b"")
    order = at_work.direct("user-prompt-expansion")
    at_work.run(order, at_work.typed("mem-status", ""))
    count = at_work.instructions(order, at_work.typed("mem-status", ""))
    assert count / bare <= STATUS_IN_A_SESSION, f"{count / 1e6:.1f} million, {count / bare:.2f} times a bare interpreter"
