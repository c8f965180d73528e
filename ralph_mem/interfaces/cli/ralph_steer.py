"""The commands of `ralph` by which a person says something to a loop at work."""

from typing import Annotated

import typer

from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph.record import Run
from ralph_mem.ralph.watching import hints, pausing

commands = typer.Typer()


@commands.command()
def hint(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What its agent is told, as your own words.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Tell the loop that works here something with its next prompt, once; its history shows it as yours.

    Example: ralph-mem ralph hint "look at cart.py"
    """
    place = known.choose(project)
    run = hints.give(place, effective.load(place), " ".join(text))
    _tell(run, hints.kept(run), json)


@commands.command()
def pause(project: Project = "", json: Json = False) -> None:
    """Have the loop that works here pause once its iteration is done; it does not end, and the time does not count.

    Example: ralph-mem ralph pause
    """
    run = pausing.pause(known.choose(project))
    _tell(run, pausing.asked(run), json)


@commands.command("continue")
def go_on(project: Project = "", json: Json = False) -> None:
    """Let the loop go on that pauses here; one that has ended goes on with `ralph-mem ralph resume`.

    Example: ralph-mem ralph continue
    """
    run = pausing.go_on(known.choose(project))
    _tell(run, f"{run.id} goes on.", json)


def _tell(run: Run, line: str, json: bool) -> None:
    printing.as_json({"id": run.id, "told": line}) if json else printing.text(line)
