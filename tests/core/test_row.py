"""What every row carries: an id for people, a checksum, a cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.rows import row


def test_ids_are_well_formed_and_do_not_come_twice():
    ids = [row.public_id("obs") for _ in range(10_000)]
    assert len(set(ids)) == 10_000
    for name in ids:
        kind, _, rest = name.partition("-")
        assert kind == "obs" and len(rest) == 10 and set(rest) <= set(row.ALPHABET)


def test_no_character_of_an_id_is_taken_for_another():
    assert len(set(row.ALPHABET)) == len(row.ALPHABET) == 32
    assert not set(row.ALPHABET) & set("lo01") and row.ALPHABET.lower() == row.ALPHABET


@given(st.text(), st.text())
def test_a_longer_text_never_costs_less(text, more):
    assert 0 <= row.tokens(text) <= row.tokens(text + more)


@given(st.lists(st.text(), max_size=5))
def test_texts_together_cost_what_each_costs_alone(texts):
    assert row.tokens(*texts) == sum(row.tokens(text) for text in texts)
    assert row.tokens("") == 0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog.", 9, 24),
        ("def total(prices, percent):\n    return sum(reduced(cents, percent) for cents in prices)\n", 18, 44),
        ("日本語のテキストを読む", 6, 22),
        ("x" * 4000, 400, 2000),
    ],
)
def test_the_estimate_is_of_the_right_size(text, least, most):
    assert least <= row.tokens(text) <= most


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_checksum_fits_its_texts_and_their_order(texts):
    assert row.checksum(*texts) == row.checksum(*texts)
    assert 0 <= row.checksum(*texts) < 2**32
    assert row.checksum(*texts) != row.checksum(*texts[:-1], texts[-1] + "x")


def test_a_checksum_tells_two_columns_from_one():
    assert row.checksum("ab", "") != row.checksum("a", "b") != row.checksum("", "ab")


def test_half_a_character_costs_and_counts_as_something():
    assert row.tokens("\ud800") > 0 and row.checksum("\ud800") == row.checksum("?")
