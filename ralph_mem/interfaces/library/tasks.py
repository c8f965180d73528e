"""Choose what is remembered for a task, of a session, a project and all projects."""

import math
import time

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.library import rendering
from ralph_mem.memory import items, namespaces
from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import candidates, lookup, meaning, ranking, search
from ralph_mem.memory.rows import query_text, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.rows.items import Stored

# Where nobody says what the task is, so much of the prompt does.
PROMPT_CHARACTERS = 500
MOST_ITEMS = 8
SHORT, PROJECT, GLOBAL = "session", "project", "global"
LAST_TURNS = " WHERE t.prompt <> '' AND t.tainted < 2 ORDER BY t.id DESC LIMIT ?"


class Limits:
    """How much is told, and how: at most so many memories of a project, half as many of all projects, so many of the session.

    `min_score` is the least score of what is told, by default that which the setting `memory.tell` stands for. `tokens` is the
    most that the text may cost, by default that of a prompt. `format` is `markdown`, `xml` or `json`.
    """

    def __init__(
        self, settings: "dict[str, Any]", max_skills: int = 5, max_short_term: int = 3, min_score: "float | None" = None,
        include_scores: bool = True, format: str = "markdown", tokens: "int | None" = None,  # noqa: A002 - as one would ask for it
    ) -> None:  # fmt: skip
        if format not in rendering.FORMATS:
            raise RalphMemError(f"there is no format {format[:40]}", "one of " + ", ".join(rendering.FORMATS))
        self.most = {SHORT: max_short_term, PROJECT: max_skills, GLOBAL: max_skills // 2}
        self.min_score, self.include_scores, self.format = min_score, include_scores, format
        self.tokens = settings["memory.inject_tokens_prompt"] if tokens is None else tokens


class Found:
    """A memory that fits a task: its id, where it is from, what it is called and says, and its score from 0 to 1."""

    __slots__ = ("id", "score", "text", "tier", "title")

    def __init__(self, name: str, tier: str, title: str, text: str, score: float) -> None:
        self.id, self.tier, self.title, self.text, self.score = name, tier, title, text, score


def context(place: "namespaces.Place", session: str, task: str, limits: Limits) -> str:
    """Return what fits a task as a text for a model, nothing where there is nothing."""
    found = merged(_short_term(place, session, task, limits) + _long_term(place, task, limits), limits)
    while found:
        text = rendering.of(found, limits.format, limits.include_scores, place)
        if row.tokens(text) <= limits.tokens:
            return text
        found = found[:-1]
    return ""


def merged(found: "list[Found]", limits: Limits) -> "list[Found]":
    """Return the best of each tier, as many as it may have, the best of all first and at most eight."""
    ranked = sorted(found, key=lambda each: -each.score)
    kept = [each for at, each in enumerate(ranked) if sum([one.tier == each.tier for one in ranked[:at]]) < limits.most[each.tier]]
    return kept[:MOST_ITEMS]


def _short_term(place: "namespaces.Place", session: str, task: str, limits: Limits) -> "list[Found]":
    """Return the items of the session that share words with a task, scored by how much of it they hold."""
    kept = items.listed(place, (namespaces.SESSION, session), exactly=False) if session else []
    worth = {ranking.root_of(term): -math.log(candidates.share_of(term)) for term in candidates.terms_of(task)}
    told = [(each, each.key + "\n" + items.text_of(each.value, each.index)) for each in kept if not each.tainted]
    found = [Found(each.public_id, SHORT, each.key, _said(each), _share(worth, text)) for each, text in told if each.index]
    return [each for each in found if each.score > (limits.min_score or 0.0)]


def _said(item: "Stored") -> str:
    return items.text_of(item.value, item.index)


def _share(worth: "dict[str, float]", text: str) -> float:
    """Return how much of what the words of a task are worth a text holds, from 0 to 1."""
    low, whole = text.lower(), sum(worth.values())
    return sum([value for root, value in worth.items() if root in low]) / whole if whole else 0.0


def _long_term(place: "namespaces.Place", task: str, limits: Limits) -> "list[Found]":
    """Return what the product's own judge takes to be meant by a task, in the project and in all projects."""
    found: list[Found] = []
    for tier, scope in ((PROJECT, ()), (GLOBAL, (namespaces.GLOBAL,))):
        opened = place.read(scope) if tier == PROJECT or projects.everywhere() else None
        if opened is None:
            continue
        try:
            now, tell = time.time_ns() // 1_000_000, place.settings["memory.tell"]
            hits = search.hits(opened, task, now, meaning.sense(), tell)
        finally:
            opened.close()
        found += [_of_hit(hit, tier, place) for hit in hits if _is_enough(hit, limits)]
    return [each for each in found if each.title or each.text]


def _is_enough(hit: "search.Hit", limits: Limits) -> bool:
    return hit.admitted if limits.min_score is None else hit.chance >= limits.min_score


def _of_hit(hit: "search.Hit", tier: str, place: "namespaces.Place") -> Found:
    """Return a memory as a prompt would be told it: nothing from outside, nothing about excluded paths."""
    memory = block.Memory(hit.values, None, place.settings)
    said = "" if memory.said == block.WITHHELD else memory.said
    texts = [text.replace("&lt;", "<") for text in (memory.asked, said, memory.lines)]
    return Found(memory.public_id, tier, texts[0], "\n".join([text for text in texts[1:] if text]), hit.chance)


def turns(reader: "lookup.Reader", query: str, limit: int, sense: "Sense | None") -> "list[lookup.Row]":
    """Return turns that answer a query, or the last ones."""
    if query_text.words(query):
        return lookup.search(reader, query, time.time_ns() // 1_000_000, lookup.Wanted(limit, types=("turn",)), sense)
    return reader.protected(reader.rows(reader.stores[0], lookup.TURN + LAST_TURNS, (limit,)))
