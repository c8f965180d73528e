"""Say in numbers what speaks for a memory being meant by a prompt.

None of them tells how large the memory is, which day it is or in which order rows were read: on a benchmark these tell queries
from other prompts, and for a person they tell nothing.
"""

import math

from ralph_mem.memory.recall import ranking
from ralph_mem.memory.rows import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.candidates import Counts

# In the order of `of`. The table of weights has a line for each.
NAMES = ("fits", "strange", "share", "title", "file", "pairs", "short", "turns_ago", "note")
# A smaller pool counts as filled up with rows that say nothing: one row alone stands out from what might have been there.
POOL = 20
MOST_PAIRS, MOST_PATHS = 3, 40
SHORTEST_NAME, SHORTEST_STEM = 4, 3  # letters of `a.py` and `lamp` of lamp.py: shorter ones stand in too many sentences
# What a receipt keeps of each: how many steps of this size, at most MOST_STEPS.
STEPS, MOST_STEPS, BITS = (0.125, 0.125, 1 / 60, 1.0, 1.0, 1.0, 1 / 60, 0.2, 1.0), 63, 6
PACKED = 1 << (BITS * len(NAMES) + 1)  # none of the numbers that earlier receipts hold in its place is as large
# How little a prompt says: 1 for one word that no project knows, more for one that everybody uses.
ONE_WORD, MOST_SHORT = 8.0, 8.0
MARKS = ".,:;!?()[]{}<>'\"`"


class Prompt:
    """What a prompt says: its words with what each is worth, and each two words that follow each other."""

    __slots__ = ("bare", "pairs", "roots", "short", "strange", "text")

    def __init__(self, text: str, counts: "Counts") -> None:
        self.text = text[: index_text.QUERY_CHARACTERS].lower()
        self.bare = {word.strip(MARKS) for word in self.text.split()}
        words = {term: worth for term, worth in counts.worth.items() if term.isalnum()}
        self.roots = [(ranking.root_of(term), worth) for term, worth in words.items()]
        unknown = sum([worth for term, worth in words.items() if not counts.of[term]])
        self.strange = unknown / (sum(words.values()) or 1.0)
        whole = sum(words.values())
        self.short = MOST_SHORT if whole * MOST_SHORT < ONE_WORD else ONE_WORD / whole
        said = index_text.split(self.text)
        telling = [word not in index_text.STOPWORDS for word in said]
        self.pairs = [f"{said[at]} {said[at + 1]}" for at in range(len(said) - 1) if telling[at] and telling[at + 1]]


def of(
    prompt: Prompt, rows: "list[tuple[Any, ...]]", texts: "list[float]", scores: "list[float]", places: "list[int]", newest: int
) -> "list[tuple[float, ...]]":
    """Return the features of the rows at some places of a pool, with the text scores and the undated scores of all its rows."""
    size = max(POOL, len(scores))
    mean = sum(scores) / size
    deviation = math.sqrt(max(1e-9, sum([score * score for score in scores]) / size - mean * mean))
    best = max(scores) or 1.0
    whole = ranking.most_of_text(sum([worth for _, worth in prompt.roots]) or 1.0)
    found: list[tuple[float, ...]] = []
    for at in places:
        row, stands_out = rows[at], (scores[at] - mean) / deviation
        texts_of_row = [text.lower() for text in row[index_text.INDEXED]]
        found.append((
            stands_out * texts[at] / whole,
            stands_out * prompt.strange,
            scores[at] / best,
            sum([worth for root, worth in prompt.roots if root in texts_of_row[0]]),
            float(_names_file(prompt, texts_of_row[3])),
            float(_pairs(prompt, texts_of_row)),
            prompt.short,
            math.log(1 + max(0, newest - row[0])) if ranking.is_turn(row) else 0.0,  # notes do not age
            float(not ranking.is_turn(row)),
        ))  # fmt: skip
    return found


def _names_file(prompt: Prompt, files: str) -> bool:
    """Say whether a prompt names one of the files of a memory: by its path, its name, or its name without the ending."""
    for path in files.split("\n")[:MOST_PATHS]:
        name = path.rpartition("/")[2]
        stem = name.partition(".")[0]
        if (len(stem) >= SHORTEST_STEM and stem in prompt.bare) or (len(name) >= SHORTEST_NAME and name in prompt.text):
            return True
    return False


def _pairs(prompt: Prompt, texts: "list[str]") -> int:
    """Return how many words that follow each other in a prompt do so in a memory's title or text."""
    return min(MOST_PAIRS, sum([pair in texts[0] or pair in texts[1] for pair in prompt.pairs]))


def packed(values: "tuple[float, ...]") -> int:
    """Return features as one number, roughly, for a receipt."""
    found = PACKED
    for place, (value, step) in enumerate(zip(values, STEPS)):
        found |= max(0, min(MOST_STEPS, int(value / step + 0.5))) << (BITS * place)
    return found


def unpacked(number: int) -> "dict[str, float]":
    """Return the features of a receipt's line by their names, roughly; nothing for a line that has none."""
    if number < PACKED:
        return {}
    return {name: (number >> (BITS * place) & MOST_STEPS) * step for place, (name, step) in enumerate(zip(NAMES, STEPS))}
