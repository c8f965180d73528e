"""Read what a mail, a page or an address spells out letter by letter, or in signs of another width."""

import binascii
import unicodedata

from ralph_mem.core.redaction.values import LETTERS

FEWEST = 4  # letters, one after the other
# The signs, digits and letters of ASCII in full width, and blanks: before a colon of French, between digits, of full width.
NARROW = {**{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}, 0xA0: 32, 0x202F: 32, 0x3000: 32}


def read(text: str) -> str:
    """Return a text with the letters that stand for themselves in place of their numbers."""
    if "quoted-printable" in text and "=" in text:
        text = binascii.a2b_qp(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    for sign, base in (("\\u00", 16), ("&#", 10), ("%", 16)):
        text = _letters(text, sign, base) if text.count(sign) >= FEWEST else text
    return text


def narrow(text: str) -> str:
    """Return a text of the same length with signs and blanks of ASCII in place of wide ones and of other blanks."""
    return text.translate(NARROW)


def composed(text: str) -> str:
    """Return a text with each letter and the mark upon it as one character."""
    return unicodedata.normalize("NFC", text)


def _letters(text: str, sign: str, base: int) -> str:
    """Return a text with the runs of letters that are spelled out one by one: `&#83;&#99;`, `%61%7A`."""
    first, *rest = text.split(sign)
    kept, run = [first], []
    for part in rest:
        code, size = (part.partition(";")[0], 1) if base == 10 else (part[:2], 0)
        try:
            letter = chr(int(code, base))
        except ValueError:
            letter = ""
        behind = part[len(code) + size :]
        run.append((letter if letter.isprintable() else "", sign + part[: len(code) + size]))
        if behind or part is rest[-1]:
            is_run = len(run) >= FEWEST and all([letter for letter, _ in run]) and any([letter in LETTERS for letter, _ in run])
            kept += [letter if is_run else spelled for letter, spelled in run] + [behind]
            run = []
    return "".join(kept) + "".join([spelled for _, spelled in run])
