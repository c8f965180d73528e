"""The commands `review` and `purge`, which list and delete rows by where they came from."""

import time
from typing import Annotated, Any

import typer

from ralph_mem.core import moments
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import when
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces.cli import forgetting, printing
from ralph_mem.interfaces.cli.printing import Confirmed, Digits, Json, Outside, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import review as reviewing
from ralph_mem.memory.recall import layers
from ralph_mem.memory.recall.layers import gist
from ralph_mem.memory.recall.lookup import Row

commands = typer.Typer()
Origin = Annotated[
    list[str], typer.Option("--origin", help="Only of this origin, several by repeating it: outside, tool, test, agent, user.")
]
Session = Annotated[str, typer.Option("--session", "-s", help="Only of this session, as review prints it.")]
Since = Annotated[str, typer.Option("--since", help="Not before: 2026-01-31, or 7d, 12h, 2w ago.")]
COLUMNS = ("outside", "tool", "test", "agent", "user", "tainted")


@commands.command()
def review(
    origins: Origin = [],  # noqa: B006
    session: Session = "",
    since: Since = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many rows are listed at most.")] = 20,
    outside: Outside = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """List what is remembered by where it came from, the most doubtful first, and count it by session.

    Example: ralph-mem review --origin outside --since 7d
    """
    reader = reader_of(project, outside)
    first = moments.of(since, time.time_ns() // 1_000_000) if since else 0
    wanted = reviewing.Wanted(origins, session, first)
    counts, rows = reviewing.counts(reader, wanted), reviewing.rows(reader, wanted, limit)
    if json:
        printing.as_json({"sessions": [_count(each) for each in counts], "rows": [_fact(row) for row in rows]})
        return
    if not rows:
        printing.text("Nothing that is remembered fits.")
        return
    cells = [(each.session, when(each.at), *[each.origins.get(name, 0) for name in COLUMNS]) for each in counts]
    printing.table(("session", "began", *COLUMNS), cells)
    printing.text()
    for row in rows:
        printing.text(f"{_plain(reviewing.source(row))}  {_plain(layers.index(row))}")
    more = sum(each.origins.get(name, 0) for each in counts for name in reviewing.ORIGINS) - len(rows)
    if more > 0:
        printing.text(f"and {more} more: --limit N lists them")
    printing.text("Away with all of one kind: ralph-mem purge --origin outside, or --session ID. One row: ralph-mem forget ID.")


@commands.command(cls=Confirmed)
def purge(
    origin: Annotated[
        str,
        typer.Option("--origin", help="All of this origin: outside, tool, test, agent, user. With outside what was made from it."),
    ] = "",
    session: Session = "",
    since: Since = "",
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Delete for good all that came from one origin, or of one session: shown first, deleted with --confirm and its digits.

    Example: ralph-mem purge --origin outside
    """
    if not (origin or session):
        raise RalphMemError("what should go?", "name an --origin or a --session; `ralph-mem review` lists them")
    forgetting.forget(session=session, since=since, origin=origin, confirm=confirm, project=project, json=json)


def _count(each: reviewing.Count) -> dict[str, Any]:
    return {"session": each.session, "began": each.at, "origins": each.origins}


def _fact(row: Row) -> dict[str, Any]:
    return {
        "id": row.public_id, "type": row.type, "origin": row.origin, "source": reviewing.source(row),
        "session": reviewing.session_of(row), "at": row.at, "tainted": bool(row.tainted), "gist": gist(row, 60),
    }  # fmt: skip


def _plain(line: str) -> str:
    return terminal.plain(line)
