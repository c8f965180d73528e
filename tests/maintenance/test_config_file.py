"""The config files: what they say and from where, what is wrong with them, and how one value is changed in them."""

import os
import posix
import threading
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph_mem.core import paths
from ralph_mem.core.errors import ConfigError
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective as hooks
from ralph_mem.core.settings import trust, typed_value, yaml_subset
from ralph_mem.maintenance import config_change, config_file
from tests.folded import folded

BY_HAND = """\
# How we work here. Ask before you change anything!
memory:            # two of them
    auto_inject: true    # told at a prompt
    # more than this is noise
    inject_tokens_prompt: 300

of_another_release: [1, 2]   # kept
privacy:
    exclude_paths:
        # the vault
        - secrets/**   # theirs
        - '*.pem'

        - 2024
    redact_patterns: ['lamp-[0-9]+', "a, b"] # ours
# the end
"""


pytestmark = pytest.mark.usefixtures("a_home")


@pytest.fixture
def a_project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    return Project(str(folder))


@pytest.fixture
def the_file(a_project, tmp_path):
    """Write the project's config as a person who approves of it."""
    write = file_at(tmp_path / "shop" / ".ralph-mem" / "config.yaml")

    def approved(text):
        if isinstance(text, str):
            trust.approve(a_project, trust.CONFIG, text, [])
        return write(text)

    return approved


@pytest.fixture
def the_persons_file(a_home):
    return file_at(a_home / ".config" / "ralph-mem" / "config.yaml")


