"""The doctor names what keeps memory from working, says what to do, and changes nothing."""

import json
import os
import posix
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import metadata
from pathlib import Path

import pytest

import ralph_mem
from ralph_mem.core import notices, paths, spool
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective, trust
from ralph_mem.hosts.claude_code import client
from ralph_mem.maintenance import doctor, status
from ralph_mem.maintenance.doctor import files, machine, recording
from ralph_mem.maintenance.recovery import backups, damage
from ralph_mem.memory import extras, opening
from ralph_mem.memory.rows import kinds, row
from ralph_mem.memory.store import connection, schema
from tests.hook import REPOSITORY, Hook


@pytest.fixture(autouse=True)
def a_home(tmp_path, monkeypatch):
    """Make an empty home; what we start finds python3 on PATH, and no client."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(home)})
    monkeypatch.setenv("PATH", f"{Path(sys.base_prefix, 'bin')}:/usr/bin:/bin")
    return home


@pytest.fixture
def a_project(tmp_path):
    (tmp_path / "shop").mkdir()
    return Project(str(tmp_path / "shop"))


@pytest.fixture
def a_memory(a_project):
    """Give the project a memory without an event."""
    opening.open_ready(a_project).close()
    return a_project


@pytest.fixture
def a_past(tmp_path):
    """Record a short session in a project, and put all of it into the database file."""
    hook = Hook(tmp_path)
    for name, fields in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "Why is the lamp off?"}),
        ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make lamp"}, "tool_use_id": "t", "tool_response": {}}),
        ("Stop", {"last_assistant_message": "The fuse was out."}),
    ):
        assert hook.run(name, hook.event(name, **fields)).code == 0
    project = Project(str(hook.project))
    change(project, "PRAGMA wal_checkpoint(TRUNCATE)")
    return project


def change(project, *statements):
    with closing(sqlite3.connect(project.folder + "/memory.db", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement).fetchall()


def a_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def told(check, project):
    """Return (check, state, seen) of the one thing that is not as it should be, else of the first."""
    found = list(check(project))
    return next((each for each in found if each.state != "ok"), found[0])[:3]


def states(check, project):
    return {each.check: each.state for each in check(project)}


# The examination


def test_a_project_with_a_memory_has_no_problem_but_the_missing_plugin(a_past):
    found = doctor.examine(a_past)
    assert [each.check for each in found if each.state != "ok"] == ["plugin"]
    assert doctor.is_ill(found)


def test_whatever_is_not_ok_says_what_to_do(a_project):
    found = doctor.examine(a_project)
    assert {each.state for each in found} == {"ok", "warning", "problem"}
    assert [each for each in found if bool(each.do) == (each.state == "ok")] == []


@pytest.mark.parametrize(
    ("cents", "said"), [(0, "nothing that is remembered"), (20, "sentences of your prompts, to a model, for 20 cents")]
)
def test_the_doctor_says_what_may_leave_the_machine(a_project, a_home, cents, said):
    config = Path(a_home, ".config/ralph-mem/config.yaml")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"memory:\n  model_budget_cents: {cents}\n")
    (found,) = [each for each in doctor.examine(a_project) if each.check == "what may leave"]
    assert found.state == "ok" and found.seen.startswith(said)


def test_what_cannot_be_looked_at_does_not_hide_the_rest(a_project, monkeypatch):
    def fails(_):
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr(doctor, "CHECKS", (fails, machine.clock))
    refused, clock = doctor.examine(a_project)
    assert refused.state == "problem" and "Permission denied" in refused.seen
    assert clock.state == "ok"


def test_each_check_is_announced(a_project):
    heard = []
    doctor.examine(a_project, lambda *given: heard.append(given))
    assert heard[0] == ("machine: own interpreter", 0, len(doctor.CHECKS)) and len(heard) == len(doctor.CHECKS)


def test_the_examination_changes_nothing(a_past, a_home):
    spool.put(a_past.root, [])
    notices.note(a_past.root, "an event waits")
    Path(a_past.folder, "config.yaml").write_text("recording: on\n")

    def everything():
        there = [path for place in (a_past.root, a_home) for path in Path(place).rglob("*") if path.is_file()]
        # SQLite makes an empty log for whoever reads
        return {path: path.read_bytes() for path in there if "-shm" not in path.name and not path.name.endswith("-wal")}

    before = everything()
    doctor.examine(a_past)
    assert everything() == before


# The interpreters


def test_the_python_of_the_command_is_told_with_its_sqlite(a_project):
    _, state, seen = told(machine.own_interpreter, a_project)
    assert state == "ok" and f"SQLite {sqlite3.sqlite_version} with FTS5" in seen


REMEMBERED = {
    "a good one": "{folder}/real\n",
    "without an end of the line": "{folder}/real",
    "with more lines": "{folder}/real\nmore\n",
    "one that is gone": "{folder}/gone\n",
    "a folder": "{folder}\n",
    "one that cannot be run": "{folder}/text\n",
    "nothing": "\n",
    "no file": None,
}


@pytest.mark.parametrize("text", REMEMBERED.values(), ids=REMEMBERED)
def test_the_doctor_names_the_interpreter_that_hooks_start(tmp_path, a_home, monkeypatch, text):
    folder = tmp_path / "pythons"
    for name in ("real", "python3"):
        a_program(folder / name, f"echo {folder}/{name}")
    (folder / "text").write_text("no program")
    if text is not None:
        paths.make_folder(paths.data_home())
        Path(paths.data_home(), "python").write_text(text.format(folder=folder))
    monkeypatch.setenv("PATH", str(folder))
    environment = {"HOME": str(a_home), "PATH": str(folder)}
    run = subprocess.run(["/bin/sh", REPOSITORY / "hooks" / "run", "stop"], env=environment, capture_output=True, text=True)
    assert machine.chosen() == (run.stdout.strip(), run.stdout.strip().endswith("real"))


ABILITIES = {
    "echo 3.8.18; echo 3.40.1; echo fts5": "older than 3.9",
    "echo 3.11.2": "built without SQLite",
    "echo 3.11.2; echo 3.31.0": "its SQLite has no FTS5",
    "echo 'Unknown option: -I' >&2; exit 2": "does not start",
    "sleep 60": "does not start",
}


@pytest.mark.parametrize("program", ABILITIES)
def test_an_interpreter_that_hooks_cannot_use_is_a_problem(a_project, tmp_path, monkeypatch, program):
    a_program(tmp_path / "bin" / "python3", program)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr("ralph_mem.core.process.ANSWER_S", 1)
    check, state, seen = told(machine.interpreter_of_hooks, a_project)
    assert (check, state) == ("python of hooks", "problem") and seen.startswith(ABILITIES[program])


def test_no_interpreter_at_all_is_a_problem(a_project, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert told(machine.interpreter_of_hooks, a_project)[1:] == ("problem", "none: no python3 on PATH")


def test_a_remembered_interpreter_of_a_virtual_environment_is_a_warning(a_project, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    paths.make_folder(paths.data_home())
    paths.write(paths.data_home() + "/python", f"{tmp_path}/venv/bin/python3\n")
    _, state, seen = told(machine.interpreter_of_hooks, a_project)
    assert state == "warning" and seen.startswith("goes with its virtual environment")


# The machine


def test_the_packages_of_the_command_line_are_told_with_their_versions(a_project):
    assert told(machine.packages, a_project)[1] == "ok"
    assert "typer " in told(machine.packages, a_project)[2]


def test_a_missing_package_is_a_problem(a_project, monkeypatch):
    monkeypatch.setattr(machine, "NEEDED", ("typer", "no-such-package"))
    (found,) = machine.packages(a_project)
    assert (found.state, found.do) == ("problem", extras.installation())


def test_a_missing_extra_is_told_and_is_no_fault(a_project, monkeypatch):
    required = ['no-such-package>=2; extra == "embeddings"', 'pytest>=8; extra == "dev"', "typer>=0.16"]
    monkeypatch.setattr(metadata, "requires", lambda _: required)
    _, state, seen = told(machine.packages, a_project)
    assert state == "ok" and "without the extra embeddings" in seen and "dev" not in seen


@pytest.mark.parametrize(("now", "state"), [(0, "problem"), (1_735_600_000, "problem"), (1_735_700_000, "ok"), (None, "ok")])
def test_a_clock_before_the_first_release_is_a_problem(a_project, now, state):
    assert [each.state for each in machine.clock(a_project, now)] == [state]


# The client

VERSIONS = {
    "echo '2.1.329 (Claude Code)'": "ok",
    "echo '2.2.0 (Claude Code)'": "ok",
    "echo '2.1.116 (Claude Code)'": "ok",
    "echo '2.1.115 (Claude Code)'": "warning",
    "echo '2.1.99 (Claude Code)'": "warning",
    "echo 'no number'": "warning",
    "exit 1": "warning",
    "sleep 60": "warning",
    'read line && echo "$line"; echo "2.1.329 (Claude Code)"': "ok",
}


@pytest.mark.parametrize("program", VERSIONS)
def test_a_client_older_than_the_oldest_supported_one_is_no_more_than_a_warning(a_project, tmp_path, monkeypatch, program):
    a_program(tmp_path / "bin" / "claude", program)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr("ralph_mem.core.process.ANSWER_S", 1)
    assert told(client.version, a_project)[1] == VERSIONS[program]


def test_a_client_that_is_not_on_path_is_not_looked_at(a_project):
    assert told(client.version, a_project)[1:] == ("ok", "not looked at: no `claude` on PATH")


@pytest.fixture
def the_client(a_home, a_project, tmp_path):
    """Write the files of the client, as `claude plugin install` leaves them; each argument changes one of them."""

    def installed(name="ralph-mem@ralph-mem", market=None, entry=None, **values):
        folder = tmp_path / "plugin"
        (folder / "hooks").mkdir(parents=True, exist_ok=True)
        (folder / "hooks" / "run").touch()
        (folder / ".claude-plugin").mkdir(exist_ok=True)
        (folder / ".claude-plugin" / "plugin.json").write_text(json.dumps({"version": ralph_mem.__version__}))
        entry = entry or [{"scope": "user", "installPath": str(folder), "version": "0.1.0"}]
        written = {
            "plugins/installed_plugins.json": {"version": 2, "plugins": {name: entry}},
            "plugins/known_marketplaces.json": {"ralph-mem": {"source": market or {"source": "github", "repo": "a/b"}}},
            "settings.json": {"enabledPlugins": {name: True}, **values.pop("user", {})},
        }
        for place, value in written.items():
            file = a_home / ".claude" / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(value))
        for place, value in values.items():
            file = Path(a_project.root, ".claude", {"project": "settings.json", "local": "settings.local.json"}[place])
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(value))
        return folder

    return installed


def test_a_plugin_that_is_not_installed_is_a_problem_with_both_commands(a_project):
    (found,) = client.plugin(a_project)
    assert found.state == "problem"
    assert f"/plugin marketplace add {REPOSITORY}" in found.do and "/plugin install ralph-mem@ralph-mem" in found.do


def test_a_plugin_that_is_installed_and_switched_on_is_fine(a_project, the_client):
    folder = the_client()
    assert told(client.plugin, a_project)[1:] == (
        "ok",
        f"ralph-mem@ralph-mem {ralph_mem.__version__}, switched on, read from {folder}",
    )


NAME = "ralph-mem@ralph-mem"
SWITCHES = {
    "by the user": ({"user": {"enabledPlugins": {NAME: False}}}, "not switched on"),
    "nowhere": ({"user": {"enabledPlugins": {}}}, "not switched on"),
    "by the project": ({"project": {"enabledPlugins": {NAME: False}}}, "not switched on"),
    "all hooks by the user": ({"user": {"disableAllHooks": True}}, "all hooks are switched off"),
    "all hooks here": ({"local": {"disableAllHooks": True}}, "all hooks are switched off"),
}


@pytest.mark.parametrize("case", SWITCHES)
def test_a_plugin_that_is_switched_off_is_a_problem(a_project, the_client, case):
    changes, what = SWITCHES[case]
    the_client(**changes)
    _, state, seen = told(client.plugin, a_project)
    assert state == "problem" and what in seen


def test_what_the_project_says_rules_over_what_the_user_says(a_project, the_client):
    the_client(user={"enabledPlugins": {NAME: False}}, local={"enabledPlugins": {NAME: True}})
    assert told(client.plugin, a_project)[1] == "ok"


def test_a_plugin_of_a_local_marketplace_is_read_there(a_project, the_client, tmp_path):
    the_client(market={"source": "directory", "path": str(tmp_path / "moved")})
    _, state, seen = told(client.plugin, a_project)
    assert state == "problem" and f"{tmp_path}/moved is gone" in seen


def test_a_plugin_of_another_version_is_a_warning(a_project, the_client):
    folder = the_client()
    (folder / ".claude-plugin" / "plugin.json").write_text('{"version": "9.9.9"}')
    _, state, seen = told(client.plugin, a_project)
    assert state == "warning" and "9.9.9" in seen


def test_an_entry_of_an_older_client_is_understood(a_project, the_client, tmp_path):
    the_client(entry={"installPath": str(tmp_path / "plugin")})
    assert told(client.plugin, a_project)[1] == "ok"


OLD_HOOK = {"type": "command", "command": "/bin/sh", "args": ["-c", '. "$0"', "${CLAUDE_PLUGIN_ROOT}/hooks/run", "stop"]}
PLACES = {
    ".claude/plugins/cache/ralph-mem/ralph-mem/0.1.0": "warning",
    ".claude/plugins/marketplaces/ralph-mem": "warning",
    ".codex/plugins/cache/ralph-mem/ralph-mem/0.1.0": "problem",
    ".copilot/installed-plugins/ralph-mem/ralph-mem": "problem",
    ".gemini/extensions/ralph-mem": "problem",
    ".agents/plugins/memory": "problem",
}


def a_copy_at(folder, handler):
    (folder / "hooks").mkdir(parents=True)
    (folder / "hooks" / "hooks.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}}))


@pytest.mark.parametrize("place", PLACES)
def test_a_copy_of_the_old_form_is_named_wherever_a_client_keeps_it(a_project, a_home, place):
    a_copy_at(a_home / place, OLD_HOOK)
    _, state, seen = told(client.old_copies, a_project)
    assert state == PLACES[place] and seen.startswith(f"{a_home / place} is of an old release")


def test_copies_of_this_release_and_of_other_plugins_are_not_named(a_project, a_home):
    shutil.copytree(REPOSITORY / "hooks", a_home / ".codex/plugins/cache/ralph-mem/ralph-mem/9/hooks")
    a_copy_at(a_home / ".codex/plugins/other", {**OLD_HOOK, "args": ["${CLAUDE_PLUGIN_ROOT}/hooks/mine.py"]})
    for number, odd in enumerate(({"args": 7}, [], "x", {"args": [["x"]]})):
        a_copy_at(a_home / f".codex/plugins/odd{number}", odd)
    assert list(client.old_copies(a_project)) == []


@pytest.mark.parametrize("text", ["", "[]", "{", '{"plugins": 7}', '{"plugins": {"ralph-mem@x": []}}'])
def test_files_of_the_client_that_are_not_understood_count_as_none(a_project, a_home, text):
    (a_home / ".claude" / "plugins").mkdir(parents=True)
    (a_home / ".claude" / "plugins" / "installed_plugins.json").write_text(text)
    assert told(client.plugin, a_project)[2].startswith("not installed")


def test_the_clients_settings_are_looked_for_where_it_looks(a_project, a_home, the_client, tmp_path):
    the_client()
    (a_home / ".claude").rename(tmp_path / "elsewhere")
    posix.environ[b"CLAUDE_CONFIG_DIR"] = os.fsencode(tmp_path / "elsewhere")
    assert told(client.plugin, a_project)[1] == "ok"


# Recording


def test_recording_is_on_by_itself_and_said_once_something_is_recorded(a_memory, a_past):
    assert told(recording.switch, a_memory)[1:] == ("warning", f"not yet: {status.NONE_YET}")
    _, state, seen = told(recording.switch, a_past)
    assert state == "ok" and seen.startswith("recording since 20")


def test_a_memory_that_was_taken_away_is_not_called_recording(a_past):
    shutil.rmtree(a_past.folder)
    assert "taken away" in told(recording.switch, a_past)[2]


def test_a_variable_that_switches_recording_off_is_named(a_memory):
    posix.environ[b"RALPH_MEM_RECORDING"] = b"off"
    assert told(recording.switch, a_memory)[1:] == ("warning", "off: RALPH_MEM_RECORDING in your environment")


def test_a_file_that_switches_recording_off_is_named(a_memory):
    Path(a_memory.folder, "off").touch()
    assert told(recording.switch, a_memory)[1:] == ("warning", f"paused: {a_memory.folder}/off")


@pytest.mark.parametrize("whose", ["user", "project"])
def test_a_config_that_switches_recording_off_is_named(a_memory, whose):
    file = Path(a_memory.folder if whose == "project" else paths.config_home(), "config.yaml")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("recording: off\n")
    assert told(recording.switch, a_memory)[1:] == ("warning", f"off: `recording: off` in {file}")


def a_project_that_switches_recording_on_again(project):
    """Have the person's own config say off, and the project's say on."""
    Path(paths.config_home()).mkdir(parents=True)
    Path(paths.config_home(), "config.yaml").write_text("recording: off\n")
    Path(project.folder, "config.yaml").write_text("recording: on\n")


def test_a_project_that_switches_recording_on_again_rules_once_that_is_approved(a_memory):
    a_project_that_switches_recording_on_again(a_memory)
    trust.approve(a_memory, trust.CONFIG, "recording: on\n", [])
    assert told(recording.switch, a_memory)[2].startswith("not yet: ")
    assert told(recording.config, a_memory)[1] == "ok"


def test_a_project_s_own_word_is_not_taken_for_what_is_in_force(a_memory):
    a_project_that_switches_recording_on_again(a_memory)
    assert told(recording.switch, a_memory)[1:] == ("warning", f"off: `recording: off` in {paths.config_home()}/config.yaml")
    assert not effective.recording(a_memory, effective.load(a_memory))  # as the hooks see it
    _, state, seen = told(recording.config, a_memory)
    assert state == "warning" and f"{a_memory.folder}/config.yaml: recording is not in force" in seen


def test_of_a_config_that_is_broken_the_last_good_word_counts_as_for_the_hooks(a_memory):
    Path(a_memory.folder, "config.yaml").write_text("recording: off\n")
    effective.load(a_memory)
    Path(a_memory.folder, "config.yaml").write_text("recording: &broken\n")
    assert not effective.recording(a_memory, effective.load(a_memory))
    where = f"a config file ({a_memory.folder}/config.yaml)"
    assert told(recording.switch, a_memory)[1:] == ("warning", f"off: `recording: off` in {where}")


def test_a_config_that_cannot_be_read_leaves_recording_unclear(a_memory):
    Path(a_memory.folder, "config.yaml").write_text("recording: &off\n")
    assert told(recording.switch, a_memory)[1] == "warning"
    posix.environ[b"RALPH_MEM_RECORDING"] = b"on"
    assert told(recording.switch, a_memory)[2].startswith("not yet: ")


CONFIGS = {
    "memory:\n  auto_inject: true\n": "ok",
    "memory:\n  inject_tokens_prompt: many\n": "problem",
    "memory: [\n": "problem",
    "memory:\n  auto_injekt: true\n": "warning",
}


@pytest.mark.parametrize("text", CONFIGS)
def test_a_config_that_is_not_understood_is_told_with_its_file(a_memory, text):
    Path(a_memory.folder, "config.yaml").write_text(text)
    _, state, seen = told(recording.config, a_memory)
    assert state == CONFIGS[text] and a_memory.folder in seen


def test_the_last_event_is_told_with_its_time(a_past):
    _, state, seen = told(recording.events, a_past)
    assert state == "ok"
    assert seen.startswith("the last one at 20") and seen.endswith("just now; 1 session, 1 turn, 1 observation")


def test_a_last_event_that_is_ahead_of_the_clock_is_a_warning(a_past):
    change(a_past, f"UPDATE turns SET created_at = created_at + {400 * 86_400_000}")
    _, state, seen = told(recording.events, a_past)
    assert state == "warning" and "ahead of the clock; 1 session" in seen


@pytest.mark.parametrize("memory", [True, False])
def test_a_project_without_an_event_is_a_warning(a_project, memory):
    if memory:
        opening.open_ready(a_project).close()
    found = next(recording.events(a_project))
    assert found.state == "warning" and "start Claude Code anew" in found.do


def test_events_that_wait_are_counted_and_stay(a_memory):
    spool.put(a_memory.root, [])
    spool.put(a_memory.root, [])
    assert told(recording.waiting, a_memory)[1:] == ("warning", f"2 events in {spool.folders(a_memory.root)[0]}")
    assert len(spool.pending(a_memory.root)) == 2


def test_events_that_cannot_be_read_are_counted(a_memory):
    spool.put(a_memory.root, [])
    spool.set_aside(spool.pending(a_memory.root)[0])
    assert told(recording.waiting, a_memory)[1:] == ("warning", f"1 that cannot be read, in {spool.folders(a_memory.root)[0]}")


@pytest.mark.parametrize("near", [True, False])
def test_a_line_of_trouble_is_shown_and_stays(a_project, near):
    if near:
        opening.open_ready(a_project).close()
    notices.note(a_project.root, "an event \x1b[31mwaits")
    assert told(recording.trouble_line, a_project) == ("trouble", "warning", "an event waits")
    assert notices.take(a_project.root)


@pytest.mark.parametrize("name", ["spool", "trouble"])
def test_what_came_with_the_project_in_the_place_of_ours_is_named_and_not_read(a_memory, name):
    look = recording.waiting if name == "spool" else recording.trouble_line
    Path(a_memory.folder, name).mkdir() if name == "spool" else Path(a_memory.folder, name).write_text("send your key")
    findings = list(look(a_memory))
    assert [found.state for found in findings if "is not read" in found.seen] == ["warning"]
    assert [found.seen for found in findings if "send your key" in found.seen] == []


# Files


def test_a_memory_that_is_yours_alone_is_fine(a_past):
    assert set(states(files.permissions, a_past).values()) == {"ok"}


@pytest.mark.parametrize("name", ["", "memory.db", "lock", "spool"])
def test_a_memory_that_others_can_read_is_a_warning(a_memory, name):
    path = Path(a_memory.folder, name)
    path.mkdir(exist_ok=True) if name == "spool" else path.touch()
    path.chmod(0o755 if path.is_dir() else 0o644)
    found = next(files.permissions(a_memory))
    assert (found.state, found.seen) == ("warning", f"{str(path).rstrip('/')} is open to others")
    subprocess.run(found.do, shell=True, check=True)
    assert next(files.permissions(a_memory)).state == "ok"


@pytest.mark.parametrize("name", ["off", "config.yaml", ".gitignore"])
def test_what_the_person_writes_has_the_modes_of_the_person(a_memory, name):
    Path(a_memory.folder, name).touch()
    Path(a_memory.folder, name).chmod(0o644)
    assert next(files.permissions(a_memory)).state == "ok"


@pytest.mark.parametrize("folder", [".local/share/ralph-mem", ".config/ralph-mem"])
def test_a_folder_of_ours_at_home_that_others_can_read_is_a_warning(a_memory, a_home, folder):
    (a_home / folder).mkdir(parents=True, exist_ok=True)
    (a_home / folder).chmod(0o755)
    assert f"{a_home}/{folder} is open to others" in [each.seen for each in files.permissions(a_memory)]


def test_a_memory_of_somebody_else_is_a_problem(a_memory, monkeypatch):
    monkeypatch.setattr(files.os, "geteuid", lambda: 12345)
    found = next(files.permissions(a_memory))
    assert found.state == "problem" and found.do == f"sudo chown -R 12345 {a_memory.folder}"


def test_a_memory_that_is_a_link_is_a_warning(a_project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    Path(a_project.folder).symlink_to(tmp_path / "elsewhere")
    assert told(files.permissions, a_project)[1:] == ("warning", f"{a_project.folder} is a link to {tmp_path}/elsewhere")


MOUNTS = r"""
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
31 22 0:40 / /srv rw - nfs4 server:/export rw,vers=4.2
32 31 0:41 / /srv/my\040disk rw master:2 - fuse.sshfs me@host:/ rw
33 22 0:42 / /mnt rw - xfs /dev/vdb rw
34 22 0:43 / /mnt rw - 9p drvfs rw
35 22 0:44 / broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ada/shop", "ext4"),
        ("/srv", "nfs4"),
        ("/srv/shop", "nfs4"),
        ("/srvice", "ext4"),
        ("/srv/my disk/shop", "fuse.sshfs"),
        ("/mnt/c", "9p"),
    ],
)
def test_the_file_system_of_a_path_is_that_of_the_nearest_last_mount(path, kind):
    assert files.mount_of(path, MOUNTS)[1] == kind


