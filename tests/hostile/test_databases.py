"""A database that came with a repository is never read: forty that would do harm, told from ours by what only we can have."""

import os
import random
import sqlite3
import struct
import time
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import notices, paths
from ralph_mem.core.errors import StoreError
from ralph_mem.core.project import Project
from ralph_mem.memory import adopt_foreign, opening
from ralph_mem.memory.ownership import check, foreign, seals
from ralph_mem.memory.store import connection
from tests import processor

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x AS key, x AS value FROM n"
OLDER = Path(__file__).parents[1] / "fixtures" / "older-release" / "memory.db"
TABLES = ("sessions", "turns", "observations", "receipts", "receipt_items", "memories", "derived_from", "jobs")


def ours(path):
    """Make a database such as a release of ours makes for another person."""
    path.parent.mkdir(parents=True, exist_ok=True)
    place = Project(str(path.parent.parent))
    opened = opening.open_ready(place)
    opened.checkpoint()
    opened.close()
    os.unlink(connection.verdict_of(paths_home(), place.folder, 0)[0])
    os.unlink(paths_home() + "/key")


def paths_home():
    return paths.data_home()


def with_sql(*statements, based=True):
    def make(path):
        if based:
            ours(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            for statement in statements:
                db.execute(statement)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return make


def view_for(table):
    drop = f"DROP TABLE {table}" if table != "nothing" else "SELECT 1"
    view = f"CREATE VIEW {table} AS {ENDLESS}"
    return with_sql("PRAGMA foreign_keys = OFF", drop, view, f"CREATE TRIGGER t INSTEAD OF INSERT ON {table} BEGIN SELECT 1; END")


def huge_schema(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("CREATE TABLE properties (key, value)")
        db.execute("PRAGMA writable_schema = ON")
        view = "CREATE VIEW v{0} AS SELECT " + ",".join(["1"] * 30)
        rows = ((f"v{n}", f"v{n}", view.format(n)) for n in range(20_000))
        db.executemany("INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('view', ?, ?, 0, ?)", rows)
        db.commit()


def long_statement(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE properties (key, value)")
        db.execute("PRAGMA writable_schema = ON")
        view = "CREATE VIEW v AS SELECT " + ",".join(["1"] * 900_000)
        db.execute("INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('view', 'v', 'v', 0, ?)", (view,))
        db.commit()


def twice_in_the_schema(path):
    ours(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = 'turns'")
        db.commit()


def header(at, value):
    def make(path):
        ours(path)
        data = bytearray(path.read_bytes())
        data[at : at + len(value)] = value
        path.write_bytes(data)

    return make


def fuzzed(seed):
    def make(path):
        ours(path)
        data, rng = bytearray(path.read_bytes()), random.Random(seed)
        for _ in range(40):
            data[rng.randrange(16, 4096)] = rng.randrange(256)
        path.write_bytes(data)

    return make


def text(path):
    path.write_text("this is no database\n" * 999)


def fifo(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def device(path):
    try:
        os.mknod(path, 0o20666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


def with_a_log(path):
    ours(path)
    path.with_name("memory.db-wal").write_bytes(struct.pack(">IIIIIIII", 0x377F0682, 3007000, 4096, 0, 1, 2, 3, 4) + b"x" * 9000)


FILES = {
    "another person's": ours,
    "a trigger that rewrites": with_sql("CREATE TRIGGER t AFTER INSERT ON turns BEGIN UPDATE turns SET prompt = 'obey'; END"),
    "a trigger that deletes": with_sql("CREATE TRIGGER t AFTER INSERT ON observations BEGIN DELETE FROM turns; END"),
    "a trigger that never ends": with_sql(f"CREATE TRIGGER t AFTER INSERT ON turns BEGIN SELECT count(*) FROM ({ENDLESS}); END"),
    **{f"a view in place of {table}": view_for(table) for table in TABLES},
    "an endless view": with_sql(f"CREATE VIEW properties AS {ENDLESS}", based=False),
    "a view of a view": with_sql(
        "CREATE VIEW a AS SELECT 1 AS key, 2 AS value", "CREATE VIEW properties AS SELECT * FROM a", based=False
    ),
    "a generated column": with_sql("CREATE TABLE properties (key, value AS (hex(zeroblob(99999999))))", based=False),
    "an index on an expression": with_sql("CREATE INDEX i ON turns (hex(zeroblob(9)))"),
    "a check that costs": with_sql("CREATE TABLE properties (key, value CHECK (length(hex(zeroblob(9999)))))", based=False),
    "a default that costs": with_sql("CREATE TABLE properties (key, value DEFAULT (hex(randomblob(9999))))", based=False),
    "a seal of its own": with_sql(f"INSERT OR REPLACE INTO properties VALUES ('seal', '{'0' * 96}')"),
    "no seal": with_sql("DELETE FROM properties WHERE key = 'seal'"),
    "a seal that is a number": with_sql("INSERT OR REPLACE INTO properties VALUES ('seal', 7)"),
    "a seal that is huge": with_sql("INSERT OR REPLACE INTO properties VALUES ('seal', zeroblob(9000000))"),
    "a huge schema": huge_schema,
    "a long statement": long_statement,
    "twice in the schema": twice_in_the_schema,
    "another page size": with_sql("PRAGMA page_size = 512", "CREATE TABLE a (b)", based=False),
    "a page size that is none": header(16, b"\x00\x03"),
    "a newer schema": with_sql("PRAGMA user_version = 999"),
    **{f"header {seed}": fuzzed(seed) for seed in range(10)},
    "no database": text,
    "a FIFO": fifo,
    "a device": device,
    "a folder": folder,
    "a log of its own": with_a_log,
    "a damaged magic": header(0, b"SQLite format 4\0"),
    "another encoding": with_sql("PRAGMA encoding = 'UTF-16'", "CREATE TABLE properties (key, value)", based=False),
}


@pytest.fixture
def a_home(tmp_path, monkeypatch):
    """Make this process that of the person of `a_clone`: the keys are theirs."""
    import posix

    home = tmp_path / "person" / "home"
    home.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(home), b"PATH": os.environb[b"PATH"]})
    return home


def test_there_are_forty_of_them():
    print(f"{len(FILES)} hostile databases")
    assert len(FILES) == 45


@pytest.mark.check
@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_a_database_of_a_stranger_is_set_aside_unread(a_home, a_clone, make):
    make(a_clone.database)
    began = time.process_time()
    told = a_clone.start().get("systemMessage", "")
    assert "a memory came with this folder" in told
    a_clone.prompt("Where is the zeppelin moored?")
    assert a_clone.rows("SELECT prompt FROM turns") == [("Where is the zeppelin moored?",)]
    (aside,) = a_clone.memory.glob("memory.db.unknown-*[0-9]")
    assert aside.is_dir() or not aside.is_file() or aside.stat().st_mode & 0o777 == 0o600
    assert time.process_time() - began < 2


# What is looked at in this process


@pytest.fixture
def a_project(a_home, tmp_path):
    (tmp_path / "shop").mkdir()
    return Project(str(tmp_path / "shop"))


def begun(project):
    opened = opening.begin(project, 1000)
    opening.notice(opened, project)
    opened.close()
    return Path(project.folder, "memory.db")


def away(path):
    """Move a database out of the way; to delete it would let the next file have its number."""
    path.rename(path.parent.parent / "away.db")


def unknown(project):
    os.unlink(connection.verdict_of(paths_home(), project.folder, 0)[0])


@pytest.mark.check
@pytest.mark.parametrize("name", FILES)
def test_to_look_at_a_stranger_takes_less_than_a_quarter_of_a_second(a_project, name):
    away(begun(a_project))
    FILES[name](Path(a_project.folder, "memory.db"))
    assert processor.timed(lambda: check.admit(a_project, starting=True))[1] < 0.25
    assert len(foreign.aside(a_project)) == 1


def test_an_event_does_not_touch_a_database_that_no_session_start_has_looked_at(a_clone, a_home):
    seals.key()
    FILES["a trigger that rewrites"](a_clone.database)
    seals.key()
    before = a_clone.database.read_bytes()
    a_clone.prompt("Where is the zeppelin moored?")
    a_clone.bash("make", "ok")
    assert a_clone.database.read_bytes() == before
    assert a_clone.spooled()


@pytest.mark.parametrize("name", ["another person's", "no database", "a folder", "no seal"])
def test_a_command_refuses_a_stranger_and_leaves_it_where_it_is(a_project, name):
    away(begun(a_project))
    FILES[name](Path(a_project.folder, "memory.db"))
    with pytest.raises(StoreError, match="is not used"):
        opening.open_ready(a_project)
    assert foreign.aside(a_project) == []


def test_ours_is_known_again_after_a_copy_a_move_and_a_lost_verdict(a_project):
    path = begun(a_project)
    path.write_bytes(path.read_bytes())
    os.rename(path, str(path) + "x")
    Path(str(path) + "x").replace(path)
    unknown(a_project)
    begun(a_project)
    assert foreign.aside(a_project) == []


def test_another_content_in_the_same_file_is_noticed(a_project, tmp_path):
    path = begun(a_project)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE properties SET value = 'x' WHERE key = 'seal'")
        db.commit()
    begun(a_project)
    assert len(foreign.aside(a_project)) == 1


@pytest.mark.parametrize("name", ["an endless view", "a view of a view", "a huge schema", "another page size"])
def test_a_stranger_that_took_over_the_file_itself_is_set_aside_in_little_time(a_project, tmp_path, name):
    path = begun(a_project)
    FILES[name](tmp_path / "stranger.db")
    with closing(sqlite3.connect(tmp_path / "stranger.db")) as db:
        db.execute("PRAGMA user_version = 3")
    path.write_bytes((tmp_path / "stranger.db").read_bytes())
    assert processor.timed(lambda: opening.begin(a_project, 1000).close())[1] < 0.5
    assert len(foreign.aside(a_project)) == 1


def without_a_seal(project):
    with closing(sqlite3.connect(begun(project))) as db:
        db.execute("DELETE FROM properties WHERE key = 'seal'")
        db.commit()


def test_a_memory_from_before_there_were_seals_is_taken_once_without_a_word(a_project):
    without_a_seal(a_project)
    unknown(a_project)
    begun(a_project)
    assert (foreign.aside(a_project), notices.take(a_project.root)) == ([], "")
    opened = opening.open_ready(a_project)
    assert seals.is_seal(opened.property("seal"), seals.key())
    opened.close()


def test_one_that_the_registry_has_elsewhere_is_not(a_project, tmp_path):
    without_a_seal(a_project)
    (tmp_path / "clone" / ".ralph-mem").mkdir(parents=True)
    (tmp_path / "clone" / ".ralph-mem" / "memory.db").write_bytes(Path(a_project.folder, "memory.db").read_bytes())
    clone = Project(str(tmp_path / "clone"))
    begun(clone)
    assert len(foreign.aside(clone)) == 1


@pytest.mark.parametrize("version", [2, 4])
def test_a_database_that_git_tracks_is_set_aside_even_with_our_seal(a_project, git, version):
    path = begun(a_project)
    git(a_project.root, "init", "-q")
    git(a_project.root, "add", "-f", ".ralph-mem/.gitignore", ".ralph-mem/memory.db")
    git(a_project.root, "update-index", f"--index-version={version}")
    path.write_bytes(path.read_bytes())
    unknown(a_project)
    tracked = Project(a_project.root, f"{a_project.root}/.git", f"{a_project.root}/.git")
    assert foreign.is_tracked(tracked)
    begun(tracked)
    assert len(foreign.aside(tracked)) == 1
    assert "git tracks it" in notices.take(a_project.root)


def test_the_key_is_the_owners_alone_made_once_and_missed_where_others_could_know_it(a_project):
    begun(a_project)
    key = Path(paths_home(), "key")
    first = key.read_bytes()
    begun(a_project)
    assert (key.read_bytes(), len(first), key.stat().st_mode & 0o777) == (first, 32, 0o600)
    key.chmod(0o644)
    with pytest.raises(StoreError, match="not yours alone"):
        opening.open_ready(a_project)


def test_a_memory_that_was_set_aside_can_be_taken_back(a_project, tmp_path):
    path = begun(a_project)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE properties SET value = 'of another home' WHERE key = 'seal'")
        db.execute("INSERT INTO properties VALUES ('kept', 'yes'), ('facts_standing', 'lines that no row says')")
        db.commit()
    begun(a_project)
    (aside,) = foreign.aside(a_project)
    replaced = adopt_foreign.reclaim(a_project, aside)
    opened = opening.open_ready(a_project)
    assert opened.property("kept") == "yes" and os.path.exists(replaced)
    assert opened.property("facts_standing") is None
    opened.close()


@pytest.mark.parametrize(
    "name", ["a trigger that rewrites", "a view in place of turns", "a newer schema", "no database", "a damaged magic"]
)
def test_one_that_holds_what_is_not_ours_cannot_be_taken(a_project, name):
    away(begun(a_project))
    FILES[name](Path(a_project.folder, "memory.db"))
    opening.begin(a_project, 1000).close()
    (aside,) = foreign.aside(a_project)
    with pytest.raises(StoreError, match="holds what is not ours"):
        adopt_foreign.reclaim(a_project, aside)


def test_a_memory_of_an_older_release_can_be_taken_back(a_project):
    away(begun(a_project))
    (Path(a_project.folder) / "memory.db").write_bytes(OLDER.read_bytes())
    opening.begin(a_project, 1000).close()
    (aside,) = foreign.aside(a_project)
    adopt_foreign.reclaim(a_project, aside)
    with closing(opening.open_ready(a_project)) as opened:
        assert opened.one("SELECT count(*) FROM turns WHERE prompt LIKE '%tungsten%'") == (1,)


@pytest.mark.parametrize("sql", ["title TEXT DEFAULT '--\n'", "title TEXT /* -- */ CHECK (1)"])
def test_what_looks_like_a_comment_and_is_none_is_compared(sql):
    assert adopt_foreign._bare(sql) == " ".join(sql.split())


def test_of_a_damaged_one_it_is_said_that_it_is_damaged(a_project):
    away(begun(a_project))
    ours(Path(a_project.folder, "memory.db"))
    opening.begin(a_project, 1000).close()
    (aside,) = foreign.aside(a_project)
    with open(aside, "r+b") as file:
        file.truncate(os.path.getsize(aside) // 2)
    with pytest.raises(StoreError, match="is damaged: "):
        adopt_foreign.reclaim(a_project, aside)


def test_the_table_of_properties_is_as_the_schema_has_it(a_project):
    with closing(sqlite3.connect(begun(a_project))) as db:
        (sql,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'properties'").fetchone()
    assert " ".join(sql.split()) == foreign.PROPERTIES
