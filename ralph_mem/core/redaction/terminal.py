"""Remove escape sequences, overwritten text and invisible characters; loaded only for a text with something unprintable."""

ESCAPE, BELL, BACKSPACE = "\x1b", "\x07", "\b"
SPELLED = ("u001b[", "u001B[", "x1b[", "x1B[", "033[")
MOST_ROUNDS = 8  # what is taken away may leave a new one, of text that is made for it
STRING_OPENERS = "]PX^_"  # OSC, DCS, SOS, PM, APC: all text up to their terminator belongs to them

_INVISIBLE = (
    [code for code in range(0x20) if chr(code) not in "\t\n\r\x1b\x07\b"],
    range(0x7F, 0xA0),  # DEL and the C1 controls
    (0xAD, 0x061C, 0x115F, 0x1160, 0x180E, 0x3164, 0xFEFF, 0xFFA0),
    (0x200B, 0x200E, 0x200F),  # zero width, direction marks
    range(0x202A, 0x202F),  # direction embeddings and overrides
    range(0x2060, 0x2070),  # word joiner, invisible operators, direction isolates
    range(0xFFF9, 0xFFFC),  # interlinear annotation
    range(0xE0000, 0xE0200),  # tag characters and the variation selectors that can smuggle bytes
)
# The eight-bit controls are spelled as their seven-bit forms, so that one loop handles both.
_EIGHT_BIT = {0x90: "\x1bP", 0x98: "\x1bX", 0x9B: "\x1b[", 0x9C: "\x1b\\", 0x9D: "\x1b]", 0x9E: "\x1b^", 0x9F: "\x1b_"}
# Letters of Arabic and the scripts of India, and emoji, in which a joiner is a part of a word or a picture. No letter is among them
# that a token may have, so that none can split one.
JOINERS = "\u200c\u200d"
JOINED = (("\u0620", "\u1cff"), ("\u2600", "\u27bf"), ("\ufb50", "\ufdff"), ("\ufe0f", "\ufe0f"), ("\U0001f300", "\U0001faff"))
_FIRST_PASS = {0x2028: "\n", 0x2029: "\n", **{code: "" for codes in _INVISIBLE for code in codes}, **_EIGHT_BIT}


def plain(text: str) -> str:
    """Return the text as printable characters, tabs and line ends, fit for UTF-8."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").translate(_FIRST_PASS)  # no half characters
    text = _without_stray_joiners(text)
    if ESCAPE in text:
        text = _without_escapes(text)
    text = text.replace(BELL, "").replace("\r\n", "\n").replace("\r", "\n")
    if BACKSPACE in text:
        text = _without_stray_joiners("\n".join([_overwritten(line) for line in text.split("\n")]))
    return text


def _without_stray_joiners(text: str) -> str:
    if JOINERS[0] not in text and JOINERS[1] not in text:
        return text
    kept: list[str] = []
    for at, char in enumerate(text):
        if char not in JOINERS or (kept and _is_joined(kept[-1]) and _is_joined(text[at + 1 : at + 2])):
            kept.append(char)
    return "".join(kept)


def _is_joined(char: str) -> bool:
    return any([first <= char <= last for first, last in JOINED])


def without_spelled_escapes(text: str) -> str:
    """Strip the colours and the like that are spelled out, as JSON does."""
    for _ in range(MOST_ROUNDS):
        before = text
        for opener in SPELLED:
            text = _without_spelled(text, opener) if opener in text else text
        if text == before:
            break
    return text


def _without_spelled(text: str, opener: str) -> str:
    kept = []
    end = 0
    at = text.find(opener)
    while at >= 0:
        before = text[max(end, at - 16) : at]
        slashes = len(before) - len(before.rstrip("\\"))
        if slashes:
            # JSON in JSON doubles them: 1, 2, 4; others, as of a line end that is spelled out too, stand before these
            kept.append(text[end : at - (slashes & -slashes)])
            end = _end_of_control(text, at + len(opener))
        at = text.find(opener, max(end, at + 1))
    return "".join(kept) + text[end:]


def _without_escapes(text: str) -> str:
    kept = []
    end = 0
    start = text.find(ESCAPE)
    while start >= 0:
        kept.append(text[end:start])
        end = _end_of_sequence(text, start + 1)
        start = text.find(ESCAPE, end)
    return "".join(kept) + text[end:]


def _end_of_sequence(text: str, at: int) -> int:
    opener = text[at : at + 1]
    if opener == "[":
        return _end_of_control(text, at + 1)
    if opener and opener in STRING_OPENERS:
        return _end_of_string(text, at + 1)
    while " " <= text[at : at + 1] <= "/":  # intermediates, as in ESC ( B
        at += 1
    return at + 1 if "0" <= text[at : at + 1] <= "~" else at


def _end_of_control(text: str, at: int) -> int:
    while " " <= text[at : at + 1] <= "?":
        at += 1
    return at + 1 if "@" <= text[at : at + 1] <= "~" else at


def _end_of_string(text: str, at: int) -> int:
    # A terminator lies before the next escape or is that escape; one that is missing must not swallow the whole rest.
    escape = text.find(ESCAPE, at)
    limit = escape if escape >= 0 else len(text)
    bell = text.find(BELL, at, limit)
    if bell >= 0:
        return bell + 1
    if text.startswith("\\", escape + 1) and escape >= 0:
        return escape + 2
    line_end = text.find("\n", at, limit)
    return line_end if line_end >= 0 else limit


def _overwritten(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != BACKSPACE:
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)
