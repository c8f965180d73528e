"""Search: which memories a prompt means, in which order, and when it means none."""

import random

import pytest

from ralph_mem.memory.recall import features, ranking, search
from ralph_mem.memory.rows import query_text
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
    assert (query_text.terms(prompt), search.hits(a_session.store, prompt, a_session.now)) == ([], [])


def test_an_error_that_is_pasted_again_brings_the_turn_that_met_it(a_session):
    failure = "Error: listen EADDRINUSE: address already in use :::4010"
    a_session.asks("start the api")
    a_session.runs("pnpm dev", error=f"Exit code 1\n{failure}")
    a_session.is_answered("Another process held the port; I ended it.")
    met = a_session.store.one("SELECT id FROM turns")[0]
    for number in range(30):
        a_session.has_a_turn(f"Describe page {number} of the handbook", f"Page {number} has a heading now.")
    assert admitted(a_session, failure) == [met]


def test_the_terms_of_a_prompt_are_its_words_that_carry_meaning():
    assert query_text.terms("Why does parseConfig fail in src/lamp.py?") == "parseconfig fail src lamp py parse config".split()
    assert query_text.terms("電球の交換")[:2] == ["電球", "球の"]


def test_of_a_long_prompt_the_beginning_and_the_end_are_looked_up():
    found = query_text.terms("tungsten " + "filler" * 3000 + " quartz")
    assert found[0] == "tungsten" and found[-1] == "quartz"
    assert len(query_text.terms(" ".join(f"word{number}" for number in range(500)))) == query_text.MOST_TERMS


# What is likely enough


def test_a_prompt_that_says_what_a_memory_says_admits_it(a_store_of_300_turns):
    a_store_of_300_turns.has_a_turn("Paint the zirconium shelf", "The weekly portion of violet is in the basket.")
    assert admitted(a_store_of_300_turns, "paint the zirconium shelf in violet") == [301]


@pytest.mark.parametrize("prompt", ["looked after it", "polish all of them", "fix the test", "run the builds and show the errors"])
def test_what_everybody_says_admits_nothing(a_store_of_300_turns, prompt):
    assert admitted(a_store_of_300_turns, prompt) == []


def test_a_quieter_setting_admits_no_more(a_store_of_300_turns):
    store, now = a_store_of_300_turns.store, a_store_of_300_turns.now
    for query in ("the quartz and the basalt", "polish lantern 77 with tungsten", "amber lantern"):
        counts = [sum(hit.admitted for hit in search.hits(store, query, now, None, level)) for level in features.LEVELS]
        assert counts == sorted(counts)


def test_what_is_far_behind_the_likeliest_is_not_admitted(a_store_of_300_turns):
    hits = search.hits(a_store_of_300_turns.store, "polish lantern 77 with tungsten", a_store_of_300_turns.now)
    admitted = [hit.chance for hit in hits if hit.admitted]
    assert admitted and min(admitted) >= search.LEAST_SHARE * max(admitted)


@pytest.mark.parametrize("text", ["", "bias one", "bias nan\n", "fits 0.1\n"])
def test_without_a_sound_table_nothing_is_found(a_session, tmp_path, monkeypatch, text):
    a_session.has_a_turn("Where is the tungsten shelf?", "In the cellar.")
    (tmp_path / "weights.txt").write_text(text)
    monkeypatch.setattr(features, "KNOWN", [features.read_tables(str(tmp_path / "weights.txt"))])
    assert search.hits(a_session.store, "where is the tungsten shelf?", a_session.now) == []


def test_the_table_that_is_shipped_is_sound():
    table, _ = features.read_tables()
    assert table and len(table.weights) == len(features.NAMES)
    assert table.levels["quiet"] > table.levels["normal"] > table.levels["eager"]


def test_features_survive_a_receipt_roughly(a_store_of_300_turns):
    (hit, *_) = search.hits(a_store_of_300_turns.store, "polish lantern 77 with tungsten", a_store_of_300_turns.now)
    kept = features.unpacked(features.packed(hit.features))
    steps = dict(zip((*features.NAMES, features.NEAR), features.STEPS, strict=True))
    for name, value in zip(features.NAMES, hit.features, strict=True):
        assert kept[name] == pytest.approx(min(value, features.MOST_STEPS * steps[name]), abs=steps[name])


def test_an_older_receipt_has_no_features():
    assert features.unpacked(12) == {}


def test_a_match_in_the_context_alone_does_not_admit(a_session):
    a_session.has_a_turn("Where is the tungsten?", "On the shelf.")
    a_session.has_a_turn("And the ladder?", "In the cellar.")
    assert a_session.turns("context")[1] == ("Where is the tungsten? On the shelf.",)
    assert admitted(a_session, "the tungsten on the shelf") == [1]


def test_files_and_commands_of_a_turn_are_evidence(a_session):
    a_session.asks("Mend it")
    a_session.edits("src/tungsten.py")
    a_session.runs("./polish --quartz")
    a_session.is_answered("Done.")
    assert admitted(a_session, "what was in tungsten.py?") == admitted(a_session, "run polish --quartz") == [1]


def test_notes_are_found_beside_turns(a_session):
    a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    a_session.notes("The tungsten is on the shelf")
    assert admitted(a_session, "the tungsten on the shelf") == [2]


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
    assert hit.score == pytest.approx(1 + ranking.RECENCY)


def test_those_that_are_not_admitted_come_last(a_store_of_300_turns):
    hits = search.hits(a_store_of_300_turns.store, "quartz basalt amber tungsten", a_store_of_300_turns.now)
    assert [hit.admitted for hit in hits] == sorted([hit.admitted for hit in hits], reverse=True)
    assert len(hits) == search.JUDGED


def test_what_says_the_same_again_takes_nobodys_seat(a_session):
    a_session.has_a_turn("Where is the ladder of tungsten?", "In the cellar.")
    for _ in range(search.JUDGED + 2):
        a_session.has_a_turn("Where is the tungsten?", "On the shelf.")
    hits = search.hits(a_session.store, "where is the tungsten", a_session.now)
    assert 1 in [hit.values[0] for hit in hits] and len(hits) == search.JUDGED + 3


def test_copies_of_a_memory_make_it_stand_out_no_less(a_store_of_300_turns):
    def stands_out(name):
        hits = search.hits(a_store_of_300_turns.store, "paint the zirconium shelf", a_store_of_300_turns.now)
        return next(dict(zip(features.NAMES, hit.features, strict=True))[name] for hit in hits)

    a_store_of_300_turns.has_a_turn("Paint the zirconium shelf", "It is violet.")
    once = stands_out("fits")
    for _ in range(5):
        a_store_of_300_turns.has_a_turn("Paint the zirconium shelf", "It is violet.")
    assert stands_out("fits") == pytest.approx(once, rel=0.2)


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
