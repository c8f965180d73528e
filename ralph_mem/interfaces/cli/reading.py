"""The commands `search`, `timeline`, `show` and `sessions`, which read the memory."""

import time
from typing import Annotated, Any

import typer

from ralph_mem.core.format import moment_of
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Outside, Project, Type
from ralph_mem.maintenance import registry as known
from ralph_mem.memory import access, reports
from ralph_mem.memory import reports as reasons
from ralph_mem.memory.recall import layers, lookup, meaning
from ralph_mem.memory.recall import reasons as because
from ralph_mem.memory.rows import retention

commands = typer.Typer()


def reader_of(project: str, outside: bool = False) -> lookup.Reader:
    """Open what may be read of a project."""
    place = known.choose(project)
    return lookup.Reader(access.to_read(place), place, effective.load(place), outside)


@commands.command()
def search(
    query: Annotated[list[str], typer.Argument(help="Words, in any order; those that are rare count most.")],
    layer: Annotated[
        int | None, typer.Option("--layer", "-l", min=1, max=3, help="1 lines, 2 what happened around, 3 texts.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, max=100, help="How many at most.")] = None,
    since: Annotated[str, typer.Option("--since", help="Not before: 2026-01-31, or 7d, 12h, 2w ago.")] = "",
    until: Annotated[str, typer.Option("--until", help="Before: a day or a span, as --since.")] = "",
    types: Type = [],  # noqa: B006
    outside: Outside = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `search`."""
    reader, now = reader_of(project, outside), time.time_ns() // 1_000_000
    depth = layer or (1 if json else reader.settings["search.default_layer"])
    most = limit or (layers.MOST_FULL if depth == 3 else reader.settings["search.max_results"])
    wanted = lookup.Wanted(most, _moment(since, now), _moment(until, now) or lookup.FOREVER, types)
    rows = lookup.search(reader, " ".join(query), now, wanted, meaning.sense())
    if json:
        printing.as_json([_facts(reader, row, depth) for row in rows])
    else:
        printing.text(layers.shown(reader, rows, depth) if rows else "Nothing that is remembered holds any of these words.")


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
        printing.as_json([_facts(reader, entry, 1) for entry in entries])
    elif budget:
        printing.text(layers.compress(entries, budget, found=row))
    else:
        printing.text("\n".join(layers.entry(each, row) for each in entries))


@commands.command()
def sessions(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")] = 20,
    since: Annotated[str, typer.Option("--since", help="Not before: 2026-01-31, or 7d, 12h, 2w ago.")] = "",
    until: Annotated[str, typer.Option("--until", help="Before: a day or a span, as --since.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """List the sessions, the latest first: when they were, how many prompts, what was asked first; `show` tells one whole.

    Example: ralph-mem sessions --since 7d
    """
    reader, now = reader_of(project), time.time_ns() // 1_000_000
    found = reports.listed(reader, now, limit, _moment(since, now), _moment(until, now) or lookup.FOREVER)
    if json:
        printing.as_json([reports.facts(each) for each in found])
    elif found:
        printing.table(reports.COLUMNS, [reports.cells(each) for each in found])
    else:
        printing.text("No session is remembered here" + (" from that time." if since or until else " yet."))


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
        printing.as_json(_facts(reader, row, 3))
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


def _facts(reader: lookup.Reader, row: lookup.Row, layer: int) -> dict[str, Any]:
    """Return a row for a program: its facts, and as much of its text as the layer has."""
    found: dict[str, Any] = {
        "id": row.public_id, "type": row.type, "score": round(row.score, 4), "at": row.at,
        "gist": layers.gist(row, layers.LINE_TOKENS),
        "tokens": row.tokens, "namespace": "global" if lookup.is_global(row) else "project", "origin": row.origin,
        "pinned": bool(row.pinned), "wrong": row.misled, "tainted": bool(row.tainted),
    }  # fmt: skip
    if layer == 2:
        found["timeline"] = [_facts(reader, entry, 1) for entry in lookup.timelines(reader, [row])[0]]
    if layer == 3:
        path, prompt = lookup.transcript(row)
        found |= {"text": layers.whole(row), "files": row.files.splitlines(), "branch": row.branch, "commit": row.commit}
        emptied = None if row.type == "turn" else retention.emptied_at(row.store, row.number)
        found |= {"transcript": path, "prompt_id": prompt, "emptied_at": emptied}
    return found


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
    if memory and not found:
        lookup.find(reader, memory)  # says so where there is no such memory
    if json:
        printing.as_json([_receipt_facts(receipt) for receipt in found])
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
    found = reasons.preview(reader_of(project), " ".join(prompt), time.time_ns() // 1_000_000, event.instructions())
    if json:
        printing.as_json([_preview_facts(each) for each in found])
        return
    for each in found:
        printing.text("\n".join(reasons.lines_of_preview(each)))


def _receipt_facts(receipt: reasons.Receipt) -> dict[str, Any]:
    return {
        "session": receipt.session, "event": receipt.event, "at": receipt.at, "budget": receipt.budget, "tokens": receipt.tokens,
        "prompt": receipt.prompt, "items": [_line_facts(line) for line in receipt.lines],
    }  # fmt: skip


def _preview_facts(each: reasons.Preview) -> dict[str, Any]:
    items = [_line_facts(line) for line in each.lines]
    return {"event": each.event, "budget": each.budget, "tokens": each.tokens, "text": each.text, "items": items}


def _line_facts(line: reasons.Line) -> dict[str, Any]:
    return {
        "memory": line.memory, "outcome": line.outcome, "score": line.score, "why": because.words(line.evidence),
        "tokens": line.tokens,
        "marked_wrong_at": line.misled_at, "gist": layers.gist(line.row, reasons.GIST_TOKENS) if line.row else None,
    }  # fmt: skip
