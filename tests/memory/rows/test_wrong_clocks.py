"""What was recorded while the clock was ahead, and forgotten once it is right again, does not come back either."""

import pytest

from ralph_mem.memory.rows import tombstones
from tests.memory.rows.test_tombstones import TEXT, come_back
from tests.readers import forget, note, reader_of
from tests.sessions import Session

AHEAD = 4_000_000_000_000  # in the year 2096


@pytest.fixture
def a_backup(a_session, tmp_path):
    """Have a turn of today behind it, and a session of a day when the clock was ahead; returns the memory as a backup has it."""
    a_session.has_a_turn("Where is the basalt?", "In the attic.")
    later = Session(a_session.store, a_session.project, "ahead", AHEAD)
    later.starts()
    later.has_a_turn(TEXT, "I see.")
    note(later, TEXT + ", they say")
    a_session.store.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    return (tmp_path / "backup.db").read_bytes()


def test_rows_dated_ahead_that_were_forgotten_are_swept_out_of_a_backup(a_session, a_backup):
    forget(reader_of(a_session), query="quetzalcoatlus")
    assert come_back(a_session, a_backup) == 2
    assert a_session.turns("prompt") == [("Where is the basalt?",)]


def test_a_session_dated_ahead_that_was_forgotten_goes_as_a_whole(a_session, a_backup):
    (name,) = a_session.store.one("SELECT public_id FROM sessions WHERE client_session = 'ahead'")
    forget(reader_of(a_session), name)
    come_back(a_session, a_backup)
    assert ("ahead",) not in a_session.rows("SELECT client_session FROM sessions")


def test_a_session_that_went_on_after_it_was_forgotten_keeps_what_was_said_since(a_session, a_backup, tmp_path):
    (name,) = a_session.store.one("SELECT public_id FROM sessions WHERE client_session = 'ahead'")
    forget(reader_of(a_session), name)
    on = Session(a_session.store, a_session.project, "ahead", AHEAD + 1000)
    on.starts("resume")
    on.turn = "prompt:another"
    on.has_a_turn("Where is the anchor?", "There.")
    a_session.store.execute("VACUUM INTO ?", (str(tmp_path / "later.db"),))
    come_back(a_session, (tmp_path / "later.db").read_bytes())
    assert a_session.turns("prompt") == [("Where is the basalt?",), ("Where is the anchor?",)]


def test_a_command_dated_ahead_that_was_forgotten_is_not_taken_in_once_more(a_session):
    tombstones.add(tombstones.marks_of([(tombstones.EVENT, "tool:1")]), a_session.now)
    record = {"verb": "observation", "event_id": "tool:1", "turn": "prompt:1", "type": "error", "session": "ahead", "at": AHEAD}
    assert tombstones.left([record]) == []


def test_what_follows_in_a_turn_after_a_part_of_it_was_forgotten_is_taken_in(a_session):
    tombstones.add(tombstones.marks_of([(tombstones.EVENT, "prompt:ahead-1"), (tombstones.EVENT, "tool:1")]), a_session.now)
    record = {"verb": "observation", "event_id": "tool:2", "turn": "prompt:ahead-1", "type": "tool_use", "session": "ahead"}
    assert tombstones.left([{**record, "at": a_session.now + 1000}]) != []
