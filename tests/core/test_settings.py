"""The settings in force: whose word counts, from when on, and what happens when a file cannot be read."""

import os
import posix

import pytest

from ralph_mem.core import paths, privacy, setting_rules, settings, trouble, trust


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
    assert settings.load(a_project) == settings.DEFAULTS
    assert settings.recording(a_project, settings.load(a_project))


def test_the_project_rules_over_the_user_over_the_defaults(a_project, the_users_config, the_projects_config):
    the_users_config("memory:\n  inject_tokens_prompt: 100\n  inject_tokens_start: 200\n")
    the_projects_config("memory:\n  inject_tokens_start: 300\n")
    values = settings.load(a_project)
    assert (values["memory.inject_tokens_prompt"], values["memory.inject_tokens_start"]) == (100, 300)
    assert values["memory.auto_inject"] is True


def test_the_user_alone_is_heard(a_project, the_users_config):
    the_users_config("memory:\n  auto_inject: false\n")
    assert settings.load(a_project)["memory.auto_inject"] is False


def test_a_change_acts_at_once(a_project, the_projects_config):
    for number in (9, 10, 100, 99, 1000):
        the_projects_config(f"memory.inject_tokens_prompt: {number}\n")
        assert settings.load(a_project)["memory.inject_tokens_prompt"] == number


def test_a_file_that_is_taken_away_counts_no_longer(a_project, the_projects_config):
    the_projects_config("memory.auto_inject: false\n")
    assert settings.load(a_project)["memory.auto_inject"] is False
    os.unlink(f"{a_project.folder}/config.yaml")
    assert settings.load(a_project) == settings.DEFAULTS


def test_a_file_is_parsed_once(a_project, the_projects_config, monkeypatch):
    the_projects_config("memory.auto_inject: false\n")
    settings.load(a_project)
    monkeypatch.setattr(settings, "_compile", None)
    assert settings.load(a_project)["memory.auto_inject"] is False


def test_settings_of_one_project_are_not_those_of_another(a_project, the_projects_config, tmp_path):
    the_projects_config("memory.auto_inject: false\n")
    settings.load(a_project)
    assert settings.load(type(a_project)(str(tmp_path / "other")))["memory.auto_inject"] is True


def test_the_cache_is_the_owners_alone_and_can_be_lost_or_broken(a_project, the_projects_config, a_home):
    the_projects_config("memory.auto_inject: false\n")
    settings.load(a_project)
    (cache,) = (a_home / ".local" / "share" / "ralph-mem" / "settings").iterdir()
    assert cache.stat().st_mode & 0o777 == 0o600
    for text in ("", "[]", '{"stamps": 1}', '{"values": 1}', '{"values": [1]}', "{", cache.read_text().replace("[", "[0, ", 1)):
        cache.write_text(text)
        assert settings.load(a_project)["memory.auto_inject"] is False


def test_without_a_home_the_project_is_heard(a_project, the_projects_config, the_environment):
    the_environment(HOME="")
    the_projects_config("memory.auto_inject: false\n")
    assert settings.load(a_project)["memory.auto_inject"] is False


def test_a_key_without_a_value_keeps_its_default(a_project, the_projects_config):
    the_projects_config("memory:\n  auto_inject:\nrecording:\nsearch: # to come\n")
    assert settings.load(a_project) == settings.DEFAULTS
    assert trouble.take(a_project.root) == ""


def test_a_list_replaces_the_list_below_it(a_project, the_users_config, the_projects_config):
    the_users_config("privacy.exclude_paths: [theirs]\nralph.success_criteria: [custom]\n")
    the_projects_config("privacy.exclude_paths: [ours]\n")
    values = settings.load(a_project)
    assert (values["privacy.exclude_paths"], values["ralph.success_criteria"]) == (["ours"], ["custom"])


