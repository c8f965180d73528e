"""What a session has done already: its own turns answer no prompt of it, and the files that it changed are evidence."""

import pytest

from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import turns
from tests.sessions import HOUR, Session

PROMPT = "why does the tungsten lexer drop quartz tokens?"
OTHER = "paint the basalt zirconium fence"


def lexes(session, path="src/lexer.c"):
    session.asks("teach the tungsten lexer about quartz tokens")
    session.edits(path)
    session.is_answered("Done.")


@pytest.fixture
def a_later_session(a_session):
    """Have a session behind it that changed the lexer; the memories are numbered from 1."""
    lexes(a_session)
    later = Session(a_session.store, a_session.project, "later", a_session.now + HOUR)
    later.starts()
    return later


def at_hand(session):
    number, since, *_ = turns.window(session.store, session.name)
    return turns.at_hand(session.store, number, since)


def found(session, prompt=PROMPT):
    """Return the likelihood of each memory that a session may mean, by its number."""
    hits = search.hits(session.store, prompt, session.now, at_hand=at_hand(session))
    return {hit.values[0]: hit.chance for hit in hits}


def test_a_session_that_has_done_nothing_has_nothing_at_hand(a_later_session):
    assert at_hand(a_later_session) == search.NOTHING_AT_HAND


def test_the_turns_of_a_session_take_no_place_of_those_that_it_lacks(a_later_session):
    for number in range(search.JUDGED + 1):
        a_later_session.has_a_turn(f"{PROMPT} attempt {number}", "Still tungsten, quartz tokens.")
    assert set(found(a_later_session)) == {1}


def test_after_a_compaction_its_turns_are_found_again(a_later_session):
    lexes(a_later_session)
    a_later_session.starts("compact")
    assert 2 in found(a_later_session)


def test_a_memory_of_a_file_that_the_session_has_changed_is_likelier(a_later_session):
    a_later_session.asks(OTHER)
    a_later_session.edits("src/fence.c")
    a_later_session.is_answered("Done.")
    before = found(a_later_session)[1]
    a_later_session.asks(OTHER)
    a_later_session.edits("src/lexer.c")
    a_later_session.is_answered("Done.")
    assert found(a_later_session)[1] > before


def test_a_prompt_that_says_next_to_nothing_is_not_answered_by_open_files(a_later_session):
    lexes(a_later_session)
    assert a_later_session.asks("now do the same for the other one") == ""
