"""Status: how much is remembered, what was told, and whatever is wrong in a line, never an error."""

import fcntl
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem import access, corrections, recall, status
from ralph_mem.core import adoption, schema, settings, spool
from tests.core.conftest import DAY, NOON

from .conftest import note, reader_of


def status_of(project, now=NOON + DAY, **changed):
    return status.of(project, {**settings.DEFAULTS, **{name.replace("_", ".", 1): value for name, value in changed.items()}}, now)


@pytest.fixture
def a_week(a_session, another_session, everywhere):
    """Have two sessions behind it, with a failure, notes here and everywhere, a pin, and something told."""
    a_session.asks("Mend the lantern with tungsten")
    a_session.runs("make lantern", error="Exit code 2\nerror: no zirconium")
    a_session.edits("src/lantern.py")
    a_session.is_answered("Mended.")
    turn = a_session.rows("SELECT public_id FROM turns")[0][0]
    corrections.pin(recall.find(reader_of(a_session), turn))
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


def test_only_the_last_week_counts_for_what_was_told(a_week):
    assert status_of(a_week.project, NOON + 9 * DAY)["injections"] == 0


def test_the_lines_are_for_people(a_week):
    text = "\n".join(status.lines(status_of(a_week.project)))
    assert text.startswith(
        f"{a_week.project.root}: recording, telling what it remembers\n2 sessions, 2 turns, 3 observations, 1 error"
    )
    for part in ("1 note", "1 pinned", "for all projects", "last recorded 20", "told in the last 7 days: 1 time", "MB in "):
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
    assert status.lines(status_of(a_session.project, memory_auto_inject=False))[0].endswith(": recording, telling nothing")
    Path(a_session.project.folder, "off").touch()
    assert status.lines(status_of(a_session.project))[0].endswith(": not recording, telling nothing")


def test_looking_writes_nothing(a_week):
    before = a_week.rows("SELECT total_changes()"), Path(a_week.project.folder, "memory.db-wal").read_bytes()
    status_of(a_week.project)
    assert (a_week.rows("SELECT total_changes()"), Path(a_week.project.folder, "memory.db-wal").read_bytes()) == before


# What is wrong is told


def test_a_missing_memory_is_told(another_project):
    found = status_of(another_project)
    assert found["trouble"] == "nothing is remembered here yet" and found["bytes"] == 0
    assert status.lines(found)[-1] == "trouble: nothing is remembered here yet"
    assert not Path(another_project.folder).exists()


def a_broken_memory(project, how):
    """Put something in the place of a project's memory that cannot be read as one."""
    adoption.prepare(project)
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
        adoption.open_ready(project).close()
        os.truncate(file, 20_000)
    else:
        file.write_bytes(b"lanterns " * 1000)


@pytest.mark.parametrize("how", ["no database", "a folder", "a newer release", "another program's", "cut off"])
def test_a_memory_that_cannot_be_read_is_told(another_project, how):
    a_broken_memory(another_project, how)
    found = status_of(another_project)
    assert found["trouble"].startswith("the memory cannot be read: ") and "turns" not in found
    assert status.lines(found)[-1].startswith("trouble: the memory cannot be read: ")


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

    monkeypatch.setattr(adoption.paths, "write", refuse)
    assert "Permission denied" in status_of(a_session.project)["trouble"]


@pytest.mark.parametrize("how", ["no database", "a newer release"])
def test_a_broken_memory_of_all_projects_is_told_beside_the_projects_own_counts(a_session, everywhere, how):
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    a_broken_memory(everywhere, how)
    found = status_of(a_session.project)
    assert found["turns"] == 1 and found["trouble"]
