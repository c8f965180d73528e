"""Recall by meaning: a search finds what says the same in other words, within the limits of any search."""

import pytest

from ralph_mem.memory.recall import lookup
from tests.memory.recall.test_meaning import Knowing
from tests.readers import ids
from tests.sessions import DAY


def found(reader, query, sense, **wanted):
    return ids(lookup.search(reader, query, 0, lookup.Wanted(**wanted), sense))


@pytest.fixture
def memories(a_session):
    """Have a turn behind it and, a day later, a note; returns their public ids."""
    turn = a_session.has_a_turn("Why is the lantern dark?", "The fuse was blown.")
    a_session.now += DAY
    return turn, a_session.notes("The ladder is in the cellar")


def test_what_means_the_same_is_found_without_a_common_word(a_reader, memories):
    assert found(a_reader, "illumination", None) == []
    assert found(a_reader, "illumination", Knowing({1: 0.7, 2: 0.3}))[0] == memories[0]


def test_what_comes_nearest_and_yet_not_near_is_not_found(a_reader, memories):
    assert found(a_reader, "flurbish zanquil", Knowing({1: 0.2, 2: 0.15})) == []
    assert found(a_reader, "illumination", Knowing({1: 0.7, 2: 0.15})) == [memories[0]]
    assert found(a_reader, "ladder", Knowing({1: 0.2, 2: 0.15})) == [memories[1]]


def test_a_word_that_is_there_counts_more_than_what_comes_near(a_reader, memories):
    assert found(a_reader, "ladder", Knowing({1: 0.7, 2: 0.1}))[0] == memories[1]


def test_a_sense_that_knows_nothing_changes_nothing(a_reader, memories):
    assert found(a_reader, "ladder fuse", Knowing({})) == found(a_reader, "ladder fuse", None)


def test_what_comes_near_keeps_within_times_and_types(a_session, a_reader, memories):
    turn, note = memories
    near = Knowing({1: 0.7, 2: 0.6})
    assert found(a_reader, "illumination", near, types=["note"]) == [note]
    assert found(a_reader, "illumination", near, types=["turn"]) == [turn]
    assert found(a_reader, "illumination", near, until=a_session.now - DAY // 2) == [turn]
    assert found(a_reader, "illumination", near, since=a_session.now - DAY // 2) == [note]


def test_what_comes_near_keeps_within_its_namespace(a_session, a_reader):
    for space in ('["app", "a"]', '["app", "b"]', '["apple"]'):
        a_session.notes("The ladder is in the cellar", type="item", tool_name=space)
    near = Knowing({1: 0.7, 2: 0.6, 3: 0.5})
    in_order = found(a_reader, "illumination", near, types=["item"])
    assert len(in_order) == 3
    assert found(a_reader, "illumination", near, types=["item"], tool='["app"') == in_order[:2]
    assert found(a_reader, "illumination", near, types=["item"], tool='["app", "b"') == in_order[1:2]