def file_at(path):
    def write(text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def problems(project, level="error"):
    return [each for file in config_file.check(project) for each in file.problems if each.level == level]


# What is in force


def test_each_setting_tells_where_it_comes_from(a_project, the_file, the_persons_file):
    person, own = the_persons_file("memory:\n  retention_days: 9\n  auto_inject: off\n"), the_file("memory.retention_days: 8\n")
    found = config_file.load(a_project)
    assert found["memory.retention_days"][1:4] == (8, "project", str(own))
    assert found["memory.auto_inject"][1:4] == (False, "global", str(person))
    assert found["search.max_results"][1:4] == (10, "default", "")
    assert found["recording"][1:4] == (None, "default", "")


def test_a_list_replaces_the_one_below_it_and_no_value_leaves_it(a_project, the_file, the_persons_file):
    the_persons_file("privacy:\n  exclude_paths: [a, b]\n  redact_patterns: [x]\n")
    the_file("privacy:\n  exclude_paths: [c]\n  redact_patterns:\n")
    assert config_file.find(a_project, "privacy.exclude_paths").value == ["c"]
    assert config_file.find(a_project, "privacy.redact_patterns").value == ["x"]


@pytest.mark.parametrize("text", ["", BY_HAND, "recording: off\nralph.success_criteria: [marker]\n"])
def test_the_command_line_and_the_hooks_have_the_same_settings_in_force(a_project, the_file, text):
    the_file(text)
    ours = {key: setting.value for key, setting in config_file.load(a_project).items() if setting.value is not None}
    assert ours == hooks.load(a_project)


def test_a_value_from_the_environment_says_so_and_one_that_is_not_heard_is_told(a_project, the_file, monkeypatch):
    the_file("search.max_results: 4\n")
    given = {"SEARCH_MAX_RESULTS": b"5", "MEMORY_RETENTION_DAYS": b"30", "RALPH_MAX_ITERATIONS": b"many"}
    for name, text in given.items():
        monkeypatch.setitem(posix.environ, b"RALPH_MEM_" + name.encode(), text)
    found = config_file.load(a_project)
    assert found["search.max_results"][1:4] == (5, "environment", "RALPH_MEM_SEARCH_MAX_RESULTS")
    assert found["memory.retention_days"][2] == "default"
    (told,) = problems(a_project, "warning")
    assert told.what.startswith("RALPH_MEM_RALPH_MAX_ITERATIONS: ralph.max_iterations must be a whole number from 1 to 100")
    assert {key: each.value for key, each in found.items() if each.value is not None} == hooks.load(a_project)


def test_a_broken_file_is_an_error_with_its_place(a_project, the_file):
    path = the_file("memory:\n  retention_days: 0\n")
    with pytest.raises(ConfigError, match="must be a whole number from 1 to 3650, not 0") as caught:
        config_file.find(a_project, "memory.retention_days")
    assert str(caught.value).startswith(f"{path}, line 2, column 19: ")
    assert "config check" in caught.value.hint


@pytest.mark.parametrize("text", ["privacy:\n  exclude_paths: [d]\nmemory.retention_days: 0\n", "recording:\n  x: 1\n"])
def test_beside_a_wrong_key_that_counts_what_the_hooks_have_in_force(a_project, the_file, text):
    the_file("privacy:\n  exclude_paths: [c]\nmemory:\n  retention_days: 9\n")
    hooks.load(a_project)
    the_file(text)
    ours = {key: setting.value for key, setting in config_file.load(a_project).items() if setting.value is not None}
    assert ours == hooks.load(a_project)


def test_another_key_is_set_beside_a_wrong_one_which_nobody_approves_by_that(a_project, the_file):
    path = the_file("memory:\n  retention_days: 0 # days\n")
    config_file.change(a_project, "search.max_results", "3")
    assert path.read_text() == "memory:\n  retention_days: 0 # days\nsearch:\n  max_results: 3\n"
    assert config_file.find(a_project, "search.max_results").value == 3
    loosened = config_file.change(a_project, "ralph.max_iterations", "50")
    assert loosened.waiting == ("ralph.max_iterations",)


def test_an_unknown_key_is_an_error_with_the_nearest_one_as_a_hint(a_project):
    for ask in (config_file.find, lambda project, key: config_file.change(project, key, "1")):
        with pytest.raises(ConfigError, match=r"there is no key memory\.retain") as caught:
            ask(a_project, "memory.retain_days")
        assert caught.value.hint.startswith("the nearest is memory.retention_days;")


# What a person types


@folded(
    ("key", "text", "value"),
    [
        *[("memory.auto_inject", word, True) for word in ("true", "On", "YES ")],
        *[("recording", word, False) for word in ("false", "off", "No")],
        ("memory.retention_days", " 7 ", 7),
        ("privacy.exclude_paths", "", []),
        ("privacy.exclude_paths", "[]", []),
        ("privacy.exclude_paths", "secrets/**, a b,, 'c d', *.pem", ["secrets/**", "a b", "c d", "*.pem"]),
        ("privacy.exclude_paths", "['a, b', c, 2024]", ["a, b", "c", "2024"]),
        ("privacy.redact_patterns", "x{2,3}", None),
        ("privacy.redact_patterns", "['x{2,3}', y]", ["x{2,3}", "y"]),
        ("privacy.redact_patterns", "[A-Z]{3}-[0-9]+", ["[A-Z]{3}-[0-9]+"]),
        ("privacy.redact_patterns", "x+, y+", ["x+", "y+"]),
        ("ralph.success_criteria", "marker,custom", ["marker", "custom"]),
        ("ralph.success_criteria", "[{type: test_pass}, {type: custom, command: x}]", ["test_pass", "custom=x"]),
    ],
)
def test_a_text_means_what_the_type_of_its_key_says(key, text, value):
    if value is None:
        with pytest.raises(ConfigError, match="a comma that may") as caught:
            typed_value.parse(key, text)
        assert "single quotes" in caught.value.hint
    else:
        assert repr(typed_value.parse(key, text)) == repr(value)


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("memory.auto_inject", "maybe", "true or false, not 'maybe'"),
        ("memory.auto_inject", "1", "true or false, not '1'"),
        ("search.max_results", "101", "a whole number from 1 to 100, not 101"),
        ("search.max_results", "-1", "a whole number from 1 to 100, not -1"),
        ("search.max_results", "", "a whole number from 1 to 100, not ''"),
        ("search.max_results", "1.5", "a whole number from 1 to 100, not '1.5'"),
        ("search.max_results", "9" * 5000, "a whole number from 1 to 100, not '999"),
        ("ralph.success_criteria", "", "must be a list of test_pass"),
        ("ralph.success_criteria", "luck", "'luck' is none of these"),
        ("privacy.redact_patterns", "(a", "'(a' is none (missing )"),
        ("privacy.exclude_paths", "[a, {b}]", "this is no list: '[a, {b}]'"),
        ("privacy.exclude_paths", "[a]\nrecording: [b]", "this is no list"),
    ],
)
def test_a_text_that_breaks_the_rule_changes_nothing_and_names_what_is_allowed(a_project, the_file, key, text, why):
    path = the_file("recording: on\n")
    with pytest.raises(ConfigError) as caught:
        config_file.change(a_project, key, text)
    assert why in str(caught.value)
    assert path.read_text() == "recording: on\n"


