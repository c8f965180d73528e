"""Say in numbers what speaks for a memory being meant by a prompt, and how likely that makes it.

None of them tells how large the memory is, which day it is or in which order rows were read: on a benchmark these tell queries
from other prompts, and for a person they tell nothing. They are weighed by one table, which `python -m tests.bench.train_injection`
fits. Where it is missing or damaged nobody can judge, and prompts are told nothing. Where a model says how near a memory comes, all
weights are others: what words tell counts less then.
"""

import math

from ralph_mem.core import paths
from ralph_mem.memory.recall import ranking
from ralph_mem.memory.rows import index_text, query_text, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.candidates import Counts

# In the order of `of`. The table of weights has a line for each.
NAMES = ("fits", "stands_out", "says", "title", "file", "pairs", "short", "turns_ago", "note")
# Where a model says it, how near the memory comes is the last one: such rows have a table of weights of their own.
NEAR = "near"
# A smaller pool counts as filled up with rows that say nothing: one row alone stands out from what might have been there. By their
# days rows stand out from those that are there, and only a handful is filled up.
POOL, HANDFUL = 20, 5
MOST_PAIRS, MOST_PATHS = 3, 40
ASKED, SAID = 6, 7
LEAST = 1e-4  # a spread of nothing: all scores are the same
# The least spread of a pool's dated scores: rows that are all alike do not stand out by a hair. Any from 0.05 to 0.2 does.
LEAST_SPREAD = 0.1
LEAST_WORTH = 2.0  # of a prompt, a quarter of one rare word's: no memory fits well to words that everybody uses. Flat up to 2
MUCH_TEXT = 20.0  # what the text score of a long and full answer to a long prompt comes to
SHORTEST_NAME, SHORTEST_STEM = 4, 3  # letters of `a.py` and `lamp` of lamp.py: shorter ones stand in too many sentences
# What a receipt keeps of each: how many steps of this size, at most MOST_STEPS.
STEPS, MOST_STEPS, BITS = (0.125, 0.125, 0.125, 1.0, 1.0, 1.0, 1 / 60, 0.2, 1.0, 0.02), 63, 6
PACKED = 1 << (BITS * len(STEPS) + 1)  # none of the numbers that earlier receipts hold in its place is as large
# Stand for what has no features: the prompt asked what was done at its time, or it takes back what is told.
OF_TIME, OF_RETRACTION = 2 * PACKED, 2 * PACKED + 1
RETRACTION = (0.0,)
# How little a prompt says: 1 for one word that no project knows, more for one that everybody uses.
ONE_WORD, MOST_SHORT = 8.0, 8.0
# A file that the session has open counts for the more, the more the prompt says, and is no evidence from this `short` on.
SHORTEST_OPEN = 2.0
MARKS = ".,:;!?()[]{}<>'\"`"
# What a pasted message of a program holds, in lower case. Only for such a prompt are the lines of an error looked at for words that
# follow each other, and two such pairs have to be there: libuv and curl are as before, coding sessions are answered as often and
# left alone .934 instead of .936. All prompts and single pairs tell what is relevant .02 more seldom there.
OF_ERRORS = ("error", "exception", "failed", "fails", "cannot ", "traceback", "exist", "not found", "undefined", "denied")
FEWEST_PAIRS = 2


class Prompt:
    """What a prompt says: its words with what each is worth, and each two words that follow each other.

    `open_files` are the paths that its session has changed, in lower case.
    """

    __slots__ = ("apart", "bare", "open_files", "pairs", "roots", "said", "short", "text")

    def __init__(self, text: str, counts: "Counts", open_files: "frozenset[str]" = frozenset()) -> None:
        self.open_files = open_files
        self.text = text[: query_text.QUERY_CHARACTERS].lower()
        self.bare = {word.strip(MARKS) for word in self.text.split()}
        words = {term: worth for term, worth in counts.worth.items() if term.isalnum()}
        self.roots = [(ranking.root_of(term), worth) for term, worth in words.items()]
        whole = sum(words.values())
        self.short = MOST_SHORT if whole * MOST_SHORT < ONE_WORD else ONE_WORD / whole
        self.said = said = index_text.split(self.text)
        telling = [word not in index_text.STOPWORDS for word in said]
        # what stands between words; made only where an error is pasted
        is_error = any([sign in self.text for sign in OF_ERRORS])
        self.apart = {code: " " for code in range(128) if not chr(code).isalnum()} if is_error else {}
        self.pairs = [f"{said[at]} {said[at + 1]}" for at in range(len(said) - 1) if telling[at] and telling[at + 1]]


