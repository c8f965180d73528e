"""`python -m tests.bench.train_injection [--meaning] FILE ...`: fit the table of weights that decides what a prompt is told.

Prints what each set would be told by a table that was fitted on the others, then writes the table of all, with the hashes of the
files. The same files make the same table. A minute or two, most of it to build the memories. With --meaning, where embeddings
are set up, that for memories with a cosine as well: a quarter of an hour.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from ralph_mem.bench import asking, fitting, histories
from ralph_mem.bench.fitting import Part
from ralph_mem.bench.retrieval import Meaning
from ralph_mem.core import hashing
from ralph_mem.memory.recall import features, search

NOTES = str(Path(__file__).with_name("notes.json"))  # written by hand for the fit: the coding sets hold no notes
MOST_ITEMS, MEANING = 3, "--meaning"
HEAD = """\
# What a memory must have to be told at a prompt: the weight of each feature (features.py), and how likely is enough.
# Made by `python -m tests.bench.train_injection`, a logistic regression, from these sets and the everyday prompts of the benchmark:
"""


def main() -> None:
    """Fit, print and write."""
    by_meaning = MEANING in sys.argv
    paths = [path for path in sys.argv[1:] if path != MEANING] + [NOTES]
    sets = [histories.read(path) for path in paths]
    text = HEAD + sources(paths) + lines(shown("words", fitting.parts(sets)))
    Path(features.TABLE).write_text(text)
    if by_meaning:
        text += lines(shown("meaning", fitting.parts(sets, Meaning())), features.MEANING)
        Path(features.TABLE).write_text(text)


def shown(what: str, given: Sequence[Part]) -> features.Table:
    """Return the table of some parts, having printed what it tells, and what those tell each that leave out one source."""
    for name in dict.fromkeys(part.source for part in given):
        others = [part for part in given if part.source != name]
        if others:
            show(f"{what}: {name}, fitted on the others", fitting.fit(others), [part for part in given if part.source == name])
    table = fitting.fit(given)
    show(f"{what}: all, fitted on all", table, given)
    return table


def sources(paths: Sequence[str]) -> str:
    """Return a line for each file: its hash and its name."""
    return "".join(f"#   {hashing.sha256(Path(path).read_bytes()).hexdigest()} {Path(path).name}\n" for path in sorted(paths))


def lines(table: features.Table, before: str = "") -> str:
    """Return the table as it is written; each line begins with `before`."""
    names = (*features.NAMES, features.NEAR)[: len(table.weights)]
    found = [(features.BIAS, table.bias), *zip(names, table.weights, strict=True)]
    found += [(features.TELL + level, table.levels[level]) for level in features.LEVELS]
    return "".join(f"{before + name:<19} {value:.5f}\n" for name, value in found)


def show(name: str, table: features.Table, given: Sequence[Part]) -> None:
    """Print what each level tells the cases of some parts: answered, relevant, left alone by sort."""
    for level, least in table.levels.items():
        for young in (False, True):
            cases = [case for part in given if (part.weight < 1) == young for case in part.cases]
            told = {sort: [_told(table, case, least) for case in cases if case.sort == sort] for sort in ("", *asking.SORTS)}
            items = sum(map(len, told[""])) or 1
            alone = [f"{sum(not each for each in told[sort]) / max(1, len(told[sort])):.3f}" for sort in asking.SORTS[:3]]
            answered = sum(any(each) for each in told[""]) / max(1, len(told[""]))
            relevant = sum(map(sum, told[""])) / items
            what = f"{answered:.3f} answered, {relevant:.3f} relevant, left alone {' '.join(alone)}"
            print(f"{name:<40} {'young' if young else '':<5} {level:<7} {what}", flush=True)


def _told(table: features.Table, case: fitting.Case, least: float) -> list[bool]:
    """Return of each memory that is told whether it is relevant."""
    chances = sorted(zip(map(table.chance, case.values), case.relevant, strict=True), reverse=True)[:MOST_ITEMS]
    return [right for chance, right in chances if chance >= max(least, search.LEAST_SHARE * chances[0][0])]


if __name__ == "__main__":
    main()
