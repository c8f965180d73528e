"""Candidates: which rows are looked at for a query, and that their number, not the memory's, sets the cost."""

import pytest

from ralph_mem.memory.recall import candidates
from ralph_mem.memory.rows import index_text
from tests.folded import folded
from tests.readers import copied_into, made_once
from tests.sessions import DAY, HOUR

ANYTHING = candidates.Wanted()


@pytest.fixture(scope="module")
def the_notes(tmp_path_factory):
    """Make once what `many_notes` copies."""

    def fill(session):
        session.starts()
        for number in range(900):
            session.now += HOUR
            session.notes(f"lantern {'brass' if number % 10 == 3 else 'glass'}" + (" tungsten" if number == 3 else ""))

    return made_once(tmp_path_factory.mktemp("notes"), fill)


@pytest.fixture
def many_notes(the_notes, a_project):
    """Note 900 lanterns an hour apart: each tenth of brass, one of tungsten at the very beginning."""
    return copied_into(a_project, the_notes)


def find(session, query, most=20, wanted=ANYTHING, index="memory_fts"):
    """Return the row numbers of the candidates, best first, and what each term weighs."""
    numbers, weights = candidates.find(session.store, index, candidates.terms_of(query), session.now, wanted, most)
    return [int(number) for number in numbers], weights


def test_a_rare_word_is_found_however_old_and_however_common_the_others_are(many_notes):
    assert find(many_notes, "the tungsten lantern of brass")[0][0] == 4


def test_the_rarer_a_word_the_more_it_weighs(many_notes):
    _, weights = find(many_notes, "tungsten lantern brass glass")
    assert weights["tungsten"] > weights["brass"] > weights["glass"] > weights["lantern"] > 0


def test_of_a_word_that_is_not_read_to_its_end_the_frequency_is_estimated(many_notes, monkeypatch):
    whole = find(many_notes, "tungsten lantern brass glass")[1]
    monkeypatch.setattr(candidates, "POSTINGS", {"memory_fts": 0})
    monkeypatch.setattr(candidates, "FEWEST_POSTINGS", 30)
    assert find(many_notes, "tungsten lantern brass glass")[1] == pytest.approx(whole, abs=0.05)


def test_no_more_rows_are_read_for_a_word_than_its_share_of_the_budget(many_notes):
    read = []
    many_notes.store.db.set_trace_callback(read.append)
    find(many_notes, " ".join(["lantern", "brass", *(f"w{number}" for number in range(28))]))
    many_notes.store.db.set_trace_callback(None)
    limits = {line.rpartition("LIMIT ")[2] for line in read if "MATCH" in line}
    assert limits == {f"{candidates.FEWEST_POSTINGS})"}


def test_a_word_that_is_everywhere_finds_the_newest_rows_alone(many_notes):
    assert find(many_notes, "lantern", most=5)[0] == [900, 899, 898, 897, 896]


def test_no_more_candidates_come_than_are_wanted(many_notes):
    assert [len(find(many_notes, "brass", most=most)[0]) for most in (1, 7, 500)] == [1, 7, 90]


def test_times_and_types_limit_the_candidates(many_notes):
    early = candidates.Wanted(until=many_notes.now - 30 * DAY)
    assert 0 < max(find(many_notes, "brass", wanted=early)[0]) <= 900 - 30 * 24
    assert find(many_notes, "brass", wanted=candidates.Wanted(types=["turn"])) == ([], {})
    assert find(many_notes, "tungsten", wanted=candidates.Wanted(types=["note"]))[0] == [4]


def test_of_two_turns_with_the_same_words_the_newer_one_is_looked_at_first(a_session):
    for number in range(5):
        a_session.has_a_turn(f"Where is lantern number {number}?", "Here.")
        a_session.now += 10 * DAY
    assert find(a_session, "lantern", most=2)[0] == [5, 4]


# Phrases


@folded(
    ("query", "phrases"),
    [
        ("look at src/lamp.py", ["src/lamp.py"]),
        ("(src/lamp.py:12),", ["src/lamp.py:12"]),
        ("read @src/lamp.py, (@docs/LAMP.md)", ["src/lamp.py", "docs/lamp.md"]),
        ("since version 2.13.0?", ["2.13.0"]),
        ("the max_retry_count option", ["max_retry_count"]),
        ('it says "cannot open the socket" now', ["cannot open socket"]),
        ("run `pytest fast`", ["pytest fast"]),
        ("error E0308 in lib", []),
        ('an inch is 1"', []),
        ("nothing of the kind", []),
        ("", []),
    ],
)
def test_a_phrase_is_what_stands_in_quotes_or_has_parts(query, phrases):
    assert candidates.phrases_of(query) == phrases


def test_there_are_only_so_many_phrases():
    assert len(candidates.phrases_of(" ".join(f"a/b{number}" for number in range(50)))) == candidates.MOST_PHRASES


@pytest.mark.parametrize("text", ["version 2.13.0", "src/lamp.py", "cannot open the socket", "max_retry_count"])
def test_a_row_with_the_phrase_comes_before_a_newer_one_with_its_parts(a_session, text):
    for said in (f"it was {text}", " and then ".join(reversed(index_text.split(text)))):
        a_session.notes(said)
        a_session.now += DAY
    assert find(a_session, f'"{text}"')[0] == [1, 2]


def test_a_phrase_of_common_parts_is_not_looked_up(many_notes):
    asked = []
    many_notes.store.db.set_trace_callback(asked.append)
    find(many_notes, " ".join(["lantern/glass", *(f"w{number}" for number in range(28))]))
    many_notes.store.db.set_trace_callback(None)
    assert [line for line in asked if '"lantern"' in line] and not [line for line in asked if "lantern/glass" in line]


def test_at_a_prompt_of_rows_that_hold_the_same_the_newest_come_first():
    held = {"12": 5.0, "500": 5.0, "90": 5.0, "499": 4.9}
    assert candidates.with_newer_first(held, 500) == ["500", "499", "90", "12"]


def test_at_a_prompt_what_holds_much_more_comes_before_what_is_newer():
    assert candidates.with_newer_first({"12": 9.0, "500": 4.0}, 500) == ["12", "500"]
