"""Odd words behind each command of the terminal: one line that says what to do, or a result; nothing run, nothing lost."""

import os
import posix

import pytest

from ralph_mem.interfaces.cli import app
from tests.folded import folded
from tests.interfaces.cli.situations import Said, complaint
from tests.interfaces.cli.test_app import LEAVES
from tests.odd_words import CANARY, ODD, is_shown_whole

# What starts processes, reads stdin or takes seconds at each call, and takes no words.
SLOW = {
    "demo",
    "man",
    "statusline",
    "doctor",
    "page",
    "bench loop",
    "bench truth",
    "embeddings setup",
    "embeddings rebuild",
    "uninstall",
}
NAMES = [" ".join(path[1:]) for path, _ in LEAVES if " ".join(path[1:]) not in SLOW]
ADDS, TAKES = {"inject", "facts add", "core set"}, {"undo"}
LONGEST = 700  # of a line with its hint


@pytest.fixture
def here(a_person, monkeypatch):
    """Return somebody whose command line is this process."""
    monkeypatch.setattr(os, "environ", a_person.terminal())
    monkeypatch.setattr(posix, "environ", {os.fsencode(name): os.fsencode(text) for name, text in a_person.terminal().items()})
    monkeypatch.chdir(a_person.project)
    return a_person


def as_words(text):
    """Return how a shell hands a text over: as one word, and as many."""
    text = text.replace("\0", "").encode("utf-8", "replace").decode()  # no shell can hand over a NUL
    return [text], text.split()


def rows(person):
    return {table: person.values(f"SELECT count(*) FROM {table}")[0] for table in ("sessions", "turns", "observations")}


def is_clean(said):
    """Hold an answer to what it may be."""
    assert said.code in {0, 1, 2} and "Traceback" not in said.err, said
    assert is_shown_whole(said.out + said.err, "\n\t"), ascii(said)
    if said.code and (said.err or not said.out):
        complaint(said)
        assert len(said.err.splitlines()) == 2 and len(said.err) < LONGEST, said.err


@pytest.mark.check
@pytest.mark.parametrize("name", NAMES)
def test_odd_words_behind_a_command_are_answered_in_words_and_harm_nothing(here, name, capfd):
    before = rows(here)

    @folded(("label", "text"), ODD.items(), ids=lambda each: each[0])
    def each(label, text):
        for words in as_words(text):
            is_clean(Said(app._run([*name.split(), *words]), *capfd.readouterr()))

    each()
    after = rows(here)
    assert all(after[table] >= number for table, number in before.items()) or name in TAKES
    assert after == before or name in ADDS | TAKES
    assert list(here.folder.rglob(CANARY)) == [] and here.damage() == []


def test_a_word_that_no_text_can_hold_is_told_in_a_line(here, capfd):
    for name in ("show", "why", "forget", "search", "import", "sessions"):
        is_clean(Said(app._run([name, "a\udcffb"]), *capfd.readouterr()))


def test_words_behind_a_forget_are_looked_for_and_nothing_is_deleted(a_person):
    assert "thrown" in a_person.reads("forget", "thrown", "out")
    assert "turn-zzzzzzzzzz" in a_person.fails("forget", "turn-zzzzzzzzzz")
    assert "is no id" in a_person.fails("forget", a_person.turn_that_says("thrown"), "thrown")


@pytest.mark.parametrize("when", ["yesterday", "last week", "monday", "2 days ago", "7d"])
def test_times_may_be_named_in_words(a_person, when):
    assert "thrown" in a_person.reads("search", "thrown", "--since", when)
