"""What is worth injecting: turns and what stands for itself, and where a summary comes from."""

import pytest

from ralph_mem.memory.rows import existing, records, row
from tests.sessions import a_note, check, found, words_of


def test_a_note_is_found_by_its_title_and_content(a_session):
    a_session.notes("Lamps need fuses", "of 16 ampere")
    assert found(a_session.store, "memory_fts", "title:fuses AND body:ampere") == [1]
    assert a_session.rows("SELECT turn_id, observation_id FROM memories") == [(None, 1)]


def test_a_summary_comes_from_the_turns_of_its_session(a_session, another_session):
    turns = [a_session.has_a_turn(f"prompt {number}", "answer") for number in range(3)]
    another_session.has_a_turn("elsewhere", "answer")
    a_session.sends("post-compact", compact_summary="<analysis>x</analysis><summary>The fuse was blown.</summary>")
    ((child, content),) = a_session.observations("public_id, content")
    assert content == "The fuse was blown."
    assert a_session.rows("SELECT child, parent FROM derived_from ORDER BY parent") == [(child, turn) for turn in sorted(turns)]


@pytest.mark.parametrize(("command", "tainted"), [("curl https://lamps.example", 1), ("make lamps", 0)])
def test_a_summary_is_tainted_when_one_of_its_turns_is(a_session, command, tainted):
    a_session.has_a_turn("first", "answer")
    a_session.asks("second")
    a_session.runs(command)
    a_session.is_answered("answer")
    a_session.sends("post-compact", compact_summary="The fuse was blown.")
    assert a_session.rows("SELECT tainted FROM observations WHERE type = 'summary'") == [(tainted,)]


def test_a_summary_is_not_tainted_by_another_session(a_session, another_session):
    another_session.asks("look")
    another_session.runs("curl https://lamps.example")
    a_session.sends("post-compact", compact_summary="The fuse was blown.")
    assert a_session.rows("SELECT tainted FROM observations WHERE type = 'summary'") == [(0,)]


def test_the_same_summary_twice_is_one_memory(a_session):
    for _ in range(2):
        a_session.sends("post-compact", compact_summary="The fuse was blown.")
    assert a_session.rows("SELECT count(*) FROM memories") == [(1,)]
    a_session.sends("post-compact", compact_summary="The fuse was blown again.")
    assert a_session.rows("SELECT count(*) FROM memories") == [(2,)]


@pytest.mark.parametrize("text", ["", "<summary></summary>", "<summary> \n</summary>"])
def test_an_empty_summary_is_no_memory(a_session, text):
    a_session.sends("post-compact", compact_summary=text)
    assert a_session.observations("*") == []


def test_a_turn_is_one_memory_however_often_it_is_indexed(a_session):
    for _ in range(3):
        a_session.is_answered("The fuse was blown.", prompt_id="p")
    assert a_session.rows("SELECT turn_id, observation_id FROM memories") == [(1, None)]
    assert found(a_session.store, "memory_fts", "fuse") == [1]


def test_a_forgotten_turn_leaves_nothing_in_the_index(a_session):
    a_session.asks("Why is the lampSwitch 電球 off? [REDACTED:api-key]")
    a_session.edits("src/HTTPServer.py")
    a_session.is_answered("The fuse.")
    existing.remove_entry(a_session.store, row.TURN, 1)
    existing.remove_entry(a_session.store, row.TURN, 1)
    assert words_of(a_session.store, "memory_fts") == {}
    check(a_session.store)
    existing.remember(a_session.store, row.TURN, 1)
    assert found(a_session.store, "memory_fts", "switch AND server") == [1]


def test_a_memory_of_an_unknown_session_starts_it(a_session):
    records.apply(a_session.store, a_note(a_session, session="stranger"))
    assert a_session.rows("SELECT source FROM sessions ORDER BY id") == [("startup",), ("unknown",)]
