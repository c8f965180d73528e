"""A command of the user hears of a run, and can do the loop no harm."""

import json
import sys

import pytest

from ralph_mem.ralph import run_facts
from ralph_mem.ralph.notifying import notify
from tests import clock
from tests.ralph.conftest import NOON, a_run, failing_tests, iteration


@pytest.fixture
def a_command(tmp_path):
    """Return how to make a command of some Python."""

    def make(code):
        path = tmp_path / "notify.py"
        path.write_text(code)
        return [sys.executable, str(path)]

    return make


def test_the_command_reads_the_facts_on_stdin(a_command, tmp_path):
    run = a_run(iteration(1, failing_tests(2)), baseline=[failing_tests(3)], goal='say "hi"; $(touch owned) `id`\n\'')
    facts = {**run_facts.of(run, NOON), "folder": str(tmp_path)}
    command = a_command("import sys, pathlib; pathlib.Path('heard').write_text(sys.stdin.read())")
    assert notify(command, facts) == ""
    assert json.loads((tmp_path / "heard").read_text()) == json.loads(json.dumps(facts))
    assert not (tmp_path / "owned").exists()


def test_a_command_that_fails_is_a_line(a_command, tmp_path):
    assert notify(a_command("raise SystemExit(3)"), {"folder": str(tmp_path)}) == "the notify command ended with 3"


def test_a_command_that_does_not_read_its_input_is_no_failure(a_command, tmp_path):
    assert notify(a_command("pass"), {"goal": "x" * 1_000_000, "folder": str(tmp_path)}) == ""


def test_a_command_that_hangs_is_ended(a_command, tmp_path):
    watch = clock.Watch()
    said = notify(a_command("import time; time.sleep(60)"), {"folder": str(tmp_path)}, seconds=0.3)
    assert said == "the notify command took longer than 0.3 s and was ended" and watch.free() < 10


@pytest.mark.parametrize("command", [["/nowhere/notify"], [], [""]])
def test_a_command_that_cannot_be_started_is_a_line(command, tmp_path):
    assert notify(command, {"folder": str(tmp_path)}).startswith("the notify command c")


def test_a_folder_that_is_gone_is_a_line(a_command):
    assert notify(a_command("pass"), {"folder": "/nowhere"}).startswith("the notify command could not be started")
