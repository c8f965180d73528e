"""Measures: how well one ranking answers one query, the mean over queries, and whether a difference is more than luck."""

import math
import random
from collections.abc import Collection, Iterable, Sequence

# No measure looks further: a ranking counts as far as this, whatever made it.
DEPTH = 20
CUTS = (1, 3, 5, 10, 20)
GAIN_DEPTH = 10
NAMES = (*(f"recall@{cut}" for cut in CUTS), "mrr", "ndcg@10")
COMPARED = ("recall@10", "ndcg@10")
DRAWS = 10_000
SEED = 4  # any; the same one makes the same figures in every run


def of(ranking: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Measure a ranking, best first, each name once, against the names that are relevant, of which there is one at least.

    recall@k is the share of what is relevant that stands among the first k; mrr is 1 / the place of the first that is
    relevant, 0 where it is not among the first 20; ndcg@10 counts a relevant one 1 / log2(1 + its place), against the
    best order there could be.
    """
    places = [place for place, name in enumerate(ranking[:DEPTH], 1) if name in relevant]
    found = {f"recall@{cut}": sum(place <= cut for place in places) / len(relevant) for cut in CUTS}
    ideal = sum(_gain(place) for place in range(1, min(GAIN_DEPTH, len(relevant)) + 1))
    gained = sum(_gain(place) for place in places if place <= GAIN_DEPTH)
    return {**found, "mrr": 1 / places[0] if places else 0.0, "ndcg@10": gained / ideal}


def _gain(place: int) -> float:
    return 1 / math.log2(1 + place)


def mean(measured: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over queries; nothing where there are none."""
    return {name: sum(each[name] for each in measured) / len(measured) for name in NAMES} if measured else {}


def difference(ours: Iterable[float], theirs: Iterable[float], draws: int = DRAWS) -> dict[str, float]:
    """Compare two ways of answering the same queries: the mean difference, its 95 % interval, and p.

    A paired bootstrap: queries are drawn anew, as many as there are, with replacement. p is twice the share of the draws
    in which the difference is gone or has the other sign.
    """
    gaps = [one - other for one, other in zip(ours, theirs, strict=True)]
    drawn = random.Random(SEED)  # noqa: S311 - no secret
    means = sorted(sum(drawn.choices(gaps, k=len(gaps))) / len(gaps) for _ in range(draws))
    below, above = (sum(side) / draws for side in ([value <= 0 for value in means], [value >= 0 for value in means]))
    tail = int(0.025 * draws)
    return {
        "difference": sum(gaps) / len(gaps), "low": means[tail], "high": means[-1 - tail], "p": min(1.0, 2 * min(below, above)),
    }  # fmt: skip
