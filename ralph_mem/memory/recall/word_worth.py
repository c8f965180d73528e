"""Say how much a word tells about which memory is meant.

That is how rare it is in this memory. While the memory is young nobody can know, and the word counts as rare as it is in
ordinary English; no list decides that a word says nothing.
"""

import math

from ralph_mem.memory.recall import common_words

# The share of texts that hold a word: of the two hundred that stand in most manuals, of those that every project is full of, of
# the rest of the lists, and of a word that stands in none. The first three are the means of the lists over the texts that they
# were made from; the last is one in two thousand.
EVERYWHERE, PROJECTS, ORDINARY, RARE = 0.08, 0.03, 0.012, 0.0005
# So many memories weigh as much as ordinary English: with 100 recall at ten loses half a point on chats and coding sessions.
YOUNG = 30
SUFFIXES, ENDS = ("s", "es", "ed", "d", "ing", "er", "ly"), "sdgry"
SHORTEST = 3  # letters: what is shorter is mostly a number or the rest of a contraction


def of(term: str, count: float, total: int) -> float:
    """Return how telling a word in lower case is that so many of all memories hold."""
    return -math.log(min(1.0, (count + YOUNG * share(term)) / (total + YOUNG)))


def share(term: str) -> float:
    """Return the share of texts in ordinary English that hold a word."""
    if len(term) < SHORTEST and term.isascii():
        return PROJECTS
    found = RARE
    for form in _forms(term):
        word, first = f" {form} ", form[:1]
        if word in common_words.COMMON.get(first, ""):
            return EVERYWHERE
        if word in common_words.WEAK:
            found = max(found, PROJECTS)
        elif word in common_words.ORDINARY.get(first, "") or word in common_words.EVERYDAY.get(first, ""):
            found = max(found, ORDINARY)
    return found


def _forms(term: str) -> "list[str]":
    """Return a word and what it may come from: tests, tested and testing from test, running from run, used from use."""
    found = [term]
    if term[-1] not in ENDS:
        return found
    for suffix in SUFFIXES:
        if term.endswith(suffix):
            stem = term[: -len(suffix)]
            found += [stem, stem + "e"] + ([stem[:-1]] if stem[-1:] == stem[-2:-1] else [])
            found += [stem[:-1] + "y"] if stem[-1:] == "i" else []
    return found
