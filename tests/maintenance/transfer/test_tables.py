"""What an export looks like to other tools: tables, CSV, and statements of SQL that can only read."""

import asyncio
import csv
import io
import sqlite3
import subprocess
import sys
import time
from datetime import datetime, timezone

import pytest
from sqlite_utils import Database

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective as switches
from ralph_mem.maintenance.transfer import outgoing, query, tables
from tests.maintenance.transfer.situations import STRANGE
from tests.readers import forget, note, reader_of

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
# What a statement may take, and room for a machine that is busy with other things.
CUT_S, SLACK_S = 5, 30


def laid_out(session, **changed):
    values = {**switches.DEFAULTS, **{name.replace("_", ".", 1): value for name, value in changed.items()}}
    parcel = outgoing.parcel(session.store, outgoing.Choice(), session.project, values)
    return tables.database(parcel, tables.beside(session.store, parcel, session.project, values))


@pytest.fixture
def a_file(a_rich_session, tmp_path):
    """Write the database of a rich session; returns its path."""
    path = tmp_path / "shop.db"
    path.write_bytes(tables.as_bytes(laid_out(a_rich_session)))
    return path


def test_every_row_is_there_and_refers_to_rows_that_are_there(a_rich_session, a_file):
    db = Database(sqlite3.connect(a_file))
    for table in ("sessions", "turns", "observations"):
        (held,) = a_rich_session.store.one(f"SELECT count(*) FROM {table}")
        assert db[table].count == held > 0
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert {key.other_table for key in db["observations"].foreign_keys} == {"sessions", "turns"}


def test_times_are_text_that_sqlite_reads(a_rich_session, a_file):
    rows = a_rich_session.store.execute("SELECT public_id, created_at FROM turns").fetchall()
    db = sqlite3.connect(a_file)
    for public_id, at in rows:
        said, days = db.execute("SELECT created_at, julianday(created_at) FROM turns WHERE id = ?", (public_id,)).fetchone()
        assert datetime.fromisoformat(said) == datetime.fromtimestamp(at / 1000, timezone.utc) and days