# Changing one value


@pytest.mark.parametrize(
    ("key", "text", "before", "after"),
    [
        ("memory.auto_inject", "off", "auto_inject: true    # told", "auto_inject: false    # told"),
        ("memory.inject_tokens_prompt", "1", "prompt: 300\n", "prompt: 1\n"),
        ("memory.retention_days", "7", "prompt: 300\n", "prompt: 300\n    retention_days: 7\n"),
        ("privacy.redact_patterns", "x", "['lamp-[0-9]+', \"a, b\"] # ours", "[x] # ours"),
        ("recording", "on", "# the end\n", "# the end\nrecording: true\n"),
        ("search.max_results", "5", "# the end\n", "# the end\nsearch:\n  max_results: 5\n"),
        ("privacy.exclude_paths", "secrets/**,*.pem,2024,new", "        - 2024\n", "        - '2024'\n        - new\n"),
        ("privacy.exclude_paths", "secrets/**", "        - '*.pem'\n\n        - 2024\n", "\n"),
        (
            *("privacy.exclude_paths", "*.pem"),
            "        # the vault\n        - secrets/**   # theirs\n        - '*.pem'\n\n        - 2024\n",
            "        # the vault\n        # theirs\n        - '*.pem'\n\n",
        ),
        (
            *("privacy.exclude_paths", "[]"),
            "exclude_paths:\n        # the vault\n        - secrets/**   # theirs\n        - '*.pem'\n\n        - 2024\n",
            "exclude_paths: []\n        # the vault\n        # theirs\n\n",
        ),
    ],
)
def test_a_change_leaves_every_other_word_of_a_hand_written_file_where_it_is(a_project, the_file, key, text, before, after):
    path = the_file(BY_HAND)
    config_file.change(a_project, key, text)
    assert path.read_text() == BY_HAND.replace(before, after, 1)


MAPPINGS = """\
ralph:
  success_criteria:   # what has to pass
    # the tests
    - type: test_pass
    - type: custom    # ours
      command: ./check.sh   # slow
      expected: 3
    - {type: lint_clean} # ruff
    # the end of them
  agent: []
"""


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("test_pass, custom=./check.sh => 3, lint_clean, type_check", "ruff\n", "ruff\n    - type_check\n"),
        (
            *("test_pass, lint_clean", MAPPINGS[MAPPINGS.index("    - type: custom") : MAPPINGS.index("    - {type")]),
            "    # ours\n    # slow\n",
        ),
        ("test_pass, custom=./check.sh => 3", "    - {type: lint_clean} # ruff\n", "    # ruff\n"),
    ],
)
def test_criteria_that_are_mappings_keep_their_lines_where_they_stay(a_project, the_file, text, before, after):
    path = the_file(MAPPINGS)
    config_file.change(a_project, "ralph.success_criteria", text)
    assert path.read_text() == MAPPINGS.replace(before, after, 1)
    assert hooks.load(a_project)["ralph.success_criteria"] == typed_value.parse("ralph.success_criteria", text)


def test_a_field_that_no_criterion_has_is_told_with_its_place(a_project, the_file):
    the_file(MAPPINGS.replace("expected", "timeout"))
    (problem,) = problems(a_project, "warning")
    assert (problem.line, problem.column) == (7, 7) and "the nearest is ralph.timeout_s" in problem.what
    assert problems(a_project) == []


