"""The commands of `ralph` that show what runs did and what they took."""

import sys
from typing import Annotated

import typer

from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import runs
from ralph_mem.ralph.watching import overview, patch, transcript

commands = typer.Typer()

Words = Annotated[list[str], typer.Argument(metavar="[RUN] [N|N..M]", help="A run, the last one without, and its iterations.")]
COLOURS = {"+": printing.GREEN, "-": printing.RED, "@": "36", "#": printing.YELLOW, "diff ": "1"}


@commands.command()
def diff(
    words: Words = [],  # noqa: B006
    stat: Annotated[bool, typer.Option("--stat", help="Only how many lines of each file came and went.")] = False,
    binary: Annotated[bool, typer.Option("--binary", help="Binary files too, as git writes them.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Files that hold secrets too, as they are.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Show what a run changed, from its start to its last iteration, as a patch that `git apply` takes.

    N is what iteration N did, N..M what lies between two of them; start, best and last are names for some. What a patch cannot
    tell, or what is private, is named in lines that begin with #.

    Example: ralph-mem ralph diff 1..3 --stat
    """
    place = known.choose(project)
    name, told = overview.meant(words)
    run, values = runs.find(place, name), effective.load(place)
    with patch.opened(place, run) as snapshots:
        span = patch.span_of(run, told, snapshots)
        found = patch.parts(place, values, snapshots, run, span, patch.Wanted(binary, raw))
        if json:
            printing.as_json({"run": run.id, "between": span.says, "files": [patch.facts(part, not stat) for part in found]})
        elif stat:
            printing.text("\n".join(patch.stat_lines([*found])))
        else:
            _print_patch(found)


def _print_patch(found: "patch.Parts") -> None:
    """Print a patch: byte for byte into a pipe, at a terminal without what would steer it."""
    for piece in patch.written(found):
        if not sys.stdout.isatty():
            sys.stdout.buffer.write(piece)
            continue
        for line in terminal.plain(piece.decode("utf-8", "replace")).splitlines():
            colour = next((COLOURS[begin] for begin in COLOURS if line.startswith(begin)), "")
            printing.verbatim(printing.coloured(line, colour, sys.stdout) if colour else line)
    sys.stdout.flush()


@commands.command("runs")
def list_runs(project: Project = "", json: Json = False) -> None:
    """List all runs of this project: when, how many iterations, how long, what they cost, how far each came and why it ended.

    Example: ralph-mem ralph runs
    """
    found, now = runs.all(known.choose(project)), runs.now_ms()
    if json:
        printing.as_json(overview.facts(found, now))
        return
    rows = overview.rows(found, now)
    if rows:
        printing.table(overview.COLUMNS, rows)
    printing.text(overview.total(found) if rows else overview.NOTHING)


@commands.command("log")
def show_log(words: Words = [], project: Project = "", json: Json = False) -> None:  # noqa: B006
    """Show what the agent of an iteration did, a line for each call of a tool, and what it said at the end; the last one without.

    Example: ralph-mem ralph log 2
    """
    place = known.choose(project)
    name, number = overview.meant_one(words)
    run = runs.find(place, name)
    told = transcript.find(place, run, number)
    printing.as_json(transcript.facts(told, run)) if json else printing.text("\n".join(transcript.lines(told, run)))