def test_a_release_with_more_keys_reads_the_files_anew(a_project, the_projects_config, monkeypatch):
    the_projects_config("memory.auto_inject: false\n")
    settings.load(a_project)
    monkeypatch.setattr(settings, "DEFAULTS", {**settings.DEFAULTS, "memory.of_the_future": 7})
    monkeypatch.setitem(setting_rules.RULES, "memory.of_the_future", setting_rules.Rule(setting_rules.NUMBER, "", 1, 9))
    monkeypatch.setattr(settings, "_compile", lambda *given: {"values": [{"memory.of_the_future": 8}]})
    assert settings.load(a_project)["memory.of_the_future"] == 8


# The rules


def test_every_key_has_a_rule_and_every_default_obeys_it():
    assert set(setting_rules.RULES) == {*settings.DEFAULTS, "recording"}
    assert setting_rules.sort(settings.DEFAULTS) == (settings.DEFAULTS, {}, [])
    assert all(rule.meaning.endswith(".") and rule.meaning.count(".") <= 2 for rule in setting_rules.RULES.values())


EDGES = {
    "memory.inject_tokens_prompt": (0, 9000),
    "memory.inject_tokens_start": (0, 9000),
    "memory.max_observations": (0, 1_000_000),
    "memory.retention_days": (1, 3650),
    "search.default_layer": (1, 3),
    "search.max_results": (1, 100),
    "ralph.max_iterations": (1, 100),
    "ralph.cooldown_ms": (0, 3_600_000),
}


@pytest.mark.parametrize("key", EDGES)
def test_a_number_may_be_at_the_edges_of_its_range_and_not_beyond(key):
    smallest, largest = EDGES[key]
    assert setting_rules.problem(key, smallest) == setting_rules.problem(key, largest) == ""
    for value in (smallest - 1, largest + 1, float(smallest), str(smallest), True):
        assert f"{key} must be a whole number from {smallest} to {largest}, not " in setting_rules.problem(key, value)


@pytest.mark.parametrize(
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
    assert why in setting_rules.problem(key, value)


def test_a_path_that_looks_like_a_number_is_a_path(a_project, the_projects_config):
    the_projects_config("privacy.exclude_paths: [2024, '007']\n")
    assert settings.load(a_project)["privacy.exclude_paths"] == ["2024", "007"]


# A key that nobody knows


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("memory.auto_injct", "memory.auto_inject"),
        ("auto_inject", "memory.auto_inject"),
        ("memory.max_results", "search.max_results"),
        ("Recording", "recording"),
        ("privacy.exclude", "privacy.exclude_paths"),
        ("memory.inject_tokens_promt", "memory.inject_tokens_prompt"),
        ("ralph.max-iterations", "ralph.max_iterations"),
        ("m" * 65_000, "memory.inject_tokens_prompt"),
    ],
)
def test_the_nearest_key_is_the_one_with_the_fewest_other_letters(key, nearest):
    assert setting_rules.nearest(key) == nearest


@pytest.mark.parametrize(
    ("one", "other", "apart"), [("", "", 0), ("", "ab", 2), ("ab", "", 2), ("lamp", "lump", 1), ("ab", "ba", 2)]
)
def test_the_distance_of_two_words_is_the_number_of_letters_to_change(one, other, apart):
    assert setting_rules.distance(one, other) == apart


def test_an_unknown_key_is_left_alone_and_told_once_with_the_nearest_one(a_project, the_projects_config):
    the_projects_config("memory:\n  auto_injct: false\n  inject_tokens_start: 800\n")
    for _ in range(2):
        assert settings.load(a_project) == {**settings.DEFAULTS, "memory.inject_tokens_start": 800}
    line = trouble.take(a_project.root)
    assert "config.yaml: there is no key memory.auto_injct, the nearest is memory.auto_inject" in line
    settings.load(a_project)
    assert trouble.take(a_project.root) == ""


def test_of_many_unknown_keys_one_is_named_and_the_rest_counted(a_project, the_projects_config):
    the_projects_config("".join(f"some.thing{number}: [1]\n" for number in range(2000)))
    assert settings.load(a_project) == settings.DEFAULTS
    assert "(and 1999 more)" in trouble.take(a_project.root)


