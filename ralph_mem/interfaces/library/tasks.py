"""Choose what is remembered for a task, of a session, a project and all projects, and write it."""

import json
import math
import posix
import time

from ralph_mem.core import project as projects
from ralph_mem.core.redaction import gate, privacy
from ralph_mem.interfaces.library import arguments
from ralph_mem.memory import items, namespaces
from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import candidates, lookup, meaning, ranking, search
from ralph_mem.memory.rows import index_text, query_text, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.namespaces import Place
    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.rows.items import Stored

# Where nobody says what the task is, so much of the prompt does.
PROMPT_CHARACTERS = 500
MOST_ITEMS = 8
SHORT, PROJECT, GLOBAL = "session", "project", "global"
LAST_TURNS = " WHERE t.prompt <> '' AND t.tainted < 2 ORDER BY t.id DESC LIMIT ?"
MARKDOWN, XML, JSON = FORMATS = ("markdown", "xml", "json")
# What a caller may change, each as it is without a word of theirs.
LIMITS = {"format": MARKDOWN, "max_skills": 5, "max_short_term": 3, "min_score": None, "include_scores": True, "tokens": None}
# What XML has a meaning for, the ampersand first.
ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;"))
# What could end a block of JSON inside of Markdown or of a fence.
ESCAPED = (("<", "\\u003c"), ("`", "\\u0060"))


class Limits:
    """How much is told, and how: at most so many memories of a project, half as many of all projects, so many of the session.

    `min_score` is the least score of what is told, by default that which the setting `memory.tell` stands for. `tokens` is the
    most that the text may cost, by default that of a prompt. `format` is `markdown`, `xml` or `json`.
    """

    def __init__(self, settings: "dict[str, Any]", **given: "Any") -> None:
        asked = {**LIMITS, **{arguments.one_of(LIMITS, "limit", name): given[name] for name in given}}
        skills, short, tokens = [asked[name] for name in ("max_skills", "max_short_term", "tokens")]
        skills = arguments.whole_number(skills, "max_skills=5")
        self.most = {SHORT: arguments.whole_number(short, "max_short_term=3"), PROJECT: skills, GLOBAL: skills // 2}
        least = asked["min_score"]
        self.min_score = None if least is None else arguments.number(least, "min_score=0.5")
        self.include_scores, self.format = bool(asked["include_scores"]), arguments.one_of(FORMATS, "format", asked["format"])
        usual = settings["memory.inject_tokens_prompt"]
        self.tokens: int = usual if tokens is None else arguments.whole_number(tokens, f"tokens={usual}")


class Found:
    """A memory that fits a task: its id, where it is from, what it is called and says, and its score from 0 to 1."""

    __slots__ = ("id", "score", "text", "tier", "title")

    def __init__(self, name: str, tier: str, title: str, text: str, score: float) -> None:
        self.id, self.tier, self.title, self.text, self.score = name, tier, title, text, score


def context(place: "namespaces.Place", session: str, task: str, limits: Limits) -> str:
    """Return what fits a task as a text for a model, nothing where there is nothing."""
    found = merged(_short_term(place, session, task, limits) + _long_term(place, task, limits), limits)
    while found:
        text = written(found, limits.format, limits.include_scores, place)
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
    low, whole = index_text.plain(text), sum(worth.values())
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


def written(found: "list[Found]", form: str, with_scores: bool, place: "Place") -> str:
    """Return memories in one of the forms of `FORMATS`, redacted once more by today's rules."""
    texts = [text for each in found for text in (each.title, each.text)]
    safe = iter(privacy.leaving(privacy.protect([gate.clean(text) for text in texts], place.project, place.settings)[0]))
    told = [(each, next(safe), next(safe)) for each in found]
    return {MARKDOWN: _markdown, XML: _xml, JSON: _json}[form](told, with_scores)


def _markdown(told: "list[tuple[Found, str, str]]", with_scores: bool) -> str:
    """Return numbered headings with quotations, in a fence with a random name; nothing in a quotation is a heading or a tag."""
    lines = []
    for number, (each, title, text) in enumerate(told, 1):
        score = f", relevance {each.score:.2f}" if with_scores else ""
        lines.append(f"### {number}. {each.tier} ({each.id}{score})")
        lines += [f"> {row.escaped(line)}".rstrip() for line in [title, *text.splitlines()]]
    tag = f"ralph-mem-{posix.urandom(12).hex()}"
    return "\n".join([f"<{tag}>", block.OPENING, *lines, f"</{tag}>"])


def _xml(told: "list[tuple[Found, str, str]]", with_scores: bool) -> str:
    """Return elements whose attributes are ours, and whose text is escaped."""
    lines = ["<memories>", f"<!-- {block.OPENING} -->"]
    for each, title, text in told:
        score = f' relevance="{each.score:.2f}"' if with_scores else ""
        inside = f"<title>{_escaped(title, ENTITIES)}</title><text>{_escaped(text, ENTITIES)}</text>"
        lines.append(f'<memory id="{each.id}" tier="{each.tier}"{score}>{inside}</memory>')
    return "\n".join([*lines, "</memories>"])


def _json(told: "list[tuple[Found, str, str]]", with_scores: bool) -> str:
    """Return a list in a block of code, which holds neither a tag nor the mark that ends the block."""
    rows: list[dict[str, Any]] = [{"id": each.id, "tier": each.tier, "title": title, "text": text} for each, title, text in told]
    for entry, (each, _, _) in zip(rows if with_scores else [], told):
        entry["relevance"] = round(each.score, 2)
    return f"{block.OPENING}\n```json\n{_escaped(json.dumps(rows, indent=1), ESCAPED)}\n```"


def _escaped(text: str, marks: "tuple[tuple[str, str], ...]") -> str:
    for mark, entity in marks:
        text = text.replace(mark, entity)
    return text
