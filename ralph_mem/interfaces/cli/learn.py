"""The command `learn`, which looks for what holds in prompts and asks a person about it."""

import sys
from contextlib import closing
from typing import Annotated, Any

import typer

from ralph_mem.core import project as projects
from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.core.format import count, day
from ralph_mem.core.settings import effective, trust
from ralph_mem.hosts import asker
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.correcting import edited
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry, tending
from ralph_mem.maintenance.proposals import asking, models, proposing
from ralph_mem.memory import access
from ralph_mem.memory.facts import candidates, learning
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.store.connection import Store

commands = typer.Typer()

COLUMNS, COLUMNS_WITH = ("verb", "target", "score", "sentence"), ("verb", "target", "kind", "sentence")
QUESTION = "[y]es [n]o [e]dit [l]ater [q]uit? "
YES, NO, EDIT, LATER, QUIT = "ynelq"
NOTHING_NEW = "No prompt that was not looked at yet holds a sentence that may hold beyond its session."
NOTHING_TO_SEND = "No sentence of yours waits that no model was asked about."


@commands.command()
def learn(
    dry_run: Annotated[bool, typer.Option("--dry-run", "--no-learn", help="Only say what would be found; writes nothing.")] = False,
    review: Annotated[bool, typer.Option("--review", help="Say of each candidate whether it holds, by one key.")] = False,
    model: Annotated[
        str,
        typer.Option("--with", metavar="MODEL", help="Let a model propose candidates as well, for money: claude or litellm:MODEL."),
    ] = "",
    confirm: Annotated[bool, typer.Option("--confirm", help="With --with: send it; without, only say what would be sent.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Look through prompts that nobody has learned from yet for sentences that may hold beyond their session.

    What is found is a candidate: it is told with its date, and becomes a fact when you say so with --review.

    Example: ralph-mem learn --review
    """
    if review and (dry_run or model):
        other = "--dry-run writes none" if dry_run else "--with asks a model"
        raise RalphMemError(f"--review is for your own answers, and {other}", "leave one of them out")
    if model:
        _with_a_model(registry.choose(project), model, sends=confirm and not dry_run, in_full=dry_run, json=json)
    elif not review:
        _learned(registry.choose(project), dry_run, json)
    elif json:
        printing.as_json([candidates.as_values(each) for each in candidates.waiting(reader_of(project))])
    else:
        _review(reader_of(project))


def _learned(place: projects.Project, dry_run: bool, json: bool) -> None:
    settings = effective.load(place)
    if dry_run:
        with printing.steps("looking") as tell:
            found = learning.rehearse(place, settings, tell)
    elif settings["memory.learn"] and effective.recording(place, settings):
        found = _looked_through(place, settings)
    else:
        off = "learning" if effective.recording(place, settings) else "recording"
        raise RalphMemError(f"{off} is switched off here, nothing was looked at", "--dry-run shows what there would be")
    if json:
        printing.as_json([_values(each, dry_run) for each in found])
    elif found:
        printing.table(COLUMNS, [(each.verb, each.target, f"{each.score:.2f}", each.sentence) for each in found])
    else:
        printing.text(NOTHING_NEW)


def _looked_through(place: projects.Project, settings: dict[str, Any]) -> list[learning.Learned]:
    _need_memory(place)
    with closing(access.to_write(place)) as opened:
        return _tended(opened, place, settings)


def _need_memory(place: projects.Project) -> None:
    if not access.is_there(place):
        raise RalphMemError(f"nothing is remembered for {place.root} yet", "`ralph-mem status` says whether it is recorded")


def _tended(opened: Store, place: projects.Project, settings: dict[str, Any]) -> list[learning.Learned]:
    """Do all that waits, in sight of whoever waits for it; what a scheduler starts keeps out of the way of sessions."""
    opened.is_awaited = printing.is_watched()
    with printing.steps("learning") as tell:
        return tending.tend(opened, place, settings, sys.maxsize, float("inf"), tell)


def _values(each: learning.Learned, dry_run: bool) -> dict[str, object]:
    return {
        "verb": each.verb, "target": each.target, "score": round(each.score, 4), "sentence": each.sentence, "kind": each.kind,
        "strength": each.strength, "turn": each.turn, "said_at": each.said_at, "fact": "" if dry_run else each.fact,
    }  # fmt: skip


# With a model


def _with_a_model(place: projects.Project, model: str, sends: bool, in_full: bool, json: bool) -> None:
    """Send what waits to a model, or say what would be sent, each sentence where `in_full`. Raises RalphMemError."""
    if asker.is_a_model():
        raise RalphMemError("only a person can send something to a model", "type it in a terminal of your own")
    settings = effective.load(place)
    if not (settings["memory.learn"] and effective.recording(place, settings)):
        raise RalphMemError("learning or recording is switched off here, nothing is sent", "`ralph-mem config show` says where")
    _need_memory(place)
    models.check(model)
    if sends:
        _send(place, settings, model, json)
    else:
        _preview_request(place, settings, model, in_full, json)


def _preview_request(place: projects.Project, settings: "dict[str, Any]", model: str, in_full: bool, json: bool) -> None:
    found = [request for request in asking.preview(place, settings) if request.turns]
    turns = [turn for request in found for turn in request.turns]
    told = {
        "model": model, "requests": len(found), "turns": len(turns), "sentences": sum(len(turn.sentences) for turn in turns),
        "tokens": sum(request.tokens[0] for request in found),
        "estimated_cents": round(sum(models.estimate(model, *request.tokens) for request in found), 2),
        "left_cents": round(proposing.left(settings[trust.BUDGET]), 2), "budget_cents": settings[trust.BUDGET],
    }  # fmt: skip
    if json:
        sent = [{"turn": turn.prompt.public_id, "said_at": turn.prompt.at, "sentences": turn.sentences} for turn in turns]
        printing.as_json({**told, "sent": sent} if in_full else told)
        return
    for turn in turns if in_full else []:
        printing.text("\n".join([f"{turn.prompt.public_id}  {day(turn.prompt.at)}", *[f"  {each}" for each in turn.sentences]]))
    printing.text("\n".join(_in_words(told)) if turns else NOTHING_TO_SEND)


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


def _send(place: projects.Project, settings: "dict[str, Any]", model: str, json: bool) -> None:
    """Learn by the rules first, so that nothing is lost where a model fails, then ask it."""
    if not settings[trust.BUDGET]:
        proposing.check_budget(0, 0)
    with closing(access.to_write(place)) as opened:
        _tended(opened, place, settings)
        result = proposing.propose(opened, place, settings, model)
    if result.why and not result.taken:
        raise RalphMemError(f"{model} proposed nothing: {result.why}", "what was not asked about waits for the next time")
    if json:
        printing.as_json(_proposed(result))
    else:
        _tell_proposed(result, settings[trust.BUDGET])


def _proposed(result: proposing.Round) -> "dict[str, Any]":
    proposed = [
        {
            "verb": taken.verb, "fact": taken.public_id, "target": taken.target, "kind": each.kind, "sentence": each.sentence,
            "confidence": each.confidence, "turn": each.prompt.public_id, "said_at": each.prompt.at,
        }
        for each, taken in result.taken
    ]  # fmt: skip
    sums = {"requests": result.requests, "cents": round(result.cents, 4), "left_cents": round(result.left, 4)}
    return {"proposed": proposed, "dropped": dict(result.dropped), **sums, "why": result.why}


def _tell_proposed(result: proposing.Round, budget: int) -> None:
    if result.taken:
        printing.table(COLUMNS_WITH, [(taken.verb, taken.target, each.kind, each.sentence) for each, taken in result.taken])
    elif not result.requests:
        printing.text(NOTHING_TO_SEND)
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


# One candidate after the other


def _review(reader: lookup.Reader) -> None:
    if asker.is_a_model():
        raise RalphMemError("only a person can say what holds", "in a session they type /mem learn")
    found = candidates.waiting(reader)
    if not found:
        printing.text("No candidate waits for an answer.")
    for number, each in enumerate(found, 1):
        printing.text("\n".join([f"{number} of {len(found)}", *[f"  {line}" for line in candidates.told(each)]]))
        if not _answered(reader, each, _key()):
            return


def _key() -> str:
    """Return the key that was pressed, of a line that is piped in its first letter; half a line and the end are a `quit`."""
    sys.stdout.write(QUESTION)
    sys.stdout.flush()
    if sys.stdin.isatty():
        key = typer.getchar()
    else:
        line = sys.stdin.readline()
        key = line[:1] if line.endswith("\n") else QUIT
    printing.text(key if key.isprintable() else "")
    return key.lower() if key not in ("", "\x04") else QUIT


def _answered(reader: lookup.Reader, each: candidates.Candidate, key: str) -> bool:
    """Do what a key says of a candidate; any other key leaves it for later. Says whether to go on."""
    try:
        if key == EDIT:
            _edited(reader, each)
        elif key in (YES, NO):
            replaced = candidates.decide(each, is_accepted=key == YES)
            done = f"{each.does} {', '.join(replaced)}" if replaced else "holds" if key == YES else "not proposed again"
            printing.text(f"  {done}")
    except NotAsShown as error:
        printing.text(f"  {error}")
    return key != QUIT


def _edited(reader: lookup.Reader, each: candidates.Candidate) -> None:
    """Let the person word a candidate, which holds then; a text that is unchanged or gone leaves it as it is."""
    text = " ".join(edited(each.fact.text, "set EDITOR, or answer with another key; it waits").split())
    if text in ("", each.fact.text):
        printing.text("  unchanged, it waits")
        return
    candidates.reword(reader, each, text)
    printing.text("  holds")
