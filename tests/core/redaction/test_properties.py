import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core.redaction import gate

PIECES = st.sampled_from([
    "password=", "token: ", '"secret": "', '\\"', "://", "user:", "@", "hunter2x", "a8kd93kLmn20aaQz77", "[REDACTED:", "password]",
    "\n", " ", "=", '"', "'", "\x1b[31m", "\x1b]0;", "\x07", "\b", "\r", "<private>", "</private>", "<",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----", "Authorization: Bearer ", "Cookie: a=", ";", "\u202e", "\ud800", "AKIA", "curl -u ",
    "export API_KEY=", "é", "İ",
])  # fmt: skip
TEXTS = st.one_of(st.text(st.characters(codec=None)), st.lists(PIECES, max_size=40).map("".join))
KNOWN = "pl4nted-Value-42"
FORBIDDEN = {"Cc", "Cs"}
BIDI_AND_TAGS = {*"\u200b\u200e\u200f\ufeff", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0xE0000, 0xE0080))}


def is_forbidden(char):
    return (unicodedata.category(char) in FORBIDDEN and char not in "\n\t") or char in BIDI_AND_TAGS


@given(TEXTS)
def test_nothing_raises_and_clean_text_fits_utf_8(text):
    kept, _ = gate.drop_blocks(gate.clean(text))
    gate.redact(kept)[0].encode("utf-8")


@given(TEXTS)
def test_redacting_unclean_text_does_not_raise_either(text):
    gate.redact(gate.drop_blocks(text)[0])


@given(TEXTS)
def test_redacting_twice_changes_nothing(text):
    once = gate.redact(gate.clean(text), [KNOWN])[0]
    assert gate.redact(once, [KNOWN]) == (once, {})


@given(TEXTS)
def test_cleaning_twice_changes_nothing(text):
    assert gate.clean(gate.clean(text)) == gate.clean(text)


@given(TEXTS)
def test_no_forbidden_character_stays(text):
    assert not [char for char in gate.clean(text) if is_forbidden(char)]


@given(st.text("a\u200d\u200c\u0645\U0001f469\b\x1b[m\xe9"))
def test_a_joiner_stays_only_between_letters_or_pictures_that_it_joins(text):
    clean = gate.clean(text)
    assert gate.clean(clean) == clean
    joined = [clean[at - 1 : at] + clean[at + 1 : at + 2] for at, char in enumerate(clean) if char in "\u200d\u200c"]
    assert not [pair for pair in joined if len(pair) < 2 or set(pair) - set("\u0645\U0001f469")]


@given(TEXTS, TEXTS)
def test_a_known_value_never_stays(before, after):
    assert KNOWN not in gate.redact(before + KNOWN + after, [KNOWN])[0]


@given(TEXTS, TEXTS, TEXTS)
def test_a_private_passage_never_stays(before, inside, after):
    before, inside = before.replace("<", ""), inside.replace("<", "")
    kept, counts = gate.drop_blocks(f"{before}<private>{inside}pl4nted{inside}</private>{after}")
    assert "pl4nted" not in kept
    assert counts["private"] >= 1


@given(TEXTS)
def test_no_line_end_is_swallowed(text):
    text = gate.clean(text)
    assert gate.redact(text, [KNOWN])[0].count("\n") == text.count("\n")
