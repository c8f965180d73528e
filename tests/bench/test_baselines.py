import pytest

from ralph_mem.bench import measures
from tests.bench.conftest import a_memory, a_query, a_set


@pytest.fixture
def plain(read):
    """Search plainly in what was said about a lantern, and in one turn."""
    turn = a_memory(9, "All of it.", title="paint the boathouse", files=["src/boat.py"], lines=["make varnish"])
    memories = read(a_set(a_query("x", "m0"), memories=[*a_set()["projects"][0]["memories"], turn])).projects[0].memories
    search = measures.PlainSearch()
    search.remember(memories)
    yield search
    search.close()


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("heron", ["m1"]),
        ("lantern", ["m3", "m0"]),  # as often in fewer words
        ("what about the heron's lantern?", ["m1", "m3", "m0"]),  # the rarer word weighs more
        ("lanterns", []),  # no stems
        ("boathouse", ["m9"]),
        ("boat", ["m9"]),
        ("VARNISH", ["m9"]),
        ('"OR" NEAR( *', []),
        ("", []),
    ],
)
def test_plain_search_finds_whatever_holds_any_word(plain, query, ids):
    assert plain.ask(query) == ids


def test_a_query_of_nothing_but_stopwords_asks_for_them(plain):
    assert set(plain.ask("on a")) == {"m0", "m1"}


def test_plain_search_knows_only_what_it_was_given(read):
    first, second, *_ = read(a_set(a_query("x", "m0"))).projects[0].memories
    search = measures.PlainSearch()
    search.remember([first])
    assert (search.ask("heron"), search.ask("lantern")) == ([], ["m0"])
    search.remember([second])
    assert search.ask("heron") == ["m1"]
    search.close()


def test_a_speaker_is_part_of_what_was_said(read):
    search = measures.PlainSearch()
    search.remember(read(a_set(a_query("x", "m0"), memories=[a_memory(0, "hello", role="Ada")])).projects[0].memories)
    assert search.ask("ada") == ["m0"]
    search.close()


def test_the_newest_come_first_whatever_is_asked(read):
    assert measures.newest(read(a_set(a_query("x", "m0"))).projects[0].memories) == ["m3", "m2", "m1", "m0"]