def test_a_section_where_a_value_belongs_is_an_error_and_no_unknown_key(a_project, the_projects_config):
    the_projects_config("privacy:\n  exclude_paths:\n    first: secret\n")
    settings.load(a_project)
    assert "privacy.exclude_paths must be a list of texts, not a section" in trouble.take(a_project.root)


# A file that cannot be read

BROKEN = "memory:\n\tauto_inject: true\n"


def test_a_broken_file_keeps_the_last_good_values_and_says_so_once(a_project, the_projects_config):
    the_projects_config("memory.inject_tokens_prompt: 100\nprivacy.exclude_paths: [secret]\n")
    settings.load(a_project)
    the_projects_config(BROKEN)
    for _ in range(3):
        values = settings.load(a_project)
        assert (values["memory.inject_tokens_prompt"], values["privacy.exclude_paths"]) == (100, ["secret"])
    assert "line 2" in trouble.take(a_project.root)
    settings.load(a_project)
    assert trouble.take(a_project.root) == ""


def test_a_file_that_is_mended_is_heard_again(a_project, the_projects_config):
    the_projects_config(BROKEN)
    settings.load(a_project)
    the_projects_config("memory.inject_tokens_prompt: 50\n")
    assert settings.load(a_project)["memory.inject_tokens_prompt"] == 50


@pytest.mark.parametrize("word", ["off", "false", "no", "0", "Off", "FALSE", "'off'", '"no"', "off # for now"])
def test_a_broken_file_can_still_switch_recording_off(a_project, the_projects_config, word):
    the_projects_config(f"recording: {word}\n{BROKEN}")
    assert not settings.recording(a_project, settings.load(a_project))


def test_a_broken_file_cannot_switch_recording_on(a_project, the_projects_config):
    the_projects_config("recording: off\n")
    settings.load(a_project)
    the_projects_config("recording: on\n" + BROKEN)
    assert not settings.recording(a_project, settings.load(a_project))


def test_a_broken_file_of_the_project_does_not_silence_the_users(a_project, the_users_config, the_projects_config):
    the_users_config("privacy:\n  exclude_paths: [secret]\n")
    the_projects_config(BROKEN)
    assert settings.load(a_project)["privacy.exclude_paths"] == ["secret"]


def test_a_broken_file_of_the_project_keeps_its_last_word_over_the_users(a_project, the_users_config, the_projects_config):
    the_users_config("recording: on\nprivacy.exclude_paths: [theirs]\n")
    the_projects_config("recording: off\nprivacy.exclude_paths: [ours]\n")
    settings.load(a_project)
    the_projects_config(BROKEN)
    values = settings.load(a_project)
    assert values["privacy.exclude_paths"] == ["ours"]
    assert not settings.recording(a_project, values)


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
def test_a_value_of_the_wrong_type_counts_as_a_broken_file(a_project, the_projects_config, line):
    the_projects_config("memory.inject_tokens_start: 900\n")
    settings.load(a_project)
    the_projects_config(f"memory.inject_tokens_start: 800\n{line}\n")
    assert settings.load(a_project) == {**settings.DEFAULTS, "memory.inject_tokens_start": 900}
    told = trouble.take(a_project.root)
    assert f"{a_project.folder}/config.yaml: {line.partition(':')[0]} must be " in told
    assert "; the last good settings stay in force" in told


@pytest.mark.parametrize("item", ["12", "true", "~"])
def test_an_item_of_a_list_that_is_no_text_costs_no_event(a_project, the_projects_config, item):
    the_projects_config(f"privacy:\n  exclude_paths:\n    - {item}\n  redact_patterns:\n    - {item}\n")
    values = settings.load(a_project)
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
    settings.load(a_project)
    os.unlink(f"{a_project.folder}/config.yaml")
    make(f"{a_project.folder}/config.yaml")
    values = settings.load(a_project)
    assert (values["memory.inject_tokens_prompt"], values["privacy.exclude_paths"]) == (100, ["secret"])
    told = trouble.take(a_project.root)
    assert told.startswith(f"config: {a_project.folder}/config.yaml: ") and told.endswith("stay in force")


