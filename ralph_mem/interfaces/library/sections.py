"""Gather what a memory holds of each sort, every sort within tokens of its own."""

import time

from ralph_mem.core.redaction import privacy
from ralph_mem.interfaces.library import arguments
from ralph_mem.memory import reports
from ralph_mem.memory.facts import core, mining, relations
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.namespaces import Place
    from ralph_mem.memory.store.connection import Store

# What each sort may cost in tokens, a briefing's 1,500 in all.
BUDGETS = {"core": 500, "facts": 400, "episodes": 300, "patterns": 100, "relations": 200}
MOST_SESSIONS = 20


def budgets(tokens: "dict[str, int]") -> "dict[str, int]":
    """Return what each sort may cost where `tokens` change `BUDGETS`. Raises RalphMemError for an unknown sort."""
    for name, most in tokens.items():
        arguments.one_of(BUDGETS, "section", name)
        arguments.whole_number(most, f"{name}=200")
    return {**BUDGETS, **tokens}


def of(opened: "Store", place: "Place", tokens: "dict[str, int]") -> "dict[str, list[str]]":
    """Return the texts of each sort, the worthiest first, as many whole ones as its tokens pay for.

    The sorts are facts under keys, other facts that hold, sessions with what came of them, patterns of the log that are believed
    enough for a hint, and relations.
    """
    found = _gathered(opened, place, time.time_ns() // 1_000_000)
    return {name: _within(_safe(found[name], place), tokens[name]) for name in BUDGETS}


def _safe(texts: "list[str]", place: "Place") -> "list[str]":
    """Return texts as they may leave, redacted by today's rules."""
    return privacy.leaving(privacy.protect(texts, place.project, place.settings)[0]) if texts else []


def _gathered(opened: "Store", place: "Place", now: int) -> "dict[str, list[str]]":
    keys = core.all_of(opened)
    under_keys = {fact.public_id for fact in keys.values()}
    held = [fact for fact in facts.of_status(opened, facts.ACTIVE) if fact.kind in facts.SAID and not fact.tainted]
    return {
        "core": [fact.text for fact in keys.values()],
        "facts": [fact.text for fact in held if fact.public_id not in under_keys and not _is_over(fact, now)],
        "episodes": _episodes(opened, place, now),
        "patterns": [fact.text for fact in mining.hints(opened, now)],
        "relations": relations.told(opened, now).splitlines(),
    }


def _is_over(fact: "facts.Fact", now: int) -> bool:
    return bool(fact.expires_at and fact.expires_at <= now)


def _episodes(opened: "Store", place: "Place", now: int) -> "list[str]":
    """Return a line for each of the last sessions: when, what was asked first, and what came of it.

    Of a session of somebody else's file it could only say that it is withheld.
    """
    reader = lookup.Reader([opened], place.project, place.settings)
    told = [reports.cells(session) for session in reports.listed(reader, now, MOST_SESSIONS, are_own=True)]
    return [f"{cells[1]}: {cells[6]}{f' ({cells[7]})' if cells[7] else ''}" for cells in told if cells[6]]


def _within(texts: "list[str]", budget: int) -> "list[str]":
    """Return the first texts that fit into so many tokens, none of them cut."""
    kept: list[str] = []
    for text in texts:
        budget -= row.tokens(text) + 1
        if budget < 0:
            break
        kept.append(text)
    return kept
