"""Tombstones: what was forgotten does not come back, and what was not forgotten does; nobody can read them."""

from pathlib import Path

import pytest

from ralph_mem.core import paths, spool
from ralph_mem.memory import opening
from ralph_mem.memory.rows import deletion, tombstones
from ralph_mem.memory.store import connection as stores
from tests.readers import dump, forget, in_order, note, reader_of
from tests.sessions import DAY, NOON, Session

TEXT = "The quetzalcoatlus sleeps below the zirconium lantern"


def come_back(session, backup):
    """Put a backup in the place of a memory, as a restore does; returns how many rows are swept out of it."""
    session.store.close()
    for end in ("-wal", "-shm"):
        paths.remove(session.project.folder + "/memory.db" + end)
    Path(session.project.folder, "memory.db").write_bytes(backup)
    session.store = opening.open_ready(session.project)
    session.store.begin()
    swept = tombstones.sweep(session.store, paths.key_of(session.project.root))
    session.store.commit()
    return swept


@pytest.fixture
def a_backup(a_session, tmp_path):
    """Have two turns behind it, and a note; returns the memory as a backup has it."""
    a_session.has_a_turn(TEXT, "I see.")
    a_session.has_a_turn("Where is the basalt?", "In the attic.")
    note(a_session, TEXT + ", they say")
    a_session.store.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    return (tmp_path / "backup.db").read_bytes()


def test_a_backup_that_comes_back_is_rid_of_what_was_forgotten_and_of_nothing_else(a_session, a_backup):
    forget(reader_of(a_session), query="quetzalcoatlus")
    after = dump(a_session.store)["turns"]
    assert come_back(a_session, a_backup) == 2
    assert [row[:9] for row in dump(a_session.store)["turns"]] == [row[:9] for row in after]
    in_order(a_session.store)


def test_a_session_that_was_forgotten_stays_so(a_session, a_backup):
    (name,) = a_session.store.one("SELECT public_id FROM sessions WHERE client_session = ?", (a_session.name,))
    forget(reader_of(a_session), name)
    assert come_back(a_session, a_backup) > 1
    assert a_session.rows("SELECT count(*) FROM turns WHERE session_id = 1") == [(0,)]


def test_the_same_text_under_another_id_does_not_come_back_and_a_short_one_does(a_session, a_backup):
    forget(reader_of(a_session), query="quetzalcoatlus")
    other = Session(a_session.store, a_session.project, "copied", NOON)
    other.starts("resume")
    other.has_a_turn(TEXT, "I see.")
    other.has_a_turn("go on", "Yes.")
    a_session.store.begin()
    assert tombstones.sweep(a_session.store, paths.key_of(a_session.project.root)) == 1
    a_session.store.commit()
    assert a_session.turns("prompt") == [("Where is the basalt?",), ("go on",)]


def test_what_is_said_again_after_the_forget_is_remembered(a_session, a_backup):
    forget(reader_of(a_session), query="quetzalcoatlus")
    later = Session(a_session.store, a_session.project, "later", 4_000_000_000_000)  # in the year 2096
    later.starts("resume")
    later.has_a_turn(TEXT, "I see.")
    assert tombstones.sweep(a_session.store, paths.key_of(a_session.project.root)) == 0


RECORDS = {
    "the turn": {"verb": "turn", "turn": "prompt:the-session-1"},
    "its end": {"verb": "close", "turn": "prompt:the-session-1"},
    "what it ran": {"verb": "observation", "turn": "prompt:the-session-1", "event_id": "x", "type": "error"},
    "a file of it": {"verb": "files", "turn": "prompt:the-session-1"},
}


@pytest.mark.check
@pytest.mark.parametrize("what", RECORDS)
def test_a_record_of_what_was_forgotten_does_not_come_in_again_unless_it_is_newer(a_session, a_backup, what):
    record = {"session": a_session.name, "at": NOON + DAY, **RECORDS[what]}
    assert tombstones.left([record]) == [record]
    forget(reader_of(a_session), query="quetzalcoatlus")
    others = [{**record, "turn": "prompt:the-session-2", "event_id": "y"}, {**record, "at": 4_000_000_000_000}]
    assert tombstones.left([record, *others]) == others


def test_a_note_that_was_typed_in_a_forgotten_turn_is_still_a_note(a_session, a_backup):
    forget(reader_of(a_session), query="sleeps below")
    told = {
        "verb": "memory",
        "type": "note",
        "session": a_session.name,
        "turn": "prompt:the-session-1",
        "event_id": "n",
        "at": NOON,
    }
    assert tombstones.left([told]) == [told]


def test_a_record_of_a_session_that_was_forgotten_does_not_come_in_again(a_session, a_backup):
    (name,) = a_session.store.one("SELECT public_id FROM sessions WHERE client_session = ?", (a_session.name,))
    record = {"verb": "turn", "session": a_session.name, "turn": "prompt:never-stored", "at": NOON}
    assert tombstones.left([record]) == [record]
    forget(reader_of(a_session), name)
    assert tombstones.left([record]) == []


def test_a_session_that_went_on_after_it_was_forgotten_stays(a_session, a_backup):
    (name,) = a_session.store.one("SELECT public_id FROM sessions WHERE client_session = ?", (a_session.name,))
    forget(reader_of(a_session), name)
    a_session.now = 4_000_000_000_000
    a_session.starts("resume")
    a_session.has_a_turn("Where is the ferret?", "In the garden.")
    a_session.store.execute("UPDATE sessions SET started_at = ?", (NOON,))
    a_session.store.begin()
    assert tombstones.sweep(a_session.store, paths.key_of(a_session.project.root)) == 0
    a_session.store.commit()
    assert a_session.turns("prompt") == [("Where is the ferret?",)]


def test_the_later_of_two_forgets_of_the_same_counts(a_session, a_backup):
    a_session.store.begin()
    marks = tombstones.marks_of([(tombstones.EVENT, "x")])
    tombstones.add(marks, 200)
    tombstones.add(marks, 100)
    a_session.store.commit()
    assert tombstones.Marks().hold(tombstones.EVENT, "x", 150)


def test_the_marks_hold_neither_texts_nor_ids(a_session, a_backup):
    (name,) = a_session.store.one("SELECT public_id FROM turns WHERE id = 1")
    forget(reader_of(a_session), query="quetzalcoatlus")
    (marks,) = Path(paths.data_home(), "forgotten", "marks").read_text().splitlines()
    assert all(len(mark) == 18 for mark in marks.split()[1:]) and len(marks.split()) == 7
    assert name not in marks and "prompt" not in marks
    assert {Path(paths.data_home(), "forgotten", each).stat().st_mode & 0o777 for each in ("marks", "key", "audit.jsonl")} == {
        0o600
    }


def test_without_a_home_nothing_is_marked_and_a_forget_works(a_session, a_backup, the_environment):
    the_environment(HOME="")
    assert forget(reader_of(a_session), query="quetzalcoatlus").removed == 2
    assert tombstones.is_empty()


def test_deleting_twice_is_deleting_once(a_session, a_backup):
    (name,) = a_session.store.one("SELECT public_id FROM turns WHERE id = 1")
    a_session.store.begin()
    assert [deletion.delete(a_session.store, [name]) for _ in range(2)] == [1, 0]
    a_session.store.commit()
    assert a_session.store.property(stores.FORGETTING) == 1 and spool.pending(a_session.project.root) == []
    in_order(a_session.store)
