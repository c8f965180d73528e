"""Meaning: what embeddings add to the words, and that they never take anything away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.recall import features, meaning, search

COSINES = st.dictionaries(st.integers(1, 50), st.floats(-1, 1), max_size=20)


class Knowing:
    """A sense that knows how near some memories come; `asked` is what it was asked."""

    def __init__(self, nearest, alike=None):
        self.nearest, self.table, self.asked = nearest, alike or {}, []

    def near(self, _store, query):
        self.asked.append(query)
        return self.nearest

    def alike(self, _store, _query, numbers):
        return {number: cosine for number, cosine in self.table.items() if number in numbers}


def note(title, speaker=None):
    return (1, "obs-a", 1, 1, 0, 0, title, "", "", "", "", 0, 0, speaker)


def admitted(session, query, sense):
    return [hit.values[0] for hit in search.hits(session.store, query, session.now, sense) if hit.admitted]


@pytest.fixture
def two_turns(a_session):
    a_session.has_a_turn("Why is the lantern dark?", "The fuse was blown.")
    a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    return a_session


@given(COSINES, COSINES)
def test_how_near_a_memory_comes_lies_between_nothing_and_one(nearest, alike):
    assert all(0 <= value <= 1 + 1e-9 for value in meaning.values(nearest, alike).values())


def test_the_nearest_comes_nearest():
    found = meaning.values({1: 0.7, 2: 0.5, 3: 0.1}, {1: 0.6, 2: 0.2, 3: 0.1})
    assert found[1] == pytest.approx(1) and found[1] > found[2] > found[3] >= 0


def test_the_table_alone_counts_less():
    assert meaning.values({}, {1: 0.9, 2: 0.1})[1] == pytest.approx(meaning.TABLE_ALONE)


def test_without_any_vector_nothing_is_said():
    assert meaning.values({}, {}) == {}


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("What did Ada say about the lamp?", "What did say about the lamp?"),
        ("Ada's lamp", "lamp"),
        ("Ada\u2019s lamp, and Grace", "lamp, and Grace"),
        ("Ada", "Ada"),
        ("the lamp", "the lamp"),
    ],
)
def test_who_said_it_is_no_part_of_what_is_meant(query, asked):
    assert meaning.without_speakers(query, [note("The lamp is dark", "Ada"), note("The lamp is lit")]) == asked


# At a prompt


def test_a_memory_that_comes_near_is_told_without_a_common_word(two_turns):
    assert admitted(two_turns, "illumination outage", None) == []
    assert admitted(two_turns, "illumination outage", Knowing({1: 0.7, 2: 0.2})) == [1]


def test_one_that_does_not_come_near_enough_is_not(two_turns):
    assert admitted(two_turns, "illumination outage", Knowing({1: 0.3, 2: 0.2})) == []


def test_what_the_words_mean_is_told_as_ever(two_turns):
    assert admitted(two_turns, "lantern fuse", Knowing({})) == admitted(two_turns, "lantern fuse", None) == [1]


def test_how_near_a_memory_comes_is_judged_by_a_table_of_its_own(two_turns, monkeypatch):
    words, weights = features.read_tables()[0], [0.0] * len(features.NAMES)
    monkeypatch.setattr(features, "KNOWN", [(words, features.Table(-5.0, [*weights, 10.0], words.levels))])
    assert admitted(two_turns, "illumination outage", Knowing({2: 0.6, 1: 0.1})) == [2]
    assert admitted(two_turns, "illumination outage", Knowing({2: 0.2, 1: 0.1})) == []


def test_without_a_table_for_meaning_the_words_judge(two_turns, monkeypatch):
    monkeypatch.setattr(features, "KNOWN", [(features.read_tables()[0], None)])
    assert admitted(two_turns, "lantern dark fuse", Knowing({2: 0.3, 1: 0.2}))[:1] == [1]


def test_the_small_table_alone_admits_nothing_and_changes_no_order(two_turns):
    alone = [hit.chance for hit in search.hits(two_turns.store, "lantern fuse", two_turns.now, Knowing({}, {2: 1.0, 1: 0.1}))]
    assert alone == [hit.chance for hit in search.hits(two_turns.store, "lantern fuse", two_turns.now)]
    assert admitted(two_turns, "illumination outage", Knowing({}, {1: 1.0})) == []


def test_what_misled_does_not_come_back_by_its_meaning(two_turns):
    two_turns.rows("UPDATE turns SET misled = 1 WHERE id = 1")
    assert admitted(two_turns, "illumination outage", Knowing({1: 0.9})) == []


def test_no_more_than_three_come_by_their_meaning_alone(a_session):
    for number in range(6):
        a_session.has_a_turn(f"Where is stone {number}?", "Here.")
    assert len(admitted(a_session, "illumination", Knowing(dict.fromkeys(range(1, 7), 0.8)))) == search.NEAREST


def test_a_number_that_no_memory_has_is_passed_over(two_turns):
    assert admitted(two_turns, "illumination outage", Knowing({1: 0.7, 99: 0.9}, {98: 1.0})) == [1]
