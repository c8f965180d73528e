"""The command `learn`, which looks for what holds in prompts and asks a person about it."""

import sys
from contextlib import closing
from typing import Annotated, Any

import typer

from ralph_mem.core import project as projects
from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker
from ralph_mem.interfaces.cli import learning_with, printing
from ralph_mem.interfaces.cli.correcting import edited
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry
from ralph_mem.memory import access
from ralph_mem.memory.facts import candidates, learning
from ralph_mem.memory.recall import lookup

commands = typer.Typer()

COLUMNS = ("verb", "target", "score", "sentence")
QUESTION = "[y]es [n]o [e]dit [l]ater [q]uit? "
YES, NO, EDIT, LATER, QUIT = "ynelq"
NOTHING_NEW = "No prompt that was not looked at yet holds a sentence that may hold beyond its session."


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
        learning_with.learn(registry.choose(project), model, sends=confirm and not dry_run, in_full=dry_run, json=json)
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
    if not access.is_there(place):
        raise RalphMemError(f"nothing is remembered for {place.root} yet", "`ralph-mem status` says whether it is recorded")
    with closing(access.to_write(place)) as opened:
        return learning_with.tended(opened, place, settings)


def _values(each: learning.Learned, dry_run: bool) -> dict[str, object]:
    return {
        "verb": each.verb, "target": each.target, "score": round(each.score, 4), "sentence": each.sentence, "kind": each.kind,
        "strength": each.strength, "turn": each.turn, "said_at": each.said_at, "fact": "" if dry_run else each.fact,
    }  # fmt: skip


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