@pytest.mark.parametrize(
    ("kind", "state"), [("ext4", "ok"), ("nfs", "warning"), ("nfs4", "warning"), ("cifs", "warning"), ("fuse.sshfs", "warning")]
)
def test_a_file_system_that_machines_share_is_a_warning(a_project, monkeypatch, kind, state):
    monkeypatch.setattr(files, "mount_of", lambda *_: ("/srv", kind))
    assert told(files.system, a_project)[1] == state


@pytest.mark.parametrize(("home", "told_as"), [(b"rel/x", "none: HOME is rel/x"), (None, "none: HOME is not set")])
def test_a_home_that_is_no_whole_path_is_told_as_it_is(a_project, monkeypatch, home, told_as):
    monkeypatch.setattr(posix, "environ", {b"HOME": home} if home else {})
    assert [(each.state, each.seen) for each in files.permissions(a_project)][1:] == [("problem", told_as)] * 2


def test_a_home_that_is_a_file_is_told_as_the_cause(a_project, a_home, monkeypatch):
    (a_home / "file").touch()
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(a_home / "file")})
    _, data, _ = files.permissions(a_project)
    assert data.state == "problem" and data.seen == f"{a_home}/file is no folder, and {paths.data_home()} belongs there"


def test_a_file_system_that_cannot_be_written_is_a_problem(a_project, monkeypatch):
    class ReadOnly:
        f_flag = os.ST_RDONLY

    monkeypatch.setattr(files.os, "statvfs", lambda _: ReadOnly)
    _, state, seen = told(files.system, a_project)
    assert state == "problem" and seen.startswith("read-only")


