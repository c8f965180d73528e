"""Fit the table of weights that decides what a prompt is told, on labelled histories.

A logistic regression by Newton's method, in plain Python, so that the same files make the same table everywhere. Each set counts
as much as any other, however many queries it has; those of one source share that.
"""

import math
from collections import namedtuple
from collections.abc import Iterator, Sequence

from ralph_mem.bench import asking
from ralph_mem.bench.histories import SESSION, Histories, History, Query, source
from ralph_mem.bench.retrieval import FULL, LEXICAL, Meaning
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.recall import features, search
from ralph_mem.memory.rows import turns

# How often prompts are left alone at each level: chosen, as what a person will bear; eager is what the goals allow.
LEFT_ALONE = {"quiet": 0.99, "normal": 0.965, "eager": 0.93}
# The notes that were written for the fit are short and clear: they count half.
OWN, OWN_COUNT = "notes", 0.5
# Of everyday prompts and those of other projects there are so many for each query: more say nothing new.
OTHERS_FOR_ONE = 1.5
# A young memory is a part of a history as long as this; so many parts of each file, at most.
YOUNG, YOUNG_SHARE, MOST_YOUNG = 40, 0.25, 60
PENALTY, STEPS, NEAR_ENOUGH = 10.0, 25, 1e-7
# Of a source that was left out memories are judged too likely, by 0.4 in the logarithm of the odds, and of one that was fitted not.
# Half of it is taken off: then what is said and what is relevant lie nearest to each other in all sources.
DOUBT = 0.2
QUERIES = 300.0  # what each set counts as

# The judged memories of one prompt: their features, and whether each is relevant. `sort` is empty for a query.
Case = namedtuple("Case", "sort values relevant")
Part = namedtuple("Part", "source cases weight")


def leave_out(sets: Sequence[Histories], name: str, mode: str = LEXICAL) -> list[Histories]:
    """Put tables in force that are fitted on all sets but those of one source; returns these. Raises RalphMemError."""
    out = [each for each in sets if name in (each.name, source(each.name))]
    rest = [each for each in sets if source(each.name) not in {source(one.name) for one in out}]
    if not out or not rest:
        raise RalphMemError(f"{name} cannot be left out", "name one of the files' sets, and give others to fit on")
    features.KNOWN[:] = [(fit(parts(rest)), fit(parts(rest, Meaning())) if mode == FULL else None)]
    return out


