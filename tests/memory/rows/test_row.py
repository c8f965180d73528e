"""What rows share: where a text of one may be cut."""

import pytest

from ralph_mem.memory.rows import row


@pytest.mark.parametrize(
    ("text", "at", "end"),
    [
        ("Gro\u0308\u00dfe", 3, 2),  # a mark on its letter
        ("a\u0938\u0940\u0926", 2, 1),
        ("a\U0001f44d\U0001f3fdb", 2, 1),  # a colour of skin
        ("a\U0001f469\u200d\U0001f4bbb", 3, 1),  # what is joined
        ("cellar", 3, 3),
        ("e" + "\u0301" * 50, 40, 40),
    ],
)
def test_no_text_is_cut_inside_a_character(text, at, end):
    assert row.end_before(text, at) == end
