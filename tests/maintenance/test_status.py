"""Status: how much is remembered, what was told, and whatever is wrong in a line, never an error."""

import fcntl
import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import paths, spool
from ralph_mem.core.format import when
from ralph_mem.core.settings import effective
from ralph_mem.maintenance import status
from ralph_mem.memory import access, notes_by_hand, opening
from ralph_mem.memory.facts import core
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.store import schema
from tests.readers import note, reader_of
from tests.sessions import DAY, NOON


def status_of(project, now=NOON + DAY, **changed):
    return status.of(project, {**effective.DEFAULTS, **{name.replace("_", ".", 1): value for name, value in changed.items()}}, now)


@pytest.fixture
def a_week(a_session, another_session, everywhere):
    """Have two sessions behind it, with a failure, notes here and everywhere, a pin, and something told."""
    a_session.asks("Mend the lantern with tungsten")
    a_session.runs("make lantern", error="Exit code 2\nerror: no zirconium")
    a_session.edits("src/lantern.py")
    a_session.is_answered("Mended.")
    turn = a_session.rows("SELECT public_id FROM turns")[0][0]
    notes_by_hand.pin(lookup.find(reader_of(a_session), turn))
    another_session.asks("Where is the tungsten with the zirconium?")
    note(a_session, "The basalt is heavy")
    note(a_session, "The obsidian is dear", everywhere)
    return a_session


def test_everything_is_counted(a_week):
    found = status_of(a_week.project)
    counts = {"sessions": 2, "turns": 2, "observations": 3, "errors": 1, "notes": 1, "pinned": 1, "global_notes": 1, "waiting": 0}
    assert {name: found[name] for name in counts} == counts
    ((tokens,),) = a_week.rows("SELECT tokens FROM receipts WHERE tokens > 0")
    assert (found["injections"], found["injected_tokens"]) == (1, tokens)
    assert (found["recording"], found["injecting"], found["trouble"]) == (True, True, "")
    assert found["bytes"] == sum(Path(a_week.project.folder, name).stat().st_size for name in ("memory.db", "memory.db-wal"))


def test_a_key_that_was_deleted_or_replaced_is_no_longer_counted_as_pinned(a_session):
    for value in ("8080", "9090"):
        core.put(a_session.project, a_session.project, a_session.settings, "port", value)
    assert status_of(a_session.project)["pinned"] == 1
    core.delete(a_session.project, "port")
    assert status_of(a_session.project)["pinned"] == 0


def test_only_the_last_week_counts_for_what_was_told(a_week):
    assert status_of(a_week.project, NOON + 9 * DAY)["injections"] == 0


def test_the_lines_are_for_people(a_week):
    text = "\n".join(status.lines(status_of(a_week.project)))
    state = f"recording since {when(NOON)}, telling what it remembers"
    assert text.startswith(f"{a_week.project.root}: {state}\n2 sessions, 2 prompts, 3 observations, 1 error")
    for part in ("1 note", "1 pinned", "for all projects", "last recorded 20", "told in the last 7 days: 1 time", "KB in "):
        assert part in text
    assert "trouble" not in text and "wait" not in text


def test_the_last_recorded_moment_is_that_of_the_newest_row(a_session):
    assert status_of(a_session.project)["last_recorded"] == 0
    assert "nothing recorded yet" in status.lines(status_of(a_session.project))
    a_session.asks("Where is the tungsten?")
    assert status_of(a_session.project)["last_recorded"] == NOON + 2000
    a_session.runs("make lantern")
    assert status_of(a_session.project)["last_recorded"] == NOON + 3000


def test_what_waits_is_counted(a_session):
    spool.put(a_session.project.root, [{"verb": "x"}])
    assert "1 event waits to be stored with the next one" in status.lines(status_of(a_session.project))


def test_a_pause_and_a_silent_memory_are_told(a_session):
    assert status.lines(status_of(a_session.project, memory_auto_inject=False))[0].endswith(
        f": recording since {when(NOON)}, telling nothing"
    )
    Path(a_session.project.folder, "off").touch()
    assert status.lines(status_of(a_session.project))[0].endswith(f": paused: {a_session.project.folder}/off, telling nothing")


def test_looking_writes_nothing(a_week):
    before = a_week.rows("SELECT total_changes()"), Path(a_week.project.folder, "memory.db-wal").read_bytes()
    status_of(a_week.project)
    assert (a_week.rows("SELECT total_changes()"), Path(a_week.project.folder, "memory.db-wal").read_bytes()) == before


# What is wrong is told


def test_a_project_without_a_memory_is_not_yet_recorded_which_is_no_trouble(another_project):
    found = status_of(another_project)
    assert (found["trouble"], found["bytes"]) == ("", 0)
    assert status.lines(found)[0] == f"{another_project.root}: not yet: {status.NONE_YET}"
    assert not Path(another_project.folder).exists()


