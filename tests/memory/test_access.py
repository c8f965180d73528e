"""Access: which memories a command opens, made or brought up to date where needed, and what it says where it cannot."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import spool
from ralph_mem.core.errors import NewerStore, StoreError
from ralph_mem.core.project import Project
from ralph_mem.memory import access
from ralph_mem.memory import opening as adoption
from ralph_mem.memory.store import connection, schema
from tests.readers import note, waits


def folders(stores):
    return [opened.folder for opened in stores]


def test_the_projects_own_memory_comes_first(a_session, everywhere):
    assert folders(access.to_read(a_session.project)) == [a_session.project.folder]
    note(a_session, "The tungsten is dear", everywhere)
    stores = access.to_read(a_session.project)
    assert folders(stores) == [a_session.project.folder, everywhere.folder]
    assert list(map(access.is_global, stores)) == [False, True]


def test_where_nothing_is_remembered_reading_says_so_and_makes_nothing(another_project, a_home):
    for opening in (access.to_read, access.to_change):
        with pytest.raises(StoreError, match="nothing is remembered") as error:
            opening(another_project)
        assert "inject" in error.value.hint
    assert not Path(another_project.folder).exists() and list(a_home.iterdir()) == []


def test_a_project_without_a_memory_reads_that_of_all_projects(a_session, another_project, everywhere):
    note(a_session, "The tungsten is dear", everywhere)
    assert folders(access.to_read(another_project)) == [everywhere.folder]
    assert not Path(another_project.folder).exists()


def test_a_broken_memory_of_all_projects_does_not_hide_the_projects_own(a_session, another_project, everywhere):
    adoption.prepare(everywhere)
    Path(everywhere.folder, "memory.db").write_bytes(b"lanterns " * 1000)
    assert folders(access.to_read(a_session.project)) == [a_session.project.folder]
    with pytest.raises(StoreError, match="not a database"):
        access.to_read(another_project)


def a_wiped_header(data):
    return bytes(100) + data[100:]


def half_of_it(data):
    return data[: len(data) // 2]


def no_page_but_two(data):
    return data[: 2 * 4096] + bytes(len(data) - 2 * 4096)


@pytest.mark.parametrize("damage", [a_wiped_header, half_of_it, no_page_but_two])
def test_a_damaged_memory_is_said_to_be_so_with_the_command_that_mends_it(a_session, damage):
    a_session.store.checkpoint()
    a_session.store.close()
    path = Path(a_session.project.folder, "memory.db")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StoreError, match=r"/memory\.db is damaged: ") as error:
        access.to_read(a_session.project)
    assert "`ralph-mem doctor --repair`" in error.value.hint


def test_without_a_home_there_is_the_project_alone(a_session, the_environment):
    the_environment(HOME="/", XDG_CONFIG_HOME="")
    assert folders(access.to_read(a_session.project)) == [a_session.project.folder]
    assert access.places(a_session.project) == [a_session.project]


def test_an_older_memory_is_brought_up_to_date_with_a_backup(a_project, a_home):
    adoption.prepare(a_project)
    registry = a_home / ".local/share/ralph-mem/projects"
    registry.mkdir(parents=True)
    (registry / "project-old.json").write_text(json.dumps({"path": a_project.root}))
    with closing(sqlite3.connect(a_project.folder + "/memory.db", isolation_level=None)) as db:
        for statement in schema.MIGRATIONS[0]:
            db.execute(statement)
        db.execute("INSERT INTO properties VALUES ('project_id', 'project-old')")
        db.execute("PRAGMA user_version = 1")
    (opened,) = access.to_read(a_project)
    assert opened.one("PRAGMA user_version") == (schema.VERSION,)
    assert [path.name for path in a_home.rglob("*.db")] == ["project-old-schema-1.db"]


def test_a_newer_memory_is_neither_read_nor_written(a_session):
    a_session.store.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    for opening in (access.to_read, access.to_change, access.to_write):
        with pytest.raises(NewerStore, match="this release knows") as error:
            opening(a_session.project)
        assert error.value.hint == "update the plugin"


CONTENTS = {"no database": b"lanterns " * 1000, "not made by you here": b"SQLite format 3\0" + b"\0" * 4000}


@pytest.mark.parametrize("why", CONTENTS)
def test_what_is_no_memory_of_ours_is_named_and_why(another_project, why):
    adoption.prepare(another_project)
    Path(another_project.folder, "memory.db").write_bytes(CONTENTS[why])
    with pytest.raises(StoreError, match=rf"memory\.db is not used \({why}\)"):
        access.to_read(another_project)


def test_a_folder_that_is_a_file_is_named_with_a_hint(another_project):
    Path(another_project.folder).touch()
    with pytest.raises(StoreError) as error:
        access.to_write(another_project)
    assert another_project.folder in str(error.value)


def test_a_project_that_is_gone_is_named(tmp_path):
    with pytest.raises(StoreError, match="no folder"):
        access.to_write(Project(str(tmp_path / "gone")))


def test_what_waits_in_the_spool_is_stored_before_anything_is_changed(a_session):
    waits(a_session, "Where is the tungsten?")
    access.to_read(a_session.project)
    assert len(spool.pending(a_session.project.root)) == 1
    access.to_change(a_session.project)
    assert spool.pending(a_session.project.root) == [] and a_session.turns("prompt") == [("Where is the tungsten?",)]


def all_goes_wrong(change):
    """Change something and fail behind it."""
    change.set_property("lantern", 2)
    change.execute("DELETE FROM sessions")
    raise ZeroDivisionError


def test_a_change_is_kept_as_a_whole_or_not_at_all(a_session):
    with access.Change(a_session.store) as change:
        change.set_property("lantern", 1)
    with pytest.raises(ZeroDivisionError), access.Change(a_session.store) as change:
        all_goes_wrong(change)
    assert a_session.store.property("lantern") == 1 and a_session.rows("SELECT count(*) FROM sessions") == [(1,)]
    assert not a_session.store.db.in_transaction


def test_a_log_that_somebody_holds_is_left_after_a_while(a_session, monkeypatch):
    monkeypatch.setattr(access, "WAIT_MS", 100)
    other = connection.connect(a_session.project.folder, 100)
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    assert a_session.store.log_bytes() > 0 and not access.empty_log(a_session.store)
    other.close()
    assert access.empty_log(a_session.store) and a_session.store.log_bytes() == 0


def test_a_change_in_the_background_keeps_away_afterwards_unless_a_person_waits(a_session, monkeypatch):
    paused = []
    monkeypatch.setattr("time.sleep", paused.append)
    for a_session.store.is_awaited in (False, True):
        with access.BackgroundChange(a_session.store) as opened:
            opened.set_property("lamp", 1)
    assert len(paused) == 1
