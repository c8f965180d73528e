"""Which time a query names, as seen from Wednesday, 17 June 2026, at noon here."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ralph_mem.memory.recall import candidates, times
from tests.folded import folded

NOON = int(time.mktime((2026, 6, 17, 12, 0, 0, 0, 0, -1)) * 1000)
NAMED = {
    "what did we do yesterday?": ("2026-06-16", "2026-06-17"),
    "undo what broke today": ("2026-06-17", "2026-06-18"),
    "the parser bug of last week": ("2026-06-08", "2026-06-15"),
    "why did the build fail this week": ("2026-06-15", "2026-06-22"),
    "what changed last month": ("2026-05-01", "2026-06-01"),
    "the release of last year": ("2025-01-01", "2026-01-01"),
    "on Monday we moved the cache": ("2026-06-15", "2026-06-16"),
    "the fix from last Wednesday": ("2026-06-10", "2026-06-11"),
    "2 days ago it still worked": ("2026-06-15", "2026-06-16"),
    "what broke 3 weeks ago": ("2026-05-24", "2026-05-31"),
    "everything of the past 2 days": ("2026-06-15", "2026-06-18"),
    "what did we decide in May": ("2026-05-01", "2026-06-01"),
    "what did we decide in August": ("2025-08-01", "2025-09-01"),
    "the outage of 3 June": ("2026-06-03", "2026-06-04"),
    "the outage of December 24th": ("2025-12-24", "2025-12-25"),
    "the outage of June 3, 2025": ("2025-06-03", "2025-06-04"),
    "the log of 2026-01-31.": ("2026-01-31", "2026-02-01"),
    "2026-01-31 and its log": ("2026-01-31", "2026-02-01"),
    "June 2024": ("2024-06-01", "2024-07-01"),
    "what did we drop in 2024": ("2024-01-01", "2025-01-01"),
}
UNNAMED = [
    "it may fail", "May I merge this?", "the last test", "port 2024", "run 20 tests", "retry 3 times", "a weekday", "",
    "bump to 2026.1", "last 5 lines", "sunday driver",
]  # fmt: skip


def ms(day):
    return int(time.mktime((*time.strptime(day, "%Y-%m-%d")[:8], -1)) * 1000)


@folded("query", NAMED)
def test_a_query_names_a_time(query):
    assert candidates.time_named(query, NOON) == tuple(map(ms, NAMED[query]))


@folded("query", UNNAMED)
def test_words_that_only_look_like_a_time_name_none(query):
    assert candidates.time_named(query, NOON) is None


@given(some.text(), some.integers(0, 4_000_000_000_000))
def test_any_text_names_a_span_in_time_or_none(text, now):
    span = times.named(text, now)
    assert span is None or span[0] < span[1]


@pytest.mark.parametrize("day", ["30 February 2025", "31 June", "2025-13-40"])
def test_a_day_that_the_calendar_lacks_breaks_nothing(day):
    span = times.named(f"the change of {day}", NOON)
    assert span is None or span[0] < span[1]


QUESTIONS = [
    "what did we do yesterday?", "What have you changed today?", "where did we stop last Friday?", "recap of last week",
    "what did we work on last month", "remind me what was done 2 days ago", "what happened on 3 June?",
]  # fmt: skip
ELSEWHERE = {
    "was haben wir gestern gemacht?": "what did we do yesterday?",
    "Guten Morgen! Was habe ich letzte Woche gemacht?": "what did I do last week?",
    "¿qué hicimos ayer?": "what did we do yesterday?",
    "¿Qué cambió la semana pasada?": "what changed last week?",
    "qu'est-ce qu'on a fait hier ?": "what did we do yesterday?",
    "Qu’est-ce qu’on a fait le mois dernier ?": "what did we do last month?",
    "was haben wir am Montag gemacht?": "what did we do on Monday?",
    "Was haben wir im März gemacht?": "what did we do in March?",
    "was haben wir am 3. Juni 2025 gemacht?": "what did we do on 3 June 2025?",
    "que hicimos el martes?": "what did we do last Tuesday?",
    "¿Qué hicimos el sábado pasado?": "what did we do last Saturday?",
    "¿qué cambió en agosto de 2024?": "what changed in August 2024?",
    "qu'est-ce qu'on a fait lundi ?": "what did we do on Monday?",
    "qu'est-ce qu'on a fait mercredi dernier ?": "what did we do last Wednesday?",
    "Bonjour, qu'est-ce que j'ai fait en août ?": "what did I do in August?",
}
OTHERS = [
    "was haben wir hier gemacht?", "was machen wir heute?", "was haben wir gestern am Parser gemacht?", "¿qué hacemos hoy?",
    "¿qué hicimos ayer con el parser?", "qu'est-ce qu'on fait ?", "qu'est-ce qu'on a fait hier pour le parser ?",
    "what did we do yesterday about the parser?", "what should we do today?", "run the tests of last week", "what did we do?",
    "was machen wir am Montag?", "que hicimos el martes con el parser?", "qu'est-ce qu'on fait lundi ?",
    "qu'est-ce qu'on a lundi ?", "was haben wir im Parser gemacht?", "was haben wir am 99. Mai gemacht?",
    "do it today", "I have work today", "the build was broken yesterday", "will it be done this week",
]  # fmt: skip


@folded("query", QUESTIONS)
def test_a_question_about_a_time_alone_asks_what_was_done(query):
    assert candidates.time_asked_about(query, NOON) is not None


@folded("query", ELSEWHERE)
def test_the_question_alone_is_read_in_german_spanish_and_french(query):
    assert candidates.time_asked_about(query, NOON) == candidates.time_asked_about(ELSEWHERE[query], NOON) is not None


@folded("query", OTHERS)
def test_a_question_about_more_than_a_time_is_answered_by_its_words(query):
    assert candidates.time_asked_about(query, NOON) is None


ALONE = {
    "yesterday": "yesterday", "2026-06-16": "yesterday", "16 June 2026": "yesterday", "June 16th": "yesterday",
    "things done yesterday": "yesterday", "what did we do yesterday?": "yesterday", "gestern": "yesterday",
    "Tuesday?": "on Tuesday", "la semana pasada": "last week", "last week": "last week", "in May": "in May",
}  # fmt: skip
NOT_ALONE = [
    "parser yesterday", "404 yesterday", '"2026-06-16"', "what should we do today", "since Monday", "day before yesterday", "16",
    "last change", "march", "2026.1",
]  # fmt: skip


@folded("query", ALONE)
def test_a_search_may_name_a_time_and_nothing_else(query):
    assert candidates.time_alone(query, NOON) == candidates.time_named(ALONE[query], NOON) is not None


@folded("query", NOT_ALONE)
def test_a_search_for_more_than_a_time_or_for_a_text_in_quotes_is_for_its_words(query):
    assert candidates.time_alone(query, NOON) is None
