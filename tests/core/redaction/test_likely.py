"""Words that are likely secrets though no rule knows them, by what they look like and what stands around them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core.redaction import context, likely, word_signs
from tests.bench import train_secrets
from tests.core.redaction import secret_corpus

# Of what the rules leave and of all texts, in sets that are known to the fit; measured it is about .7 and .005.
MOST_LEFT, MOST_LOST = 0.8, 0.02


def sets():
    return [each for _, texts in train_secrets.read(train_secrets.SETS) for each in texts]


def test_of_texts_that_no_rule_knows_a_part_is_found_and_hardly_any_loses_what_it_needs():
    left = ruled = lost = 0
    some = sets()[::19]
    for each in some:
        before = context.redact_whole(each.text)[0]
        after = likely.redact(before)[0]
        ruled += any(secret_corpus.survives(one, before) for one in each.secrets)
        left += any(secret_corpus.survives(one, after) for one in each.secrets)
        lost += any(one in before and one not in after for one in each.needed)
    assert left < MOST_LEFT * ruled
    assert lost <= MOST_LOST * len(some)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("db.query('select 1', 'otto', 'Kranich7Feder!')", "Kranich7Feder!"),
        ("the guest account: otto, Regenwurm#88", "Regenwurm#88"),
    ],
)
def test_a_password_that_no_rule_knows_is_found_by_what_is_around_it(text, secret):
    assert secret not in likely.redact(context.redact_whole(text)[0])[0]


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: Ada <ada@example.org>",
        "from app.models import UserProfile2\nprofile = UserProfile2(name='Ada', plan='pro-2024')",
        "FAILED tests/test_login.py::test_login[chrome-121] - AssertionError: expected 'Welcome back' got 'Sign in'",
    ],
)
def test_names_and_sums_stay(text):
    assert likely.redact(context.redact_whole(text)[0]) == (text, {})


def test_what_was_found_goes_wherever_it_stands():
    text = "the guest account: otto, Regenwurm#88\n\nlog: hello Regenwurm#88"
    assert "Regenwurm#88" not in likely.redact(context.redact_whole(text)[0])[0]


def test_a_word_that_a_mark_parts_is_no_word():
    text = "**v#y!Hf[REDACTED:pin]GsH524Bn# unlocks the attic door"
    assert likely.redact(text) == (text, {})


def test_a_long_line_is_no_row_of_a_table():
    head, row = "user  pin\n", "otto  Nube_7!"
    assert "head:pin" in word_signs.around(head + row, len(head) + 6, len(head + row))
    row += "  x" * word_signs.LONGEST_TABLE
    assert "head:pin" not in word_signs.around(head + row, len(head) + 6, len(head) + 13)


def test_without_the_table_nothing_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(likely, "TABLE", str(Path(tmp_path, "gone")))
    likely.table.cache_clear()
    try:
        assert likely.find("the guest account: otto, Regenwurm#88") == []
    finally:
        likely.table.cache_clear()


@given(st.text(alphabet="aB3#/=:(\"' \n|[]é\\.", max_size=60))
def test_a_candidate_is_a_piece_of_the_text_without_blanks(text):
    for start, end in word_signs.candidates(text):
        assert 0 <= start < end <= len(text)
        assert not any(char.isspace() for char in text[start:end])
        assert word_signs.of(text, start, end)
