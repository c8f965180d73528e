"""The command `sql`, which asks a memory in SQL."""

import csv
import sys
from typing import Annotated

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing, transfer
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.transfer import outgoing, query, tables
from ralph_mem.memory import access

commands = typer.Typer()
AS_JSON, AS_CSV, AS_TABLE = "json", "csv", "table"


@commands.command()
def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT. Tables: sessions, turns, observations, facts, loops, told, ...")],
    as_csv: Annotated[bool, typer.Option("--csv", help="Print lines of CSV.")] = False,
    as_table: Annotated[bool, typer.Option("--table", help="Print a table: the default.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Ask a project's memory in SQL, over the tables that `export --format sqlite` writes: nothing can be changed.

    Each row is redacted anew for it, which takes a second for ten thousand short rows: who asks often exports once.

    Example: ralph-mem sql "select type, count(*) from memories group by type"
    """
    if json + as_csv + as_table > 1:
        raise RalphMemError("--json, --csv and --table are three ways to print", "give one of them")
    place = registry.choose(project)
    if not access.is_there(place):
        raise RalphMemError(f"nothing is remembered for {place.root} yet", "`ralph-mem projects` lists those that have a memory")
    opened = access.open_to_read(place)
    try:
        opened.execute("PRAGMA query_only = ON")
        parcel = transfer.collected(opened, place, outgoing.Choice(), "redacting")
        made = tables.database(parcel, tables.beside(opened, parcel, place, effective.load(place)))
    finally:
        opened.close()
    query.carried_out(made.conn, statement, lambda found: _print(found, AS_JSON if json else AS_CSV if as_csv else AS_TABLE))


def _print(found: query.Rows, form: str) -> None:
    columns, rows = found
    if form == AS_JSON:
        printing.as_json([dict(zip(columns, row, strict=True)) for row in rows])
    elif form == AS_CSV:
        lines = csv.writer(sys.stdout)
        lines.writerow(columns)
        lines.writerows(rows)
    else:
        printing.table(columns, [[terminal.plain(cell) if isinstance(cell, str) else cell for cell in row] for row in rows])
    sys.stdout.flush()
