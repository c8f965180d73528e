"""The condition of a memory's file: what it says, and what is done about it while somebody is at work and while nobody is."""

import os

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance import condition
from tests.readers import dump, forget, note, reader_of
from tests.sessions import check


@pytest.fixture
def a_past(a_session):
    """Have much behind it that was forgotten since, so that the file has room in it, and no session at work."""
    names = [note(a_session, f"Lantern {number}. " + "wick " * 400) for number in range(40)]
    forget(reader_of(a_session), *names[:30])
    a_session.store.execute(
        "CREATE TABLE filler AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500)"
        " SELECT randomblob(4000) AS x FROM c"
    )
    a_session.store.execute("DROP TABLE filler")
    a_session.store.execute("UPDATE sessions SET ended_at = started_at")
    return a_session


def test_it_says_what_takes_how_much_and_what_is_free(a_past):
    found = condition.of(a_past.store)
    held = {size.name: size for size in found.sizes}
    assert held["observations"].rows == a_past.store.one("SELECT count(*) FROM observations")[0] and found.faults == []
    assert found.free > 1_000_000 and sum(size.bytes for size in found.sizes) + found.free <= found.bytes


def test_to_look_changes_nothing(a_past):
    before = dump(a_past.store)
    condition.of(a_past.store)
    assert dump(a_past.store) == before


def test_what_is_free_is_given_back_and_every_row_stays(a_past):
    before, rows = condition.of(a_past.store), dump(a_past.store)
    assert condition.improve(a_past.store)
    after = condition.of(a_past.store)
    assert after.free == 0 and after.bytes < before.bytes - 1_000_000
    assert dump(a_past.store) == rows
    check(a_past.store)


@pytest.mark.check
def test_while_a_session_is_at_work_the_file_is_not_written_anew(a_past):
    a_past.store.execute("UPDATE sessions SET ended_at = NULL, client_pid = ?", (os.getpid(),))
    before = condition.of(a_past.store)
    assert before.at_work and not condition.improve(a_past.store)
    assert condition.of(a_past.store).free == before.free


def test_of_a_damaged_file_nothing_is_changed(a_past, monkeypatch):
    monkeypatch.setattr(condition, "of", lambda opened: condition.Condition([], 0, 0, 0, ["a page is gone"], []))
    before = dump(a_past.store)
    with pytest.raises(RalphMemError, match="damaged"):
        condition.improve(a_past.store)
    assert dump(a_past.store) == before
