"""Read which of a person's sentences a model named, and as what; no other word of it is kept."""

import json
from collections import Counter

from ralph_mem.core.redaction import privacy
from ralph_mem.maintenance.proposals import asking
from ralph_mem.memory.facts import extraction, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.maintenance.proposals.asking import Request, Turn
    from ralph_mem.memory.rows.prompts import Prompt

FIELDS = {"turn", "sentence", "kind", "confidence"}
USUAL_CONFIDENCE = 0.7
# Why something was dropped.
UNKNOWN_FIELD, UNKNOWN_KIND, NO_ITEM, NOT_SAID, UNSURE, TOO_MANY, TWICE, BROKEN = (
    "unknown field", "unknown kind", "not an item", "not said in the turn", "unsure", "too many of a turn", "twice",
    "broken answer",
)  # fmt: skip
FENCE = "```"


class Broken(Exception):
    """An answer that is not what was asked for."""


class Proposal:
    """A sentence of a prompt that a model takes for one that holds: its kind, and from 0 to 1 how sure the model is."""

    def __init__(self, prompt: "Prompt", sentence: str, kind: str, confidence: float) -> None:
        self.prompt, self.sentence, self.kind, self.confidence = prompt, sentence, kind, confidence


def read(text: str, request: "Request") -> "tuple[list[Proposal], Counter[str]]":
    """Return the proposals of an answer, and how many items were dropped for which reason. Raises Broken."""
    turns = {turn.name: turn for turn in request.turns}
    kept: list[Proposal] = []
    dropped: Counter[str] = Counter()
    for item in _items(text):
        found = _proposal(item, turns)
        if isinstance(found, str):
            dropped[found] += 1
        elif any([(each.prompt, each.sentence) == (found.prompt, found.sentence) for each in kept]):
            dropped[TWICE] += 1
        elif sum([each.prompt is found.prompt for each in kept]) >= extraction.MOST_FOUND:
            dropped[TOO_MANY] += 1
        else:
            kept.append(found)
    return kept, dropped


def redacted(text: str, project: "Any", settings: "dict[str, Any]") -> str:
    """Return a model's words without secrets: before anything is done with them. Raises Broken for too many."""
    if len(text) > privacy.MOST_CHARACTERS:
        raise Broken
    (safe,), _ = privacy.protect([text], project, settings)
    return privacy.leaving([safe])[0]


def _items(text: str) -> "list[Any]":
    plain = text.strip()
    if plain.startswith(FENCE) and plain.endswith(FENCE):
        plain = plain.strip("`").removeprefix("json")
    try:
        found = json.loads(plain)
    except (ValueError, RecursionError):
        raise Broken from None
    if not (isinstance(found, dict) and set(found) == {"facts"} and isinstance(found["facts"], list)):
        raise Broken
    return found["facts"]


def _proposal(item: "Any", turns: "dict[int, Turn]") -> "Proposal | str":
    """Return what an item of an answer proposes, or why it is dropped."""
    if not isinstance(item, dict):
        return NO_ITEM
    turn, sentence, kind, sure = [item.get(name) for name in ("turn", "sentence", "kind", "confidence")]
    sure = USUAL_CONFIDENCE if sure is None else sure
    if set(item) - FIELDS or kind not in asking.KINDS:
        return UNKNOWN_FIELD if set(item) - FIELDS else UNKNOWN_KIND
    if type(turn) is not int or not isinstance(sentence, str) or type(sure) not in (int, float):
        return NO_ITEM
    said = _said(sentence, turns[turn]) if turn in turns else ""
    if not said or not extraction.LEAST_STRENGTH <= sure <= 1:
        return UNSURE if said else NOT_SAID
    return Proposal(turns[turn].prompt, said, str(kind), round(float(sure), 2))


def _said(words: str, turn: "Turn") -> str:
    """Return the whole sentence of a turn that some words stand in, empty where none has them: it is stored as it was said."""
    looked_for = wording.folded(words)
    if len(looked_for) < extraction.SHORTEST:
        return ""
    return next((each for each in turn.sentences if looked_for in wording.folded(each)), "")
