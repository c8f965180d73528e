"""Search: which memories a prompt means, in which order, and when it means none."""

import random

import pytest

from ralph_mem.memory.recall import common_words, ranking, search
from ralph_mem.memory.rows import index_text
from tests.folded import folded
from tests.readers import copied_into, made_once
from tests.sessions import DAY

COLOURS = (
    "amber azure beige coral cyan ebony fawn fuchsia hazel indigo ivory khaki lilac mauve ochre olive plum ruby teal wheat".split()
)


@pytest.fixture(scope="module")
def the_turns(tmp_path_factory):
    """Make once what `a_store_of_300_turns` copies."""

    def fill(session):
        session.starts()
        for number in range(300):
            said = f"Looked after lantern {number} in {COLOURS[number % len(COLOURS)]}"
            said += " tungsten" if number == 77 else ""
            said += " quartz basalt" if number % 50 == 3 else ""
            session.has_a_turn(f"Polish the lantern {number}", said)

    return made_once(tmp_path_factory.mktemp("turns"), fill)


@pytest.fixture
def a_store_of_300_turns(the_turns, a_project):
    """Have 300 turns behind it: `lantern` is in all, each colour in 15 or 16, `quartz` and `basalt` in six, `tungsten` in one."""
    return copied_into(a_project, the_turns)


def admitted(session, query):
    """Return the row numbers of the memories that are admitted, best first."""
    return [hit.values[0] for hit in search.hits(session.store, query, session.now) if hit.admitted]


@pytest.mark.parametrize(
    "prompt", ["hi", "Hello!", "continue", "yes please", "Thank you!", "ok, go ahead", "", " ", "?!", "a", "y"]
)
def test_small_talk_has_no_terms_and_no_hits(a_session, prompt):
    a_session.has_a_turn(prompt, prompt)
    assert (index_text.terms(prompt), search.hits(a_session.store, prompt, a_session.now)) == ([], [])


def test_the_terms_of_a_prompt_are_its_words_that_carry_meaning():
    assert index_text.terms("Why does parseConfig fail in src/lamp.py?") == "parseconfig fail src lamp py parse config".split()
    assert index_text.terms("電球の交換")[:2] == ["電球", "球の"]


def test_of_a_long_prompt_the_beginning_and_the_end_are_looked_up():
    found = index_text.terms("tungsten " + "filler" * 3000 + " quartz")
    assert found[0] == "tungsten" and found[-1] == "quartz"
    assert len(index_text.terms(" ".join(f"word{number}" for number in range(500)))) == index_text.MOST_TERMS


# The floor


def test_one_rare_term_admits(a_store_of_300_turns):
    assert admitted(a_store_of_300_turns, "what about tungsten then") == [78]


def test_two_uncommon_terms_admit(a_store_of_300_turns):
    assert sorted(admitted(a_store_of_300_turns, "the quartz and the basalt")) == [4, 54, 104, 154, 204, 254]


def test_one_uncommon_term_does_not_admit(a_store_of_300_turns):
    hits = search.hits(a_store_of_300_turns.store, "the quartz", a_store_of_300_turns.now)
    assert {(hit.values[0], hit.evidence, hit.admitted) for hit in hits} == {(row, 2, False) for row in (4, 54, 104, 154, 204, 254)}


def test_a_word_of_ordinary_english_counts_half(a_store_of_300_turns):
    a_store_of_300_turns.has_a_turn("Paint it", "The weekly portion of violet is in the middle basket.")
    assert [
        search.hits(a_store_of_300_turns.store, word, a_store_of_300_turns.now)[0].evidence for word in ("middle", "violet")
    ] == [1, 2]
    assert admitted(a_store_of_300_turns, "the middle one") == []
    assert admitted(a_store_of_300_turns, "the middle portion weekly") == [301]


def test_a_rare_term_that_few_memories_say_admits_where_they_were_asked_about_it(a_store_of_300_turns):
    a_store_of_300_turns.has_a_turn("Where is the zirconium?", "There.")
    a_store_of_300_turns.has_a_turn("Where is the ladder?", "Beside the zirconium.")
    assert admitted(a_store_of_300_turns, "zirconium") == [301]


@pytest.mark.parametrize("prompt", ["polish the lantern", "lantern", "looked after lantern in amber", "amber coral lantern"])
def test_common_terms_do_not_admit(a_store_of_300_turns, prompt):
    assert admitted(a_store_of_300_turns, prompt) == []


def test_weak_words_are_no_evidence(a_session):
    a_session.has_a_turn("Fix the failing test of the build script", "The error is fixed, the tests run.")
    for prompt in ("fix the test", "the builds fail with errors, run the scripts"):
        assert search.hits(a_session.store, prompt, a_session.now) == []


