"""`ralph-mem config`, as a process: what it prints, what it leaves with, and that the hooks act on it at the next event."""

import json
import os

import pytest

from ralph_mem.core.settings import schema
from tests import command_line
from tests.hook import REPOSITORY, said_to_model
from tests.installed import a_project, plugin

__all__ = ["a_project", "plugin"]

BY_HAND = "# ours\nmemory:\n  inject_tokens_prompt: 300  # enough\nof_another_release: 1\n"


@pytest.fixture
def the_file(a_project):
    """Write the project's config."""

    def write(text):
        a_project.memory.mkdir(exist_ok=True)
        path = a_project.memory / "config.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def run(hook, *words, **environment):
    """Run the command line in the project, and return its exit code, its output and its complaints."""
    env = {"HOME": str(hook.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "LANG": "C.UTF-8", **environment}
    done = command_line.says("config", *words, cwd=hook.project, env=env)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def printed(hook, *words):
    code, out, err = run(hook, *words)
    assert (code, err) == (0, "")
    return out


# get, set, show


def test_a_key_alone_is_got_and_one_with_a_value_is_set(a_project):
    printed(a_project, "memory.retention_days", "20")
    assert printed(a_project, "memory.retention_days") == "20\n"
    assert run(a_project, "memory.retention")[:2] == (1, "")


@pytest.mark.check
def test_what_is_set_can_be_got(a_project):
    assert printed(a_project, "get", "memory.retention_days") == "30\n"
    told = printed(a_project, "set", "memory.retention_days", "9")
    assert told == f"memory.retention_days is 9 in {a_project.memory}/config.yaml\n"
    assert printed(a_project, "get", "memory.retention_days") == "9\n"
    found = json.loads(printed(a_project, "get", "memory.retention_days", "--json"))
    assert found.pop("meaning").startswith("For how many days ")
    assert found == {"key": "memory.retention_days", "value": 9, "origin": "project", "path": f"{a_project.memory}/config.yaml"}


def test_what_get_prints_of_a_list_set_takes_back(a_project):
    printed(a_project, "set", "privacy.exclude_paths", "secrets/**, *.pem, a b")
    out = printed(a_project, "get", "privacy.exclude_paths")
    assert out == "[secrets/**, '*.pem', a b]\n"
    printed(a_project, "set", "--global", "privacy.exclude_paths", out)
    assert json.loads(printed(a_project, "get", "privacy.exclude_paths", "--json"))["value"] == ["secrets/**", "*.pem", "a b"]


def test_a_setting_for_all_projects_says_where_a_project_has_its_own(a_project, tmp_path):
    person = a_project.home / ".config" / "ralph-mem" / "config.yaml"
    printed(a_project, "set", "recording", "off")
    first, second = printed(a_project, "set", "recording", "on", "--global").splitlines()
    assert first == f"recording is true in {person}"
    assert second == f"but here {a_project.memory}/config.yaml says otherwise, and a project's own word counts"
    (tmp_path / "other").mkdir()
    assert printed(a_project, "get", "recording", "--project", str(tmp_path / "other")) == "true\n"


def test_show_lists_every_key_with_its_value_its_origin_and_its_meaning(a_project, the_file):
    path = the_file(BY_HAND)
    lines = printed(a_project, "show").splitlines()
    assert lines[0].split() == ["key", "value", "from", "meaning"]
    assert len(lines) == len(schema.RULES) + 2 and lines[-1] == f"project: {path}"
    assert any(line.split()[:3] == ["memory.inject_tokens_prompt", "300", "project"] for line in lines)
    assert any(line.split()[:4] == ["recording", "unset", "default", "Whether"] for line in lines)
    found = {each["key"]: each for each in json.loads(printed(a_project, "show", "--json"))}
    assert len(found) == len(schema.RULES) and found["ralph.success_criteria"]["value"] == ["test_pass", "build_success"]
    assert all(each["meaning"] for each in found.values())


def test_a_hand_written_file_keeps_its_words(a_project, the_file):
    path = the_file(BY_HAND)
    printed(a_project, "set", "memory.inject_tokens_prompt", "400")
    assert path.read_text() == BY_HAND.replace("300", "400")


# The hooks act on it


@pytest.mark.check
def test_a_change_acts_at_the_next_event_without_pyyaml(a_project):
    a_project.start()
    a_project.prompt("Where is the zeppelin moored?")
    a_project.edit("mast.py", "a", "b")
    a_project.stop("The zeppelin is moored at the mast.")
    assert "zeppelin" in said_to_model(a_project.another().start())
    printed(a_project, "set", "memory.auto_inject", "off")
    assert said_to_model(a_project.another().start()) == ""
    printed(a_project, "set", "memory.auto_inject", "on")
    assert "zeppelin" in said_to_model(a_project.another().start())


def test_a_pattern_and_a_path_protect_from_the_next_event_on(a_project):
    a_project.start()
    a_project.prompt("Look at it.")
    a_project.bash("echo first", "it is Zeppelin-77")
    printed(a_project, "set", "privacy.redact_patterns", "['Zeppelin-[0-9]{1,3}']")
    printed(a_project, "set", "--global", "privacy.exclude_paths", "hangar/**")
    a_project.bash("echo second", "it is Zeppelin-77")
    a_project.edit("hangar/door.py", "a", "b")
    contents = a_project.values("SELECT content FROM observations ORDER BY id")
    assert len(contents) == 2
    assert "Zeppelin-77" in contents[0] and "[REDACTED:pattern]" in contents[1] and "Zeppelin" not in contents[1]


def test_what_was_set_counts_also_where_the_file_is_broken_before_the_next_event(a_project, the_file):
    a_project.start()
    a_project.prompt("Look at it.")
    printed(a_project, "set", "privacy.exclude_paths", "hangar/**")
    the_file("memory: [\n")
    a_project.edit("hangar/door.py", "a", "b")
    assert a_project.values("SELECT content FROM observations") == []


def test_recording_is_off_and_on_again_from_one_event_to_the_next(a_project):
    a_project.start()
    a_project.prompt("First, count the masts.")
    for word, prompt in (("off", "Second, count the ropes."), ("on", "Third, count the doors.")):
        printed(a_project, "set", "recording", word)
        a_project.prompt(prompt)
    assert a_project.values("SELECT prompt FROM turns ORDER BY id") == ["First, count the masts.", "Third, count the doors."]


def test_a_file_that_check_finds_broken_is_told_at_the_next_start_and_leaves_the_rest_in_force(a_project, the_file):
    a_project.start()
    printed(a_project, "set", "memory.auto_inject", "off")
    the_file("memory:\n  auto_inject: true\n  retention_days: 0\n")
    a_project.prompt("Where is the zeppelin moored?")
    assert run(a_project, "check")[0] == 1
    told = a_project.another().start()
    assert "memory.retention_days must be a whole number from 1 to 3650, not 0" in told["systemMessage"]
    assert "all else in the file counts" in told["systemMessage"]
    assert said_to_model(told) == ""


def test_what_was_wrong_in_a_file_is_told_no_more_once_the_file_is_gone(a_project, the_file):
    a_project.start()
    path = the_file("memory:\n  tell: [\n")
    run(a_project, "check")
    a_project.prompt("Where is the zeppelin moored?")
    assert [file for file in (a_project.data / "trouble").iterdir() if "config" in file.read_text()]
    path.unlink()
    assert "config" not in a_project.another().start().get("systemMessage", "")


def test_what_is_unset_leaves_the_file_and_what_lies_below_counts_again(a_project, the_file):
    path = the_file("recording: off\n# mine\nmemory:\n  retention_days: 9\n")
    printed(a_project, "set", "--global", "memory.retention_days", "12")
    first, second = printed(a_project, "unset", "memory.retention_days").splitlines()
    assert (first, second) == (f"memory.retention_days is unset in {path}", "what counts here now is 12 (global)")
    assert path.read_text() == "recording: off\n# mine\n"
    assert run(a_project, "unset", "memory.retention_days")[2].startswith(f"ralph-mem: memory.retention_days is not set in {path}")


# What is wrong


@pytest.mark.parametrize(
    ("words", "why", "hint"),
    [
        (("get", "memory.auto_injct"), "there is no key memory.auto_injct", "the nearest is memory.auto_inject;"),
        (("set", "memory.auto_injct", "on"), "there is no key memory.auto_injct", "the nearest is memory.auto_inject;"),
        (("set", "search.max_results", "101"), "search.max_results must be a whole number from 1 to 100, not 101", ""),
        (("set", "search.max_results", "-1"), "search.max_results must be a whole number from 1 to 100, not -1", ""),
        (("set", "memory.auto_inject", "maybe"), "memory.auto_inject must be true or false, not 'maybe'", ""),
        (("set", "privacy.redact_patterns", "(a"), "'(a' is none (missing ), unterminated subpattern", ""),
        (("set", "ralph.success_criteria", "luck"), "test_pass, build_success, lint_clean", ""),
        (("set", "privacy.redact_patterns", "a{1,2}"), "a comma that may part two", "put each item in single quotes"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_hint_and_changes_nothing(a_project, the_file, words, why, hint):
    path = the_file(BY_HAND)
    code, out, err = run(a_project, *words)
    assert (code, out) == (1, "")
    first, *rest = err.splitlines()
    assert first.startswith("ralph-mem: ") and why in first
    assert len(rest) == bool(hint) and hint in "".join(rest)
    assert path.read_text() == BY_HAND


BROKEN = {
    "a tab": ("memory:\n\tauto_inject: true\n", ":2:1: error: a tab where spaces are needed"),
    "an open quote": ("recording: 'on\n", "; the hooks stop reading at line 1: a quote that does not end on its line"),
    "an anchor": ("a: &b 1\nc: *b\n", ":1:1: error: the hooks do not read this: `&` is more YAML"),
    "a wrong type": (
        "memory:\n  retention_days: nine\n",
        ":2:19: error: memory.retention_days must be a whole number from 1 to 3650",
    ),
    "100 KB": ("#" * 100_000, ": error: is larger than 64 KiB"),
    "a binary file": (bytes(range(256)), ":2:118: error: not UTF-8 text"),
    "no UTF-8": (b"recording: on\n# caf\xe9\n", ":2:6: error: not UTF-8 text"),
}


@pytest.mark.check
@pytest.mark.parametrize("what", BROKEN)
def test_check_explains_a_broken_file_and_leaves_with_1(a_project, the_file, what):
    text, why = BROKEN[what]
    path = the_file(text)
    code, out, err = run(a_project, "check")
    assert (code, err) == (1, "")
    assert str(path) in out and why in out
    key = "memory.retention_days" if what == "a wrong type" else "recording"
    for words in (("get", key), *([("show",), ("set", key, "off")] if key == "recording" else [])):
        code, out, err = run(a_project, *words)
        assert (code, out) == (1, "") and str(path) in err and "config check" in err
    assert path.read_bytes() == (text if isinstance(text, bytes) else text.encode())


def test_beside_a_wrong_key_the_others_are_got_shown_and_set_and_it_is_named(a_project, the_file):
    path = the_file("memory:\n  retention_days: nine\nsearch:\n  max_results: 3\n")
    for words, said in (("get search.max_results", "3"), ("show", "max_results"), ("set search.max_results 4", "is 4 in")):
        code, out, err = run(a_project, *words.split())
        assert code == 0 and said in out
        assert err.startswith(f"ralph-mem: {path}: line 2: memory.retention_days must be a whole number") and "all else" in err
    assert printed(a_project, "set", "memory.retention_days", "9") and printed(a_project, "get", "search.max_results") == "4\n"


def test_a_config_that_is_a_folder_is_told_by_all_and_touched_by_none(a_project):
    (a_project.memory / "config.yaml").mkdir(parents=True)
    assert run(a_project, "check")[0] == 1
    for words in (("show",), ("set", "recording", "off")):
        assert f"{a_project.memory}/config.yaml: is a folder, not a file" in run(a_project, *words)[2]
    assert "is a folder" in a_project.start()["systemMessage"]


def test_a_read_only_file_is_not_changed(a_project, the_file):
    path = the_file(BY_HAND)
    path.chmod(0o444)
    code, _, err = run(a_project, "set", "recording", "off")
    assert code == 1 and f"{path} is read-only" in err and f"hint: chmod u+w {path}" in err
    assert path.read_text() == BY_HAND


def test_check_leaves_with_0_where_nothing_is_worse_than_a_warning(a_project, the_file):
    path = the_file(BY_HAND)
    person, own = printed(a_project, "check").splitlines()
    assert person == f"{a_project.home}/.config/ralph-mem/config.yaml: not there: defaults"
    assert own.startswith(f"{path}:4:1: warning: there is no key of_another_release, the nearest is ")
    first, second = json.loads(printed(a_project, "check", "--json"))
    assert (first["there"], first["problems"]) == (False, [])
    assert (second["file"], second["problems"][0]["line"], second["problems"][0]["level"]) == (str(path), 4, "warning")


def test_check_says_that_a_file_is_in_order(a_project, the_file):
    path = the_file("recording: off\n")
    assert f"{path}: in order\n" in printed(a_project, "check")


# Help


@pytest.mark.parametrize("name", ["get", "set", "unset", "show", "check"])
def test_each_command_has_a_sentence_and_an_example_that_works(a_project, name):
    out = printed(a_project, name, "--help")
    example = next(line for line in out.splitlines() if "Example: ralph-mem config " in line)
    words = example.split("ralph-mem config ")[1].split()
    assert words[0] == name
    printed(a_project, "set", "memory.inject_tokens_prompt", "300")
    printed(a_project, *words)


def test_a_file_of_which_a_part_waits_for_an_approval_says_so_when_it_is_changed(a_person):
    (a_person.memory / "config.yaml").write_text("ralph:\n  agent: [make, mischief]\n")
    said = a_person.reads("config", "set", "memory.inject_tokens_prompt", "900")
    assert said.splitlines()[-1] == "not all of this file is in force: ralph-mem trust"
    assert "in force" not in a_person.reads("config", "set", "--global", "memory.inject_tokens_prompt", "800")


def test_a_file_that_is_the_persons_own_word_is_in_force_and_nothing_more_is_said(a_person):
    assert "in force" not in a_person.reads("config", "set", "memory.inject_tokens_prompt", "900")
    assert a_person.reads("config", "get", "memory.inject_tokens_prompt") == "900\n"


@pytest.mark.parametrize("words", ["set --bogus 5", "unset --bogus", "--bogus"])
def test_an_option_that_there_is_not_is_a_wrong_call_and_no_key(a_project, words):
    code, out, err = run(a_project, *words.split())
    assert (code, out) == (2, "") and "No such option: --bogus" in err


@pytest.mark.parametrize("words", ["--bogus", "--bogus 5"])
def test_an_option_that_there_is_not_is_no_key_of_the_loop(a_project, words):
    env = {"HOME": str(a_project.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
    done = command_line.says("ralph", "config", *words.split(), "--json", cwd=a_project.project, env=env)
    assert (done.returncode, done.stdout) == (2, "") and "No such option: --bogus" in done.stderr
