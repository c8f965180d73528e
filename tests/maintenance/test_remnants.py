"""Remnants: after a scrub no copy of a memory holds the secret, and what nobody can look into is named."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.forget import copies, pending
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory import opening
from ralph_mem.memory.ownership import foreign
from tests.readers import files_of, holding
from tests.sessions import NOON

TICKET = "ZX-7731"


@pytest.fixture
def a_past(a_session):
    """Have a ticket in its past that a pattern of today calls secret, and a backup of that time."""
    opening.notice(a_session.store, a_session.project)
    a_session.has_a_turn(f"Close {TICKET}", "It is closed.")
    a_session.has_a_turn("Where is the basalt?", "In the attic.")
    a_session.settings["privacy.redact_patterns"] = [r"\bZX-\d{4}\b"]
    a_session.backup = Path(backups.make(a_session.store, NOON))
    return a_session


def protect_of(session):
    return copies.remembering(scrubbing.protector(session.project, session.settings))


def scrub(session):
    """Scrub as the command does; returns what became of the copies."""
    protect = protect_of(session)
    scrubbing.scrub(session.store, protect)
    return copies.scrub(session.project, [session.store], protect)


def prompts(path):
    with closing(sqlite3.connect(path)) as db:
        return [prompt for (prompt,) in db.execute("SELECT prompt FROM turns ORDER BY id")]


def test_a_backup_is_scrubbed_as_the_memory_is(a_past):
    assert scrub(a_past) == ([str(a_past.backup)], [], [])
    assert holding(files_of(a_past.project), TICKET) == []
    assert prompts(a_past.backup) == ["Close [REDACTED:pattern]", "Where is the basalt?"]


def test_a_backup_holds_it_although_the_memory_was_rid_of_it_before(a_past):
    scrubbing.scrub(a_past.store, protect_of(a_past))
    assert copies.find_secrets(a_past.project, [a_past.store], protect_of(a_past)).scrubbed == [str(a_past.backup)]


def test_what_a_program_keeps_and_somebody_says_is_looked_at_as_both(a_past):
    protect, text = protect_of(a_past), "db.query('select 1', 'otto', 'Kranich7Feder!')"
    assert protect(text) == (text, {})
    assert "Kranich" not in protect(text, True)[0]
    assert protect(text) == (text, {})


def test_a_look_changes_nothing(a_past):
    before = a_past.backup.read_bytes()
    assert copies.find_secrets(a_past.project, [a_past.store], protect_of(a_past)).scrubbed == [str(a_past.backup)]
    assert a_past.backup.read_bytes() == before and len(list(a_past.backup.parent.iterdir())) == 1


def test_a_backup_of_an_older_release_goes_once_there_is_one_of_today(a_past):
    with closing(sqlite3.connect(a_past.backup)) as db:
        db.execute("PRAGMA user_version = 1")
    assert scrub(a_past) == ([], [str(a_past.backup)], [])
    (new,) = a_past.backup.parent.iterdir()
    assert new != a_past.backup and prompts(new)[0] == "Close [REDACTED:pattern]"


def test_a_strangers_database_is_named_and_left_as_it_is(a_past):
    path = Path(a_past.project.folder, f"memory.db{foreign.ASIDE}1767268800000000000")
    path.write_bytes(a_past.backup.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE strange (a)")
    before = path.read_bytes()
    assert scrub(a_past).unread == [str(path)]
    assert path.read_bytes() == before


def test_a_damaged_database_is_named_and_left_as_it_is(a_past):
    path = Path(a_past.project.folder, "damaged", "2026-01-01T120000", "memory.db")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * 5000)
    assert scrub(a_past).unread == [str(path)]
    assert path.read_bytes() == b"x" * 5000


def test_without_a_secret_no_copy_is_touched(a_past):
    a_past.settings["privacy.redact_patterns"] = []
    before = a_past.backup.read_bytes()
    assert scrub(a_past) == ([], [], [])
    assert a_past.backup.read_bytes() == before


def test_no_forget_writes_a_copy_anew_while_a_scrub_does(a_past, monkeypatch):
    rewrite, refused = copies.rewrite, []

    def meanwhile(path, change):
        with pytest.raises(RalphMemError, match="another forget is at work"), pending.Lock(0):
            pass
        refused.append(path)
        return rewrite(path, change)

    monkeypatch.setattr(copies, "rewrite", meanwhile)
    assert scrub(a_past).scrubbed == [str(a_past.backup)] and set(refused) == {str(a_past.backup)}
    with pending.Lock(0):
        pass


def test_a_database_set_aside_that_one_of_our_releases_wrote_is_scrubbed(a_past):
    path = Path(a_past.project.folder, f"memory.db{foreign.ASIDE}1767268800000000000")
    path.write_bytes(a_past.backup.read_bytes())
    assert scrub(a_past).scrubbed == [str(path), str(a_past.backup)] and prompts(path)[0] == "Close [REDACTED:pattern]"


def test_where_backups_go_each_memory_gets_a_new_one(a_past, everywhere):
    shared = opening.open_ready(everywhere)
    with closing(sqlite3.connect(a_past.backup)) as db:
        db.execute("PRAGMA user_version = 1")
    copies.scrub(a_past.project, [a_past.store, shared], protect_of(a_past))
    numbers = {opened.property("project_id") for opened in (a_past.store, shared)}
    assert {"-".join(path.name.split("-")[:2]) for path in a_past.backup.parent.iterdir()} == numbers