def of(
    prompt: Prompt, rows: "list[tuple[Any, ...]]", texts: "list[float]", scores: "list[float]", dated: "list[float]",
    places: "list[int]", newest: int,
) -> "list[tuple[float, ...]]":  # fmt: skip
    """Return the features of the rows at some places of a pool.

    Given are the text scores, the undated scores and the dated ones of all rows of the pool, and the number of the newest row.
    """
    once = _each_once(rows)
    middle, spread = _spread([scores[at] for at in once], max(POOL, len(once)))
    middle_dated, spread_dated = _spread([dated[at] for at in once], max(HANDFUL, len(once)))
    whole = ranking.most_of_text(max(LEAST_WORTH, sum([worth for _, worth in prompt.roots])))
    found: list[tuple[float, ...]] = []
    for at in places:
        row = rows[at]
        texts_of_row = [index_text.composed(text).lower() for text in row[reading.INDEXED]]
        title, is_turn = index_text.plain(texts_of_row[0]), ranking.is_turn(row)
        found.append((
            (scores[at] - middle) / max(LEAST, spread) * texts[at] / whole,
            (dated[at] - middle_dated) / (spread_dated + LEAST_SPREAD),
            texts[at] / MUCH_TEXT,
            sum([worth for root, worth in prompt.roots if root in title]),
            _open(prompt, texts_of_row[3])
            + (_names_file(prompt, texts_of_row[3]) or (not is_turn and _names(prompt, texts_of_row[4]))),
            float(_pairs(prompt, texts_of_row)),
            prompt.short,
            math.log(1 + max(0, newest - row[0])) if is_turn else 0.0,  # notes do not age
            float(not is_turn),
        ))  # fmt: skip
    return found


def subject(row: "tuple[Any, ...]") -> str:
    """Return what a row is about in its own words: those that have it in common say the same again."""
    return index_text.composed(str(row[ASKED] or row[SAID])).lower()


def _each_once(rows: "list[tuple[Any, ...]]") -> "list[int]":
    """Return the places of rows, of those that say the same only one: what was said six times stands out as well as ever."""
    return list({subject(row): at for at, row in enumerate(rows)}.values())


def _spread(scores: "list[float]", size: int) -> "tuple[float, float]":
    """Return the mean and the standard deviation of scores, filled up with zeros to a size."""
    mean = sum(scores) / size
    return mean, math.sqrt(max(0.0, sum([score * score for score in scores]) / size - mean * mean))


def _names_file(prompt: Prompt, files: str) -> bool:
    """Say whether a prompt names one of the files of a memory: by its path, its name, or its name without the ending."""
    for path in files.split("\n")[:MOST_PATHS]:
        name = path.rpartition("/")[2]
        stem = name.partition(".")[0]
        if (len(stem) >= SHORTEST_STEM and stem in prompt.bare) or (len(name) >= SHORTEST_NAME and name in prompt.text):
            return True
    return False


def _open(prompt: Prompt, files: str) -> float:
    """Return from 0 to 1 what it says that the session has changed some of the files of a memory, too."""
    if not prompt.open_files or prompt.short >= SHORTEST_OPEN:
        return 0.0
    shared = prompt.open_files.intersection(files.split("\n")[:MOST_PATHS])
    return min(1.0, math.log(1 + len(shared - {""}))) * (1 - prompt.short / SHORTEST_OPEN)


def _names(prompt: Prompt, names: str) -> bool:
    """Say whether a prompt has one of the other words for a memory, which stand line by line: a person gave it to be found by."""
    if not names:
        return False
    said = _singular(prompt.said)
    return any([_singular(index_text.split(name)) in said for name in names.split("\n") if name])


