"""How often the command that a session is told is one that it then uses."""

import json
from pathlib import Path

import pytest

from ralph_mem.bench import commands
from ralph_mem.core.errors import RalphMemError

DEVELOPMENT = Path(__file__).with_name("commands_dev.json")


@pytest.fixture
def a_set(tmp_path):
    """Write a set of one project; a session is the lines that passed in it, or failed where they begin with a bang."""

    def write(*sessions):
        told = [
            {
                "id": f"s{day}",
                "at": f"2026-01-{day:02}T12:00:00Z",
                "commands": [{"command": line.lstrip("!"), "exit": int(line[0] == "!")} for line in lines],
            }
            for day, lines in enumerate(sessions, 1)
        ]
        file = tmp_path / "set.json"
        file.write_text(json.dumps({"name": "set", "projects": [{"id": "shop", "sessions": told}]}))
        return commands.read(str(file))

    return write


def used(report, arm=commands.LAST, way=commands.SAME, purpose="test"):
    return report["purposes"][purpose]["arms"][arm][way]["value"]


def test_a_session_is_told_what_those_before_it_proved(a_set):
    report = commands.run(a_set(["make test"], ["make test"], ["npm test"]))
    assert (report["purposes"]["test"]["told"], report["purposes"]["test"]["untold"], used(report)) == (2, 1, 0.5)


def test_what_passed_last_is_told_beside_what_was_used_most(a_set):
    report = commands.run(a_set(["!npm test", "!npm test", "pnpm test"], ["pnpm test"]))
    assert (used(report, commands.LAST), used(report, commands.MOST)) == (1.0, 0.0)


def test_behind_a_pipe_the_exit_code_counts_where_the_output_is_not_known(a_set):
    assert used(commands.run(a_set(["make test 2>&1 | tail -3"], ["make test"]))) == 1.0


def test_the_same_command_the_same_words_and_the_same_runner_are_counted_apart(a_set):
    report = commands.run(a_set(["pytest"], ["pytest -x"], ["pytest tests/test_a.py"]))
    assert [used(report, way=way) for way in commands.WAYS] == [0.5, 0.0, 1.0]


def test_on_the_development_set_the_last_that_passed_is_used_more_often_than_the_most_used():
    report = commands.run(commands.read(str(DEVELOPMENT)))
    for purpose in ("test", "lint", "build"):
        assert used(report, commands.LAST, purpose=purpose) > used(report, commands.MOST, purpose=purpose)


@pytest.mark.parametrize("wrong", ["[]", "{", '{"name": "x", "projects": []}', '{"name": "x", "projects": [{"id": 3}]}'])
def test_a_file_that_is_no_set_is_refused_with_a_hint(tmp_path, wrong):
    file = tmp_path / "wrong.json"
    file.write_text(wrong)
    with pytest.raises(RalphMemError) as refused:
        commands.read(str(file))
    assert "docs/benchmarks.md" in refused.value.hint


@pytest.mark.parametrize(
    ("name", "most", "test", "build"),
    [("commands_ecosystems", 10, 0.82, 0.74), ("commands_unseen", 9, 0.82, 0.69), ("commands_further", 14, 0.54, 0.54)],
)
def test_in_other_ecosystems_most_of_what_tests_lints_and_builds_is_known(name, most, test, build):
    report = commands.run(commands.read(str(DEVELOPMENT.with_name(f"{name}.json"))))
    assert all(report["purposes"][purpose]["untold"] <= most for purpose in ("test", "lint", "build"))
    assert used(report, purpose="test") > test and used(report, purpose="build") > build
