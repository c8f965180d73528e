"""What was forgotten does not come back, whatever is brought in afterwards: a backup from before, an export from before."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.core.project import Project
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.maintenance.recovery import backups
from ralph_mem.maintenance.recovery import restore as restoring
from ralph_mem.maintenance.transfer import document, home, incoming, outgoing
from ralph_mem.memory import opening
from ralph_mem.memory.rows import rewrite
from ralph_mem.memory.store import connection, schema
from ralph_mem.memory.store.connection import Store
from tests.readers import files_of, forget, holding, in_order, last, reader_of
from tests.sessions import NOON

SECRET = "quetzalcoatlus"


@pytest.fixture
def a_past(a_session):
    """Have a turn behind it that is going to be forgotten, one that quotes it, and one that has nothing to do with it."""
    a_session.has_a_turn(f"Where does the {SECRET} sleep?", "Below the zirconium lantern.")
    a_session.has_a_turn("Where is the basalt?", "In the attic, where it always was.")
    a_session.sends("session-end", reason="other")
    return a_session


@pytest.fixture
def a_backup(a_past):
    """Back that up; returns the bytes, as somebody may keep them elsewhere."""
    path = Path(backups.make(a_past.store, NOON))
    return path, path.read_bytes()


def lies_again(path, data):
    path.write_bytes(data)
    (found,) = [each for each in backups.of_place(Project(str(path_of_project(path)))) if each.path == str(path)]
    return found


def path_of_project(path):
    (entry,) = [each for each in registry.known() if path.name.startswith(each.id)]
    return entry.path


def restore(session, backup):
    session.store.close()
    found = restoring.restore(session.project, backup)
    session.store = opening.open_ready(session.project)
    return found


@pytest.fixture
def registered(a_past):
    opening.notice(a_past.store, a_past.project)
    return a_past


def test_a_backup_from_before_comes_back_without_what_was_forgotten(registered, a_backup):
    assert holding({"backup": a_backup[1]}, SECRET)
    forget(reader_of(registered), query=SECRET)
    restored = restore(registered, lies_again(*a_backup))
    assert restored.forgotten == 1
    assert registered.turns("prompt") == [("Where is the basalt?",)]
    assert holding(files_of(registered.project), SECRET, "zirconium") == []
    in_order(registered.store)


def of_an_older_release(session, path):
    """Write the rows of a memory as the first release did."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in schema.MIGRATIONS[0]:
            db.execute(statement)
        db.execute("ATTACH ? AS whole", (session.project.folder + "/memory.db",))
        index = [f"memory_fts_{part}" for part in ("data", "idx", "docsize", "config")]
        for table in ("properties", "sessions", "turns", "memories", *index):
            columns = ", ".join([name for _, name, *_ in db.execute(f"PRAGMA main.table_info({table})")])
            db.execute(f"DELETE FROM main.{table}")
            db.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM whole.{table}")
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")


@pytest.mark.check
def test_a_backup_of_an_older_release_comes_back_without_it_too_and_no_copy_of_it_stays(registered):
    path = Path(paths.data_home(), "backups", registered.store.property("project_id") + "-2026-01-01.db")
    path.parent.mkdir()
    of_an_older_release(registered, path)
    data = path.read_bytes()
    forget(reader_of(registered), query=SECRET)
    assert restore(registered, lies_again(path, data)).forgotten == 1
    assert holding(files_of(registered.project), SECRET) == []
    assert registered.turns("prompt") == [("Where is the basalt?",)]


def test_without_anything_forgotten_a_backup_comes_back_as_it_is(registered, a_backup):
    assert restore(registered, lies_again(*a_backup)).forgotten == 0
    assert len(registered.turns("prompt")) == 2
    assert a_backup[0].read_bytes() == a_backup[1]


