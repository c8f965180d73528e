"""status, pause, resume, demo: how it stands, and whether anything is recorded."""

import json
import os
import re
import subprocess

import pytest

from tests.hook import said_to_model

KEYS = {
    *("version", "project", "database", "bytes", "recording", "injecting", "waiting", "embeddings", "trouble", "sessions"),
    *(
        "turns",
        "prompts",
        "commands",
        "state",
        "config",
        "observations",
        "errors",
        "notes",
        "pinned",
        "last_recorded",
        "injections",
        "injected_tokens",
        "global_notes",
        "emptied",
        "other_clients",
        "team",
    ),
}


# status


def test_a_status_says_what_is_remembered(a_person):
    lines = a_person.reads("status").splitlines()
    assert re.fullmatch(rf"{a_person.project}: recording since [\d: -]+, telling what it remembers", lines[0])
    assert lines[1] == "2 sessions, 4 prompts, 9 observations, 1 error, 0 notes, 0 pinned"


def test_a_status_for_a_program_has_every_number(a_person):
    found = a_person.json("status")
    assert found.keys() == KEYS
    assert (found["sessions"], found["turns"], found["injections"], found["trouble"]) == (2, 4, 2, "")
    assert found["bytes"] > 4096 and found["database"] == str(a_person.database)


def test_where_nothing_is_remembered_yet_that_is_said_and_no_trouble(a_newcomer):
    said = a_newcomer.cli("status")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{a_newcomer.project}: not yet: ") and "recording" not in said.out
    assert not a_newcomer.memory.exists()


def test_a_memory_that_cannot_be_read_is_trouble_and_exit_1(a_person):
    a_person.database.write_bytes(b"junk" * 2000)
    said = a_person.cli("status")
    assert said.code == 1 and "trouble: the memory cannot be used: " in said.out and said.err == ""
    found = json.loads(a_person.cli("status", "--json").out)
    assert (found["recording"], found["injecting"]) == (False, False) and found["trouble"].endswith("file is not a database")


# pause, resume


def test_a_pause_counts_from_the_next_event_on(a_person):
    assert a_person.reads("pause") == f"Paused: nothing is recorded or told in {a_person.project} until `ralph-mem resume`.\n"
    before = a_person.raw()
    other = a_person.another()
    assert [other.start(), other.prompt("What of the login expiry timezone?"), other.bash("make", "ok"), other.stop()] == [{}] * 4
    assert a_person.raw() == before and a_person.spooled() == []
    assert a_person.reads("status").startswith(f"{a_person.project}: paused: {a_person.memory}/off, telling nothing\n")


def test_nothing_is_corrected_while_it_is_paused(a_person):
    a_person.reads("pause")
    (name,) = a_person.values("SELECT public_id FROM turns ORDER BY id LIMIT 1")
    before = a_person.values("SELECT response FROM turns")
    for ran in (a_person.cli("edit", name, "It was the proxy."), a_person.cli("edit", name)):
        assert ran.code == 1 and "recording is switched off here, nothing was kept" in ran.err
    assert a_person.values("SELECT response FROM turns") == before


def test_after_a_resume_the_next_event_is_recorded_and_told(a_person):
    (a_person.memory / "off").touch()
    assert a_person.reads("resume") == f"Recording in {a_person.project}.\n"
    other = a_person.another()
    assert "thrown out" in said_to_model(other.start())
    other.prompt("Is this kept?")
    assert a_person.values("SELECT prompt FROM turns ORDER BY id DESC LIMIT 1") == ["Is this kept?"]


def test_one_session_is_paused_from_within_it_and_nowhere_else(a_person):
    within = {"CLAUDE_CODE_SESSION_ID": a_person.session}
    assert "nothing of this session is recorded" in a_person.reads("pause", "session", **within)
    assert a_person.prompt("Where is the zeppelin?") == {} and not (a_person.memory / "off").exists()
    assert ": paused: this session" in a_person.reads("status", **within) and ": paused" not in a_person.reads("status")
    a_person.reads("resume", **within)
    a_person.prompt("Where is the mast?")
    assert a_person.values("SELECT prompt FROM turns ORDER BY id DESC LIMIT 1") == ["Where is the mast?"]


def test_outside_of_a_session_no_session_is_paused(a_person):
    assert "it is not known which session this is" in a_person.fails("pause", "session")
    assert "there is nothing such as everything to pause" in a_person.fails("pause", "everything")


def test_pausing_twice_and_resuming_unpaused_do_no_harm(a_person):
    assert a_person.reads("resume").startswith("Recording in ")
    assert a_person.reads("pause") == a_person.reads("pause")


def test_a_project_is_paused_before_anything_is_remembered(a_newcomer):
    a_newcomer.reads("pause")
    assert a_newcomer.start() == {}
    assert not a_newcomer.database.exists()
    assert (a_newcomer.memory / ".gitignore").read_text() == "*\n"


def test_a_pause_holds_for_a_project_named_from_elsewhere(a_person, tmp_path):
    a_person.reads("pause", "--project", str(a_person.project), cwd=tmp_path)
    assert (a_person.memory / "off").exists()


STAYS_OFF = {
    "the variable": ({"RALPH_MEM_RECORDING": "off"}, "RALPH_MEM_RECORDING in your environment"),
    "the config": ({}, "`recording: off` in {}/config.yaml"),
    "CI": ({"CI": "true", "CLAUDE_CODE_SESSION_ATTENDED": "0"}, "a run in CI that nobody attends"),
}


@pytest.mark.parametrize("how", STAYS_OFF)
def test_what_else_keeps_recording_off_is_named(a_person, how):
    environment, what = STAYS_OFF[how]
    if how == "the config":
        (a_person.memory / "config.yaml").write_text("recording: off\n")
    (a_person.memory / "off").touch()
    assert a_person.reads("resume", **environment) == f"No longer paused, but {what.format(a_person.memory)} keeps recording off.\n"


def test_where_nothing_was_paused_a_resume_does_not_say_so(a_person):
    (a_person.memory / "config.yaml").write_text("recording: off\n")
    told = f"Nothing was paused: `recording: off` in {a_person.memory}/config.yaml keeps recording off.\n"
    assert a_person.reads("resume") == told == a_person.types("mem", "resume")


def test_a_pause_that_cannot_be_kept_is_told(a_newcomer, as_an_ordinary_owner):
    as_an_ordinary_owner(a_newcomer, a_newcomer.project)
    assert str(a_newcomer.memory) in a_newcomer.fails("pause")


def test_a_pause_that_cannot_be_ended_is_told(a_person, as_an_ordinary_owner):
    (a_person.memory / "off").touch()
    as_an_ordinary_owner(a_person, a_person.memory)
    assert str(a_person.memory) in a_person.fails("resume")


# demo


def test_the_demonstration_runs_and_leaves_nothing(a_person):
    before, home = a_person.raw(), sorted(os.listdir(a_person.home))
    text = a_person.reads("demo")
    assert text.startswith("Session 1, recorded, replayed through the hooks:\n")
    assert "\nSession 2, a new process, is told at its start:\n" in text
    assert text.endswith("\nThe token itself is in the files of the memory: no\n")
    assert list(a_person.scratch.iterdir()) == [] and sorted(os.listdir(a_person.home)) == home
    assert a_person.raw() == before


def test_the_demonstration_leaves_a_memory_alone_in_whose_project_the_temporary_folder_lies(a_person):
    before, folder = a_person.raw(), a_person.project / "tmp"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", a_person.project], check=True)
    a_person.reads("demo", TMPDIR=str(folder))
    assert a_person.raw() == before and list(folder.iterdir()) == []
