"""The tables of a new memory, and that they appear whole or not at all."""

import fcntl
import posix
import sqlite3

import pytest

from ralph_mem.core.errors import NewerStore, StoreError
from ralph_mem.memory import opening
from ralph_mem.memory.store import connection, schema
from tests.sessions import check, with_one_more_migration

TABLES = {
    "sessions": "id public_id client_session project_path source agent model transcript_path branch commit_id client_pid"
    " client_born fence context_since started_at ended_at end_reason summary",
    "turns": "id public_id event_id session_id seq kind status origin prompt response context files files_read lines branch"
    " commit_id tainted tokens checksum redactions redaction_version scan_level index_version created_at ended_at"
    " pinned misled edited_at counted_by",
    "observations": "id public_id event_id session_id turn_id seq type origin tool_name title content files lines metadata"
    " agent_id agent_type tainted tokens checksum redactions redaction_version scan_level index_version created_at"
    " pinned misled edited_at context speaker emptied_at counted_by",
    "loop_runs": "id public_id session_id goal status stop_reason iterations snapshot_id settings started_at ended_at",
    "iterations": "id loop_run_id number snapshot_id verdicts summary tree tokens cost started_at ended_at",
    "receipts": "id session_id turn_id seq event budget tokens created_at",
    "receipt_items": "receipt_id position memory outcome score evidence tokens misled_at",
    "jobs": "id kind subject status attempts error created_at run_after",
    "memories": "id turn_id observation_id created_at",
    "derived_from": "child parent",
    "properties": "key value",
    "memory_fts": "title body context files lines",
    "observations_fts": "title body files lines",
}