@pytest.mark.check
def test_a_kill_in_the_middle_of_a_restore_leaves_nothing_for_good(registered, a_backup, monkeypatch):
    forget(reader_of(registered), query=SECRET)
    found = lies_again(*a_backup)
    with monkeypatch.context() as patch:
        patch.setattr(restoring.tombstones, "sweep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        patch.setattr(restoring.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            restore(registered, found)
    assert (Path(registered.project.folder) / "restored" / "memory.db").exists()
    restore_again = restoring.restore(registered.project, found)
    registered.store = opening.open_ready(registered.project)
    assert restore_again.forgotten == 1
    assert holding(files_of(registered.project), SECRET) == []


# An export


def exported(session):
    return document.packed(session.project.root, NOON, rows_of(session), home.key())


def rows_of(session):
    return outgoing.parcel(session.store, outgoing.Choice(), session.project, session.settings).records


def taken_in(session, data):
    rows = incoming.prepared(document.unpacked(data, home.key()), session.project, session.project, session.settings)
    return incoming.take(session.store, rows)


def test_an_export_from_before_brings_back_nothing_that_was_forgotten(a_past):
    data = exported(a_past)
    forget(reader_of(a_past), query=SECRET)
    assert taken_in(a_past, data) == {"known": 2, "forgotten": 1}
    assert a_past.turns("prompt") == [("Where is the basalt?",)]
    assert holding(files_of(a_past.project), SECRET, "zirconium") == []


def test_an_export_into_a_new_memory_of_the_place_brings_nothing_back_either(a_past):
    """The session comes in again, and its summary told of what was forgotten."""
    a_past.store.execute("UPDATE sessions SET summary = ?", (f"2 turns: Where does the {SECRET} sleep?",))
    data = exported(a_past)
    forget(reader_of(a_past), query=SECRET)
    start_anew(a_past)
    assert taken_in(a_past, data) == {"session": 1, "turn": 1, "forgotten": 1}
    assert a_past.rows("SELECT summary FROM sessions") == [
        ("1 prompt, 0 failed commands: Where is the basalt? -> In the attic, where it always was.",)
    ]
    assert holding(files_of(a_past.project), SECRET, "zirconium") == []
    in_order(a_past.store)


def test_what_is_forgotten_while_an_import_waits_for_the_memory_does_not_come_in(a_past, monkeypatch):
    data, begin = exported(a_past), Store.begin

    def forgotten_first(opened, durable=False):
        monkeypatch.setattr(Store, "begin", begin)
        forget(reader_of(a_past), query=SECRET)
        begin(opened, durable)

    monkeypatch.setattr(Store, "begin", forgotten_first)
    assert taken_in(a_past, data) == {"known": 2, "forgotten": 1}
    assert a_past.turns("prompt") == [("Where is the basalt?",)]


def start_anew(session):
    """Delete the memory of a project, and begin another one there."""
    session.store.close()
    shutil.rmtree(session.project.folder)
    session.store = opening.open_ready(session.project)


def test_a_turn_that_comes_in_tells_nothing_of_the_command_that_was_forgotten(a_session):
    a_session.asks("Mend the lantern")
    a_session.edits(f"src/{SECRET}.py")
    edited = last(a_session)
    a_session.runs("make lantern", error=f"Exit code 2\nerror: no {SECRET}")
    failed = last(a_session)
    a_session.runs("make ladder", "ok")
    a_session.is_answered("It is bright.")
    data = exported(a_session)
    forget(reader_of(a_session), edited, failed)
    start_anew(a_session)
    assert taken_in(a_session, data)["forgotten"] == 2
    assert a_session.turns("lines, files") == [("passed: make ladder", "")]
    assert holding(files_of(a_session.project), SECRET) == []
    in_order(a_session.store)


def test_what_was_made_from_something_forgotten_stays_out_with_it(a_past):
    """It was made on another machine: here nobody ever forgot it by its own name."""
    a_past.sends("post-compact", compact_summary=f"It was about the {SECRET}, and lanterns.")
    data = exported(a_past)
    (turn,) = a_past.rows("SELECT public_id FROM turns WHERE id = 1")[0]
    a_past.store.execute("DELETE FROM derived_from")
    a_past.store.begin()
    rewrite.delete(a_past.store, last(a_past))
    a_past.store.commit()
    forget(reader_of(a_past), turn)
    assert taken_in(a_past, data)["forgotten"] == 2
    assert a_past.rows("SELECT count(*) FROM observations") == [(0,)]
    assert holding(files_of(a_past.project), SECRET) == []
    in_order(a_past.store)


def test_a_backup_that_comes_back_amid_a_killed_forget_says_that_it_is_unfinished(registered, a_backup):
    reader = reader_of(registered)
    with pytest.raises(KeyboardInterrupt):
        erase.forget(reader, selections.plan(reader, selections.Selection(query=SECRET)), on_step=_interrupted)
    restore(registered, lies_again(*a_backup))
    assert registered.store.property("unfinished") == 1 and registered.turns("prompt") == [("Where is the basalt?",)]


def _interrupted(step):
    if step == "hidden":
        raise KeyboardInterrupt


def test_the_start_after_a_restore_misses_nothing_of_what_the_backup_never_had(registered, a_backup):
    registered.store.begin()
    registered.store.set_property(connection.STOPPED_AT, NOON + 9000)
    registered.store.commit()
    opening.mark(f"{paths.data_home()}/projects/{registered.store.property('project_id')}.json", NOON + 9000)
    restore(registered, lies_again(*a_backup))
    assert opening.notice(registered.store, registered.project) == ""