def test_a_memory_that_was_taken_away_is_told_as_such(a_session):
    shutil.rmtree(a_session.project.folder)
    assert "the memory was taken away; the next session start" in status.lines(status_of(a_session.project))[0]


def test_a_memory_in_which_only_a_note_was_kept_is_not_recorded(a_session):
    a_session.store.execute("UPDATE sessions SET agent = 'ralph-mem'")
    assert f": not yet: {status.NONE_YET}" in status.lines(status_of(a_session.project))[0]


def test_a_run_in_ci_that_nobody_attends_is_off_by_itself(a_session, the_environment):
    the_environment(CI="true", CLAUDE_CODE_SESSION_ATTENDED="0")
    assert status.lines(status_of(a_session.project))[0].endswith(": off: a run in CI that nobody attends, telling nothing")


@pytest.mark.parametrize("what", ["off", "0", "NO"])
def test_what_keeps_it_off_is_named(a_session, the_environment, what):
    the_environment(RALPH_MEM_RECORDING=what)
    assert ": off: RALPH_MEM_RECORDING in your environment" in status.lines(status_of(a_session.project))[0]


def test_a_session_that_was_imported_begins_no_recording(a_session):
    a_session.store.execute("UPDATE sessions SET client_pid = NULL, source = 'startup', started_at = started_at - 86400000")
    a_session.asks("Where is the tungsten?")
    with_pid = "INSERT INTO sessions (public_id, client_session, project_path, source, agent, fence, context_since, started_at,"
    values = "SELECT 'sess-live', 'live', project_path, source, agent, fence, 0, ?, 7 FROM sessions"
    a_session.store.execute(f"{with_pid} client_pid) {values}", (NOON + 5000,))
    assert status_of(a_session.project)["state"] == f"recording since {when(NOON + 5000)}"


def test_a_broken_config_is_told(a_session):
    Path(a_session.project.folder, "config.yaml").write_text("memory: [\n")
    told = "\n".join(status.lines(status_of(a_session.project)))
    assert f"\nconfig: {a_session.project.folder}/config.yaml: " in told


MODEL = {"model": "mini", "dims": 8, "static_dims": 8, "folder": "one"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not set up"), ("{", "set up, but what was set up cannot be read"),
        (json.dumps(MODEL), "mini, but model.onnx, tokenizer.json, static.db missing"),
    ],
)  # fmt: skip
def test_embeddings_are_told_as_they_are(a_session, text, told):
    file = Path(paths.data_home() + paths.MODEL)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text) if text else file.unlink(missing_ok=True)
    assert f"embeddings: {told}" in status.lines(status_of(a_session.project))


def a_broken_memory(project, how):
    """Put something in the place of a project's memory that cannot be read as one."""
    opening.prepare(project)
    file = Path(project.folder, "memory.db")
    if how == "a folder":
        file.mkdir()
    elif how == "a newer release":
        with closing(sqlite3.connect(file)) as db:
            db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    elif how == "another program's":
        with closing(sqlite3.connect(file)) as db:
            db.execute("CREATE TABLE lanterns (id)")
            db.execute(f"PRAGMA user_version = {schema.VERSION}")
    elif how == "cut off":
        opening.open_ready(project).close()
        os.truncate(file, 20_000)
    else:
        file.write_bytes(b"lanterns " * 1000)


@pytest.mark.parametrize("how", ["no database", "a folder", "a newer release", "another program's", "cut off"])
def test_a_memory_that_cannot_be_read_is_told(another_project, how):
    a_broken_memory(another_project, how)
    found = status_of(another_project)
    assert found["trouble"].startswith("the memory cannot be used: ") and "turns" not in found
    assert status.lines(found)[-1].startswith("trouble: the memory cannot be used: ")


def test_a_memory_that_another_program_has_locked_is_told(a_session, monkeypatch):
    monkeypatch.setattr(access, "WAIT_MS", 50)
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    a_session.store.close()
    with closing(sqlite3.connect(a_session.project.folder + "/memory.db", isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        assert "locked" in status_of(a_session.project)["trouble"]


def test_a_memory_that_somebody_is_tidying_is_told(a_session, monkeypatch):
    monkeypatch.setattr(access, "WAIT_MS", 50)
    a_session.store.close()
    with open(a_session.project.folder + "/lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another session is tidying up" in status_of(a_session.project)["trouble"]


def test_a_folder_in_which_nothing_can_be_written_is_told(a_session, monkeypatch):
    Path(a_session.project.folder, ".gitignore").unlink()

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(opening.paths, "write", refuse)
    assert "Permission denied" in status_of(a_session.project)["trouble"]


@pytest.mark.parametrize("how", ["no database", "a newer release"])
def test_a_broken_memory_of_all_projects_is_told_beside_the_projects_own_counts(a_session, everywhere, how):
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    a_broken_memory(everywhere, how)
    found = status_of(a_session.project)
    assert found["turns"] == 1 and found["trouble"]