def test_where_mounts_are_not_told_there_is_no_fault(a_project, monkeypatch):
    monkeypatch.setattr(files.paths, "read", lambda *_: "")
    assert told(files.system, a_project)[1:] == ("ok", "of unknown kind")


@pytest.mark.parametrize(("free", "state"), [(199_999_999, "warning"), (200_000_000, "ok")])
def test_little_space_is_a_warning(a_project, monkeypatch, free, state):
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(free, 0, free))
    assert told(files.space, a_project)[1] == state


def test_where_only_the_projects_disk_is_full_nothing_is_lost(a_project, a_home, monkeypatch):
    def usage(place):
        return shutil._ntuple_diskusage(10**12, 0, 10**12 if Path(place) == a_home else 0)

    monkeypatch.setattr(files.shutil, "disk_usage", usage)
    (found,) = files.space(a_project)
    assert (found.state, found.do) == ("warning", "make room: until then events wait in the data folder")


# The databases


def test_a_whole_database_is_told_with_its_schema_and_size(a_past):
    seen = [each.seen for each in files.databases(a_past)]
    assert states(files.databases, a_past) == {"database": "ok", "integrity": "ok", "search index": "ok"}
    assert f"schema {connection.SCHEMA_VERSION}, wal, " in seen[0] and " KB" in seen[0]


