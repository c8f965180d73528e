"""What every stored row carries: an id for people, a place in the order, a checksum, a cost in tokens."""

import posix
import zlib

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read aloud and retyped

# Tokens of an average text by its characters, white space and characters beyond ASCII. Least squares over 4,000
# pieces of prompts, diffs, logs and prose against the o200k vocabulary; `tests/bench/tokens.py` repeats the fit.
TOKENS_PER_CHARACTER = 0.25
TOKENS_PER_GAP = 0.2
TOKENS_PER_FOREIGN = 0.6


def public_id(kind: str) -> str:
    """Return a new id such as `obs-k3w9x2mfqa`: fifty random bits."""
    number = int.from_bytes(posix.urandom(7), "big")
    return f"{kind}-" + "".join([ALPHABET[number >> shift & 31] for shift in range(0, 50, 5)])


def checksum(*texts: str) -> int:
    """Return the CRC-32 of texts: SQLite does not notice a flipped bit inside a value."""
    return zlib.crc32("\0".join(texts).encode("utf-8", "replace"))


def tokens(*texts: str) -> int:
    """Estimate what texts cost in a model's context, in tokens; the standard library has no tokenizer."""
    return sum([_tokens(text) for text in texts if text])


def _tokens(text: str) -> int:
    cost = TOKENS_PER_CHARACTER * len(text) + TOKENS_PER_GAP * len(text.split())
    if not text.isascii():
        cost += TOKENS_PER_FOREIGN * (len(text.encode("utf-8", "replace")) - len(text)) / 2
    return int(cost) + 1
