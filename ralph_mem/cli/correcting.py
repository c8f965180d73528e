"""inject, edit, pin, wrong: what a person says about what is remembered."""

import sys
from typing import Annotated

import typer

from ralph_mem import corrections, layers, recall
from ralph_mem import projects as known
from ralph_mem.cli import editor, printing
from ralph_mem.cli.options import Json, Project
from ralph_mem.cli.reading import reader_of
from ralph_mem.core import project as projects
from ralph_mem.core import settings
from ralph_mem.core.errors import RalphMemError

commands = typer.Typer()
KEEPS_ITS_MARK = "Text from outside was in it, so it is still told to no model unasked. In your own words: ralph-mem inject"
Id = Annotated[str, typer.Argument(metavar="ID", help="A turn or an observation, as a search prints it.")]


@commands.command()
def inject(
    text: Annotated[list[str], typer.Argument(help="The note; `-` reads it from stdin.")],
    everywhere: Annotated[bool, typer.Option("--global", "-g", help="For all projects, not only this one.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Keep a note in your own words; it is found at once, told at session starts, and never dropped by itself.

    Example: ralph-mem inject "Releases go out with make ship, never by hand."
    """
    place = known.choose(project)
    target = projects.everywhere() if everywhere else place
    if target is None:
        raise RalphMemError("there is no home folder for notes about all projects", "leave out --global")
    name, is_new = corrections.inject(target, place, settings.load(place), _given(text))
    if json:
        printing.as_json({"id": name, "new": is_new})
    else:
        printing.text(f"Remembered as {name}." if is_new else f"This is remembered already, as {name}.")


@commands.command()
def edit(
    public_id: Id,
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="The new text; `-` reads it from stdin. Without it your editor opens.")
    ] = [],  # noqa: B006
    project: Project = "",
) -> None:
    """Correct what a memory says: the text of a note, the answer of a turn. Recall finds and tells the new text only.

    Example: ralph-mem edit turn-k3w9x2mfqa "The cause was the proxy."
    """
    reader = reader_of(project)
    row = recall.find(reader, public_id)
    before = row.said if row.type != "note" else "\n".join(part for part in (row.asked, row.said) if part)
    new = _given(text) if text else editor.edited(before)
    if new.strip() == before.strip():
        printing.text("Nothing was changed.")
        return
    corrections.edit(row, reader.project, reader.settings, new)
    printing.text(layers.index(recall.find(reader, public_id)))
    if corrections.is_from_outside(row):
        printing.text(KEEPS_ITS_MARK)


@commands.command()
def pin(
    public_id: Id,
    off: Annotated[bool, typer.Option("--off", help="Let go of it again.")] = False,
    project: Project = "",
) -> None:
    """Keep a memory in view: told first at every session start, and preferred wherever it fits.

    Example: ralph-mem pin obs-k3w9x2mfqa
    """
    reader = reader_of(project)
    corrections.pin(recall.find(reader, public_id), pinned=not off)
    printing.text(layers.index(recall.find(reader, public_id)))


@commands.command()
def wrong(public_id: Id, project: Project = "") -> None:
    """Say that a memory misled: it is told later and less easily, with a mark, and the receipts that told it say so.

    Example: ralph-mem wrong turn-k3w9x2mfqa
    """
    reader = reader_of(project)
    row = recall.find(reader, public_id)
    told = corrections.wrong(reader, row)
    printing.text(layers.index(recall.find(reader, public_id)))
    printing.text(f"Noted in {told} {'receipt' if told == 1 else 'receipts'}. If it is simply untrue: ralph-mem edit, or forget.")


def _given(words: list[str]) -> str:
    """Return the text of an argument, or of stdin where it is a dash; bytes that are no text are replaced."""
    if words != ["-"]:
        return " ".join(words)
    return sys.stdin.buffer.read(corrections.MOST_CHARACTERS * 8).decode("utf-8", "replace").replace("\0", "")