def test_sqlite_utils_searches_it(a_file):
    order = [sys.executable, "-m", "sqlite_utils", "search", str(a_file), "turns", "tungsten", "--csv"]
    ran = subprocess.run(order, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and "In the cellar." in ran.stdout, ran


def test_datasette_opens_and_searches_it(a_file):
    datasette = pytest.importorskip("datasette.app")

    async def asked():
        served = datasette.Datasette([str(a_file)], settings={"default_page_size": 20})
        return await served.client.get("/shop/turns.json?_search=tungsten&_shape=array")

    found = asyncio.run(asked())
    assert found.status_code == 200 and [row["response"] for row in found.json()] == ["In the cellar."]


def test_csv_has_each_memory_once_and_exactly(a_rich_session):
    rows = list(csv.DictReader(io.StringIO(tables.as_csv(laid_out(a_rich_session)).decode(), newline="")))
    held = [a_rich_session.store.one(f"SELECT count(*) FROM {table}")[0] for table in ("turns", "observations")]
    assert len(rows) == len({row["id"] for row in rows}) == sum(held)
    ((title, content),) = a_rich_session.store.execute("SELECT title, content FROM observations WHERE type = 'note'").fetchall()
    assert [(row["title"], row["content"]) for row in rows if row["type"] == "note"] == [(title, content)]


def test_what_is_forgotten_excluded_or_a_secret_is_in_none_of_it(a_rich_session):
    a_rich_session.store.execute("UPDATE turns SET prompt = prompt || ?", (f" with {SECRET}",))  # as an older release let through
    gone = note(a_rich_session, "The okapi is at home.")
    forget(reader_of(a_rich_session), gone)
    data = tables.as_bytes(laid_out(a_rich_session, privacy_exclude_paths=["src/lantern.py"]))
    assert b"okapi" not in data and SECRET.encode() not in data and b"src/lantern.py" not in data
    assert b"[REDACTED:" in data and STRANGE.encode() in data  # the page is part of it, with its mark


# Statements

WRITE = (
    "DELETE FROM turns", "UPDATE turns SET prompt = ''", "INSERT INTO turns (id) VALUES ('turn-x')", "DROP TABLE turns",
    "REPLACE INTO turns (id) VALUES ('turn-x')", "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)", "CREATE VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE v USING fts5(x)", "CREATE INDEX i ON turns (id)", "ALTER TABLE turns RENAME TO t",
    "CREATE TRIGGER t AFTER INSERT ON turns BEGIN SELECT 1; END", "INSERT INTO turns_fts (turns_fts) VALUES ('delete-all')",
    "WITH t AS (SELECT 1) DELETE FROM turns", "BEGIN", "SAVEPOINT s", "COMMIT", "VACUUM", "REINDEX", "ANALYZE",
    "SELECT 1; DELETE FROM turns", "DELETE FROM turns RETURNING id", "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON",
    "UPDATE sqlite_master SET sql = ''",
)  # fmt: skip
REACH = (
    "ATTACH '{file}' AS other", "VACUUM INTO '{file}'", "DETACH main", "SELECT load_extension('{file}')",
    "SELECT readfile('{file}')", "SELECT writefile('{file}', 'x')", "SELECT fts3_tokenizer('simple')", "SELECT edit('x')",
    "PRAGMA temp_store_directory = '{file}'", "SELECT * FROM pragma_database_list",
)  # fmt: skip
ENDLESS = (
    "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c",
    "WITH RECURSIVE c (x) AS (SELECT 'a' UNION ALL SELECT x || x FROM c) SELECT max(length(x)) FROM c",
    "SELECT count(*) FROM " + ", ".join(f"sqlite_master AS {name}" for name in "abcdefgh"),
    "SELECT replace(printf('%9999s', 'a'), ' ', printf('%9999s', 'a')) LIKE '%a%a%a%a%a%a%a%a%b'",
)


@pytest.fixture
def run():
    """Run a statement over tables without rows; returns what it said went wrong, and how long that took in seconds."""
    made = tables.database(outgoing.Parcel([], 0), {tables.LOOPS: [], tables.TOLD: []})

    def carried_out(statement):
        begun = time.monotonic()
        with pytest.raises(RalphMemError) as raised:
            query.carried_out(made.conn, statement, print)
        return str(raised.value), time.monotonic() - begun

    return carried_out


FOUND = "SELECT id FROM turns JOIN turns_fts ON turns_fts.rowid = turns.rowid WHERE turns_fts MATCH 'tungsten'"


def test_there_are_forty_statements():
    assert len({*WRITE, *REACH, *ENDLESS}) == 40


@pytest.mark.parametrize("statement", [*WRITE, *REACH])
def test_a_statement_that_does_anything_but_read_is_refused(run, statement, tmp_path, capfd):
    said, _ = run(statement.format(file=tmp_path / "reached"))
    assert said.startswith("the statement was refused: ") and len(said) > len("the statement was refused: ")
    assert not (tmp_path / "reached").exists() and capfd.readouterr().out == ""


@pytest.mark.check
@pytest.mark.parametrize("statement", ENDLESS)
def test_a_statement_without_end_is_cut_off(run, statement, capfd):
    said, seconds = run(statement)
    assert said.startswith(("the statement was cut off", "the statement needs more", "the statement was refused: string or blob"))
    assert seconds < CUT_S + SLACK_S and query.MOST_S < CUT_S and capfd.readouterr().out == ""


def test_a_query_sees_what_an_export_holds(a_rich_session, capfd):
    made = laid_out(a_rich_session)
    query.carried_out(made.conn, FOUND, print)
    ((turn,),) = a_rich_session.store.execute("SELECT public_id FROM turns WHERE prompt LIKE '%tungsten?'").fetchall()
    assert turn in capfd.readouterr().out


def test_a_reader_that_has_seen_enough_is_no_refusal(a_rich_session):
    def show(rows):
        raise BrokenPipeError(rows)

    query.carried_out(laid_out(a_rich_session).conn, FOUND, show)
