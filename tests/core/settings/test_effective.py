"""The settings in force: whose word counts, from when on, and what happens when a file cannot be read."""

import os
import posix

import pytest

from ralph_mem.core import notices, paths
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective, schema, trust
from tests.folded import folded


@pytest.fixture
def the_users_config(a_home):
    return writer(a_home / ".config" / "ralph-mem" / "config.yaml")


@pytest.fixture
def the_projects_config(a_project):
    """Write a config for the project that a person has approved: what counts of another one, test_trust.py says."""
    write = writer(os.path.join(a_project.folder, "config.yaml"))

    def approved(text):
        write(text)
        trust.approve(a_project, trust.CONFIG, text, [])

    return approved


def writer(path):
    def write(text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    return write


def test_without_files_the_defaults_are_in_force(a_project):
    assert effective.load(a_project) == effective.DEFAULTS
    assert effective.recording(a_project, effective.load(a_project))


def test_the_project_rules_over_the_user_over_the_defaults(a_project, the_users_config, the_projects_config):
    the_users_config("memory:\n  inject_tokens_prompt: 100\n  inject_tokens_start: 200\n")
    the_projects_config("memory:\n  inject_tokens_start: 300\n")
    values = effective.load(a_project)
    assert (values["memory.inject_tokens_prompt"], values["memory.inject_tokens_start"]) == (100, 300)
    assert values["memory.auto_inject"] is True


def test_the_user_alone_is_heard(a_project, the_users_config):
    the_users_config("memory:\n  auto_inject: false\n")
    assert effective.load(a_project)["memory.auto_inject"] is False


def test_a_change_acts_at_once(a_project, the_projects_config):
    for number in (9, 10, 100, 99, 1000):
        the_projects_config(f"memory.inject_tokens_prompt: {number}\n")
        assert effective.load(a_project)["memory.inject_tokens_prompt"] == number


def test_a_file_that_is_taken_away_counts_no_longer(a_project, the_projects_config):
    the_projects_config("memory.auto_inject: false\n")
    assert effective.load(a_project)["memory.auto_inject"] is False
    os.unlink(f"{a_project.folder}/config.yaml")
    assert effective.load(a_project) == effective.DEFAULTS


def test_a_file_is_parsed_once(a_project, the_projects_config, monkeypatch):
    the_projects_config("memory.auto_inject: false\n")
    effective.load(a_project)
    monkeypatch.setattr(effective, "_compile", None)
    assert effective.load(a_project)["memory.auto_inject"] is False


def test_settings_of_one_project_are_not_those_of_another(a_project, the_projects_config, tmp_path):
    the_projects_config("memory.auto_inject: false\n")
    effective.load(a_project)
    assert effective.load(type(a_project)(str(tmp_path / "other")))["memory.auto_inject"] is True


def test_the_cache_is_the_owners_alone_and_can_be_lost_or_broken(a_project, the_projects_config, a_home):
    the_projects_config("memory.auto_inject: false\n")
    effective.load(a_project)
    (cache,) = (a_home / ".local" / "share" / "ralph-mem" / "settings").iterdir()
    assert cache.stat().st_mode & 0o777 == 0o600
    for text in ("", "[]", '{"stamps": 1}', '{"values": 1}', '{"values": [1]}', "{", cache.read_text().replace("[", "[0, ", 1)):
        cache.write_text(text)
        assert effective.load(a_project)["memory.auto_inject"] is False


def test_without_a_home_the_project_is_heard(a_project, the_projects_config, the_environment):
    the_environment(HOME="")
    the_projects_config("memory.auto_inject: false\n")
    assert effective.load(a_project)["memory.auto_inject"] is False


def test_a_key_without_a_value_keeps_its_default(a_project, the_projects_config):
    the_projects_config("memory:\n  auto_inject:\nrecording:\nsearch: # to come\n")
    assert effective.load(a_project) == effective.DEFAULTS
    assert notices.take(a_project.root) == ""


def test_a_list_replaces_the_list_below_it(a_project, the_users_config, the_projects_config):
    the_users_config("privacy.exclude_paths: [theirs]\nralph.success_criteria: [custom]\n")
    the_projects_config("privacy.exclude_paths: [ours]\n")
    values = effective.load(a_project)
    assert (values["privacy.exclude_paths"], values["ralph.success_criteria"]) == (["ours"], ["custom"])


def test_a_release_with_more_keys_reads_the_files_anew(a_project, the_projects_config, monkeypatch):
    the_projects_config("memory.auto_inject: false\n")
    effective.load(a_project)
    monkeypatch.setattr(effective, "DEFAULTS", {**effective.DEFAULTS, "memory.of_the_future": 7})
    monkeypatch.setitem(schema.RULES, "memory.of_the_future", schema.Rule(schema.NUMBER, "", 1, 9))
    monkeypatch.setattr(effective, "_compile", lambda *given: {"values": [{"memory.of_the_future": 8}]})
    assert effective.load(a_project)["memory.of_the_future"] == 8


# The environment


def test_a_variable_rules_over_every_file(a_project, the_users_config, the_projects_config, the_environment):
    the_users_config("search.max_results: 3\nmemory.auto_inject: true\n")
    the_projects_config("search.max_results: 4\n")
    the_environment(RALPH_MEM_SEARCH_MAX_RESULTS="5", RALPH_MEM_MEMORY_AUTO_INJECT="off", RALPH_MEM_RALPH_MAX_ITERATIONS="50")
    values = effective.load(a_project)
    assert (values["search.max_results"], values["memory.auto_inject"], values["ralph.max_iterations"]) == (5, False, 50)
    the_environment(RALPH_MEM_SEARCH_MAX_RESULTS="", RALPH_MEM_MEMORY_AUTO_INJECT="")
    assert effective.load(a_project)["search.max_results"] == 4


def test_every_key_has_a_variable_of_its_own():
    names = [effective.variable(key) for key in effective.DEFAULTS]
    assert len(set(names)) == len(names) and "RALPH_MEM_RALPH_SUCCESS_CRITERIA" in names
    assert not {"RALPH_MEM_RUN", "RALPH_MEM_LOOP", "RALPH_MEM_RECORDING"} & set(names)


@pytest.mark.parametrize("text", ["many", "0", "101", "1.5"])
def test_a_variable_that_breaks_the_rule_changes_nothing(a_project, the_environment, text):
    the_environment(RALPH_MEM_SEARCH_MAX_RESULTS=text)
    assert effective.load(a_project) == effective.DEFAULTS


def test_a_variable_adds_to_what_is_private_and_protected_and_takes_nothing_away(a_project, the_users_config, the_environment):
    the_users_config("privacy.exclude_paths: [secret]\nralph.protect: [tests]\nsnapshot.include_ignored: [.env]\n")
    the_environment(RALPH_MEM_PRIVACY_EXCLUDE_PATHS="more", RALPH_MEM_RALPH_PROTECT="[]", RALPH_MEM_SNAPSHOT_INCLUDE_IGNORED="[]")
    values = effective.load(a_project)
    assert values["privacy.exclude_paths"] == ["secret", "more"]
    assert (values["ralph.protect"], values["snapshot.include_ignored"]) == (["tests"], [".env"])


def test_checks_may_be_named_by_a_variable_since_they_are_accepted_before_they_run(a_project, the_environment):
    the_environment(RALPH_MEM_RALPH_SUCCESS_CRITERIA="[lint_clean, 'custom=make check']")
    assert effective.load(a_project)["ralph.success_criteria"] == ["lint_clean", "custom=make check"]


# The rules


def test_every_key_has_a_rule_and_every_default_obeys_it():
    assert set(schema.RULES) == {*effective.DEFAULTS, "recording"}
    assert schema.sort(effective.DEFAULTS) == (effective.DEFAULTS, {}, [])
    assert all(rule.meaning.endswith(".") and rule.meaning.count(".") <= 2 for rule in schema.RULES.values())


EDGES = {
    "memory.inject_tokens_prompt": (0, 9000),
    "memory.inject_tokens_start": (0, 9000),
    "memory.max_observations": (0, 1_000_000),
    "memory.retention_days": (1, 3650),
    "search.default_layer": (1, 3),
    "search.max_results": (1, 100),
    "team.max_items": (1, 100_000),
    "ralph.max_iterations": (1, 1000),
    "ralph.cooldown_ms": (0, 3_600_000),
}


@folded("key", EDGES)
def test_a_number_may_be_at_the_edges_of_its_range_and_not_beyond(key):
    smallest, largest = EDGES[key]
    assert schema.problem(key, smallest) == schema.problem(key, largest) == ""
    for value in (smallest - 1, largest + 1, float(smallest), str(smallest), True):
        assert f"{key} must be a whole number from {smallest} to {largest}, not " in schema.problem(key, value)


@folded(
    ("key", "value", "why"),
    [
        ("recording", "sometimes", "recording must be true or false, not 'sometimes'"),
        ("ralph.success_criteria", ["test_pass", "luck"], "marker or TYPE=COMMAND; 'luck' is none of these"),
        ("ralph.success_criteria", [], "must be a list of test_pass, build_success, lint_clean"),
        ("privacy.exclude_paths", ["a", ""], "must be a list of texts; '' is empty"),
        ("privacy.exclude_paths", [True], "true is no text; put it in quotes"),
        ("privacy.redact_patterns", ["a+", "(b"], "must be a list of regular expressions; '(b' is none (missing ), unterminated"),
        ("privacy.redact_patterns", ["a{99999999999999999999}"], "is none (the repetition number is too large)"),
        ("privacy.redact_patterns", ["(" * 9999], "is none (maximum recursion depth exceeded"),
        ("privacy.redact_patterns", ["[[a]"], "is none (Possible nested set at position 1)"),
        ("privacy.redact_patterns", "x" * 999, "not 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."),
    ],
)
def test_a_value_that_breaks_its_rule_is_told_with_what_is_allowed(key, value, why):
    assert why in schema.problem(key, value)


def test_a_path_that_looks_like_a_number_is_a_path(a_project, the_projects_config):
    the_projects_config("privacy.exclude_paths: [2024, '007']\n")
    assert effective.load(a_project)["privacy.exclude_paths"] == ["2024", "007"]


# A key that nobody knows


@folded(
    ("key", "nearest"),
    [
        ("memory.auto_injct", "memory.auto_inject"),
        ("auto_inject", "memory.auto_inject"),
        ("memory.max_results", "search.max_results"),
        ("Recording", "recording"),
        ("privacy.exclude", "privacy.exclude_paths"),
        ("memory.inject_tokens_promt", "memory.inject_tokens_prompt"),
        ("ralph.max-iterations", "ralph.max_iterations"),
        ("m" * 65_000, "memory.remember"),
    ],
)
def test_the_nearest_key_is_the_one_with_the_fewest_other_letters(key, nearest):
    assert schema.nearest(key) == nearest


@pytest.mark.parametrize(
    ("one", "other", "apart"), [("", "", 0), ("", "ab", 2), ("ab", "", 2), ("lamp", "lump", 1), ("ab", "ba", 2)]
)
def test_the_distance_of_two_words_is_the_number_of_letters_to_change(one, other, apart):
    assert schema.distance(one, other) == apart


def test_an_unknown_key_is_left_alone_and_told_once_with_the_nearest_one(a_project, the_projects_config):
    the_projects_config("memory:\n  auto_injct: false\n  inject_tokens_start: 800\n")
    for _ in range(2):
        assert effective.load(a_project) == {**effective.DEFAULTS, "memory.inject_tokens_start": 800}
    line = notices.take(a_project.root)
    assert "config.yaml: line 2: there is no key memory.auto_injct, the nearest is memory.auto_inject" in line
    effective.load(a_project)
    assert notices.take(a_project.root) == ""


def test_of_many_unknown_keys_one_is_named_and_the_rest_counted(a_project, the_projects_config):
    the_projects_config("".join(f"some.thing{number}: [1]\n" for number in range(2000)))
    assert effective.load(a_project) == effective.DEFAULTS
    assert "(and 1999 more)" in notices.take(a_project.root)


def test_a_section_where_a_value_belongs_is_an_error_and_no_unknown_key(a_project, the_projects_config):
    the_projects_config("privacy:\n  exclude_paths:\n    first: secret\n")
    effective.load(a_project)
    assert "privacy.exclude_paths must be a list of texts, not a section" in notices.take(a_project.root)


# A file that cannot be read

BROKEN = "memory:\n\tauto_inject: true\n"


def test_a_broken_file_keeps_the_last_good_values_and_says_so_once(a_project, the_projects_config):
    the_projects_config("memory.inject_tokens_prompt: 100\nprivacy.exclude_paths: [secret]\n")
    effective.load(a_project)
    the_projects_config(BROKEN)
    for _ in range(3):
        values = effective.load(a_project)
        assert (values["memory.inject_tokens_prompt"], values["privacy.exclude_paths"]) == (100, ["secret"])
    assert "line 2" in notices.take(a_project.root)
    effective.load(a_project)
    assert notices.take(a_project.root) == ""


def test_a_file_that_is_mended_is_heard_again(a_project, the_projects_config):
    the_projects_config(BROKEN)
    effective.load(a_project)
    the_projects_config("memory.inject_tokens_prompt: 50\n")
    assert effective.load(a_project)["memory.inject_tokens_prompt"] == 50


@pytest.mark.parametrize("word", ["off", "false", "no", "0", "Off", "FALSE", "'off'", '"no"', "off # for now"])
def test_a_broken_file_can_still_switch_recording_off(a_project, the_projects_config, word):
    the_projects_config(f"recording: {word}\n{BROKEN}")
    assert not effective.recording(a_project, effective.load(a_project))


def test_a_broken_file_cannot_switch_recording_on(a_project, the_projects_config):
    the_projects_config("recording: off\n")
    effective.load(a_project)
    the_projects_config("recording: on\n" + BROKEN)
    assert not effective.recording(a_project, effective.load(a_project))


def test_a_broken_file_of_the_project_does_not_silence_the_users(a_project, the_users_config, the_projects_config):
    the_users_config("privacy:\n  exclude_paths: [secret]\n")
    the_projects_config(BROKEN)
    assert effective.load(a_project)["privacy.exclude_paths"] == ["secret"]


def test_a_broken_file_of_the_project_keeps_its_last_word_over_the_users(a_project, the_users_config, the_projects_config):
    the_users_config("recording: on\nprivacy.exclude_paths: [theirs]\n")
    the_projects_config("recording: off\nprivacy.exclude_paths: [ours]\n")
    effective.load(a_project)
    the_projects_config(BROKEN)
    values = effective.load(a_project)
    assert values["privacy.exclude_paths"] == ["ours"]
    assert not effective.recording(a_project, values)


WRONG = (
    "search.default_layer: 4",
    "search.max_results: 0",
    "memory.retention_days: 0",
    "ralph.success_criteria: [luck]",
    "ralph.success_criteria: test_pass",
    "privacy.redact_patterns: ['(a']",
    "memory.auto_inject: 1",
    "memory.auto_inject: 'yes'",
    "memory.inject_tokens_prompt: many",
    "memory.inject_tokens_prompt: 10.5",
    "memory.inject_tokens_prompt: true",
    "privacy.exclude_paths: secret",
    "privacy.redact_patterns: 'a+'",
    "recording: sometimes",
)


@pytest.mark.parametrize("line", WRONG)
def test_a_value_of_the_wrong_type_is_told_by_its_line_and_all_else_in_the_file_counts(a_project, the_projects_config, line):
    the_projects_config("memory.inject_tokens_start: 900\n")
    effective.load(a_project)
    the_projects_config(f"memory.inject_tokens_start: 800\n{line}\n")
    assert effective.load(a_project) == {**effective.DEFAULTS, "memory.inject_tokens_start": 800}
    told = notices.take(a_project.root)
    assert f"{a_project.folder}/config.yaml: line 2: {line.partition(':')[0]} must be " in told
    assert "; all else in the file counts" in told


def test_a_key_that_is_wrong_keeps_its_last_good_value(a_project, the_projects_config):
    the_projects_config("search.max_results: 7\nmemory.auto_inject: false\n")
    effective.load(a_project)
    the_projects_config("search.max_results: many\n")
    assert effective.load(a_project) == {**effective.DEFAULTS, "search.max_results": 7}


def test_beside_a_key_that_is_wrong_a_file_only_tightens_privacy(a_project, the_projects_config):
    the_projects_config("recording: off\nprivacy.exclude_paths: [secret]\n")
    effective.load(a_project)
    the_projects_config("recording: on\nprivacy.exclude_paths: [more]\nsearch.max_results: many\n")
    values = effective.load(a_project)
    assert (values["recording"], values["privacy.exclude_paths"]) == (False, ["secret", "more"])


# Criteria as mappings

CRITERIA = {
    "- type: test_pass\n- type: build_success": ["test_pass", "build_success"],
    "- type: custom\n  command: ./check.sh --all\n- lint_clean": ["custom=./check.sh --all", "lint_clean"],
    "- type: custom\n  command: ./count\n  expected: 3": ["custom=./count => 3"],
    "- {type: custom, command: ./count, expected: '3'}": ['custom=./count => "3"'],
    "- {type: custom, command: ./count, expected: all good}": ["custom=./count => all good"],
    "- {type: test_pass, command: npm test, expected: 0}": ["test_pass=npm test"],
    "- command: npm test\n  expectedExitCode: 1\n  type: test_pass": ["test_pass=npm test => 1"],
    "- type: marker": ["marker"],
    "- {type: type_check, command: ~, expected: ~}": ["type_check"],
}


@pytest.mark.parametrize("text", CRITERIA)
def test_criteria_may_be_mappings_and_mean_what_the_short_form_means(a_project, the_users_config, text):
    the_users_config("ralph:\n  success_criteria:\n    " + text.replace("\n", "\n    ") + "\n")
    values = effective.load(a_project)
    assert values["ralph.success_criteria"] == CRITERIA[text]
    assert notices.take(a_project.root) == ""
    assert schema.problem("ralph.success_criteria", values["ralph.success_criteria"]) == ""


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("{command: x}", "has no type"),
        ("{type: luck}", "has a type that is none of test_pass"),
        ("{type: 1}", "has a type that is none of test_pass, build_success"),
        ("{type: custom}", "needs a command"),
        ("{type: custom, command: true}", "has a command that is no text; put it in quotes"),
        ("{type: custom, command: ' '}", "has a command that is no text"),
        ("{type: marker, command: x}", "has a command; a marker has none"),
        ("{type: test_pass, expected: 1}", "expects something of no command"),
        ("{type: test_pass, expected: ok}", "expects something of no command"),
        ("{type: custom, command: x, expected: 256}", "expects what is neither an exit code from 0 to 255 nor a text"),
        ("{type: custom, command: x, expected: yes}", "expects what is neither an exit code"),
        ("{type: custom, command: x, expected: 1, expectedExitCode: 1}", "says twice what is expected"),
        ("{}", "has no type"),
    ],
)
def test_a_mapping_that_is_no_criterion_is_told_and_the_default_stays(a_project, the_users_config, item, why):
    the_users_config(f"search.max_results: 3\nralph.success_criteria: [{item}]\n")
    assert effective.load(a_project) == {**effective.DEFAULTS, "search.max_results": 3}
    told = notices.take(a_project.root)
    assert "line 2: ralph.success_criteria: {" in told and why in told


