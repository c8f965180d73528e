"""A project gets its memory, keeps it when it moves, and gets one of its own when it was copied."""

import fcntl
import os
import posix
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ralph_mem.core import paths, spool
from ralph_mem.core.errors import NewerStore
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event as host
from ralph_mem.interfaces import hooks
from ralph_mem.interfaces.hooks import answer, session_start
from ralph_mem.memory import opening as adoption
from ralph_mem.memory.store import connection, schema
from tests.sessions import NOON, check, with_one_more_migration


def adopt(project):
    """Do what a session start does; returns the project's id and the line for the user."""
    opened = adoption.open_ready(project)
    line = adoption.notice(opened, project)
    return opened.property("project_id"), line


def mode(path):
    return os.stat(path).st_mode & 0o777


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def any_umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def test_a_new_memory_hides_itself_from_git(a_project):
    adoption.open_ready(a_project)
    assert paths.read(a_project.folder + "/.gitignore") == "*\n"


def test_what_the_user_wrote_into_the_folder_stays(a_project):
    os.mkdir(a_project.folder)
    for name in (".gitignore", "config.yaml"):
        with open(f"{a_project.folder}/{name}", "w") as file:
            file.write("# theirs\n")
    adoption.open_ready(a_project)
    assert {paths.read(f"{a_project.folder}/{name}") for name in (".gitignore", "config.yaml")} == {"# theirs\n"}


def test_everything_that_is_made_is_for_the_owner_alone(a_project, a_home, any_umask, monkeypatch):
    adopt(a_project)
    adoption.remember_interpreter()
    paths.write(a_project.folder + "/config.yaml", "memory.auto_inject: true\n")
    effective.load(a_project)
    spool.put(a_project.root, [])
    with_one_more_migration(monkeypatch, "ALTER TABLE turns ADD COLUMN mood TEXT")
    adoption.open_ready(a_project)
    modes = {}
    for top in (a_project.folder, str(a_home / ".local" / "share" / "ralph-mem")):
        for folder, _, names in os.walk(top):
            modes |= {folder: mode(folder), **{f"{folder}/{name}": mode(f"{folder}/{name}") for name in names}}
    assert len(modes) >= 14
    assert {path: oct(found) for path, found in modes.items() if found != (0o700 if os.path.isdir(path) else 0o600)} == {}


def test_a_memory_that_is_left_locks_nobody_out(a_project):
    posix.close(adoption.open_ready(a_project).lock)
    file = posix.open(a_project.folder + "/lock", posix.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        posix.close(file)


def test_a_session_start_empties_the_log_of_a_killed_session(a_session):
    for number in range(80):
        a_session.runs(f"make lamps {number}", "x" * 9000)
    assert a_session.store.log_bytes() > connection.SMALL_LOG_BYTES
    posix.close(a_session.store.lock)
    seen = host.activity(a_session.event("session-start", source="startup"))
    records = session_start.records(seen, a_session.project, a_session.settings)
    hooks.store(session_start, records, seen, a_session.project, a_session.settings)
    assert a_session.store.log_bytes() < connection.SMALL_LOG_BYTES


def test_an_event_leaves_its_database_open(a_session):
    # to close the last connection costs four fsyncs, and before Python 3.11 one that nobody holds is closed at once
    seen = host.activity(a_session.event("session-start", source="startup"))
    hooks.KEPT.clear()
    hooks.store(session_start, [], seen, a_session.project, a_session.settings)
    (kept,) = hooks.KEPT
    assert kept.one("SELECT count(*) FROM sessions") == (1,)


# The registry


def test_a_project_is_entered_once_and_nothing_is_said(a_project, a_home):
    first, line = adopt(a_project)
    assert (adopt(a_project), line) == ((first, ""), "")
    (entry,) = (a_home / ".local" / "share" / "ralph-mem" / "projects").iterdir()
    assert entry.name == f"{first}.json"
    assert f'"path": "{a_project.root}"' in entry.read_text()


def test_a_session_that_stops_while_another_one_starts_leaves_no_gap(a_project):
    adopt(a_project)
    starting, stopping = adoption.open_ready(a_project), adoption.open_ready(a_project)
    assert starting.property(connection.STOPPED_AT) == 0
    answer._mark(stopping, NOON)
    assert adoption.notice(starting, a_project) == ""


def test_a_home_that_was_copied_without_the_times_of_its_files_is_missing_nothing(a_project, a_home):
    opened = adoption.open_ready(a_project)
    adoption.notice(opened, a_project)
    answer._mark(opened, NOON)
    (entry,) = (a_home / ".local" / "share" / "ralph-mem" / "projects").iterdir()
    os.utime(entry, ns=(NOON * 1_000_000 + 5, (NOON + 9000) * 1_000_000 + 123))  # as `cp -r` leaves it
    assert adoption.notice(adoption.open_ready(a_project), a_project) == ""
    adoption.mark(str(entry), NOON + 9000)  # as a stop leaves it
    assert "is missing from this memory" in adoption.notice(adoption.open_ready(a_project), a_project)


def test_a_project_that_moved_keeps_its_memory(a_project, tmp_path):
    first, _ = adopt(a_project)
    os.rename(a_project.root, tmp_path / "moved")
    moved = Project(str(tmp_path / "moved"))
    assert adopt(moved) == (first, "")
    os.rename(moved.root, a_project.root)
    assert adopt(a_project) == (first, "")


def test_a_project_that_was_copied_gets_an_id_of_its_own_and_one_notice(a_project, tmp_path):
    first, _ = adopt(a_project)
    shutil.copytree(a_project.root, tmp_path / "copy")
    copy = Project(str(tmp_path / "copy"))
    second, line = adopt(copy)
    assert second != first and f"a copy of the one in {a_project.root}" in line
    assert adopt(copy) == (second, "")
    assert adopt(a_project) == (first, "")


def test_a_project_reached_by_a_link_is_no_copy(a_project, tmp_path):
    first, _ = adopt(a_project)
    (tmp_path / "link").symlink_to(a_project.root)
    assert adopt(Project(str(tmp_path / "link"))) == (first, "")
    assert adopt(a_project) == (first, "")


def test_a_new_project_where_another_one_was_has_an_id_of_its_own(a_project):
    first, _ = adopt(a_project)
    shutil.rmtree(a_project.folder)
    second, line = adopt(a_project)
    assert second != first and line == ""


@pytest.mark.parametrize("entry", ["", "[]", "{}", '{"path": 7}', "no json"])
def test_a_broken_entry_is_written_anew(a_project, a_home, entry):
    first, _ = adopt(a_project)
    (file,) = (a_home / ".local" / "share" / "ralph-mem" / "projects").iterdir()
    file.write_text(entry)
    assert adopt(a_project) == (first, "")
    assert a_project.root in file.read_text()


def test_without_a_home_a_project_works_all_the_same(a_project, the_environment):
    the_environment(HOME="")
    first, line = adopt(a_project)
    adoption.remember_interpreter()
    assert first.startswith("project-") and line == ""


def test_a_home_that_cannot_be_written_costs_only_the_registry(a_project, a_home):
    (a_home / ".local").write_text("a file where a folder belongs")
    assert adopt(a_project)[1] == ""
    adoption.remember_interpreter()
    assert (a_home / ".local").is_file()


# The backup before a migration


def test_an_older_memory_is_backed_up_and_brought_up_to_date(a_session, a_home, monkeypatch):
    a_session.has_a_turn("Why is the lamp off?", "The fuse.")
    with_one_more_migration(monkeypatch, "ALTER TABLE turns ADD COLUMN mood TEXT")
    adoption.open_ready(a_session.project)
    assert a_session.store.one("PRAGMA user_version") == (schema.VERSION,)
    assert a_session.turns("prompt, mood") == [("Why is the lamp off?", None)]
    check(a_session.store)
    (backup,) = (a_home / ".local" / "share" / "ralph-mem" / "backups").iterdir()
    assert backup.name == f"{a_session.store.property('project_id')}-schema-{schema.VERSION - 1}.db"
    db = sqlite3.connect(backup)
    assert db.execute("PRAGMA user_version").fetchone() == (schema.VERSION - 1,)
    assert db.execute("SELECT prompt FROM turns").fetchall() == [("Why is the lamp off?",)]
    assert db.execute("SELECT rowid FROM memory_fts WHERE memory_fts MATCH 'lamp'").fetchall() == [(1,)]
    db.close()


@pytest.mark.parametrize("known", range(1, schema.VERSION))
def test_a_memory_of_every_earlier_schema_is_brought_up_to_date(a_project, monkeypatch, known):
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:known])
        earlier.setattr(schema, "VERSION", known)
        earlier.setattr(connection, "SCHEMA_VERSION", known)
        adoption.open_ready(a_project).execute("INSERT INTO properties VALUES ('kept', 'yes')")
    opened = adoption.open_ready(a_project)
    assert (opened.one("PRAGMA user_version"), opened.property("kept")) == ((schema.VERSION,), "yes")
    assert opened.execute("SELECT pinned, misled, edited_at FROM turns").fetchall() == []
    check(opened)


