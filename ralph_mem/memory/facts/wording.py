"""Fold what makes no difference between two statements; numbers, paths, code, flags and negations stay."""

import unicodedata

from ralph_mem.core import hashing

ENDS = ".,;:!?"
KEY_DIGITS = 24  # 96 bits: two statements meet by chance never


def folded(text: str) -> str:
    """Return a statement in compatibility characters and small letters, its white space and closing marks folded."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(ENDS + " ")


def key(text: str) -> str:
    """Return a digest that is equal for statements of the same words; no text can be read from it."""
    return hashing.of(folded(text))[:KEY_DIGITS]
