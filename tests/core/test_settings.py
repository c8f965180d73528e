"""The settings in force: whose word counts, from when on, and what happens when a file cannot be read."""

import os

import pytest

from ralph_mem.core import paths, privacy, settings, trouble


@pytest.fixture
def the_users_config(a_home):
    return writer(a_home / ".config" / "ralph-mem" / "config.yaml")


@pytest.fixture
def the_projects_config(a_project):
    return writer(os.path.join(a_project.folder, "config.yaml"))


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
    for text in ("", "[]", '{"stamp": 1}', '{"values": 1}', "{"):
        cache.write_text(text)
        assert settings.load(a_project)["memory.auto_inject"] is False


def test_without_a_home_the_project_is_heard(a_project, the_projects_config, the_environment):
    the_environment(HOME="")
    the_projects_config("memory.auto_inject: false\n")
    assert settings.load(a_project)["memory.auto_inject"] is False


def test_keys_of_other_releases_are_left_alone(a_project, the_projects_config):
    the_projects_config("memory:\n  of_the_future: 7\nsome:\n  thing: [1]\n")
    assert settings.load(a_project) == settings.DEFAULTS
    assert trouble.take(a_project.root) == ""


def test_a_key_without_a_value_keeps_its_default(a_project, the_projects_config):
    the_projects_config("memory:\n  auto_inject:\nrecording:\n")
    assert settings.load(a_project) == settings.DEFAULTS


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
    assert line.partition(":")[0] in trouble.take(a_project.root)


@pytest.mark.parametrize("item", ["12", "true", "~"])
def test_an_item_of_a_list_that_is_no_text_costs_no_event(a_project, the_projects_config, item):
    the_projects_config(f"privacy:\n  exclude_paths:\n    - {item}\n  redact_patterns:\n    - {item}\n")
    values = settings.load(a_project)
    assert privacy.protect(["lamp 12"], a_project, values)[0][0]
    assert all(isinstance(each, str) for key in ("exclude_paths", "redact_patterns") for each in values["privacy." + key])


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
