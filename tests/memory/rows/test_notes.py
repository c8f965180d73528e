"""Notes: what was said around one in its session makes it findable, and goes with what it was taken from."""

import pytest

from ralph_mem.memory.rows import notes, rewrite, row
from tests.sessions import DAY, check, found


@pytest.fixture
def four_notes(a_session):
    """Note four stones, a second apart; returns their public ids."""
    return [a_session.notes(f"The {stone} is here") for stone in ("tungsten", "zirconium", "basalt", "quartz")]


def context_of(session, name):
    (row,) = session.rows("SELECT context FROM observations WHERE public_id = ?", name)
    return row[0].split("\n")


def test_a_note_has_the_two_before_it_and_the_one_after_it_as_context(a_session, four_notes):
    first, _, third, _ = four_notes
    assert context_of(a_session, first) == ["The zirconium is here"]
    assert context_of(a_session, third) == ["The tungsten is here", "The zirconium is here", "The quartz is here"]


def test_a_note_is_found_by_what_was_said_around_it(a_session, four_notes):
    assert found(a_session.store, "memory_fts", "context:quartz") == [3]
    assert found(a_session.store, "memory_fts", "context:tungsten") == [2, 3]


def test_a_note_among_turns_has_them_as_context(a_session):
    a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    assert context_of(a_session, a_session.notes("Mind the step")) == ["Where is the ladder? In the cellar."]


def test_what_was_noted_half_an_hour_apart_is_no_context(a_session):
    a_session.notes("The tungsten is here")
    a_session.now += notes.CONTEXT_MS
    assert context_of(a_session, a_session.notes("The basalt is there")) == [""]


def test_another_session_is_no_context(a_session, another_session):
    a_session.notes("The tungsten is here")
    assert context_of(another_session, another_session.notes("The basalt is there")) == [""]


def test_of_a_long_neighbour_the_beginning_is_context(a_session):
    a_session.notes("tungsten " * 100)
    assert len(context_of(a_session, a_session.notes("The basalt is there"))[0]) <= notes.CONTEXT_CHARACTERS


def test_what_goes_leaves_the_context_of_its_neighbours(a_session, four_notes):
    place = a_session.rows("SELECT session_id, seq FROM observations WHERE public_id = ?", four_notes[1])[0]
    a_session.store.begin()
    rewrite.delete(a_session.store, four_notes[1])
    rewrite.quote_again(a_session.store, *place)
    a_session.store.commit()
    assert found(a_session.store, "memory_fts", "context:zirconium") == []
    assert context_of(a_session, four_notes[2]) == ["The tungsten is here", "The quartz is here"]
    check(a_session.store)


def test_what_is_corrected_is_corrected_in_the_context_of_its_neighbours(a_session, four_notes):
    a_session.store.begin()
    rewrite.texts_of(a_session.store, row.OBSERVATION, 2, {"title": "It was obsidian", "content": "", "lines": ""})
    a_session.store.commit()
    assert found(a_session.store, "memory_fts", "context:obsidian") == [1, 3, 4]
    assert found(a_session.store, "memory_fts", "zirconium") == []
    check(a_session.store)


def test_a_note_keeps_who_said_it(a_session):
    a_session.notes("The tungsten is here", speaker="Ada")
    a_session.now += DAY
    a_session.notes("The basalt is there")
    assert a_session.observations("speaker") == [("Ada",), (None,)]