def test_a_file_out_of_reach_is_not_taken_for_one_that_is_not_there(a_project, the_projects_config, monkeypatch):
    the_projects_config("privacy.exclude_paths: [secret]\n")
    settings.load(a_project)
    stat, opened = posix.stat, posix.open

    def refusing(call):
        def refuse(path, *given):
            if str(path).endswith("config.yaml"):
                raise PermissionError(13, "Permission denied")
            return call(path, *given)

        return refuse

    monkeypatch.setattr(posix, "stat", refusing(stat))
    monkeypatch.setattr(posix, "open", refusing(opened))
    assert settings.load(a_project)["privacy.exclude_paths"] == ["secret"]
    assert "cannot be read (Permission denied)" in trouble.take(a_project.root)


# Privacy only tightens


def test_a_wrong_value_elsewhere_keeps_no_new_protection_out(a_project, the_projects_config):
    the_projects_config("privacy:\n  exclude_paths: [old]\n  redact_patterns: [a+]\n")
    settings.load(a_project)
    the_projects_config("search.max_results: 0\nprivacy:\n  exclude_paths: [new]\n  redact_patterns: ['(b', c+]\n")
    values = settings.load(a_project)
    assert values["privacy.exclude_paths"] == ["old", "new"]
    assert values["privacy.redact_patterns"] == ["a+", "c+"]
    assert values["search.max_results"] == 10


def test_a_wrong_pattern_never_reaches_the_redactor(a_project, the_projects_config):
    the_projects_config("privacy.redact_patterns: ['lamp-[0-9]+', '(', 'x{99999999999999999999}', '[[a]']\n")
    values = settings.load(a_project)
    assert values["privacy.redact_patterns"] == ["lamp-[0-9]+"]
    assert privacy.protect(["it is lamp-12 ("], a_project, values)[0] == ["it is [REDACTED:pattern] ("]


def test_a_broken_file_of_the_project_does_not_hide_what_the_user_adds(a_project, the_users_config, the_projects_config):
    the_users_config("privacy.exclude_paths: [first]\n")
    the_projects_config("memory.inject_tokens_prompt: 100\n")
    settings.load(a_project)
    the_projects_config(BROKEN)
    the_users_config("privacy.exclude_paths: [first, second]\n")
    values = settings.load(a_project)
    assert (values["privacy.exclude_paths"], values["memory.inject_tokens_prompt"]) == (["first", "second"], 100)


@pytest.mark.parametrize("off", [{"RALPH_MEM_RECORDING": "off"}, {"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "0"}])
def test_where_recording_is_off_no_line_is_kept_about_a_broken_file(a_project, the_environment, the_projects_config, off):
    the_environment(**off)
    the_projects_config(BROKEN)
    assert not settings.recording(a_project, settings.load(a_project))
    assert trouble.take(a_project.root) == ""


# Whether anything is recorded


@pytest.mark.parametrize(("word", "on"), [("off", False), ("0", False), ("NO", False), ("on", True), ("1", True), ("True", True)])
def test_the_environment_rules(a_project, the_environment, the_projects_config, word, on):
    the_projects_config(f"recording: {'off' if on else 'on'}\n")
    the_environment(RALPH_MEM_RECORDING=word)
    assert settings.recording(a_project, settings.load(a_project)) is on


def test_the_file_named_off_rules_over_the_config(a_project, the_projects_config):
    the_projects_config("recording: on\n")
    assert settings.recording(a_project, settings.load(a_project))
    paths.write(a_project.folder + "/off", "")
    assert not settings.recording(a_project, settings.load(a_project))


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
    assert settings.recording(a_project, settings.load(a_project)) is on