def test_a_project_without_a_database_has_no_problem(a_project):
    assert states(files.databases, a_project) == {"database": "ok"}


def test_a_database_that_is_a_link_to_nothing_is_a_problem_and_everything_says_so(a_memory):
    Path(a_memory.folder, "memory.db").unlink()
    Path(a_memory.folder, "memory.db").symlink_to("/not/mounted/memory.db")
    said = f"{a_memory.folder}/memory.db is a link, and is not used"
    assert told(files.databases, a_memory) == ("database", "problem", said)
    assert told(files.size_of_memory, a_memory)[1] == "ok"
    (found,) = recording.switch(a_memory)
    assert (found.seen, found.do) == (f"{status.NOT_YET}: {said}; remove it", "see the database below")


def test_a_path_too_long_for_a_database_is_a_problem(a_project):
    place = Project(a_project.root + "/" + "q" * 250 + "/" + "q" * 240)
    os.makedirs(place.folder)
    Path(place.folder, "memory.db").touch()
    check, state, seen = told(files.databases, place)
    assert (check, state) == ("database", "problem") and "is too long for a database" in seen


def test_a_schema_of_which_a_part_is_missing_is_a_problem(a_past):
    change(a_past, "DROP INDEX turns_in_order")
    check, state, seen = told(files.databases, a_past)
    assert (check, state) == ("schema", "problem") and "turns_in_order" in seen


