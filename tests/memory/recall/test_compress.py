"""The compressor: never over its budget, what failed and what passed goes last, and what is missing is counted."""

import re
from collections import namedtuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph_mem.memory.recall import lookup
from ralph_mem.memory.recall.layers import compress, price
from tests.readers import LINES, around, last, reader_of

# What the compressor reads of a row.
Row = namedtuple("Row", "number public_id type seq at asked said files lines turn state host gone", defaults=(None, "", False))
KINDS = ("turn", "tool_use", "error", "success", "note", "response")
TEXTS = st.lists(st.sampled_from(LINES) | st.text("ab <\n.1é日🎉\t", max_size=60), max_size=6).map("\n".join)
MANY = settings(max_examples=150)


def row(number, kind="tool_use", asked="make lantern", said="", files="", lines="", turn=0):
    name = ("turn" if kind == "turn" else "obs") + f"-{number:010d}"
    return Row(number, name, kind, number * 1000, number * 60_000, asked, said, files, lines, turn)


@st.composite
def some_rows(draw):
    """Draw up to thirty rows of any types and texts, in any order."""
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=30))
    texts = draw(st.lists(TEXTS, min_size=1, max_size=8))
    made = [
        row(number, kind, *[draw(st.sampled_from(texts)) for _ in range(4)], number // 4) for number, kind in enumerate(kinds, 1)
    ]
    return draw(st.permutations(made))


def shown(text):
    """Return the ids that a text tells of, in order."""
    return re.findall(r"^[> ] ((?:turn|obs)-\d{10})  ", text, re.MULTILINE)


def ids(rows):
    return [each.public_id for each in rows]


def in_order(rows):
    return sorted(rows, key=lambda each: each.seq)


@MANY
@given(some_rows(), st.integers(0, 3000))
def test_no_text_costs_more_than_its_budget(rows, budget):
    assert price(compress(rows, budget)) <= budget
    for found in rows[:1]:
        assert price(compress(rows, budget, found=found)) <= budget


@MANY
@given(some_rows(), st.integers(0, 1500), st.randoms())
def test_the_same_rows_in_any_order_make_the_same_text(rows, budget, drawn):
    assert compress(drawn.sample(rows, len(rows)), budget) == compress(rows, budget)


@MANY
@given(some_rows(), st.integers(0, 1500))
def test_rows_stand_in_the_order_of_what_happened(rows, budget):
    told = shown(compress(rows, budget))
    assert told == [name for name in ids(in_order(rows)) if name in told]


@MANY
@given(some_rows(), st.integers(0, 1500))
def test_nothing_else_is_told_while_a_failure_or_a_success_is_left_out(rows, budget):
    told = shown(compress(rows, budget))
    kept = [each for each in rows if each.public_id in told]
    preserved = [each for each in rows if each.type in ("error", "success")]
    if any(each.public_id not in told for each in preserved):
        assert all(each.type in ("error", "success") for each in kept)
        assert ids(in_order(kept)) == ids(in_order(preserved))[: len(kept)]  # the oldest drop last


@MANY
@given(some_rows(), st.integers(0, 1500))
def test_what_is_left_out_is_counted(rows, budget):
    text = compress(rows, budget)
    missing = len(rows) - len(shown(text))
    counted = re.search(r"^  \((\d+) more(?:, (\d+) of them error or success)?\)$", text, re.MULTILINE)
    assert missing == (int(counted[1]) if counted else 0) or not text
    if counted:
        lost = [each for each in rows if each.type in ("error", "success") and each.public_id not in shown(text)]
        assert len(lost) == int(counted[2] or 0)


@MANY
@given(some_rows(), st.integers(0, 1500))
def test_a_larger_budget_never_tells_of_fewer_rows(rows, budget):
    assert set(shown(compress(rows, budget))) <= set(shown(compress(rows, budget + 60)))


def test_of_other_rows_the_newest_stay():
    rows = [row(number) for number in range(1, 40)]
    told = shown(compress(rows, 300))
    assert 5 < len(told) < 20 and told == ids(rows)[-len(told) :]


def test_failures_far_back_stay_before_newer_rows():
    rows = [
        row(1, "error", lines="FuseError: no tungsten"),
        *[row(number) for number in range(2, 40)],
        row(40, "success", "pytest"),
    ]
    told = shown(compress(rows, 120))
    assert {"obs-0000000001", "obs-0000000040"} <= set(told) and len(told) < 8


def test_other_types_can_be_preserved():
    rows = [row(1, "note", "The tungsten is dear"), *[row(number, "error") for number in range(2, 40)]]
    text = compress(rows, 120, preserved=("note",))
    assert "The tungsten is dear" in text and "of them" not in text


def test_a_budget_for_nothing_is_an_empty_text():
    assert compress([row(1)], 0) == compress([row(1)], 5) == compress([], 100) == ""
    assert compress([row(1), row(2)], 12) == "  (2 more)"


def test_room_that_is_left_goes_into_details():
    told = "\n".join(f"lantern {number} is mended" for number in range(30))
    rows = [row(1, "turn", "Mend the lanterns", told), row(2, said=told, turn=1)]
    short, long, whole = (compress(rows, budget) for budget in (80, 300, 3000))
    assert "lantern 5 is mended" in long and "lantern 5 is mended" not in short
    assert price(long) > 250 and whole.count("lantern 29 is mended") == 2


def test_details_go_on_where_the_line_was_cut():
    said = " ".join(f"word{number}" for number in range(100))
    text = compress([row(1, "turn", "Why?", said)], 1000)
    assert " ".join(text.split()).partition(" -> ")[2].replace("... ", " ") == said


def test_the_commands_of_a_turn_are_told_once():
    turn = row(1, "turn", "Mend the lantern", "Mended.", "src/lantern.py", "failed: make lantern", turn=1)
    alone = compress([turn], 500)
    assert "changed: src/lantern.py" in alone and "failed: make lantern" in alone
    assert "failed: make" not in compress([turn, row(2, "error", lines="no fuse", turn=1)], 500)


A_LINE = 40  # tokens, of the dearest one of a turn: ids are made by chance, and cost three more or less


@pytest.mark.check
@pytest.mark.parametrize("budget", [150, 400, 900])
def test_a_long_session_fills_a_budget(a_thousand_rows, budget):
    reader = reader_of(a_thousand_rows)
    turn = lookup.find(reader, last(a_thousand_rows, "turns"))
    rows = around(reader, turn, before=40, after=0)
    text = compress(rows, budget, found=turn)
    assert 0 <= budget - price(text) < max(A_LINE, budget * 0.2)
    assert f"> {turn.public_id}" in text and len(rows) > 40
