"""What is told to who asks what was done at a time."""

import pytest

from ralph_mem.memory.inject import days
from ralph_mem.memory.rows import row
from tests.sessions import DAY, HOUR, NOON

MONDAY = NOON + 4 * DAY  # 2026-01-05
ROOMS = ("cellar", "attic", "kitchen", "garden", "hall")


def works(session, at, asked, *files, answer="It is done."):
    """Have a turn at a time that changed these files."""
    session.now = at
    session.asks(asked)
    for file in files:
        session.edits(file)
    session.is_answered(answer)


@pytest.fixture
def a_week(a_session):
    """Have worked from Monday to Friday, each day at noon most, and said goodbye."""
    for number, room in enumerate(ROOMS):
        day = MONDAY + number * DAY
        works(a_session, day - HOUR, f"Sweep the {room} where the lanterns were", f"{room}/broom.py")
        works(a_session, day, f"Hang new wires into the {room}", *[f"{room}/wire{at}.py" for at in range(3)])
        works(a_session, day + HOUR, f"Dust {number} shelves that stand around in there", f"{room}/dust.py")
        works(a_session, day + 2 * HOUR, "ok danke", answer="Bis morgen.")


def lines_of(text):
    return [line for line in text.splitlines() if line.startswith("- [")]


def test_each_day_of_the_time_has_its_turn_that_did_most_the_newest_first(a_week, another_session):
    another_session.now = MONDAY + 7 * DAY
    text = another_session.asks("What did we do last week?")
    told = [room for line in lines_of(text) for room in ROOMS if f"Hang new wires into the {room}" in line]
    assert told == list(reversed(ROOMS))


def test_how_many_more_turns_there_are_is_said_and_how_to_see_them(a_week, another_session):
    another_session.now = MONDAY + 7 * DAY
    text = another_session.asks("What did we do last week?")
    assert days.LEFT.format(15 - len(lines_of(text)), "2026-01-05", "2026-01-12") == text.splitlines()[-2]
    assert row.tokens(text) <= 600


def test_a_remark_is_not_what_was_done(a_week, another_session):
    another_session.now = MONDAY + 4 * HOUR
    text = another_session.asks("What did we do today?")
    assert len(lines_of(text)) == 3 and "danke" not in text and "not told here" not in text


def test_of_more_days_than_have_room_each_eighth_has_a_turn(a_session, another_session):
    for day in range(25):
        works(a_session, NOON + day * DAY, f"Write chapter {day} of the handbook of lanterns", f"chapter{day}.md")
    another_session.now = NOON + 40 * DAY
    lines = lines_of(another_session.asks("What did we do last month?"))
    told = {day for day in range(25) for line in lines if f"chapter {day} " in line or f"with {day} " in line}
    assert sorted((24 - day) * days.MOST // 25 for day in told) == list(range(days.MOST))


def test_what_the_session_did_itself_is_not_told_nor_counted(a_session):
    works(a_session, MONDAY, "Hang new wires into the cellar", "cellar/wire.py")
    assert a_session.asks("What did we do today?") == ""
