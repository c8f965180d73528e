"""forget: shown first, then deleted, then looked for in the raw files."""

import time
from typing import Annotated

import typer

from ralph_mem import access, erasure, erasure_report, moments, selection, unfinished
from ralph_mem import projects as known
from ralph_mem.cli import printing
from ralph_mem.cli.options import Confirm, Json, Project, Type
from ralph_mem.core import settings
from ralph_mem.recall import Reader

commands = typer.Typer()


@commands.command()
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Turns, observations or sessions.")] = [],  # noqa: B006
    query: Annotated[str, typer.Option("--query", "-q", help="Everything that holds exactly this text.")] = "",
    session: Annotated[str, typer.Option("--session", "-s", help="Everything of a session.")] = "",
    types: Type = [],  # noqa: B006
    since: Annotated[str, typer.Option("--since", help="Not before: 2026-01-31, or 7d, 12h, 2w ago.")] = "",
    until: Annotated[str, typer.Option("--until", help="Before: a day or a span, as --since.")] = "",
    origin: Annotated[str, typer.Option("--origin", help="Only from: user, agent, tool, test, outside.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="All that is remembered, loops too.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="Which memory: project, global, both.")] = selection.BOTH,
    snapshots: Annotated[bool, typer.Option("--snapshots", help="Delete snapshots of finished loops that hold it.")] = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Delete memories for good: shown first, deleted with --confirm, and then looked for in the raw files.

    Backups, records of loops and caches are rid of it too; a forget that was interrupted is finished first.

    Example: ralph-mem forget --query "internal code name" --confirm
    """
    place, now = known.choose(project), time.time_ns() // 1_000_000
    reader = Reader(access.to_change(place), place, settings.load(place))
    first, end = [moments.of(text, now) if text else 0 for text in (since, until)]
    chosen = selection.Selection(ids, query, session, first, end, types, origin, everything)
    if confirm and unfinished.waits(place):  # who types the same again after Ctrl-C means that one, whose rows are gone already
        _finish(reader, json)
    plans = selection.plan(reader, chosen, scope)
    if not confirm:
        _preview(reader, plans, json)
        return
    report = _carried_out(reader, plans, snapshots)
    if json:
        printing.as_json(erasure_report.facts(report))
    else:
        printing.text("\n".join([*erasure_report.told(report), f"Out of reach: {erasure_report.ALWAYS_OUT_OF_REACH}"]))
    if not report.is_clean():
        raise typer.Exit(1)


def _preview(reader: Reader, plans: list[selection.Plan], json: bool) -> None:
    if json:
        printing.as_json({"would_delete": [row.public_id for plan in plans for row in plan.rows()], "confirmed": False})
        return
    for line in [*erasure.preview(reader, plans), "Nothing is deleted yet. To delete this, add --confirm."]:
        printing.text(line)


def _finish(reader: Reader, json: bool) -> None:
    with printing.progress("finishing an earlier forget") as bar:
        task = bar.add_task("", total=None)
        report = erasure.resume(reader, lambda what: bar.update(task, description=what))
    if report and not json:
        printing.text("\n".join(["A forget that was interrupted is finished now:", *erasure_report.told(report), ""]))


def _carried_out(reader: Reader, plans: list[selection.Plan], snapshots: bool) -> erasure_report.Report:
    with printing.progress("forgetting") as bar:
        task = bar.add_task("", total=None)
        return erasure.forget(reader, plans, lambda what: bar.update(task, description=what), snapshots)
