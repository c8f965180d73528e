from ralph_mem.core.redaction import gate
from tests.folded import folded

STRIPPED = {
    "colour": ("a\x1b[1;31mb\x1b[0mc", "abc"),
    "cursor and erase": ("\x1b[2J\x1b[Ha\x1b[K", "a"),
    "private mode": ("\x1b[?25la\x1b[?2004h", "a"),
    "title, bell": ("\x1b]0;evil\x07a", "a"),
    "link, string terminator": ("\x1b]8;;https://x\x1b\\text\x1b]8;;\x1b\\", "text"),
    "clipboard": ("\x1b]52;c;c2VjcmV0\x07a", "a"),
    "device control": ("\x1bPq#0\nmore\x1b\\a", "a"),
    "application command": ("\x1b_hidden\x1b\\a", "a"),
    "privacy message": ("\x1b^hidden\x1b\\a", "a"),
    "start of string": ("\x1bXhidden\x1b\\a", "a"),
    "single character": ("\x1bMa\x1b7b\x1b=c", "abc"),
    "character set": ("\x1b(Ba", "a"),
    "eight-bit control": ("\x9b31ma\x9d0;t\x9cb", "ab"),
    "eight-bit string": ("\x90hidden\x9ca", "a"),
    "string without an end": ("\x1b]0;title\nnext line", "\nnext line"),
    "escape at the end": ("a\x1b", "a"),
    "control at the end": ("a\x1b[31", "a"),
    "escape inside a sequence": ("\x1b\x1b[31ma", "a"),
    "zero bytes and controls": ("a\x00b\x01c\x7fd\x0be\x0cf", "abcdef"),
    "zero width and marks": ("a\u200bb\u200dc\ufeffd\u2060e", "abcde"),
    "directions": ("a\u202eb\u2066c\u200fd", "abcd"),
    "tag characters": ("a\U000e0041\U000e007fb", "ab"),
    "lone surrogate": ("a\ud800b\udfffc", "a\ufffdb\ufffdc"),
    "surrogate pair": ("\ud83d\ude00", "\U0001f600"),
    "carriage returns": ("10%\r20%\r\ndone\r", "10%\n20%\ndone\n"),
    "backspaces": ("N\bNA\bAME\b\b\b\b\b\bx\n\by", "x\ny"),
}


@folded("name", STRIPPED)
def test_what_a_terminal_would_swallow_is_gone(name):
    text, expected = STRIPPED[name]
    assert gate.clean(text) == expected


def test_plain_text_comes_back_as_it_is():
    text = "naïve café 東京 🙂\n\tx = 'y'\u00a0z \ue0b0\nsrc/\u0645\u06cc\u200c\u062e\u0648.py \U0001f469\u200d\U0001f4bb.md\n"
    assert gate.clean(text) == text


def test_a_secret_split_by_colour_is_whole_again():
    text = gate.clean("PASS\x1b[1mWORD=\x1b[0mhunt\x1b[31mer2x")
    assert gate.redact(text)[0] == "PASSWORD=[REDACTED:password]"


def test_an_unfinished_string_swallows_its_line_at_most():
    assert gate.clean("\x1b]junk\nkept\x1b[31m too") == "\nkept too"