def _singular(words: "list[str]") -> str:
    """Return words in a row, without what mostly makes several of one."""
    return f" {' '.join([word[:-1] if len(word) > SHORTEST_NAME and word[-1] == 's' else word for word in words])} "


def _pairs(prompt: Prompt, texts: "list[str]") -> int:
    """Return how many words that follow each other in a prompt do so in a memory's title or text, or in the error it is about."""
    found = sum([pair in texts[0] or pair in texts[1] for pair in prompt.pairs])
    if prompt.apart and texts[4] and found < MOST_PAIRS:
        lines = " ".join(texts[4].translate(prompt.apart).split())
        repeated = sum([pair in lines for pair in prompt.pairs])
        found = max(found, repeated if repeated >= FEWEST_PAIRS else 0)
    return min(MOST_PAIRS, found)


def packed(values: "tuple[float, ...]") -> int:
    """Return features as one number, roughly, for a receipt."""
    if len(values) < len(NAMES):
        return OF_RETRACTION if values else OF_TIME
    found = PACKED
    for place, (value, step) in enumerate(zip(values, STEPS)):
        found |= max(0, min(MOST_STEPS, int(value / step + 0.5))) << (BITS * place)
    return found


def unpacked(number: int) -> "dict[str, float]":
    """Return the features of a receipt's line by their names, roughly; nothing for a line that has none."""
    if number < PACKED or number >= OF_TIME:
        return {}
    return {name: (number >> (BITS * place) & MOST_STEPS) * step for place, (name, step) in enumerate(zip((*NAMES, NEAR), STEPS))}


# The table of weights

TABLE = __file__.rpartition("/")[0] + "/weights.txt"
BIAS, TELL, MEANING = "bias", "tell.", "meaning."
OFF, NORMAL = "off", "normal"
LEVELS = ("quiet", NORMAL, "eager")
LARGEST = 1000.0  # what no weight reaches that was fitted
STEEPEST = 30.0


class Table:
    """The weights in the order of the features, and how likely a memory must be meant for each level of `memory.tell`."""

    __slots__ = ("bias", "levels", "weights")

    def __init__(self, bias: float, weights: "list[float]", levels: "dict[str, float]") -> None:
        self.bias, self.weights, self.levels = bias, weights, levels

    def chance(self, values: "tuple[float, ...]") -> float:
        """Return how likely a memory with such features is meant."""
        sum_of = self.bias + sum([weight * value for weight, value in zip(self.weights, values)])
        return 1 / (1 + math.exp(-max(-STEEPEST, min(STEEPEST, sum_of))))

    def least(self, level: str, misled: int = 0) -> float:
        """Return how likely a memory must be meant to be told; each time that it misled, half of the doubt is left."""
        return float(1 - (1 - self.levels.get(level, 1.0)) / 2**misled)


KNOWN: "list[tuple[Table | None, Table | None]]" = []  # those in force, once they were read


def in_force(by_meaning: bool = False) -> "Table | None":
    """Return the table that judges, or nothing where it is missing or damaged; for rows with a cosine there is another."""
    if not KNOWN:
        KNOWN.append(read_tables())
    return KNOWN[0][by_meaning]


def read_tables(path: str = TABLE) -> "tuple[Table | None, Table | None]":
    """Return the table for rows by their words and that for rows with a cosine; nothing for one of which not all is there."""
    found: dict[str, float] = {}
    try:
        for line in paths.read(path).split("\n"):
            name, _, value = line.partition("#")[0].strip().partition(" ")
            if name:
                found[name] = float(value)
    except (OSError, ValueError):
        return None, None
    return _table(found, "", NAMES), _table(found, MEANING, (*NAMES, NEAR))


def _table(found: "dict[str, float]", before: str, names: "tuple[str, ...]") -> "Table | None":
    """Return one table of the lines of a file, all of which begin alike; nothing if one is missing or no weight."""
    try:
        levels = {level: found[before + TELL + level] for level in LEVELS}
        bias, *weights = [found[before + name] for name in (BIAS, *names)]
    except KeyError:
        return None
    sound = all([-LARGEST < number < LARGEST for number in (bias, *weights)]) and all([0 < each < 1 for each in levels.values()])
    return Table(bias, weights, levels) if sound else None
