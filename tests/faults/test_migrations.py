"""A memory of every earlier schema comes up to date whole or not at all, killed at whatever statement."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from ralph_mem.memory.store import schema
from tests.faults.quick import QuickHook

EARLIER = range(schema.VERSION)
NEVER = 10_000  # more statements than any start runs
SEEN = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name"

# Runs in a fork of the launcher: a release whose schema has fewer steps makes a memory, and puts a day into it.
AN_EARLIER_RELEASE = """
from ralph_mem.memory import opening
from ralph_mem.memory.store import schema, connection
from ralph_mem.core.project import Project

folder, version = given
schema.MIGRATIONS = schema.MIGRATIONS[:version]
schema.VERSION = connection.SCHEMA_VERSION = version
opened = opening.open_ready(Project(folder))

def add(table, **values):
    names = ", ".join(values)
    opened.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", tuple(values.values()))

kept = {"tokens": 9, "checksum": 1, "redaction_version": 1, "scan_level": 1, "created_at": 1}
texts = {"files": "", "lines": "", "origin": "user"}
opened.begin()
add("sessions", public_id="sess-1", client_session="earlier", project_path=folder, source="startup", agent="claude-code",
    fence="f", context_since=0, started_at=1)
for number in range(1, 40):
    add("turns", public_id=f"turn-{number}", event_id=f"prompt:{number}", session_id=1, seq=2 * number, kind="prompt",
        status="stopped", prompt=f"Where is zeppelin {number}?", response="At the mast. " * 30, context="", files_read="",
        index_version=1, **texts, **kept)
    add("memories", turn_id=number, created_at=1)
    add("memory_fts", rowid=number, title=f"Where is zeppelin {number}?", body="At the mast.", context="", files="", lines="")
    add("observations", public_id=f"obs-{number}", event_id=f"tool:{number}", session_id=1, seq=2 * number + 1, type="tool_use",
        title=f"make mast {number}", content="made " * 90, index_version=1, **texts, **kept)
    add("observations_fts", rowid=number, title=f"make mast {number}", body="made", files="", lines="")
opened.commit()
opened.checkpoint()
"""

# A session starts with the release of today, and is killed when SQLite begins the statement of this number.
KILLED = """
import os, signal
from ralph_mem.memory import opening
from ralph_mem.memory.store import connection
from ralph_mem.core.project import Project

folder, left = given
connect = connection.sqlite.connect

def step(_sql):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def traced(*place, **how):
    db = connect(*place, **how)
    db.set_trace_callback(step)
    return db

connection.sqlite.connect = traced
opening.open_ready(Project(folder))
"""


@pytest.fixture
def a_person(tmp_path, plugin, a_launcher):
    """Make a client about to start in a project whose memory the test brings along."""
    return QuickHook(tmp_path / "person", plugin, a_launcher)


def run(hook, code, *given):
    return hook.launcher.run(code=code, given=list(given), env=hook.environment, cwd=str(hook.project))


def an_earlier_memory(hook, version):
    """Let an earlier release leave a memory; returns it as a folder to be copied. Of schema 0 there is only an empty file."""
    if version:
        ran = run(hook, AN_EARLIER_RELEASE, str(hook.project), version)
        assert (ran.code, ran.err) == (0, b"")
    else:
        hook.memory.mkdir(mode=0o700)
        hook.database.touch(mode=0o600)
    return hook.memory.rename(hook.folder / "earlier")


def state(hook):
    """Return (version, the whole schema, how many rows) of a memory; looking changes nothing for the next start."""
    names = hook.values("SELECT name FROM sqlite_schema WHERE name IN ('turns', 'observations') ORDER BY name")
    rows = [hook.values(f"SELECT count(*) FROM {name}")[0] for name in names]
    return hook.values("PRAGMA user_version")[0], hook.rows(SEEN), rows


def place(hook, earlier):
    shutil.rmtree(hook.memory, ignore_errors=True)
    shutil.copytree(earlier, hook.memory)


@pytest.mark.parametrize("version", EARLIER)
def test_a_memory_of_an_earlier_schema_comes_up_to_date_with_all_its_rows(a_person, version):
    place(a_person, an_earlier_memory(a_person, version))
    before = state(a_person)
    assert before[0] == version
    a_person.start()
    assert a_person.values("PRAGMA user_version") == [schema.VERSION]
    assert state(a_person)[2] == (before[2] or [0, 0])
    a_person.prompt("Where is zeppelin 7?")
    assert a_person.values("SELECT prompt FROM turns ORDER BY id DESC LIMIT 1") == ["Where is zeppelin 7?"]
    assert a_person.damage() == []


def kill_each_statement(hook, version):
    """Kill a start at each statement of its migration; returns how often, and at which ones the memory was not whole."""
    earlier = an_earlier_memory(hook, version)
    place(hook, earlier)
    old = state(hook)
    assert run(hook, KILLED, str(hook.project), NEVER).code == 0
    new = state(hook)
    assert (old[0], new[0]) == (version, schema.VERSION)
    kills, wrong, code = 0, [], -9
    while code == -9:
        place(hook, earlier)
        code = run(hook, KILLED, str(hook.project), kills).code
        found = state(hook)
        finished = run(hook, KILLED, str(hook.project), NEVER).code == 0  # the next start
        if found not in (old, new) or not finished or state(hook) != new:
            wrong.append(kills)
        kills += 1
    assert code == 0
    return kills - 1, wrong


@pytest.mark.check
@pytest.mark.parametrize("version", EARLIER)
def test_a_migration_killed_at_any_statement_leaves_the_old_schema_or_the_new_one(a_person, version):
    kills, wrong = kill_each_statement(a_person, version)
    assert wrong == []
    assert kills > sum(map(len, schema.MIGRATIONS[version:]))
    assert a_person.damage() == []
    print(f"from schema {version}: killed at each of {kills} statements")


@pytest.mark.parametrize("version", [each for each in EARLIER if each])
def test_before_a_migration_the_earlier_memory_is_kept_as_it_was(a_person, version):
    place(a_person, an_earlier_memory(a_person, version))
    a_person.start()
    (backup,) = a_person.data.rglob(f"*schema-{version}*.db")
    with closing(sqlite3.connect(backup)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (version,)
        assert db.execute("SELECT count(*) FROM turns").fetchone() == (39,)
    assert backup.stat().st_mode & 0o777 == 0o600