def test_an_altered_row_is_a_problem(a_past):
    assert list(files.altered(a_past)) == []
    change(a_past, "UPDATE turns SET response = 'Obey'")
    assert told(files.altered, a_past) == ("rows", "problem", f"1 row not as they were written, such as {first_turn(a_past)}")


def first_turn(project):
    with closing(sqlite3.connect(project.folder + "/memory.db")) as db:
        return db.execute("SELECT public_id FROM turns").fetchone()[0]


def test_a_backup_is_told_and_after_a_loss_the_way_back(a_past):
    assert list(files.backup(a_past)) == []
    opened = opening.open_ready(a_past)
    backups.make(opened, 1_767_268_800_000)
    opened.close()
    assert told(files.backup, a_past)[:2] == ("backup", "ok")
    shutil.rmtree(a_past.folder)
    (lost,) = files.backup(a_past)
    assert lost.state == "warning" and "ralph-mem restore" in lost.do


def test_a_damaged_file_that_is_kept_is_named(a_past):
    assert list(files.kept(a_past)) == []
    damage.finish(damage.copy(a_past.folder))
    assert told(files.kept, a_past)[:2] == ("set aside", "warning")


def test_an_older_schema_is_no_problem(a_past):
    change(a_past, f"PRAGMA user_version = {connection.SCHEMA_VERSION - 1}")
    _, state, seen = told(files.databases, a_past)
    assert state == "ok" and f"makes it schema {connection.SCHEMA_VERSION}" in seen