SMALL = {
    "": "memory:\n  retention_days: 7\n",
    "# only a comment": "# only a comment\nmemory:\n  retention_days: 7\n",
    "---\n": "---\nmemory:\n  retention_days: 7\n",
    "\ufeffmemory:\n  auto_inject: on\n": "\ufeffmemory:\n  auto_inject: on\n  retention_days: 7\n",
    "memory:\r\n  auto_inject: on\r\n": "memory:\r\n  auto_inject: on\r\n  retention_days: 7\r\n",
    "memory:\n auto_inject: on": "memory:\n auto_inject: on\n retention_days: 7\n",
    "memory: # to come\n": "memory: # to come\n  retention_days: 7\n",
    "memory:\n  # auto_inject: on\nrecording: on\n": "memory:\n  retention_days: 7\n  # auto_inject: on\nrecording: on\n",
    "memory:\n  retention_days:\n": "memory:\n  retention_days: 7\n",
    "memory:\n  retention_days: # days\n": "memory:\n  retention_days: 7 # days\n",
    "memory.retention_days: ~\n": "memory.retention_days: 7\n",
    "memory.retention_days: 'nine' # days\n": "memory.retention_days: 7 # days\n",
    "'memory':\n  \"retention_days\" : +9\n": "'memory':\n  \"retention_days\" : 7\n",
    "memory.retention_days:\n- 9 # days\n": "memory.retention_days: 7\n# days\n",
    "memory:\n  x:\n  - 1\n\n# the end\n": "memory:\n  x:\n  - 1\n  retention_days: 7\n\n# the end\n",
    "  recording: on\n": "  recording: on\n  memory:\n    retention_days: 7\n",
    "memory:\n  deep:\n    er: 1\nrecording: on\n": "memory:\n  deep:\n    er: 1\n  retention_days: 7\nrecording: on\n",
}


@pytest.mark.parametrize("before", SMALL)
def test_a_key_is_changed_where_it_stands_or_added_to_its_section_or_at_the_end(a_project, the_file, before):
    path = the_file(before)
    config_file.change(a_project, "memory.retention_days", "7")
    assert path.read_bytes().decode() == SMALL[before]
    assert hooks.load(a_project)["memory.retention_days"] == 7


comments = st.sampled_from(["", "# why", "  # let it be", ""])
tails = st.sampled_from(["", "", "  # because", " # it's so"])
texts = st.sampled_from(["a", "b c", "secrets/**", "*.pem", "it's", "x, y", "007", "#", "on"])
paths_lists = st.lists(texts, max_size=4, unique=True)


@st.composite
def hand_written(draw):
    """A config with comments wherever they may be, and its list in one of the two ways."""
    margin, end = draw(st.sampled_from(["  ", "    ", " "])), draw(st.sampled_from(["\n", "\r\n"]))
    lines = [draw(comments), "memory:" + draw(tails), margin + draw(comments), f"{margin}retention_days: 9{draw(tails)}"]
    lines += [draw(comments), "privacy:" + draw(tails), draw(comments)]
    items = draw(paths_lists)
    if items and draw(st.booleans()):
        lines += [f"{margin}exclude_paths:{draw(tails)}"]
        for item in items:
            lines += [margin + draw(comments), f"{margin}- {config_change.written(item)}{draw(tails)}"]
    else:
        lines += [f"{margin}exclude_paths: {config_change.written(items)}{draw(tails)}"]
    return end.join([*lines, f"{margin}other: 1{draw(tails)}", draw(comments), "recording: on"]) + draw(st.sampled_from(["", end]))


changes = paths_lists.map(lambda items: ("privacy.exclude_paths", config_change.written(items))) | st.sampled_from(
    [("memory.retention_days", "7"), ("search.max_results", "7"), ("memory.auto_inject", "off"), ("recording", "off")]
)


def comments_of(text):
    found = [line[at:] for line in text.split("\n") for at in [line.find("# ")] if at >= 0]
    return sorted(each.strip() for each in found)


@given(hand_written(), changes)
@settings(derandomize=True, database=None, deadline=None, max_examples=300)
def test_whatever_is_changed_no_comment_is_lost_and_no_other_value_moves(text, change):
    key, value = change[0], typed_value.parse(*change)
    after = config_change.edited(text, key, value)
    config_change.prove("config.yaml", text, after, (key, value), lambda changed: dict(config_file._flat(yaml.safe_load(changed))))
    assert comments_of(after) == comments_of(text)
    assert yaml_subset.read(after) == {**yaml_subset.read(text), key: value}