def tables_of(opened):
    return {name for (name,) in opened.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def dump(folder):
    db = sqlite3.connect(f"{folder}/memory.db")
    try:
        return db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall(), list(
            db.execute("SELECT * FROM properties")
        )
    finally:
        db.close()


def test_the_release_knows_all_its_migrations():
    assert connection.SCHEMA_VERSION == schema.VERSION == len(schema.MIGRATIONS)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_its_columns(a_store, table):
    columns = [name for (name,) in a_store.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    assert columns == TABLES[table].split()


@pytest.mark.parametrize("table", [name for name in schema.ON_DEMAND if name != schema.NOTES])
def test_a_table_that_few_need_is_made_when_it_is_needed(a_store, table):
    before = tables_of(a_store)
    for _ in range(2):
        schema.make(a_store, table)
    assert tables_of(a_store) - before == {table}


def test_the_index_that_teams_need_has_the_notes_alone(a_store):
    schema.make(a_store, schema.NOTES)
    ((found,),) = a_store.execute("SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?", (schema.NOTES,)).fetchall()
    assert found.endswith("WHERE type = 'note'") and schema.is_made(a_store, schema.NOTES)


def test_there_are_no_other_tables(a_store):
    shadows = {f"{name}_{part}" for name in ("memory_fts", "observations_fts") for part in ("data", "idx", "docsize", "config")}
    assert {name for name in tables_of(a_store) if not name.startswith("sqlite_")} == {*TABLES, *shadows}


def test_a_new_memory_says_whose_file_it_is_and_how_new(a_store):
    assert a_store.one("PRAGMA application_id") == (schema.APPLICATION_ID,)
    assert a_store.one("PRAGMA user_version") == (schema.VERSION,)
    assert a_store.one("PRAGMA journal_mode") == ("wal",)
    assert a_store.property("project_id").startswith("project-")
    check(a_store)


def test_making_ready_twice_changes_nothing(a_project):
    opening.open_ready(a_project)
    before = dump(a_project.folder)
    opening.open_ready(a_project)
    assert dump(a_project.folder) == before


def test_a_first_migration_that_ends_in_the_middle_leaves_nothing(a_project, monkeypatch):
    (first, *later) = whole = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", ((*first[:-3], "CREATE TABLE sessions (again)"), *later))
    with pytest.raises(StoreError):
        opening.open_ready(a_project)
    opened = connection.connect(a_project.folder, 0)
    assert (tables_of(opened), opened.one("PRAGMA user_version"), opened.one("PRAGMA application_id")) == (set(), (0,), (0,))
    opened.close()
    monkeypatch.setattr(schema, "MIGRATIONS", whole)
    check(opening.open_ready(a_project))


def test_a_later_migration_that_ends_in_the_middle_leaves_the_old_memory(a_session, monkeypatch):
    a_session.has_a_turn("Why is the lamp off?", "The fuse.")
    with_one_more_migration(monkeypatch, "ALTER TABLE turns ADD COLUMN mood TEXT", "DELETE FROM turns", "NONSENSE")
    with pytest.raises(StoreError):
        opening.open_ready(a_session.project)
    assert a_session.store.one("PRAGMA user_version") == (schema.VERSION - 1,)
    assert a_session.turns("*") and len(a_session.turns("*")[0]) == len(TABLES["turns"].split())
    check(a_session.store)


def test_a_memory_of_a_newer_release_is_refused_and_left_alone(a_project, a_store):
    a_store.execute("PRAGMA user_version = 99")
    for act in (lambda: opening.open_ready(a_project), lambda: connection.connect(a_project.folder, 0)):
        with pytest.raises(NewerStore, match="schema 99") as refused:
            act()
        assert refused.value.hint == "update the plugin"
    assert a_store.one("PRAGMA user_version") == (99,)


def test_a_memory_that_is_refused_is_not_held(a_project):
    opened = opening.open_ready(a_project)
    opened.execute("PRAGMA user_version = 99")
    opened.db.close()
    posix.close(opened.lock)
    with pytest.raises(NewerStore):
        connection.connect(a_project.folder, 0)
    file = posix.open(a_project.folder + "/lock", posix.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        posix.close(file)


@pytest.mark.parametrize("content", [b"no database at all, but long enough to look like one" * 100, b"SQLite format 3\0broken"])
def test_a_file_that_is_no_database_is_a_store_error_and_left_alone(a_project, tmp_path, content):
    (tmp_path / "shop" / ".ralph-mem").mkdir()
    (tmp_path / "shop" / ".ralph-mem" / "memory.db").write_bytes(content)
    with pytest.raises(StoreError):
        opening.open_ready(a_project)
    assert (tmp_path / "shop" / ".ralph-mem" / "memory.db").read_bytes() == content


def test_deleting_a_session_takes_what_belongs_to_it(a_session, another_session):
    for session in (a_session, another_session):
        session.has_a_turn("Why is the lamp off?", "The fuse.")
        session.runs("make lamps")
        session.notes("Lamps need fuses")
        session.store.execute("INSERT INTO loop_runs (public_id, session_id, goal, status, started_at) VALUES (?, ?, '', '', 0)",
                              (f"loop-{session.name}", session.number))  # fmt: skip
    a_session.asks("The lamp and its fuse again?")
    a_session.store.execute("DELETE FROM sessions WHERE id = ?", (a_session.number,))
    for table in ("turns", "observations", "loop_runs", "receipts"):
        assert {row[0] for row in a_session.rows(f"SELECT session_id FROM {table}")} <= {another_session.number}, table
    assert a_session.rows("SELECT count(*) FROM memories") == [(2,)]
    check(a_session.store)


def test_a_row_of_no_session_is_refused(a_store):
    with pytest.raises(connection.sqlite.IntegrityError, match="FOREIGN KEY"):
        a_store.execute("INSERT INTO loop_runs (public_id, session_id, goal, status, started_at) VALUES ('loop-1', 7, '', '', 0)")


@pytest.mark.parametrize("status", ["running", "success", "failed", "stopped"])
def test_a_loop_run_keeps_its_iterations(a_session, status):
    run = (
        "INSERT INTO loop_runs (public_id, session_id, goal, status, iterations, started_at) VALUES ('loop-1', ?, 'green', ?, 1, 0)"
    )
    number = a_session.store.execute(run, (a_session.number, status)).lastrowid
    a_session.store.execute("INSERT INTO iterations (loop_run_id, number, started_at) VALUES (?, 1, 0)", (number,))
    with pytest.raises(connection.sqlite.IntegrityError, match="UNIQUE"):
        a_session.store.execute("INSERT INTO iterations (loop_run_id, number, started_at) VALUES (?, 1, 0)", (number,))
    assert a_session.rows("SELECT goal, status, iterations, ended_at FROM loop_runs") == [("green", status, 1, None)]
