"""What holds, seen and changed in a session."""

import subprocess
import sys

import pytest

from tests.hook import REPOSITORY
from tests.interfaces.cli.situations import one_line

BONN, BERLIN = "Deploys go through the k8s cluster in Bonn.", "Deploys go through the k8s cluster in Berlin."


def named(text):
    """Return the id in an answer."""
    return next(word.strip(".;,") for word in text.split() if word.startswith("obs-"))


def test_a_statement_is_kept_and_listed(a_person):
    name = named(a_person.types("mem", f"facts add {BONN}"))
    assert [line for line in a_person.types("mem", "facts").splitlines() if line.startswith(name)]


def test_an_update_says_what_it_replaces_and_is_taken_back_by_a_word(a_person):
    old = named(a_person.types("mem", f"facts add {BONN}"))
    said = a_person.types("mem", f"facts add {BERLIN}")
    assert f"it replaces {old}" in said and "`/mem facts undo" in said
    assert f"{old} holds again." in a_person.types("mem", f"facts undo {named(said)}")


@pytest.mark.parametrize("earlier", [False, True])
def test_a_note_of_which_no_fact_was_made_yet_is_not_nothing(a_person, earlier):
    if earlier:  # so that there is a table of facts
        a_person.types("mem", f"facts retire {named(a_person.types('mem', f'facts add {BONN}'))}")
    assert "Nothing is known here" in a_person.types("mem", "facts")
    a_person.types("mem-inject", "Releases go out with make ship.")
    assert "Your notes are kept, and become facts when they are looked at" in a_person.types("mem", "facts")


def test_a_fact_that_is_retired_is_listed_no_more_and_explained_still(a_person):
    name = named(a_person.types("mem", f"facts add {BONN}"))
    a_person.types("mem", f"facts retire {name}")
    assert name not in a_person.types("mem", "facts")
    assert "(fact, retired)" in a_person.types("mem", f"facts {name}")


@pytest.mark.parametrize(("word", "missing"), [("retire", "an id"), ("undo", "an id"), ("add", "a statement")])
def test_a_verb_without_its_words_says_what_is_missing(a_person, word, missing):
    assert f"/mem facts {word} needs {missing} behind it" in one_line(a_person.types("mem", f"facts {word}"))


def test_what_a_hint_names_can_be_typed(a_person):
    name = named(a_person.types("mem", f"facts add {BONN}"))
    said = one_line(a_person.types("mem", f"facts undo {name}"))
    assert f"has replaced nothing (`/mem facts show {name}` shows what it did)" in said
    explained = a_person.types("mem", f"facts {name}")
    assert explained == a_person.types("mem", f"facts show {name}") == a_person.types("mem", f"facts history {name}")


@pytest.mark.parametrize("words", ["facts nonsense", "facts retire", "facts undo obs-k3w9x2mfqa", "facts add"])
def test_what_is_no_order_is_answered_in_a_line_with_a_hint(a_person, words):
    said = a_person.types("mem", words)
    assert "ralph-mem" in said and "Traceback" not in said


LEARNER = REPOSITORY / "ralph_mem" / "interfaces" / "learner.py"


def test_what_belongs_to_what_is_shown_by_a_label(a_person):
    a_person.types("mem", "facts add Maria owns the payments service.")
    subprocess.run([sys.executable, LEARNER, a_person.memory], env=a_person.environment, check=True, timeout=60)
    for words in ("relations", "relations Maria", "relations payments service"):
        assert "payments service --owned_by--> Maria" in a_person.types("mem", words)
    assert "There is no relation with that name here" in a_person.types("mem", "relations Ana")


@pytest.mark.parametrize("words", ["relations", "relations Ana"])
def test_where_no_relation_is_known_it_is_said_so_with_a_label_too(a_person, words):
    assert "Nothing is known here of what belongs to what" in a_person.types("mem", words)
