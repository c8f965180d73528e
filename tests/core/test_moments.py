"""Moments: days and spans as people write them, in their own time zone."""

import time
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import moment_of, when
from tests.folded import folded
from tests.sessions import DAY, HOUR, NOON

MINUTE = 60_000


@pytest.fixture
def zone(monkeypatch):
    """Live in a time zone."""

    def move(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    move("UTC")
    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "ago"),
    [("1m", MINUTE), ("90m", 90 * MINUTE), ("12h", 12 * HOUR), ("7d", 7 * DAY), ("2w", 14 * DAY), ("0d", 0), ("007d", 7 * DAY)],
)
def test_a_span_is_so_long_before_now(text, ago):
    assert moment_of(text, NOON) == NOON - ago


@pytest.mark.parametrize("text", ["99999d", "999999w", "999999d"])
def test_a_span_that_is_longer_than_time_is_since_ever(text):
    assert moment_of(text, NOON) == 1


@folded(
    "text",
    [
        *(
            "2026-02-30",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-01-32",
            "2026-1",
            "26-01-01",
            "2026-01-01 12:00",
            "01.02.2026",
        ),
        *(
            "",
            " ",
            "d",
            "-5d",
            "+5d",
            "1.5d",
            "5 d",
            "5y",
            "5D",
            "1d2h",
            "٧d",
            "9999999d",
            "yesterdays",
            "now",
            "\0",
            "\ud800",
            "x" * 999,
        ),
    ],
    ids=ascii,
)
def test_what_is_no_time_is_named(text):
    with pytest.raises(RalphMemError, match="is no time") as error:
        moment_of(text, NOON)
    assert "2026-01-31" in error.value.hint and "7d" in error.value.hint and len(str(error.value)) < 60


@pytest.mark.parametrize(
    ("name", "day", "utc"),
    [
        ("UTC", "2026-01-01", "2026-01-01 00:00"),
        ("UTC", "2024-02-29", "2024-02-29 00:00"),
        ("Asia/Kathmandu", "2026-01-01", "2025-12-31 18:15"),
        ("America/Los_Angeles", "2026-01-01", "2026-01-01 08:00"),
        ("Pacific/Kiritimati", "2026-01-01", "2025-12-31 10:00"),
        # the clock goes on, and back, on that day
        ("Europe/Berlin", "2026-03-29", "2026-03-28 23:00"),
        ("Europe/Berlin", "2026-03-30", "2026-03-29 22:00"),
        ("Europe/Berlin", "2026-10-25", "2026-10-24 22:00"),
        ("Europe/Berlin", "2026-10-26", "2026-10-25 23:00"),
        # a day without a midnight begins at one
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04 03:00"),
        ("Africa/Cairo", "2024-04-26", "2024-04-25 22:00"),
    ],
)
def test_a_day_begins_where_the_person_is(zone, name, day, utc):
    zone(name)
    at = moment_of(day, NOON)
    assert time.strftime("%Y-%m-%d %H:%M", time.gmtime(at / 1000)) == utc


@pytest.mark.parametrize(("name", "local"), [("UTC", "12:00"), ("Asia/Tokyo", "21:00"), ("America/New_York", "07:00")])
def test_a_time_is_told_as_the_clock_of_the_person_says(zone, name, local):
    zone(name)
    assert when(NOON) == f"2026-01-01 {local}"


def test_the_first_day_of_all_is_a_time_and_not_nothing(zone):
    # 0 means that no time was given
    assert moment_of("1970-01-01", NOON) != 0


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dates(min_value=date(1971, 1, 1), max_value=date(2037, 12, 30)),
       st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tehran"]))  # fmt: skip
def test_a_day_that_is_told_is_the_day_that_was_given(zone, day, name):
    zone(name)
    at = moment_of(day.isoformat(), NOON)
    assert when(at)[:10] == day.isoformat()
    assert when(at - 1000)[:10] < day.isoformat()