def test_a_field_that_no_criterion_has_is_told_as_an_unknown_key_and_the_rest_counts(a_project, the_users_config):
    the_users_config("ralph:\n  success_criteria:\n    - type: test_pass\n      timeout: 120000\n")
    assert effective.load(a_project)["ralph.success_criteria"] == ["test_pass"]
    assert "line 2: there is no key ralph.success_criteria.timeout, the nearest is ralph.timeout_s" in notices.take(a_project.root)


def test_only_criteria_are_mappings(a_project, the_users_config):
    the_users_config("privacy:\n  exclude_paths:\n    - C: drive\n")
    assert effective.load(a_project)["privacy.exclude_paths"] == []
    assert "privacy.exclude_paths must be a list of texts; {'C': 'drive'} is no text" in notices.take(a_project.root)


def test_what_an_earlier_release_made_of_a_file_is_made_anew(a_project, the_projects_config, monkeypatch):
    the_projects_config("search.max_results: 3\n")
    effective.load(a_project)
    monkeypatch.setattr(effective, "READING", effective.READING + 1)
    monkeypatch.setattr(effective, "_compile", lambda *given: {"values": [{"search.max_results": 4}]})
    assert effective.load(a_project)["search.max_results"] == 4


@pytest.mark.parametrize("item", ["12", "true", "~"])
def test_an_item_of_a_list_that_is_no_text_costs_no_event(a_project, the_projects_config, item):
    the_projects_config(f"privacy:\n  exclude_paths:\n    - {item}\n  redact_patterns:\n    - {item}\n")
    values = effective.load(a_project)
    assert privacy.protect(["lamp 12"], a_project, values)[0][0]
    assert all(isinstance(each, str) for key in ("exclude_paths", "redact_patterns") for each in values["privacy." + key])


