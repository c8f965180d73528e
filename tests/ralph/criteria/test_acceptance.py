"""What a person accepted is what is run: any change takes it back."""

import json
import os

import pytest

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.criteria import CUSTOM, MARKER, TEST_PASS, Criterion, acceptance

TESTS = Criterion(TEST_PASS, "npm test", ("npm", "test"), "/web", 600, 0, "package.json", "node --test && ./after.sh")
CHECK = Criterion(CUSTOM, "check", ("./check.sh", "--all", "a b"), "/web", 120, 3, "--criteria", "")


def test_what_a_person_accepted_is_accepted(a_home, a_project):
    what = acceptance.digest([TESTS, CHECK], a_project.top)
    assert not acceptance.is_accepted(a_project, what)
    acceptance.accept(a_project, what, acceptance.shown([TESTS, CHECK]))
    assert acceptance.is_accepted(a_project, what)


@pytest.mark.parametrize(
    "changed",
    [
        [TESTS._replace(argv=("npm", "test", "--force")), CHECK],
        [TESTS._replace(argv=("npm test",)), CHECK],
        [TESTS._replace(definition="node --test || true"), CHECK],
        [TESTS._replace(folder="/elsewhere"), CHECK],
        [TESTS, CHECK._replace(expected=0)],
        [TESTS, CHECK._replace(expected="3")],
        [TESTS, CHECK._replace(type=TEST_PASS)],
        [TESTS],
        [CHECK, TESTS],
    ],
)
def test_any_change_takes_it_back(a_home, a_project, changed):
    acceptance.accept(a_project, acceptance.digest([TESTS, CHECK], a_project.top), [])
    assert not acceptance.is_accepted(a_project, acceptance.digest(changed, a_project.top))


def test_what_is_run_besides_belongs_to_it(a_project):
    assert acceptance.digest([TESTS], a_project.top, ["agent: rm"]) != acceptance.digest([TESTS], a_project.top, ["agent: ls"])


def test_the_same_commands_in_another_folder_are_others(tmp_path, a_project):
    assert acceptance.digest([TESTS], str(tmp_path)) != acceptance.digest([TESTS], a_project.top)


def test_a_link_to_the_folder_is_the_folder(tmp_path, a_project):
    (tmp_path / "link").symlink_to(a_project.top)
    assert acceptance.digest([TESTS], str(tmp_path / "link")) == acceptance.digest([TESTS], a_project.top)


def test_an_earlier_set_stays_accepted(a_home, a_project):
    for what in ("first", "second"):
        acceptance.accept(a_project, what, [])
    assert acceptance.is_accepted(a_project, "first") and acceptance.is_accepted(a_project, "second")


def test_the_file_is_for_its_owner_alone(a_home, a_project):
    acceptance.accept(a_project, "what", ["npm test"])
    (file,) = (a_home / "trust").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
    assert json.loads(file.read_text())["what"]["lines"] == ["npm test"]


@pytest.mark.parametrize("content", ["", "{", "[]", '["what"]', '{"what": 1}', '{"what": {"at": "x"}}', "\0" * 10, "[" * 100_000])
def test_a_damaged_file_accepts_nothing_and_is_replaced(a_home, a_project, content):
    acceptance.accept(a_project, "what", [])
    (file,) = (a_home / "trust").iterdir()
    file.write_text(content)
    assert not acceptance.is_accepted(a_project, "what")
    acceptance.accept(a_project, "what", [])
    assert acceptance.is_accepted(a_project, "what")


def test_a_file_that_others_may_write_accepts_nothing(a_home, a_project):
    acceptance.accept(a_project, "what", [])
    (file,) = (a_home / "trust").iterdir()
    file.chmod(0o622)
    assert not acceptance.is_accepted(a_project, "what")


def test_without_a_home_nothing_is_accepted_and_it_is_said(a_project, monkeypatch):
    monkeypatch.setattr(paths, "data_home", str)
    assert not acceptance.is_accepted(a_project, "what")
    with pytest.raises(LoopError):
        acceptance.accept(a_project, "what", [])


def test_a_folder_that_cannot_be_written_is_said(a_home, a_project):
    a_home.parent.mkdir()
    a_home.write_text("in the way")
    with pytest.raises(LoopError) as raised:
        acceptance.accept(a_project, "what", [])
    assert "trust" in raised.value.hint


def test_a_person_sees_each_command_as_it_runs(a_project):
    marker = Criterion(MARKER, "marker", (), "/web", 0, 0, "--criteria", "")
    assert acceptance.shown([TESTS, CHECK, marker], ["agent: claude -p"]) == [
        "test_pass: npm test  (in /web, from package.json, at most 600 s)",
        "    node --test && ./after.sh",
        "custom: ./check.sh --all 'a b' => 3  (in /web, from --criteria, at most 120 s)",
        "marker: the last line of the agent's last message",
        "agent: claude -p",
    ]


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b[2K", "\\x1b[2K"),
        ("\r", "\\r"),
        ("\u202e", "\\u202e"),
        ("\x9b", "\\x9b"),
        (os.fsdecode(b"\xff"), "\\udcff"),
        ("\0", "\\x00"),
    ],
)
def test_nothing_in_a_command_hides_another_part(hidden, shown):
    criterion = TESTS._replace(argv=("rm", "-rf", hidden + "/"), definition=f"rm -rf {hidden}")
    lines = acceptance.shown([criterion], [hidden])
    assert all(line.isprintable() for line in lines)
    assert shown in lines[0] and shown in lines[-1]


def test_a_definition_of_many_lines_is_shown_in_all_of_them():
    lines = acceptance.shown([TESTS._replace(definition="first\n\n\tsecond\rthird")])
    assert lines[1:] == ["    first", "    \\tsecond", "    third"]
