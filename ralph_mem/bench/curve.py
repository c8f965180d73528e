"""Say what would be told at other thresholds, and how far a chance can be believed."""

from collections.abc import Sequence
from typing import Any

from ralph_mem.bench import asking, measures
from ralph_mem.memory.inject import prompting
from ralph_mem.memory.recall import search

THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TENTHS = 10


def of(asked: Sequence[Any]) -> list[dict[str, Any]]:
    """Return for each threshold what would be answered, relevant and left alone, before the budget and folding."""
    return [_at(least, asked) for least in THRESHOLDS]


def _at(least: float, asked: Sequence[Any]) -> dict[str, Any]:
    told = [_told(each.chances, least) for each in asked]
    queries = [right for each, right in zip(asked, told, strict=True) if not each.prompt.sort]
    alone = {
        sort: measures.share([not right for each, right in zip(asked, told, strict=True) if each.prompt.sort == sort])
        for sort in asking.SORTS
    }
    return {
        "threshold": least,
        "answered": measures.share([any(right) for right in queries]),
        "relevant_items": measures.ratio([sum(right) for right in queries], [len(right) for right in queries]),
        "left_alone": {sort: figure for sort, figure in alone.items() if figure},
    }


def _told(chances: Sequence[tuple[float, bool]], least: float) -> list[bool]:
    """Return of each memory that would be told whether it is relevant."""
    best = sorted(chances, key=lambda each: -each[0])[: prompting.MOST_ITEMS]
    return [right for chance, right in best if chance >= max(least, search.LEAST_SHARE * best[0][0])]


def reliability(asked: Sequence[Any]) -> list[dict[str, Any]]:
    """Return for each tenth of the chances how many memories were judged so, what was said, and how many are relevant."""
    tenths: list[list[tuple[float, bool]]] = [[] for _ in range(TENTHS)]
    for chance, right in [each for one in asked for each in one.chances]:
        tenths[min(TENTHS - 1, int(chance * TENTHS))].append((chance, right))
    return [_tenth(each) for each in tenths if each]


def _tenth(judged: list[tuple[float, bool]]) -> dict[str, Any]:
    said = sum(chance for chance, _ in judged) / len(judged)
    return {"cases": len(judged), "said": said, "relevant": measures.share([right for _, right in judged])}
