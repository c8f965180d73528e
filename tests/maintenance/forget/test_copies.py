"""Copies: a forget takes the text out of backups, and no backup is lost for a line that a row says which stays."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory import access, opening
from tests.readers import forget, holding, reader_of
from tests.sessions import DAY, NOON, Session

SECRET = "quetzalcoatlus sleeps below the lantern"


def backup_of(opened, project):
    opening.notice(opened, project)
    return Path(backups.make(opened, NOON))


def test_a_command_that_was_run_twice_costs_no_backup_when_one_of_them_is_forgotten(a_session):
    for number in ("one", "two"):
        a_session.asks(f"Mend lamp {number}")
        a_session.runs("make lanterns --all", f"lamp {number} is whole")
        a_session.is_answered(f"Lamp {number} is mended.")
    path = backup_of(a_session.store, a_session.project)
    (turn,) = a_session.rows("SELECT public_id FROM turns ORDER BY id LIMIT 1")[0]
    report = forget(reader_of(a_session), turn)
    assert report.changed == {"copies rewritten": [str(path)]} and report.is_clean()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT prompt FROM turns").fetchall() == [("Mend lamp two",)]
    assert holding({"backup": path.read_bytes()}, "lamp one is") == []


@pytest.mark.check
def test_to_forget_in_the_project_leaves_the_backup_of_what_all_projects_share(a_session, everywhere, monkeypatch):
    monkeypatch.setattr(access, "WAIT_MS", 100)  # for the log of a memory that this test holds open
    a_session.has_a_turn(SECRET, f"{SECRET}, as everybody knows.")
    shared = Session(opening.open_ready(everywhere), everywhere, "shared", a_session.now + DAY)
    shared.starts()
    shared.notes(SECRET)
    path, own = backup_of(shared.store, everywhere), backup_of(a_session.store, a_session.project)
    reader = reader_of(a_session, stores=[shared.store])
    erase.forget(reader, selections.plan(reader, selections.Selection(query="quetzalcoatlus"), selections.PROJECT))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT title FROM observations").fetchall() == [(SECRET,)]
    assert holding({"backup": own.read_bytes()}, "as everybody knows") == []