def parts(sets: Sequence[Histories], meaning: Meaning | None = None) -> list[Part]:
    """Return the cases of each set, asked as `bench injection` asks them, and once more of a memory in its first days.

    With a model only as they are: to embed each beginning anew would take an hour.
    """
    found = []
    for histories in sets:
        others = [each for each in sets if source(each.name) != source(histories.name)]
        whole = [case for history in histories.projects for case in cases(histories.unit, history, others, meaning)]
        found.append(Part(source(histories.name), whole, 1.0))
        if histories.unit != SESSION and not meaning:
            young = [part for history in histories.projects for part in beginnings(history)]
            young = young[:: max(1, len(young) // MOST_YOUNG)]
            found.append(Part(source(histories.name), [case for part in young for case in cases(histories.unit, part, others)],
                              YOUNG_SHARE))  # fmt: skip
    return [part for part in found if any(case.sort == "" for case in part.cases)]


def cases(unit: str, history: History, others: Sequence[Histories], meaning: Meaning | None = None) -> list[Case]:
    """Return what the hook would judge at each query of a history, and at prompts that nothing answers."""
    prompts = asking.plan(unit, history, asking.others_of(others, history))
    most = OTHERS_FOR_ONE * sum(not prompt.sort for prompt in prompts)
    counts = {sort: sum(prompt.sort == sort for prompt in prompts) for sort in asking.SORTS}
    seen = dict.fromkeys(asking.SORTS, 0)
    kept = []
    for prompt in prompts:  # evenly along the history
        if prompt.sort:
            seen[prompt.sort] += 1
            share = min(1.0, most / counts[prompt.sort])
            if int(seen[prompt.sort] * share) == int((seen[prompt.sort] - 1) * share):
                continue
        kept.append(prompt)
    return list(_judged(history, kept, meaning))


def _judged(history: History, prompts: Sequence[asking.Prompt], meaning: Meaning | None) -> Iterator[Case]:
    size = len(features.NAMES) + bool(meaning)
    with Throwaway() as throwaway:
        for prompt in asking.in_time(history, prompts, throwaway):
            if meaning:
                meaning.embed(throwaway, lambda _done, _of: None)
            words, sense = asking.is_looked_up(prompt.text), meaning.of_mode(FULL) if meaning else None
            at_hand = turns.at_hand(throwaway.store, asking.session_of(throwaway, prompt), 0)
            found = search.judged(throwaway.store, words, prompt.at, sense, at_hand) if words else []
            found = [each for each in found if len(each[2]) == size]
            relevant = [throwaway.names[row[1]] in prompt.relevant for row, *_ in found]
            yield Case(prompt.sort, [values for _, _, values in found], relevant)


def beginnings(history: History) -> list[History]:
    """Cut a history into short ones, each with the queries of which it holds the evidence."""
    places = {memory.id: place for place, memory in enumerate(history.memories)}
    found = []
    for start in range(0, len(history.memories), YOUNG):
        there = range(start, min(start + YOUNG, len(history.memories)))
        queries = [_within(query, places, there) for query in asking.answerable(history)]
        kept = [query for query in queries if query]
        if kept:
            found.append(history._replace(memories=history.memories[start : start + YOUNG], queries=kept))
    return found


def _within(query: Query, places: dict[str, int], there: range) -> Query | None:
    relevant = tuple(name for name in query.relevant if places.get(name, -1) in there)
    known = min(query.known - there.start, len(there))
    return query._replace(relevant=relevant, known=known, here=known) if relevant and known > 2 else None


def fit(given: Sequence[Part]) -> features.Table:
    """Return the table that tells the relevant memories of some parts from the others, with a threshold for each level."""
    rows = [(values, float(right), weight) for part, weight in _weighed(given) for case in part.cases
            for values, right in zip(case.values, case.relevant, strict=True)]  # fmt: skip
    means, spreads = _scales(rows)
    scaled = [((1.0, *[(value - mean) / spread for value, mean, spread in zip(values, means, spreads, strict=True)]), right, weight)
              for values, right, weight in rows]  # fmt: skip
    found = [0.0] * (len(means) + 1)
    for _ in range(STEPS):
        step = _step(scaled, found)
        found = [each - change for each, change in zip(found, step, strict=True)]
        if max(map(abs, step)) < NEAR_ENOUGH:
            break
    weights = [each / spread for each, spread in zip(found[1:], spreads, strict=True)]
    bias = found[0] - DOUBT - sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    table = features.Table(bias, weights, {})
    return features.Table(bias, weights, {level: threshold(table, given, share) for level, share in LEFT_ALONE.items()})


def threshold(table: features.Table, given: Sequence[Part], left_alone: float) -> float:
    """Return how likely is enough, so that such a share of everyday prompts and of other projects' is left alone on average."""
    found, weights = [], []
    for part, weight in _weighed(given):
        best = {sort: [] for sort in (asking.EVERYDAY, asking.OTHERS)}  # type: dict[str, list[float]]
        for case in part.cases:
            if case.sort in best:
                best[case.sort].append(max([table.chance(values) for values in case.values], default=0.0))
        enough = [sorted(each)[min(len(each) - 1, int(left_alone * len(each)))] for each in best.values() if each]
        if enough and part.weight == 1:
            found.append(max(enough))
            weights.append(weight * sum(not case.sort for case in part.cases))
    return sum(each * weight for each, weight in zip(found, weights, strict=True)) / sum(weights) if found else 0.5


def _weighed(given: Sequence[Part]) -> list[tuple[Part, float]]:
    """Return each part with what a memory in it counts: sources as much as each other, and so their sets."""
    of_source: dict[str, float] = {}
    for part in given:
        of_source[part.source] = of_source.get(part.source, 0.0) + part.weight
    queries = [sum(not case.sort for case in part.cases) for part in given]
    counts = [OWN_COUNT if part.source == OWN else 1.0 for part in given]
    return [(part, QUERIES * part.weight * counts / of_source[part.source] / asked)
            for part, asked, counts in zip(given, queries, counts, strict=True)]  # fmt: skip


Rows = list[tuple[tuple[float, ...], float, float]]


def _scales(rows: Rows) -> tuple[list[float], list[float]]:
    """Return the mean and the spread of each feature."""
    whole = sum(weight for _, _, weight in rows)
    means, spreads = [], []
    for at in range(len(rows[0][0])):
        mean = sum(weight * values[at] for values, _, weight in rows) / whole
        means.append(mean)
        spreads.append(math.sqrt(sum(weight * (values[at] - mean) ** 2 for values, _, weight in rows) / whole) or 1.0)
    return means, spreads


def _step(rows: Rows, found: list[float]) -> list[float]:
    """Return one step of Newton's method for the penalized likelihood."""
    size = len(found)
    slope = [0.0, *[PENALTY * each for each in found[1:]]]
    bend = [[PENALTY * (one == other) * (one > 0) for one in range(size)] for other in range(size)]
    for values, right, weight in rows:
        sum_of = sum(map(float.__mul__, found, values))
        chance = 1 / (1 + math.exp(-max(-features.STEEPEST, min(features.STEEPEST, sum_of))))
        error, sharp = weight * (chance - right), weight * chance * (1 - chance) + 1e-12
        for one, value in enumerate(values):
            slope[one] += error * value
            line, factor = bend[one], sharp * value
            for other in range(one + 1):
                line[other] += factor * values[other]
    for one in range(size):
        for other in range(one):
            bend[other][one] = bend[one][other]
    return _solved(bend, slope)


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve linear equations by elimination; the matrix is positive definite, so that no row has to move."""
    size = len(right)
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(size):
        pivot = lines[at]
        for below in lines[at + 1 :]:
            factor = below[at] / pivot[at]
            for column in range(at, size + 1):
                below[column] -= factor * pivot[column]
    found = [0.0] * size
    for at in reversed(range(size)):
        rest = sum(lines[at][column] * found[column] for column in range(at + 1, size))
        found[at] = (lines[at][size] - rest) / lines[at][at]
    return found
