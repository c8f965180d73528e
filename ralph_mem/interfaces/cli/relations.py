"""The command group `relations`, for what belongs to what."""

import time
from typing import Annotated

import typer

from ralph_mem.core.format import day
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.memory.facts import relations
from ralph_mem.memory.rows import relations as rows

commands = typer.Typer()
group = typer.Typer()
commands.add_typer(group, name="relations")

Id = Annotated[str, typer.Argument(metavar="ID", help="A relation, as `relations list` prints it.")]
Subject = Annotated[str, typer.Option("--subject", metavar="LABEL", help="What it is about.")]
Predicate = Annotated[str, typer.Option("--predicate", metavar="NAME", help=f"One of {', '.join(rows.PREDICATES)}.")]
Object = Annotated[str, typer.Option("--object", metavar="LABEL", help="What that belongs to.")]
COLUMNS = ("id", "subject", "predicate", "object", "confidence", "confirmed")


@group.callback(invoke_without_command=True)
def list_all(context: typer.Context, project: Project = "", json: Json = False) -> None:
    """See and correct what belongs to what, as statements and the log say it.

    Example: ralph-mem relations
    """
    if context.invoked_subcommand is None:
        list_("", "", "", 20, project, json)


@group.command("list")
def list_(
    subject: Subject = "",
    predicate: Predicate = "",
    object_: Object = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")] = 20,
    project: Project = "",
    json: Json = False,
) -> None:
    """List the relations that are still believed, those that are believed most first.

    Example: ralph-mem relations list --predicate owned_by
    """
    if predicate:
        rows.known_predicate(predicate)
    now = time.time_ns() // 1_000_000
    reader, parts = reader_of(project), (subject, predicate, object_)
    found = relations.shown(reader, [each for store in reader.stores for each in relations.listed(store, now, parts, limit)])
    if json:
        printing.as_json([relations.as_values(each, now) for each in found])
    elif found:
        printing.table(COLUMNS, [_cells(each, now) for each in found])
    else:
        printing.text("There is no such relation here.")


def _cells(each: rows.Relation, now: int) -> tuple[object, ...]:
    believed = f"{relations.believed(each, now):.2f}"
    return (each.public_id, each.subject, each.predicate, each.object, believed, day(each.confirmed_at))


@group.command()
def edit(
    public_id: Id,
    subject: Subject = "",
    predicate: Predicate = "",
    object_: Object = "",
    confidence: Annotated[float | None, typer.Option("--confidence", metavar="N", help="How much it is believed, 0 to 1.")] = None,
    project: Project = "",
    json: Json = False,
) -> None:
    """Correct a relation: a label, the predicate, or how much it is believed.

    Example: ralph-mem relations edit rel-k3w9x2mfqa --object "Team Till"
    """
    relations.edit(reader_of(project), public_id, subject, predicate, object_, confidence)
    reader = reader_of(project)
    (found,) = relations.shown(reader, [relations.find(reader, public_id)[1]])
    printing.told(relations.line(found), relations.as_values(found, time.time_ns() // 1_000_000), json)


@group.command()
def remove(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Delete a relation; a fact that says it stays, and brings it back until you retire or forget that.

    Example: ralph-mem relations remove rel-k3w9x2mfqa
    """
    said = relations.remove(reader_of(project), public_id)
    printing.told(said, {"removed": public_id}, json)