def a_folder(path):
    os.mkdir(path)


def a_fifo(path):
    os.mkfifo(path)


def a_loop(path):
    os.symlink(path, path)


def large(path):
    writer(path)("memory.auto_inject: false\n" + "#" * 100_000)


def binary(path):
    with open(path, "wb") as file:
        file.write(bytes(range(256)) * 9)


def with_a_zero_byte(path):
    writer(path)("recording: on\n\0")


@pytest.mark.parametrize("make", [a_folder, a_fifo, a_loop, large, binary, with_a_zero_byte])
def test_what_cannot_be_a_config_is_told_in_one_line_and_the_last_good_settings_stay(a_project, the_projects_config, make):
    the_projects_config("memory.inject_tokens_prompt: 100\nprivacy.exclude_paths: [secret]\n")
    effective.load(a_project)
    os.unlink(f"{a_project.folder}/config.yaml")
    make(f"{a_project.folder}/config.yaml")
    values = effective.load(a_project)
    assert (values["memory.inject_tokens_prompt"], values["privacy.exclude_paths"]) == (100, ["secret"])
    told = notices.take(a_project.root)
    assert told.startswith(f"config: {a_project.folder}/config.yaml: ") and told.endswith("stay in force")


def test_a_file_out_of_reach_is_not_taken_for_one_that_is_not_there(a_project, the_projects_config, monkeypatch):
    the_projects_config("privacy.exclude_paths: [secret]\n")
    effective.load(a_project)
    stat, opened = posix.stat, posix.open

    def refusing(call):
        def refuse(path, *given):
            if str(path).endswith("config.yaml"):
                raise PermissionError(13, "Permission denied")
            return call(path, *given)

        return refuse

    monkeypatch.setattr(posix, "stat", refusing(stat))
    monkeypatch.setattr(posix, "open", refusing(opened))
    assert effective.load(a_project)["privacy.exclude_paths"] == ["secret"]
    assert "cannot be read (Permission denied)" in notices.take(a_project.root)


