"""Ranking: what puts one memory before another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.recall import ranking
from ralph_mem.memory.rows import reading
from tests.sessions import DAY, NOON

WEIGHTS = {"lantern": 2.0, "tungsten": 4.0}
LATER = 10_000  # so many memories came since that the day alone counts


def turn(prompt="", answer="Done.", context="", files="", lines="", at=NOON, pinned=0, misled=0):
    return (1, "turn-a", 1, 1, at, 0, prompt, answer, context, files, lines, pinned, misled, None)


def note(title, content="", context="", at=NOON, speaker=None):
    return (1, "obs-a", 1, 1, at, 0, title, content, context, "", "", 0, 0, speaker)


def order(*rows, named=(), now=NOON, weights=WEIGHTS):
    """Return the places of rows, best first."""
    scores = ranking.scores(list(rows), weights, set(named), now, LATER)
    return sorted(range(len(rows)), key=lambda at: -scores[at])


def test_the_rarer_word_counts_more():
    assert order(turn("the lantern"), turn("the tungsten")) == [1, 0]


@pytest.mark.parametrize(
    ("weighty", "light"),
    [
        (turn("tungsten"), turn("", "tungsten")),
        (turn("", "", files="tungsten"), turn("tungsten")),
        (turn("", "tungsten"), turn("", "", lines="tungsten")),
        (turn("", "", lines="tungsten"), turn("", "", context="tungsten")),
        (note("tungsten"), note("lamp", context="tungsten")),
    ],
)
def test_where_a_word_stands_says_how_much_it_counts(weighty, light):
    assert order(light, weighty) == [1, 0]


def test_the_newer_of_two_turns_comes_first():
    assert order(turn("tungsten", at=NOON - 30 * DAY), turn("tungsten", at=NOON)) == [1, 0]


def test_last_months_turn_is_new_where_hardly_anything_came_since():
    rows = [turn("", "tungsten", at=NOON - 30 * DAY)]
    quiet, busy = (ranking.scores(rows, WEIGHTS, set(), NOON, newest)[0] for newest in (2, LATER))
    assert quiet > 1 + 0.9 * ranking.RECENCY > busy


def test_notes_do_not_age():
    old, new = ranking.scores([note("tungsten", at=NOON - 900 * DAY), note("tungsten")], WEIGHTS, set(), NOON, LATER)
    assert old == new == pytest.approx(1 + ranking.NOTE_RECENCY)


def test_a_note_counts_as_a_turn_that_is_a_week_old():
    week = ranking.scores([turn("", "tungsten", at=NOON - 7 * DAY)], WEIGHTS, set(), NOON, LATER)
    assert week == ranking.scores([note("tungsten")], WEIGHTS, set(), NOON, LATER)


def test_a_turn_that_shares_a_rare_file_with_the_best_one_comes_before_one_that_does_not():
    best = turn("tungsten lantern", files="src/lamp.py\nsrc/fuse.py\n")
    assert order(turn("lantern", files="src/door.py\n"), turn("lantern", files="src/fuse.py\n"), best) == [2, 1, 0]


def test_a_file_that_many_name_says_nothing():
    rows = [turn("tungsten", files="src/b\n")] + [turn("lantern", files="src/b\n")] * 9 + [turn("lantern", files="src/a\n")]
    scores = ranking.scores(rows, WEIGHTS, set(), NOON, LATER)
    assert scores[1] == scores[-1]


def test_the_note_of_the_speaker_whom_the_query_names_comes_first():
    rows = note("tungsten", speaker="Ada"), note("tungsten", speaker="Grace Hopper"), note("tungsten")
    assert order(*rows, named=("what", "did", "grace", "hopper", "say"))[0] == 1
    assert order(*rows, named=("what", "did", "grace", "say")) == [0, 1, 2]


def test_a_note_that_asks_comes_behind_one_that_tells():
    assert order(note("Where is the tungsten?"), note("Here is the tungsten.")) == [1, 0]


def test_a_question_that_nobody_answered_comes_behind():
    assert order(turn("tungsten", ""), turn("tungsten", "Here.")) == [1, 0]


WORDS = st.lists(st.sampled_from("tungsten lantern lamp fuse ? \n src/a.py 日本 é".split(" ")), max_size=9).map(" ".join)
ROWS = st.lists(
    st.builds(turn, WORDS, WORDS, WORDS, WORDS, WORDS, st.integers(0, 2 * NOON)) | st.builds(note, WORDS, WORDS), max_size=8
)


@given(ROWS)
def test_a_score_lies_between_nothing_and_what_all_weights_add_up_to(rows):
    most = ranking.SPEAKER + ranking.RECENCY + ranking.SHARED_FILES
    assert all(0 <= score <= most for score in ranking.scores(rows, WEIGHTS, {"ada"}, NOON, LATER))


@given(ROWS)
def test_the_order_of_the_rows_does_not_change_their_scores(rows):
    scores = ranking.scores(rows, WEIGHTS, set(), NOON, LATER)
    again = ranking.scores(rows[::-1], WEIGHTS, set(), NOON, LATER)
    ties = len({round(score, 9) for score in scores}) < len(scores)  # then the five best are not the same five
    assert ties or again[::-1] == pytest.approx(scores)


@pytest.mark.parametrize(
    ("term", "root"),
    [
        ("lamps", "lamp"),
        ("testing", "test"),
        ("camped", "camp"),
        ("libraries", "librar"),
        ("series", "serie"),
        ("boxes", "box"),
        ("caches", "cach"),
        ("migration", "migrat"),
        ("migrations", "migrat"),
        ("connection", "connection"),
        ("question", "question"),
        ("need", "need"),
        ("bus", "bus"),
        ("лампе", "ламп"),
        ("日本", "日本"),
    ],
)
def test_a_root_is_what_the_forms_of_a_word_begin_with(term, root):
    assert ranking.root_of(term) == root


def test_the_columns_of_a_row_are_where_ranking_looks_for_them(a_session):
    a_session.asks("Where?")
    a_session.edits("src/lamp.py")
    a_session.is_answered("Here.")
    (row,) = reading.load_rows(a_session.store, ["1"])
    assert (row[reading.INDEXED][:2], row[reading.FILES], row[reading.MARKS]) == (
        ("Where?", "Here."),
        "src/lamp.py\n",
        (0, 0),
    )