@given(hand_written(), st.sampled_from(["privacy.exclude_paths", "privacy.other", "memory.retention_days", "recording"]))
@settings(derandomize=True, database=None, deadline=None, max_examples=100)
def test_whatever_is_unset_no_other_value_moves(text, key):
    after = config_change.edited(text, key, None)
    config_change.prove("config.yaml", text, after, (key, None), lambda changed: dict(config_file._flat(yaml.safe_load(changed))))
    assert yaml_subset.read(after) == {name: value for name, value in yaml_subset.read(text).items() if name != key}


def test_a_change_of_a_value_to_itself_changes_no_byte(a_project, the_file):
    path = the_file(BY_HAND.replace("2024", "x"))
    for key, setting in config_file.load(a_project).items():
        if setting.origin == "project" and key != "privacy.redact_patterns":
            config_file.change(a_project, key, config_change.written(setting.value))
    assert path.read_text() == BY_HAND.replace("2024", "x")


@pytest.mark.parametrize(
    "item", ["it's", "a: b", "# x", "[x", "x]", "-", "- x", " x ", "007", "1e3", "yes", "~", "&x", "ü", "a\\b", '"']
)
def test_any_text_can_be_an_item_and_comes_back_as_it_was(a_project, item):
    config_file.change(a_project, "privacy.exclude_paths", "[" + "'" + item.replace("'", "''") + "']")
    assert config_file.find(a_project, "privacy.exclude_paths").value == hooks.load(a_project)["privacy.exclude_paths"] == [item]


@pytest.mark.parametrize("item", ["a\tb", "a\nb", "a\u2028b", "a\x00b", "x" * 70_000])
def test_what_a_file_cannot_hold_is_refused_and_the_file_is_as_it_was(a_project, the_file, item):
    path = the_file(BY_HAND)
    with pytest.raises(ConfigError, match="cannot be set"):
        config_file.change(a_project, "privacy.exclude_paths", item)
    assert path.read_text() == BY_HAND


# Whose the file is


def test_a_new_file_is_its_owners_alone_and_ignored_by_git(a_project, tmp_path):
    changed = config_file.change(a_project, "recording", "off")
    folder = tmp_path / "shop" / ".ralph-mem"
    assert (changed.path, changed.ruled_by) == (f"{folder}/config.yaml", "")
    assert [oct(path.stat().st_mode)[-3:] for path in (folder, folder / "config.yaml")] == ["700", "600"]
    assert (folder / ".gitignore").read_text() == "*\n"


def test_a_change_for_all_projects_is_kept_in_the_home_and_says_where_it_does_not_count(a_project, the_file, a_home):
    own = the_file("recording: on\n")
    changed = config_file.change(a_project, "recording", "off", everywhere=True)
    assert (a_home / ".config" / "ralph-mem" / "config.yaml").read_text() == "recording: false\n"
    assert (changed.ruled_by, own.read_text()) == (str(own), "recording: on\n")
    assert config_file.change(a_project, "search.max_results", "5", everywhere=True).ruled_by == ""


def test_what_others_could_read_is_the_owners_alone_after_a_change(a_project, the_file):
    path = the_file(BY_HAND)
    path.chmod(0o664)
    config_file.change(a_project, "recording", "off")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_the_home_stays_a_link_and_one_in_a_project_is_not_followed(a_project, the_file, the_persons_file, tmp_path):
    dotfiles = tmp_path / "dotfiles.yaml"
    dotfiles.write_text("recording: on\n")
    for make in (the_persons_file, the_file):
        path = make("")
        path.unlink()
        path.symlink_to(dotfiles)
    config_file.change(a_project, "recording", "off", everywhere=True)
    with pytest.raises(ConfigError, match="is a link to"):
        config_file.change(a_project, "recording", "on")
    assert dotfiles.read_text() == "recording: false\n"


def test_a_read_only_file_stays_as_it_is(a_project, the_file):
    path = the_file("recording: on\n")
    path.chmod(0o400)
    with pytest.raises(ConfigError, match="is read-only"):
        config_file.change(a_project, "recording", "off")
    assert path.read_text() == "recording: on\n"


