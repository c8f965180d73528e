"""What is set aside, a stranger's database and a damaged one of our own, is followed by a forget or named by it."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory import opening
from ralph_mem.memory.ownership import foreign
from tests.readers import files_of, forget, holding, reader_of

SECRET = "quetzalcoatlus"
HOSTILE = "CREATE TRIGGER trap AFTER DELETE ON turns BEGIN INSERT INTO properties VALUES ('trapped', 1); END"


@pytest.fixture
def a_past(a_session):
    a_session.has_a_turn(f"Where does the {SECRET} sleep?", "Below the zirconium lantern.")
    a_session.has_a_turn("Where is the basalt?", "In the attic, where it always was.")
    return a_session


def aside(session, *more):
    """Lay a copy of the memory aside, as a session start does with one that is not ours; returns its path."""
    path = Path(session.project.folder, f"memory.db{foreign.ASIDE}1767268800000000000")
    session.store.execute("VACUUM INTO ?", (str(path),))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in more:
            db.execute(statement)
    return path


def forget_all(session):
    reader = reader_of(session)
    return erase.forget(reader, selections.plan(reader, selections.Selection(everything=True)))


def test_a_database_set_aside_that_one_of_our_releases_wrote_is_written_anew_without_the_text(a_past):
    path = aside(a_past)
    report = forget(reader_of(a_past), query=SECRET)
    assert report.changed["copies rewritten"] == [str(path)]
    assert report.is_clean() and holding(files_of(a_past.project), SECRET) == []
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT prompt FROM turns").fetchall() == [("Where is the basalt?",)]


def test_a_strangers_database_that_holds_the_text_is_named_and_neither_opened_nor_deleted(a_past):
    path = aside(a_past, HOSTILE)
    before = path.read_bytes()
    report = forget(reader_of(a_past), query=SECRET)
    assert path.read_bytes() == before
    assert [what for what, _ in report.pending] == [str(path)] and not report.is_clean()
    (line,) = [line for line in erasure_report.lines_of_report(report) if line.startswith("Pending")]
    assert str(path) in line and "--all" in line


def test_a_log_that_was_set_aside_alone_is_named_as_what_is_there(a_past):
    path = Path(a_past.project.folder, f"memory.db{foreign.ASIDE}1767268800000000000-wal")
    path.write_text(SECRET)
    assert [what for what, _ in forget(reader_of(a_past), query=SECRET).pending] == [str(path)]


def test_a_strangers_database_without_the_text_is_not_spoken_of(a_past):
    path = aside(a_past, "DELETE FROM turns", "DROP TABLE memory_fts", "VACUUM", HOSTILE)
    report = forget(reader_of(a_past), query=SECRET)
    assert path.exists() and report.is_clean()


def test_to_forget_all_takes_what_was_set_aside_along(a_past):
    path = aside(a_past, HOSTILE)
    log = Path(f"{path}-wal")
    log.write_bytes(f"{SECRET} in its log".encode())
    report = forget_all(a_past)
    assert not path.exists() and not log.exists()
    assert report.is_clean() and holding(files_of(a_past.project), SECRET) == []


@pytest.mark.parametrize("everything", [False, True], ids=["by its text", "all"])
@pytest.mark.parametrize("name", ["2026-01-01T120000", "2026-01-01T120000.unfinished"])
def test_a_damaged_database_in_quarantine_goes_where_it_holds_the_text(a_past, everything, name):
    folder = Path(a_past.project.folder, "damaged", name)
    folder.mkdir(parents=True)
    a_past.store.checkpoint()
    data = Path(a_past.project.folder, "memory.db").read_bytes()
    (folder / "memory.db").write_bytes(b"x" * 100 + data[100:])
    (folder / "memory.db-wal").write_bytes(f"{SECRET} in its log".encode())
    report = forget_all(a_past) if everything else forget(reader_of(a_past), query=SECRET)
    assert str(folder / "memory.db") in report.changed["copies deleted"]
    assert report.is_clean() and holding(files_of(a_past.project), SECRET) == []


def test_a_backup_of_the_memory_that_was_here_before_is_followed_too(a_past):
    """A memory that was deleted and begun anew has another id, and its backups can be brought back."""
    opening.notice(a_past.store, a_past.project)
    path = backups.make(a_past.store, 1_767_268_800_000)
    data = Path(path).read_bytes()
    a_past.store.close()
    shutil.rmtree(a_past.project.folder)
    a_past.store = opening.open_ready(a_past.project)
    opening.notice(a_past.store, a_past.project)
    Path(path).write_bytes(data)
    a_past.starts()
    a_past.has_a_turn(f"And where does the {SECRET} sleep now?", "There.")
    report = forget(reader_of(a_past), query=SECRET)
    assert path in [*report.changed.get("copies rewritten", []), *report.changed.get("copies deleted", [])]
    assert report.is_clean() and holding(files_of(a_past.project), SECRET) == []


def test_the_keys_of_a_home_are_no_caches(a_past):
    home = Path(paths.data_home())
    (home / "export-key").write_text(SECRET)
    forget(reader_of(a_past), query=SECRET)
    assert (home / "export-key").read_text() == SECRET