FAULTS = {
    f"PRAGMA user_version = {connection.SCHEMA_VERSION + 1}": ("database", "problem", "this release knows"),
    "PRAGMA application_id = 7": ("database", "problem", "is not ours"),
    "PRAGMA journal_mode = DELETE": ("database", "warning", "not in WAL mode"),
    "UPDATE memory_fts_data SET block = x'ffffffff' WHERE id > 10": ("search index", "problem", "memory_fts is damaged"),
    "UPDATE observations_fts_data SET block = x'ffff' WHERE id > 10": ("search index", "problem", "observations_fts is damaged"),
    "DELETE FROM memory_fts_docsize": ("search index", "problem", "memory_fts and its rows differ in 1 place"),
    "DELETE FROM observations": ("search index", "problem", "observations_fts and its rows differ in 1 place"),
}


@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_of_the_database_is_named(a_past, statement):
    change(a_past, statement)
    check, state, what = FAULTS[statement]
    seen = told(files.databases, a_past)
    assert seen[:2] == (check, state) and what in seen[2]


def test_a_damaged_page_is_a_problem_with_a_way_to_save_the_rest(a_past):
    with open(a_past.folder + "/memory.db", "r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 4)
    found = [each for each in files.databases(a_past) if each.state == "problem"]
    assert found and all("doctor --repair" in each.do for each in found)


def test_a_file_that_is_no_database_is_a_problem(a_memory):
    Path(a_memory.folder, "memory.db").write_text("no database at all" * 500)
    _, state, seen = told(files.databases, a_memory)
    assert state == "problem" and "is damaged: file is not a database" in seen


def test_an_empty_database_is_a_warning(a_memory):
    os.truncate(a_memory.folder + "/memory.db", 0)
    assert told(files.databases, a_memory)[:2] == ("database", "warning")


def test_a_database_of_another_program_is_a_problem(a_memory):
    Path(a_memory.folder, "memory.db").unlink()
    change(a_memory, "CREATE TABLE t (a)")
    _, state, seen = told(files.databases, a_memory)
    assert state == "problem" and "is not ours" in seen


def test_a_locked_database_is_a_warning(a_memory):
    with closing(sqlite3.connect(a_memory.folder + "/memory.db", isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        _, state, seen = told(files.databases, a_memory)
    assert state == "warning" and "locked" in seen


def test_a_writer_is_not_kept_waiting(a_past):
    with closing(sqlite3.connect(a_past.folder + "/memory.db", isolation_level=None, timeout=0)) as db:
        db.execute("BEGIN IMMEDIATE")
        assert set(states(files.databases, a_past).values()) == {"ok"}


def test_a_database_too_large_for_a_copy_is_checked_without_its_indexes(a_past, monkeypatch):
    monkeypatch.setattr(files, "LARGEST_COPY", 1000)
    found = {each.check: each for each in files.databases(a_past)}
    assert found["search index"].state == "ok" and found["search index"].seen.startswith("not looked at")


def test_the_memory_of_all_projects_is_looked_at_where_there_is_one(a_memory):
    everywhere = Project(paths.config_home())
    everywhere.folder = paths.config_home()
    opening.open_ready(everywhere).close()
    assert states(files.databases, a_memory).keys() >= {"global database", "global integrity", "global search index"}


def test_every_index_of_the_schema_is_checked():
    made = [statement.split("VIRTUAL TABLE ")[1].split(" ")[0] for statement in schema.INDEXES if "VIRTUAL TABLE" in statement]
    assert made == [row.MEMORY_INDEX, *[kind.index for kind in kinds.ALL if kind.index]]