def test_a_file_that_cannot_be_written_is_an_error_and_stays_as_it_is(a_project, the_file, monkeypatch):
    path = the_file("recording: on\n")
    monkeypatch.setattr(posix, "rename", lambda *names: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ConfigError, match=r"cannot write .*: No space left on device"):
        config_file.change(a_project, "recording", "off")
    assert path.read_text() == "recording: on\n"
    assert sorted(each.name for each in path.parent.iterdir()) == ["config.yaml"]


@pytest.mark.parametrize("before", ["", "recording: on\n"])
def test_a_value_stays_as_it_is_where_its_approval_cannot_be_kept(a_project, the_file, monkeypatch, before):
    path = the_file(before) if before else Path(config_change.path_of(a_project))
    monkeypatch.setattr(trust, "approve", lambda *shown: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
    with pytest.raises(ConfigError, match=r"memory.show: full needs an approval, .*: Read-only file system; nothing was changed"):
        config_file.change(a_project, "memory.show", "full")
    assert (path.read_text() if path.exists() else "") == before


def test_a_value_that_needs_no_approval_is_set_where_none_can_be_kept(a_project, monkeypatch):
    monkeypatch.setattr(trust, "approve", lambda *shown: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
    assert config_file.change(a_project, "recording", "off").waiting == ()
    assert hooks.load(a_project)["recording"] is False


def test_no_folder_is_made_for_a_project_that_is_not_there(a_project, tmp_path):
    with pytest.raises(ConfigError, match="there is no folder"):
        config_file.change(Project(str(tmp_path / "gone")), "recording", "off")
    assert not (tmp_path / "gone").exists()


def test_without_a_home_there_is_no_config_for_all_projects(a_project, monkeypatch):
    monkeypatch.setattr(posix, "environ", {})
    with pytest.raises(ConfigError, match="there is no home"):
        config_file.change(a_project, "recording", "off", everywhere=True)
    assert len(config_file.check(a_project)) == 1


def test_changes_at_the_same_time_do_not_undo_each_other(a_project):
    # each in a process of its own name: two threads would share the draft
    names = ["memory.retention_days", "search.max_results", "ralph.max_iterations", "memory.max_observations"]
    children = [os.fork() or child_that_changes(a_project, name) for name in names]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0, 0]
    assert [config_file.find(a_project, name).value for name in names] == [7, 7, 7, 7]


def child_that_changes(project, name):
    try:
        config_file.change(project, name, "7")
        os._exit(0)
    finally:
        os._exit(1)


# What is wrong with a file


def test_files_that_are_not_there_are_fine(a_project):
    assert [(file.there, file.problems) for file in config_file.check(a_project)] == [(False, []), (False, [])]


def test_a_hand_written_file_is_in_order_but_for_the_key_of_another_release(a_project, the_file):
    path = the_file(BY_HAND)
    (warning,) = problems(a_project, "warning")
    assert warning[:2] == (7, 1) and "there is no key of_another_release, the nearest is " in warning.what
    assert problems(a_project) == []
    assert [file.there for file in config_file.check(a_project) if file.path == str(path)] == [True]


@pytest.mark.check
@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        # nobody reads it
        ("memory:\n\tauto_inject: true\n", 2, 1, "a tab where spaces are needed"),
        ("recording: on\nsearch: 'open\n", 3, 1, "the hooks stop reading at line 2: a quote that does not end"),
        ("a: 1\nb: *nobody\n", 2, 4, "`*` is more YAML"),
        ("a: 1\n  b: 2\n", 2, 4, "indented differently"),
        ("a: [1, 2\nb: 3\n", 2, 2, "the hooks stop reading at line 1: what stands in brackets"),
        ("a: 1\n\x00", 2, 1, "a control character"),
        (b"a: 1\n# caf\xe9\n", 2, 6, "not UTF-8 text"),
        ("recording: on\n- 1\n", 2, 1, "a list item that belongs to no key"),
        ("[" * 3000, 1, 1, "`key: value` is needed"),
        # PyYAML would read it
        ("memory: &m\n  auto_inject: true\n", 1, 1, "the hooks do not read this: `&` is more YAML"),
        ("memory:\n  retention_days: 0x1F\n", 2, 3, "the hooks do not read this: a number or a date"),
        ("memory: {auto_inject: true}\n", 1, 1, "`{` is more YAML"),
        ("recording: on\nrecording: off\n", 2, 1, "recording stands here a second time"),
        ("a:\n  - x\n    y\n", 3, 5, "`key: value` is needed"),
        ("yes: 1\n", 1, 1, "a key is a name"),
        # everybody reads it
        ("memory:\n  retention_days: 'nine'\n", 2, 19, "must be a whole number from 1 to 3650, not 'nine'"),
        ("memory:\n  retention_days: 0\n", 2, 19, "must be a whole number from 1 to 3650, not 0"),
        ("recording: sometimes\n", 1, 12, "recording must be true or false, not 'sometimes'"),
        ("recording:\n  x: 1\n", 2, 6, "recording must be true or false, not a section"),
        ("privacy:\n  redact_patterns:\n    - a+\n    - '(b'\n", 4, 7, "'(b' is none (missing ), unterminated subpattern"),
        ("ralph:\n  success_criteria: [custom, luck]\n", 2, 30, "'luck' is none of these"),
        ("ralph:\n  success_criteria: []\n", 2, 21, "must be a list of test_pass"),
        ("privacy:\n  exclude_paths: secret\n", 2, 18, "must be a list of texts, not 'secret'"),
    ],
)
def test_a_problem_is_told_with_its_line_and_column(a_project, the_file, text, line, column, why):
    the_file(text)
    (problem,) = problems(a_project)
    assert why in problem.what
    assert problem[:2] == (line, column)


