"""What a person says about a memory, as the hooks heed it: pinned comes first, what misled comes late or not at all."""

import pytest

from ralph_mem.memory.recall import features, ranking, search
from ralph_mem.memory.rows import reading
from tests.sessions import Session


def mark(session, public_id, **columns):
    """Set what a person said about a row."""
    table = "turns" if public_id.startswith("turn-") else "observations"
    for column, value in columns.items():
        session.rows(f"UPDATE {table} SET {column} = ? WHERE public_id = ?", value, public_id)
    session.store.set_property(reading.WAS_PINNED, 1)


def told_at_start(session):
    """Return the ids that the next session is told at its start, in order."""
    third = Session(session.store, session.project, f"next-{session.rows('SELECT count(*) FROM sessions')}", session.now)
    return [line.partition("[")[2].partition(",")[0] for line in third.starts("clear").splitlines() if line.startswith("- [")]


def told(session, prompt):
    """Return what a new session is told at a prompt."""
    third = Session(session.store, session.project, f"next-{session.rows('SELECT count(*) FROM sessions')}", session.now)
    third.starts("resume")
    return third.asks(prompt)


# Pinned


def test_what_is_pinned_comes_first_at_the_start(a_session):
    old = a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    for number in range(20):
        a_session.has_a_turn(f"Where is lantern {number}?", "There.")
    note = a_session.notes("The zirconium is dear")
    mark(a_session, old, pinned=1)
    assert told_at_start(a_session)[:2] == [old, note]


def test_all_that_is_pinned_comes_first_and_the_last_turns_follow(a_session):
    names = [a_session.has_a_turn(f"Where is lantern {number}?", "There.") for number in range(20)]
    for name in names[:8]:
        mark(a_session, name, pinned=1)
    assert told_at_start(a_session)[:13] == names[:8][::-1] + names[15:][::-1]


def test_a_pin_that_was_told_at_the_start_is_not_told_at_a_prompt(a_session):
    name = a_session.notes("The tungsten is on the shelf", "behind the ladder")
    mark(a_session, name, pinned=1)
    following = Session(a_session.store, a_session.project, "following", a_session.now)
    assert name in following.starts("clear")
    assert following.asks("Where is the tungsten?") == ""


@pytest.mark.parametrize(("title", "content"), [("What to do next", "ship the lamp"), ("How we do it:", "with make ship")])
def test_a_pinned_note_is_told_whatever_its_first_line_says(a_session, title, content):
    name = a_session.notes(title, content)
    mark(a_session, name, pinned=1)
    assert told_at_start(a_session) == [name]


def test_a_pinned_memory_is_told_wherever_it_was_told_before(a_session):
    for name in (a_session.notes("The tungsten is on the shelf"), a_session.has_a_turn("Where is the quartz?", "Here.")):
        word = "tungsten" if name.startswith("obs-") else "quartz"
        assert name in told(a_session, f"{word}?")
        mark(a_session, name, pinned=1)
        assert name in told(a_session, f"{word}?")


def test_pinning_admits_nothing_that_the_prompt_does_not_mean(a_session):
    mark(a_session, a_session.notes("The tungsten is on the shelf"), pinned=1)
    assert told(a_session, "Where is the ferret?") == told(a_session, "fix the failing test") == ""


def test_a_pinned_memory_comes_before_one_that_fits_as_well(a_session):
    first, second = [a_session.notes("The tungsten is on the shelf") for _ in range(2)]
    assert [hit.values[1] for hit in search.hits(a_session.store, "tungsten shelf", a_session.now)] == [second, first]
    mark(a_session, first, pinned=1)
    assert [hit.values[1] for hit in search.hits(a_session.store, "tungsten shelf", a_session.now)] == [first, second]


# Misled


def test_what_misled_is_not_told_at_the_start(a_session):
    note = a_session.notes("The zirconium is dear")
    turn = a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    kept = a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    mark(a_session, note, misled=1)
    mark(a_session, turn, misled=1)
    assert told_at_start(a_session) == [kept]


def test_what_misled_is_not_told_at_the_start_even_if_it_is_pinned(a_session):
    kept = a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    for name in (a_session.notes("The zirconium is dear"), a_session.has_a_turn("Where is the tungsten?", "In the cellar.")):
        mark(a_session, name, pinned=1, misled=1)
    assert told_at_start(a_session) == [kept]


def test_what_misled_must_be_likelier_each_time_before_it_is_told():
    table, _ = features.read_tables()
    for level in features.LEVELS:
        least = [table.least(level, misled) for misled in range(4)]
        assert least == sorted(set(least)) and least[3] < 1


def test_what_misled_is_told_with_a_mark(a_session):
    name = a_session.notes("The tungsten of the zirconium lantern", "lies beside basalt and quartz")
    mark(a_session, name, misled=1)
    line = f"- [{name}, 2026-01-01, misled before] user: The tungsten"
    assert line in told(a_session, "the tungsten of the zirconium lantern with basalt and quartz?")


def test_what_misled_often_is_not_told(a_session):
    name = a_session.notes("The tungsten of the zirconium lantern", "lies beside basalt and quartz")
    mark(a_session, name, misled=8)
    assert told(a_session, "tungsten zirconium basalt?") == ""


@pytest.mark.parametrize(
    ("pinned", "misled", "score"), [(0, 0, 1.0), (1, 0, 1.2), (0, 1, 0.3), (1, 1, 0.36), (0, 2, 0.09), (1, 3, 0.0324)]
)
def test_marks_change_a_score(pinned, misled, score):
    assert ranking.marked(1.0, pinned, misled) == pytest.approx(score)


def test_a_memory_without_marks_is_scored_as_ever(a_session):
    a_session.notes("The tungsten is on the shelf")
    (hit,) = search.hits(a_session.store, "tungsten shelf", a_session.now)
    assert hit.admitted and hit.score == pytest.approx(1 + ranking.NOTE_RECENCY, abs=1e-3)
