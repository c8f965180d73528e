"""Say what `learn --with` would send to a model, send it at a word, and say what it proposed."""

import sys
from contextlib import closing
from typing import Any

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, day
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker
from ralph_mem.interfaces.cli import printing
from ralph_mem.maintenance import tending
from ralph_mem.maintenance.proposals import asking, models, proposing, spending
from ralph_mem.memory import access
from ralph_mem.memory.facts.learning import Learned
from ralph_mem.memory.store.connection import Store

COLUMNS = ("verb", "target", "kind", "sentence")
NOTHING_NEW = "No sentence of yours waits that no model was asked about."


def learn(place: projects.Project, model: str, sends: bool, in_full: bool, json: bool) -> None:
    """Send what waits to a model, or say what would be sent, each sentence where `in_full`. Raises RalphMemError."""
    if asker.is_a_model():
        raise RalphMemError("only a person can send something to a model", "type it in a terminal of your own")
    settings = effective.load(place)
    if not (settings["memory.learn"] and effective.recording(place, settings)):
        raise RalphMemError("learning or recording is switched off here, nothing is sent", "`ralph-mem config show` says where")
    if not access.is_there(place):
        raise RalphMemError(f"nothing is remembered for {place.root} yet", "`ralph-mem status` says whether it is recorded")
    models.check(model)
    if sends:
        _send(place, settings, model, json)
    else:
        _preview(place, settings, model, in_full, json)


def _preview(place: projects.Project, settings: "dict[str, Any]", model: str, in_full: bool, json: bool) -> None:
    found = [request for request in asking.preview(place, settings) if request.turns]
    turns = [turn for request in found for turn in request.turns]
    told = {
        "model": model, "requests": len(found), "turns": len(turns), "sentences": sum(len(turn.sentences) for turn in turns),
        "tokens": sum(request.tokens[0] for request in found),
        "estimated_cents": round(sum(models.estimate(model, *request.tokens) for request in found), 2),
        "left_cents": round(spending.left(settings[proposing.BUDGET]), 2), "budget_cents": settings[proposing.BUDGET],
    }  # fmt: skip
    if json:
        sent = [{"turn": turn.prompt.public_id, "said_at": turn.prompt.at, "sentences": turn.sentences} for turn in turns]
        printing.as_json({**told, "sent": sent} if in_full else told)
        return
    for turn in turns if in_full else []:
        printing.text("\n".join([f"{turn.prompt.public_id}  {day(turn.prompt.at)}", *[f"  {each}" for each in turn.sentences]]))
    printing.text("\n".join(_in_words(told)) if turns else NOTHING_NEW)


def _in_words(told: "dict[str, Any]") -> "list[str]":
    sent = f"{count(told['sentences'], 'sentence')} of {count(told['turns'], 'prompt')}"
    cost = f"some {told['tokens']:,} tokens, an estimated {told['estimated_cents']:.2f} cents. Nothing was sent."
    lines = [f"{told['model']} would be sent {sent}, redacted, in {count(told['requests'], 'request')}: {cost}"]
    left, budget = told["left_cents"], told["budget_cents"]
    if not budget:
        return [
            *lines,
            f"It may spend nothing: {proposing.HOW}.",
        ]
    return [*lines, f"{left:.2f} of {budget} cents are left today. --dry-run shows each sentence, --confirm sends them."]


def tended(opened: Store, place: projects.Project, settings: dict[str, Any]) -> list[Learned]:
    """Do all that waits, in sight of whoever waits for it; what a scheduler starts keeps out of the way of sessions."""
    opened.is_awaited = printing.is_watched()
    with printing.steps("learning") as tell:
        return tending.tend(opened, place, settings, sys.maxsize, float("inf"), tell)


def _send(place: projects.Project, settings: "dict[str, Any]", model: str, json: bool) -> None:
    """Learn by the rules first, so that nothing is lost where a model fails, then ask it."""
    if not settings[proposing.BUDGET]:
        proposing.check_budget(0, 0)
    with closing(access.to_write(place)) as opened:
        tended(opened, place, settings)
        result = proposing.propose(opened, place, settings, model)
    if result.why and not result.taken:
        raise RalphMemError(f"{model} proposed nothing: {result.why}", "what was not asked about waits for the next time")
    if json:
        printing.as_json(_values(result))
    else:
        _tell(result, settings[proposing.BUDGET])


def _values(result: proposing.Round) -> "dict[str, Any]":
    proposed = [
        {
            "verb": taken.verb, "fact": taken.public_id, "target": taken.target, "kind": each.kind, "sentence": each.sentence,
            "confidence": each.confidence, "turn": each.prompt.public_id, "said_at": each.prompt.at,
        }
        for each, taken in result.taken
    ]  # fmt: skip
    sums = {"requests": result.requests, "cents": round(result.cents, 4), "left_cents": round(result.left, 4)}
    return {"proposed": proposed, "dropped": dict(result.dropped), **sums, "why": result.why}


def _tell(result: proposing.Round, budget: int) -> None:
    if result.taken:
        printing.table(COLUMNS, [(taken.verb, taken.target, each.kind, each.sentence) for each, taken in result.taken])
    elif not result.requests:
        printing.text(NOTHING_NEW)
    dropped = ", ".join([f"{reason} {number}" for reason, number in sorted(result.dropped.items())])
    if result.requests:
        printing.text(
            f"{len(result.taken)} proposed{f', dropped: {dropped}' if dropped else ''}; "
            f"{count(result.requests, 'request')}, {result.cents:.2f} cents, {result.left:.2f} of {budget} left today"
        )
    if result.why:
        printing.text(f"It was not asked about all, the rest waits: {result.why}")
    if result.taken:
        printing.text("They are candidates: `ralph-mem learn --review` asks you about each.")