# Privacy only tightens


def test_a_wrong_value_elsewhere_keeps_no_new_protection_out(a_project, the_projects_config):
    the_projects_config("privacy:\n  exclude_paths: [old]\n  redact_patterns: [a+]\n")
    effective.load(a_project)
    the_projects_config("search.max_results: 0\nprivacy:\n  exclude_paths: [new]\n  redact_patterns: ['(b', c+]\n")
    values = effective.load(a_project)
    assert values["privacy.exclude_paths"] == ["old", "new"]
    assert values["privacy.redact_patterns"] == ["a+", "c+"]
    assert values["search.max_results"] == 10


def test_a_wrong_pattern_never_reaches_the_redactor(a_project, the_projects_config):
    the_projects_config("privacy.redact_patterns: ['lamp-[0-9]+', '(', 'x{99999999999999999999}', '[[a]']\n")
    values = effective.load(a_project)
    assert values["privacy.redact_patterns"] == ["lamp-[0-9]+"]
    assert privacy.protect(["it is lamp-12 ("], a_project, values)[0] == ["it is [REDACTED:pattern] ("]


def test_a_broken_file_of_the_project_does_not_hide_what_the_user_adds(a_project, the_users_config, the_projects_config):
    the_users_config("privacy.exclude_paths: [first]\n")
    the_projects_config("memory.inject_tokens_prompt: 100\n")
    effective.load(a_project)
    the_projects_config(BROKEN)
    the_users_config("privacy.exclude_paths: [first, second]\n")
    values = effective.load(a_project)
    assert (values["privacy.exclude_paths"], values["memory.inject_tokens_prompt"]) == (["first", "second"], 100)