def test_all_problems_of_a_file_are_told_from_its_top_down(a_project, the_file):
    the_file("serch: 1\nmemory:\n  retention_days: 0\n  max_observations: many\nprivacy.exclude_path: [x]\n")
    (file,) = [each for each in config_file.check(a_project) if each.there]
    assert [(each.line, each.level) for each in file.problems] == [(1, "warning"), (3, "error"), (4, "error"), (5, "warning")]
    assert "the nearest is privacy.exclude_paths; it is ignored" in file.problems[-1].what


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.mkdir(), "is a folder, not a file"),
        (lambda path: path.write_bytes(b"#" * 100_000), "is larger than 64 KiB"),
        (lambda path: path.symlink_to("nowhere"), "cannot be read (No such file or directory)"),
        (os.mkfifo, "is not a regular file"),
    ],
)
def test_what_cannot_be_a_config_is_a_problem_and_is_not_written_to(a_project, the_file, make, why):
    path = the_file("")
    path.unlink()
    make(path)
    before = path.lstat()
    (problem,) = problems(a_project)
    assert (problem.line, problem.what) == (0, why)
    with pytest.raises(ConfigError, match="is a link" if path.is_symlink() else "config.yaml: "):
        config_file.change(a_project, "recording", "off")
    assert path.lstat() == before


@pytest.mark.parametrize("text", ["memory:\n\tauto_inject: true\n", "a: 'x\n", "a: &b 1\nc: *b\n"])
def test_a_broken_file_is_not_changed(a_project, the_file, text):
    path = the_file(text)
    with pytest.raises(ConfigError, match=f"{path}, line "):
        config_file.change(a_project, "recording", "off")
    assert path.read_text() == text


def test_a_wrong_value_can_be_put_right(a_project, the_file):
    path = the_file("memory:\n  retention_days: 0 # days\n")
    config_file.change(a_project, "memory.retention_days", "9")
    assert path.read_text() == "memory:\n  retention_days: 9 # days\n"


def test_anchors_that_unfold_without_end_take_no_time(a_project, the_file):
    the_file("a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40)))
    checking = threading.Thread(target=problems, args=(a_project,), daemon=True)
    checking.start()
    checking.join(20)
    assert not checking.is_alive()


def test_what_check_finds_in_order_the_hooks_read_without_a_word(a_project, the_file):
    the_file(BY_HAND.replace("of_another_release: [1, 2]   # kept\n", ""))
    assert problems(a_project) + problems(a_project, "warning") == []
    hooks.load(a_project)
    assert not paths.exists(paths.data_home() + "/trouble")
