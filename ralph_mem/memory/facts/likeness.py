"""Say how alike statements are, and which of many is nearest to a new one."""

import math
from collections import Counter
from difflib import SequenceMatcher

from ralph_mem.memory.facts import wording
from ralph_mem.memory.recall import candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMPARED = 6  # by shared words; of so many the order of words is compared as well
# How sure it is that the nearest one is meant: what the two share, twice how far it lies before the next nearest, and how many of
# the first words are the same. Where many lines look alike, a new one is one more of them; a line that stands alone was changed.
# Chosen among some such weightings on the histories of sixteen rule files; a regression with each repository left out in turn says
# of all of them that the lead counts most.
LEAD_WEIGHT, BEGINNING, MOST = 2, 8, 4
MARKS = ".,:;!?()[]{}\"'`*"
MOST_WORDS = 400  # of a statement that are compared; a longer one is a document


class Near:
    """A statement near another one, by its place. `share` is what the two have in common, `score` how sure it is that it is meant.

    Both lie from 0 to 1; `replaced` is how many runs of words stand in the place of others.
    """

    __slots__ = ("at", "begins", "replaced", "score", "share", "shortest")

    def __init__(self, at: int, words: "Sequence[str]", other: "Sequence[str]", weights: "Weights") -> None:
        self.at = at
        steps = SequenceMatcher(None, words, other, autojunk=False).get_opcodes()
        shared = math.fsum([weights.of(word) for kind, start, end, *_ in steps if kind == "equal" for word in words[start:end]])
        whole = math.fsum(map(weights.of, [*words, *other]))
        self.share = 2 * shared / whole if whole else 0.0
        self.begins = min(BEGINNING, steps[0][2] if steps and steps[0][0] == "equal" else 0)
        self.replaced = sum([kind == "replace" for kind, *_ in steps])
        self.shortest = min(len(words), len(other))
        self.score = 0.0

    def weigh(self, next_share: float) -> None:
        """Compute the score, given what the nearest other one shares."""
        lead = max(0.0, self.share - next_share)
        self.score = (self.share + LEAD_WEIGHT * lead + self.begins / BEGINNING) / MOST


class Weights:
    """How telling words are: those that are rare among some statements and, where these are few, in English."""

    __slots__ = ("holders", "known", "total")

    def __init__(self, statements: "Sequence[Sequence[str]]") -> None:
        self.holders = Counter(word for words in statements for word in set(words))
        self.total = len(statements)
        self.known: dict[str, float] = {}

    def of(self, word: str) -> float:
        """Return the weight of a word, above 0."""
        if word not in self.known:
            bare = word.strip(MARKS)
            share = candidates.share_of(bare) if bare.isalpha() else candidates.RARE
            held = (self.holders[word] + candidates.YOUNG * share) / (self.total + candidates.YOUNG)
            self.known[word] = -math.log(min(0.999, held))
        return self.known[word]


def words_of(text: str) -> "list[str]":
    """Return the words of a statement as they are compared: folded, with the marks inside of them."""
    return wording.folded(text).split()[:MOST_WORDS]


def nearest(statement: str, there: "Sequence[str]") -> "list[Near]":
    """Return the statements that share the most with one, the nearest first and at most a handful."""
    words, others = words_of(statement), [words_of(text) for text in there]
    weights = Weights(others)
    dice = [_dice(set(words), set(other), weights) for other in others]
    first = sorted([at for at in range(len(others)) if dice[at]], key=lambda at: -dice[at])[:COMPARED]
    found = sorted([Near(at, words, others[at], weights) for at in first], key=lambda near: -near.share)
    for near in found:
        near.weigh(max([each.share for each in found if others[each.at] != others[near.at]], default=0.0))
    return found


def _dice(one: "set[str]", other: "set[str]", weights: Weights) -> float:
    """Return twice the weight of the words in common as a share of that of all: 0 without any."""
    shared = one & other
    if not shared:
        return 0.0
    return 2 * math.fsum(map(weights.of, shared)) / math.fsum(map(weights.of, [*one, *other]))  # the same in any order