@pytest.mark.parametrize("off", [{"RALPH_MEM_RECORDING": "off"}, {"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "0"}])
def test_where_recording_is_off_no_line_is_kept_about_a_broken_file(a_project, the_environment, the_projects_config, off):
    the_environment(**off)
    the_projects_config(BROKEN)
    assert not effective.recording(a_project, effective.load(a_project))
    assert notices.take(a_project.root) == ""


# Whether anything is recorded


@pytest.mark.parametrize(("word", "on"), [("off", False), ("0", False), ("NO", False), ("on", True), ("1", True), ("True", True)])
def test_the_environment_rules(a_project, the_environment, the_projects_config, word, on):
    the_projects_config(f"recording: {'off' if on else 'on'}\n")
    the_environment(RALPH_MEM_RECORDING=word)
    assert effective.recording(a_project, effective.load(a_project)) is on


def test_the_file_named_off_rules_over_the_config(a_project, the_projects_config):
    the_projects_config("recording: on\n")
    assert effective.recording(a_project, effective.load(a_project))
    paths.write(a_project.folder + "/off", "")
    assert not effective.recording(a_project, effective.load(a_project))


@pytest.mark.parametrize(
    ("variables", "config", "on"),
    [
        ({"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "0"}, "", False),
        ({"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "1"}, "", True),
        ({"CI": "true"}, "", True),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, "", True),
        ({"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "0"}, "recording: on\n", True),
        ({"RALPH_MEM_RECORDING": "perhaps"}, "", True),
        ({}, "recording: off\n", False),
    ],
)
def test_a_run_that_nobody_attends_is_recorded_only_on_request(
    a_project, the_environment, the_projects_config, variables, config, on
):
    the_environment(**variables)
    the_projects_config(config)
    assert effective.recording(a_project, effective.load(a_project)) is on
