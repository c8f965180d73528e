"""The commands `search`, `timeline`, `show` and `sessions`, which read the memory."""

import os
import time
from typing import Annotated

import typer

from ralph_mem.core.format import moment_of
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Outside, Project, Type
from ralph_mem.maintenance import registry as known
from ralph_mem.memory import access, plain_values, reports
from ralph_mem.memory import reports as reasons
from ralph_mem.memory.recall import layers, lookup, meaning

commands = typer.Typer()


def reader_of(project: str, outside: bool = False) -> lookup.Reader:
    """Open what may be read of a project."""
    place = known.choose(project)
    for_model = outside and not asker.is_a_person()
    return lookup.Reader(access.to_read(place), place, effective.load(place), outside, for_model)


@commands.command()
def search(
    query: Annotated[list[str], typer.Argument(help="Words, in any order; those that are rare count most.")],
    layer: Annotated[
        int | None, typer.Option("--layer", "-l", min=1, max=3, help="1 lines, 2 what happened around, 3 texts.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, max=100, help="How many at most.")] = None,
    since: Annotated[str, typer.Option("--since", help=printing.SINCE)] = "",
    until: Annotated[str, typer.Option("--until", help=printing.UNTIL)] = "",
    types: Type = [],  # noqa: B006
    outside: Outside = False,
    team: Annotated[str, typer.Option("--team", metavar="NAME", help="Ask the server of this team, and it alone.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `search`."""
    if team:
        _at_server(project, team, " ".join(query), limit, json)
        return
    reader, now = reader_of(project, outside), time.time_ns() // 1_000_000
    depth = layer or (1 if json else reader.settings["search.default_layer"])
    most = limit or (layers.MOST_FULL if depth == 3 else reader.settings["search.max_results"])
    wanted = lookup.Wanted(most, _moment(since, now), _moment(until, now) or lookup.FOREVER, types)
    rows = lookup.search(reader, " ".join(query), now, wanted, meaning.sense())
    if json:
        printing.as_json([plain_values.of_row(reader, row, depth) for row in rows])
    else:
        open_turns = lookup.not_ended(reader, " ".join(query), wanted)
        nothing = open_turns or " ".join(lookup.nothing(" ".join(query), wanted))
        printing.text(layers.shown(reader, rows, depth) if rows else nothing)
        if rows and open_turns:
            printing.text(open_turns)
        if (not outside or reader.for_model) and lookup.unapproved(reader):
            printing.text(lookup.unapproved(reader))


def _at_server(project: str, team: str, query: str, limit: int | None, json: bool) -> None:
    """Print what a team's server finds. What its people wrote is for the person alone: nothing of it is kept or told."""
    from ralph_mem.interfaces.cli import team_search  # lazy: only for --team

    team_search.search(project, team, query, limit, json)


@commands.command()
def timeline(
    public_id: Annotated[str, typer.Argument(metavar="ID", help="A turn or an observation, as a search prints it.")],
    before: Annotated[int, typer.Option("--before", min=0, max=50, help="How many turns before it.")] = 1,
    after: Annotated[int, typer.Option("--after", min=0, max=50, help="How many turns after it.")] = 1,
    budget: Annotated[int, typer.Option("--budget", "-b", min=0, help="As much as so many tokens can tell, details too.")] = 0,
    outside: Outside = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `timeline`.

    With --budget, failures and successes are kept longest, and what does not fit is counted.
    """
    reader = reader_of(project, outside)
    row = lookup.find(reader, public_id)
    (entries,) = lookup.timelines(reader, [row], before, after)
    if json:
        printing.as_json([plain_values.of_row(reader, entry, 1) for entry in entries])
    elif budget:
        printing.text(layers.compress(entries, budget, found=row))
    else:
        printing.text("\n".join(layers.entry(each, row) for each in entries))


@commands.command()
def sessions(
    public_id: Annotated[str, typer.Argument(metavar="ID", help="A session, to page through what happened in it.")] = "",
    page: Annotated[int, typer.Option("--page", min=1, max=100_000, help="Which page of the list, or of the session.")] = 1,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")] = 20,
    since: Annotated[str, typer.Option("--since", help=printing.SINCE)] = "",
    until: Annotated[str, typer.Option("--until", help=printing.UNTIL)] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """List the sessions, the latest first: when they were, how many prompts, what was asked first; or page through one.

    `ralph-mem show ID` sums one up.

    Example: ralph-mem sessions --since 7d
    """
    reader, now = reader_of(project), time.time_ns() // 1_000_000
    if public_id:
        _page(reader, public_id, page, limit, json)
        return
    found = reports.listed(reader, now, limit, _moment(since, now), _moment(until, now) or lookup.FOREVER, page)
    if json:
        printing.as_json([reports.facts(each) for each in found])
    elif found:
        printing.table(reports.COLUMNS, [reports.cells(each) for each in found])
        if len(found) == limit:
            printing.text(f"There may be more: --page {page + 1}. One of them, step by step: ralph-mem sessions ID")
    else:
        where = " on that page." if page > 1 else " from that time." if since or until else " yet."
        printing.text("No session is remembered here" + where)


def _page(reader: lookup.Reader, public_id: str, page: int, limit: int, json: bool) -> None:
    session = reports.find(reader, public_id)
    if json:
        printing.as_json(plain_values.of_session(reader, session, page, limit))
        return
    rows, pages = reports.entries(reader, session, page, limit)
    printing.verbatim("\n".join([reports.head(session), *[layers.entry(each) for each in rows]]))
    if pages > 1:
        on = f"; ralph-mem sessions {session.id} --page {page + 1} goes on" if page < pages else ""
        printing.text(f"page {page} of {pages}{on}")


@commands.command()
def show(
    public_id: Annotated[str, typer.Argument(metavar="ID", help="A turn, an observation or a session, as a list prints it.")],
    start: Annotated[int, typer.Option("--from", min=0, help="Go on from this character.")] = 0,
    whole: Annotated[bool, typer.Option("--all", help="All of it, however long.")] = False,
    outside: Outside = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `show`."""
    reader = reader_of(project, outside)
    if public_id.startswith(reports.PREFIX):
        _show_session(reader, public_id, start, whole, json)
        return
    row = lookup.find(reader, public_id)
    if json:
        printing.as_json(plain_values.of_row(reader, row, 3))
    else:
        printing.verbatim(layers.whole(row)[start:] if whole else layers.full(row, start)[0])


def _show_session(reader: lookup.Reader, public_id: str, start: int, whole: bool, json: bool) -> None:
    session = reports.find(reader, public_id)
    if json:
        printing.as_json(reports.facts(session) | {"text": reports.text(reader, session)})
    elif whole:
        printing.verbatim(reports.head(session) + "\n" + reports.text(reader, session)[start:])
    else:
        printing.verbatim(reports.full(reader, session, start))


def _moment(text: str, now: int) -> int:
    return moment_of(text, now) if text else 0


@commands.command()
def why(
    memory: Annotated[str, typer.Argument(metavar="ID", help="Only the receipts that name this memory.")] = "",
    last: Annotated[int, typer.Option("--last", "-n", min=1, max=1000, help="How many receipts.")] = 5,
    session: Annotated[str, typer.Option("--session", "-s", help="Of this session.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `why`."""
    reader = reader_of(project)
    found = reasons.receipts(reader, last, session, memory)
    if json:
        printing.as_json([plain_values.of_receipt(receipt) for receipt in found])
        return
    for receipt in reversed(found):
        printing.text("\n".join(reasons.lines_of_receipt(receipt)))
    if not found:
        printing.text(reasons.NOTHING_TOLD)


@commands.command()
def preview(
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT", help="What you would say.")] = [],  # noqa: B006
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `preview`."""
    now = time.time_ns() // 1_000_000
    found = reasons.preview(reader_of(project), " ".join(prompt), now, event.instructions(), os.getcwd())
    if json:
        printing.as_json([plain_values.of_preview(each) for each in found])
        return
    for each in found:
        printing.text("\n".join(reasons.lines_of_preview(each)))
