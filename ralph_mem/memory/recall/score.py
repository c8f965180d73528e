"""Judge by one table of weights how likely it is that a prompt means a memory.

The table is fitted by `python -m tests.bench.train_injection`. Where it is missing or damaged nobody can judge, and prompts are
told nothing. Where a model says how near a memory comes, all weights are others: what words tell counts less then.
"""

import math

from ralph_mem.core import paths
from ralph_mem.memory.recall import features

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
        KNOWN.append(read())
    return KNOWN[0][by_meaning]


def read(path: str = TABLE) -> "tuple[Table | None, Table | None]":
    """Return the table for rows by their words and that for rows with a cosine; nothing for one of which not all is there."""
    found: dict[str, float] = {}
    try:
        for line in paths.read(path).split("\n"):
            name, _, value = line.partition("#")[0].strip().partition(" ")
            if name:
                found[name] = float(value)
    except (OSError, ValueError):
        return None, None
    return _table(found, "", features.NAMES), _table(found, MEANING, (*features.NAMES, features.NEAR))


def _table(found: "dict[str, float]", before: str, names: "tuple[str, ...]") -> "Table | None":
    """Return one table of the lines of a file, all of which begin alike; nothing if one is missing or no weight."""
    try:
        levels = {level: found[before + TELL + level] for level in LEVELS}
        bias, *weights = [found[before + name] for name in (BIAS, *names)]
    except KeyError:
        return None
    sound = all([-LARGEST < number < LARGEST for number in (bias, *weights)]) and all([0 < each < 1 for each in levels.values()])
    return Table(bias, weights, levels) if sound else None