def test_a_memory_that_is_up_to_date_is_not_backed_up(a_project, a_home):
    adopt(a_project)
    adopt(a_project)
    assert not (a_home / ".local" / "share" / "ralph-mem" / "backups").exists()


def test_where_no_backup_can_be_made_nothing_is_migrated(a_store, a_project, a_home, monkeypatch):
    (a_home / ".local" / "share" / "ralph-mem" / "backups").write_text("a file where a folder belongs")
    with_one_more_migration(monkeypatch, "ALTER TABLE turns ADD COLUMN mood TEXT")
    with pytest.raises(OSError, match="share"):
        adoption.open_ready(a_project)
    assert a_store.one("PRAGMA user_version") == (schema.VERSION - 1,)


def test_the_older_release_does_not_touch_a_migrated_memory(a_project, monkeypatch):
    with monkeypatch.context() as newer:
        with_one_more_migration(newer, "ALTER TABLE turns ADD COLUMN mood TEXT")
        adoption.open_ready(a_project)
    with pytest.raises(NewerStore):
        adoption.open_ready(a_project)


# The interpreter


def test_the_interpreter_is_remembered(a_home, tmp_path, monkeypatch):
    (tmp_path / "python3").touch()
    for path in (sys._base_executable, str(tmp_path / "python3")):
        monkeypatch.setattr(sys, "_base_executable", path)
        adoption.remember_interpreter()
        assert (a_home / ".local" / "share" / "ralph-mem" / "python").read_text() == path + "\n"


OPENS = """
import sys, time
sys.path.insert(0, sys.argv[1])
from ralph_mem.memory import opening
from ralph_mem.core import project
while time.time() < float(sys.argv[3]):
    pass
opening.begin(project.Project(sys.argv[2]), 2000)
print("open", end="")
"""


@pytest.mark.check
def test_sessions_that_begin_at_once_in_a_new_project_all_have_its_memory(tmp_path, a_home):
    root, environment = Path(__file__).parents[2], {"HOME": str(a_home)}
    for number in range(8):
        folder = tmp_path / f"new-{number}"
        folder.mkdir()
        order = [sys.executable, "-I", "-c", OPENS, str(root), str(folder), str(time.time() + 0.2)]
        opening = [subprocess.Popen(order, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(3)]
        assert [each.communicate(timeout=30)[0] for each in opening] == [b"open"] * 3
