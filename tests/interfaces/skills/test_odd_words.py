"""Odd words behind each verb in the client: answered in words, nothing run, nothing lost."""

import os
import posix

import pytest

from ralph_mem.interfaces import skills, verbs
from tests.folded import folded
from tests.interfaces.cli.situations import one_line
from tests.odd_words import CANARY, ODD, is_shown_whole

# What starts a process of its own gets a few of them only.
A_FEW = {name: ODD[name] for name in ("quotes", "orders", "nothing", "an option in front", "a path")}
ADDS, TAKES = {"inject"}, {"undo"}


@pytest.fixture
def here(a_person, monkeypatch):
    """Return somebody whose typed commands this process answers."""
    environment = {**a_person.environment, "HOME": str(a_person.home)}
    monkeypatch.setattr(posix, "environ", {os.fsencode(name): os.fsencode(value) for name, value in environment.items()})
    monkeypatch.chdir(a_person.project)
    return a_person


def typed(person, name, text):
    """Answer a typed command as the door does; returns what the person reads."""
    asked = skills.Asked(str(person.project), text, person.session, "", typed=True)
    return skills.plain(skills.answered(name, lambda: asked))


def rows(person):
    return {table: person.values(f"SELECT count(*) FROM {table}")[0] for table in ("sessions", "turns", "observations")}


def is_clean(said):
    """Hold an answer to what it may be: something to read, or one line with what to do."""
    assert said.strip() and is_shown_whole(said), ascii(said)[:300]
    if said.startswith("ralph-mem: "):
        assert one_line(said).endswith(")"), said


@pytest.mark.check
@pytest.mark.parametrize("verb", verbs.OF)
def test_odd_words_behind_a_verb_are_answered_in_words_and_harm_nothing(here, verb):
    before = rows(here)

    @folded(("name", "text"), (A_FEW if verb in ("doctor", "import") else ODD).items(), ids=lambda each: each[0])
    def each(name, text):
        is_clean(typed(here, "mem", f"{verb} {text}"))

    each()
    after = rows(here)
    assert all(after[table] >= number for table, number in before.items()) or verb in TAKES
    assert after == before or verb in ADDS | TAKES
    assert list(here.folder.rglob(CANARY)) == [] and here.damage() == []


@pytest.mark.check
@pytest.mark.parametrize("name", [name for name in skills.NAMES if name.startswith("mem-")] + ["ralph"])
def test_odd_words_behind_a_short_command_are_answered_in_words_and_harm_nothing(here, name):
    before = rows(here)

    @folded(("label", "text"), ODD.items(), ids=lambda each: each[0])
    def each(label, text):
        is_clean(typed(here, name, text))

    each()
    after = rows(here)
    assert after == before or (name == "mem-inject" and after["observations"] > before["observations"])
    assert list(here.folder.rglob(CANARY)) == [] and here.damage() == []


def test_words_that_are_no_verb_name_the_help(here):
    for text in ODD.values():
        is_clean(typed(here, "mem", text))


# Ordinary words


@pytest.mark.parametrize("text", ["that thing about thrown", "'thrown out'", "thrown"])
def test_words_behind_a_forget_are_looked_for_and_nothing_is_deleted(here, text):
    before = rows(here)
    is_clean(typed(here, "mem-forget", text))
    assert rows(here) == before


def test_an_option_that_a_note_does_not_have_is_asked_about(here):
    said = one_line(typed(here, "mem-inject", "--pin never push"))
    assert "no option --pin for a note, so nothing was kept" in said and "-- in front of it" in said
    assert typed(here, "mem-inject", "-- --pin never push").startswith("Remembered")