@folded("word", "test tests testing tested fixes fixing running planned files creates db py".split())
def test_a_weak_word_is_weak_in_all_its_forms(word):
    assert common_words.tells(word) == 0


@pytest.mark.parametrize("word", ["lantern", "tungsten", "ledger", "redis", "parser", "電球", "ab1"])
def test_a_word_of_its_own_is_not_weak(word):
    assert common_words.tells(word) > 0


def test_a_match_in_the_context_alone_does_not_admit(a_session):
    a_session.has_a_turn("Where is the tungsten?", "On the shelf.")
    a_session.has_a_turn("And the ladder?", "In the cellar.")
    assert a_session.turns("context")[1] == ("Where is the tungsten? On the shelf.",)
    assert admitted(a_session, "tungsten") == [1]


def test_files_and_commands_of_a_turn_are_evidence(a_session):
    a_session.asks("Mend it")
    a_session.edits("src/tungsten.py")
    a_session.runs("./polish --quartz")
    a_session.is_answered("Done.")
    assert admitted(a_session, "tungsten") == admitted(a_session, "quartz") == [1]


def test_notes_are_found_beside_turns(a_session):
    a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    a_session.notes("The tungsten is on the shelf")
    assert admitted(a_session, "tungsten") == [2]


def test_an_open_turn_is_not_found(a_session):
    a_session.asks("Where is the tungsten?")
    assert search.hits(a_session.store, "tungsten", a_session.now) == []


# The order


def test_of_equal_texts_the_newest_comes_first(a_session):
    for _ in range(3):
        a_session.has_a_turn("Where is the tungsten?", "On the shelf.")
        a_session.now += DAY
    hits = search.hits(a_session.store, "tungsten shelf", a_session.now)
    assert [hit.values[0] for hit in hits] == [3, 2, 1]
    assert hits[0].score > hits[1].score > hits[2].score


def test_a_better_match_comes_before_a_newer_one(a_session):
    a_session.has_a_turn("Where is the tungsten with the quartz and the basalt?", "On the shelf.")
    a_session.now += 20 * DAY
    a_session.has_a_turn("Is there anything to be said of all the lanterns that we have, and quartz?", "Nothing at all " * 30)
    assert [hit.values[0] for hit in search.hits(a_session.store, "tungsten quartz basalt shelf", a_session.now)] == [1, 2]


def test_a_memory_from_the_future_counts_as_new(a_session):
    a_session.has_a_turn("Where is the tungsten?", "On the shelf.")
    (hit,) = search.hits(a_session.store, "tungsten", a_session.now - 400 * DAY)
    assert hit.admitted and hit.score == pytest.approx(1 + ranking.RECENCY)


def test_those_below_the_floor_come_last(a_store_of_300_turns):
    hits = search.hits(a_store_of_300_turns.store, "quartz basalt amber tungsten", a_store_of_300_turns.now)
    assert [hit.admitted for hit in hits] == sorted([hit.admitted for hit in hits], reverse=True)
    assert 7 <= len(hits) <= search.CANDIDATES


# Whatever somebody types

SYNTAX = """AND OR NOT NEAR( NEAR/2 * " "" : ^ - + ( ) { } ' ; , title: -- % lamp Tungsten quartz* "basalt" 日本語 é ² ß""".split()
SIGNS = ["\0", "\ud800", "\U0001f600", "\u200b", "a" * 300, " ", "\n", "{title body} :"]


@pytest.mark.check
def test_20_000_strings_of_query_syntax_are_all_survived(a_session):
    a_session.has_a_turn("Where is the lamp of tungsten, quartz and basalt? 日本語", "On the shelf.")
    drawn = random.Random(13)
    found = 0
    for _ in range(20_000):
        query = drawn.choice(["", " "]).join(drawn.choices(SYNTAX + SIGNS, k=drawn.randint(1, 8)))
        found += bool(search.hits(a_session.store, query, a_session.now))
    assert 1_000 < found < 19_000


@pytest.mark.parametrize("part", ["tungsten ", "x", '"', "日本語", "NEAR(", "\0", "aB"])
def test_a_query_of_100_kilobytes_is_survived(a_session, part):
    query = part * (100_000 // len(part))
    a_session.has_a_turn("Where is the tungsten?", "On the shelf.")
    assert bool(search.hits(a_session.store, query, a_session.now)) == ("tungsten" in query)


def test_an_empty_store_has_nothing(a_session):
    assert search.hits(a_session.store, "tungsten", a_session.now) == []
