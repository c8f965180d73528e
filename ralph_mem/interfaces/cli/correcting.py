"""The commands `inject`, `edit`, `pin` and `wrong`, by which a person adds to and corrects the memory."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry as known
from ralph_mem.memory import notes_by_hand, plain_values, undoing
from ralph_mem.memory.recall import layers, lookup

BEHIND_THE_ID = "set EDITOR, or give the new text behind the id; `-` reads it from stdin"


def edited(text: str, hint: str = BEHIND_THE_ID) -> str:
    """Open a text in $VISUAL or $EDITOR and return what became of it. Raises RalphMemError where that does not start.

    `hint` says what the person can do then.
    """
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("vi" if sys.stdin.isatty() else "")
    if not named:
        raise RalphMemError("there is no terminal for an editor", hint)
    with tempfile.TemporaryDirectory(prefix="ralph-mem-") as folder:
        file = Path(folder, "memory.txt")  # the folder is 0700, so nobody else gets to the file
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(named), str(file)], check=True)
            return file.read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise RalphMemError(f"the editor {named[:40]} failed: {error}", hint) from error


commands = typer.Typer()
Id = Annotated[str, typer.Argument(metavar="ID", help="A turn or an observation, as a search prints it.")]


@commands.command()
def inject(
    text: Annotated[list[str], typer.Argument(help="The note; `-` reads it from stdin.")],
    everywhere: Annotated[bool, typer.Option("--global", "-g", help="For all projects, not only this one.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `inject`."""
    place = known.choose(project)
    target = projects.everywhere() if everywhere else place
    if target is None:
        raise RalphMemError("there is no home folder for notes about all projects", "leave out --global")
    name, is_new = notes_by_hand.inject(target, place, effective.load(place), _given(text))
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
    json: Json = False,
) -> None:
    """Carry out `edit`."""
    reader = reader_of(project)
    row = lookup.find(reader, public_id)
    effective.need_recording(reader.project, reader.settings)  # before an editor opens
    before = notes_by_hand.editable(row)
    new = _given(text) if text else edited(before)
    is_new = new.strip() != before.strip()
    if is_new:
        notes_by_hand.edit(row, reader.project, reader.settings, new)
    if json or not is_new:
        _as_json(reader, public_id, changed=is_new) if json else printing.text(notes_by_hand.UNCHANGED)
        return
    printing.text(layers.index(lookup.find(reader, public_id)))
    if notes_by_hand.is_from_outside(row):
        printing.text(notes_by_hand.KEEPS_ITS_MARK)


def _as_json(reader: lookup.Reader, public_id: str, **more: object) -> None:
    printing.as_json({**plain_values.of_row(reader, lookup.find(reader, public_id), 1), **more})


@commands.command()
def pin(
    public_id: Id,
    off: Annotated[bool, typer.Option("--off", help="Let go of it again.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `pin`."""
    reader = reader_of(project)
    is_new = notes_by_hand.pin(lookup.find(reader, public_id), pinned=not off)
    said = notes_by_hand.room_of_pins(reader, event.instructions())
    if json:
        _as_json(reader, public_id, room=said)
        return
    lines = [layers.index(lookup.find(reader, public_id)), said, "" if is_new else notes_by_hand.UNCHANGED]
    printing.text("\n".join([line for line in lines if line]))


@commands.command()
def wrong(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Carry out `wrong`."""
    reader = reader_of(project)
    row = lookup.find(reader, public_id)
    told = notes_by_hand.wrong(reader, row)
    if json:
        _as_json(reader, public_id, receipts=told)
        return
    printing.text(layers.index(lookup.find(reader, public_id)))
    printing.text(notes_by_hand.told_wrong(told))


@commands.command()
def undo(project: Project = "", json: Json = False) -> None:
    """Carry out `undo`."""
    done = undoing.undo(reader_of(project))
    printing.as_json({"undone": done}) if json else printing.text(done)


def _given(words: list[str]) -> str:
    """Return the text of an argument, or of stdin where it is a dash; bytes that are no text are replaced."""
    if words != ["-"]:
        return " ".join(words)
    return sys.stdin.buffer.read(notes_by_hand.MOST_CHARACTERS * 8).decode("utf-8", "replace").replace("\0", "")
