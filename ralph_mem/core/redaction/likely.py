"""Find words that are likely secrets, though no rule knows them.

A logistic regression over the signs of `word_signs`, which `python -m tests.bench.train_secrets` makes. It takes some milliseconds
for a thousand words, so that only what nobody waits for asks it.
"""

import functools

from ralph_mem.core.redaction import spans, word_signs

TABLE = __file__.rpartition("/")[0] + "/likely.txt"
BIAS = "(bias)"
KIND = "likely"
# The logarithm of the odds, chosen by sets of texts that were left out of the fit: from here on one text in 200 loses something
# that it needs, of texts that were written to mislead, and a quarter of what the rules leave is found.
LEAST = 2.5
# What stands around a word is not looked at where that could not be enough: it is worth more for one in 65 of those that are found.
MOST_AROUND = 9.0
MOST_ROUNDS = 3  # a mark may tell of the word beside it


def redact(text: str) -> "tuple[str, dict[str, int]]":
    """Replace the words that are likely secrets in a text that all rules have been through, wherever they stand in it."""
    counts: dict[str, int] = {}
    for _ in range(MOST_ROUNDS):
        found = find(text)
        if not found:
            break
        values = sorted({text[start:end] for start, end in found}, key=len, reverse=True)
        pieces = spans.between_marks(text)
        for at in range(0, len(pieces), 2):
            for value in values:
                counts[KIND] = counts.get(KIND, 0) + pieces[at].count(value)
                pieces[at] = pieces[at].replace(value, f"{spans.MARK}{KIND}]")
        text = "".join(pieces)
    return text, counts


def find(text: str) -> "list[tuple[int, int]]":
    """Return start and end of each word that is likely a secret; nothing where the table cannot be read."""
    places = word_signs.candidates(text) if table() else ()
    return [
        (start, end)
        for start, end in places
        if spans.MARK[1:] not in text[max(0, start - len(spans.MARK)) : end] and _is_likely(text, start, end)
    ]


def _is_likely(text: str, start: int, end: int) -> bool:
    of_word = _of_word(text[start:end])
    if of_word < LEAST - MOST_AROUND:
        return False
    return of_word + _sum_of(word_signs.around(text, start, end) | word_signs.often(text, text[start:end])) >= LEAST


@functools.lru_cache(4096)
def _of_word(word: str) -> float:
    return table().get(BIAS, 0.0) + _sum_of(word_signs.of_word(word))


def _sum_of(signs: "set[str]") -> float:
    known = table()
    return sum([known.get(sign, 0.0) for sign in signs])


@functools.cache
def table() -> "dict[str, float]":
    """Return the weights of signs; none where they cannot be read."""
    try:
        with open(TABLE, encoding="utf-8") as file:
            lines = [line.rsplit(" ", 1) for line in file if line[:2] != "# "]
        return {sign: float(weight) for sign, weight in lines}
    except (OSError, ValueError):
        return {}
