"""What a query names of a memory that was not found."""

import pytest

from ralph_mem.bench import misses
from tests.bench.conftest import a_memory, a_query, a_set

NOTE = a_memory(0, "The pump of the zeppelin is loud", role="Ada")
TURN = a_memory(1, "Done.", title="mend it", files=["src/bilge_pump.py"])


def missed(read, text, *relevant, ranking=(), unit="observation"):
    history = read(a_set(a_query("x", "m0"), memories=[NOTE, TURN])).projects[0]
    return misses.of_query(text, relevant, ranking, history, unit)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what did Ada say?", {"speaker"}),
        ("is the pump broken?", {"word"}),
        ("why is the zeppelin so noisy?", {"word"}),
        ("what is loud?", {"word"}),
        ("weather", set()),
    ],
)
def test_a_note_is_named_by_who_said_it_and_its_words(read, text, named):
    assert missed(read, text, "m0") == [named]


@pytest.mark.parametrize("text", ["open src/bilge_pump.py", "bilge_pump.py?", "what about bilge_pump, then"])
def test_a_turn_is_named_by_its_file(read, text):
    assert "file" in missed(read, text, "m1")[0]


@pytest.mark.parametrize(("text", "is_phrase"), [("a floating zeppelin pump", True), ("a pump, a zeppelin", False)])
def test_two_words_in_a_row_are_a_phrase(read, text, is_phrase):
    history = read(a_set(a_query("x", "m0"), memories=[a_memory(0, "Our zeppelin pump is loud")])).projects[0]
    (named,) = misses.of_query(text, ["m0"], [], history, "observation")
    assert ("phrase" in named) == is_phrase


def test_what_was_found_is_not_missed(read):
    assert missed(read, "pump", "m0", ranking=["m0"]) == []


def test_of_a_session_whatever_one_of_its_memories_says_counts(read):
    assert missed(read, "Ada: mend it", "s1", unit="session") == [{"speaker", "word"}]


def test_the_shares_are_those_of_all_that_is_missed():
    found = misses.report([frozenset({"word"}), frozenset()])
    assert (found["missed"], found["word"]["value"], found["nothing"]["value"], found["file"]["value"]) == (2, 0.5, 0.5, 0.0)
