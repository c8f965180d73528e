"""status, pause, resume, demo: how it stands, and whether anything is recorded."""

import time
from pathlib import Path

import typer

from ralph_mem import access
from ralph_mem import demo as demonstration
from ralph_mem import projects as known
from ralph_mem import status as statuses
from ralph_mem.cli import printing
from ralph_mem.cli.options import Json, Project
from ralph_mem.core import paths, settings
from ralph_mem.core.project import Project as Place

commands = typer.Typer()


@commands.command()
def status(project: Project = "", json: Json = False) -> None:
    """Say how much is remembered here, what was told of it, and whether all is well; exits with 1 where it is not.

    Example: ralph-mem status
    """
    place = known.choose(project)
    found = statuses.of(place, settings.load(place), time.time_ns() // 1_000_000)
    if json:
        printing.as_json(found)
    else:
        printing.text("\n".join(statuses.lines(found)))
    raise typer.Exit(1 if found["trouble"] else 0)


@commands.command()
def pause(project: Project = "") -> None:
    """Stop recording and telling in this project, from the next event on, until `ralph-mem resume`.

    Example: ralph-mem pause
    """
    place = known.choose(project)
    access.pause(place)
    printing.text(f"Paused: nothing is recorded or told in {place.root} until `ralph-mem resume`.")


@commands.command()
def resume(project: Project = "") -> None:
    """Record and tell again in this project, from the next event on.

    Example: ralph-mem resume
    """
    place = known.choose(project)
    Path(place.folder, "off").unlink(missing_ok=True)
    if settings.recording(place, settings.load(place)):
        printing.text(f"Recording in {place.root}.")
    else:
        printing.text(f"No longer paused, but {_what_else(place)} keeps recording off.")


def _what_else(place: Place) -> str:
    """Name what keeps recording off beside a pause."""
    variable = paths.environment("RALPH_MEM_RECORDING").lower()
    if variable in settings.OFF:
        return "RALPH_MEM_RECORDING in your environment"
    return "`recording: off` in a config file" if settings.load(place).get("recording") is False else "CI"


@commands.command()
def demo() -> None:
    """Replay a recorded session through the hooks in a throwaway project, and show what the next session is told.

    Example: ralph-mem demo
    """
    demonstration.main()
