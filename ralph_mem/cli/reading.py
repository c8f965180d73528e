"""search, timeline, show: the three layers of what is remembered."""

import time
from typing import Annotated, Any

import typer

from ralph_mem import access, compressor, layers, moments, recall
from ralph_mem import projects as known
from ralph_mem.cli import printing
from ralph_mem.cli.options import Json, Outside, Project, Type
from ralph_mem.core import keeping, meaning, settings

commands = typer.Typer()


def reader_of(project: str, outside: bool = False) -> recall.Reader:
    """Open what may be read of a project."""
    place = known.choose(project)
    return recall.Reader(access.to_read(place), place, settings.load(place), outside)


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
    """Find what is remembered about some words, in this project and in what is kept for all of them.

    Example: ralph-mem search "timezone login" --layer 1 --since 30d
    """
    reader, now = reader_of(project, outside), time.time_ns() // 1_000_000
    depth = layer or (1 if json else reader.settings["search.default_layer"])
    most = limit or (layers.MOST_FULL if depth == 3 else reader.settings["search.max_results"])
    wanted = recall.Wanted(most, _moment(since, now), _moment(until, now) or recall.FOREVER, types)
    rows = recall.search(reader, " ".join(query), now, wanted, meaning.sense())
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
    """Show what happened around something, in order: the turns before and after it, and what its turn ran and changed.

    With --budget, failures and successes are kept longest, and what does not fit is counted.

    Example: ralph-mem timeline turn-k3w9x2mfqa --before 3 --budget 800
    """
    reader = reader_of(project, outside)
    row = recall.find(reader, public_id)
    (entries,) = recall.timelines(reader, [row], before, after)
    if json:
        printing.as_json([_facts(reader, entry, 1) for entry in entries])
    elif budget:
        printing.text(compressor.compress(entries, budget, found=row))
    else:
        printing.text("\n".join(compressor.entry(each, row) for each in entries))


@commands.command()
def show(
    public_id: Annotated[str, typer.Argument(metavar="ID", help="A turn or an observation, as a search prints it.")],
    start: Annotated[int, typer.Option("--from", min=0, help="Go on from this character.")] = 0,
    whole: Annotated[bool, typer.Option("--all", help="All of it, however long.")] = False,
    outside: Outside = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Show the whole text of something, 1,000 tokens at a time, and where the client's own transcript of it is.

    Example: ralph-mem show turn-k3w9x2mfqa
    """
    reader = reader_of(project, outside)
    row = recall.find(reader, public_id)
    if json:
        printing.as_json(_facts(reader, row, 3))
    else:
        printing.verbatim(layers.whole(row)[start:] if whole else layers.full(row, start)[0])


def _moment(text: str, now: int) -> int:
    return moments.of(text, now) if text else 0


def _facts(reader: recall.Reader, row: recall.Row, layer: int) -> dict[str, Any]:
    """Return a row for a program: its facts, and as much of its text as the layer has."""
    found: dict[str, Any] = {
        "id": row.public_id, "type": row.type, "score": round(row.score, 4), "at": row.at,
        "gist": compressor.gist(row, compressor.LINE_TOKENS),
        "tokens": row.tokens, "namespace": "global" if recall.is_global(row) else "project", "origin": row.origin,
        "pinned": bool(row.pinned), "wrong": row.misled, "tainted": bool(row.tainted),
    }  # fmt: skip
    if layer == 2:
        found["timeline"] = [_facts(reader, entry, 1) for entry in recall.timelines(reader, [row])[0]]
    if layer == 3:
        path, prompt = recall.transcript(row)
        found |= {"text": layers.whole(row), "files": row.files.splitlines(), "branch": row.branch, "commit": row.commit}
        emptied = None if row.type == "turn" else keeping.emptied_at(row.store, row.number)
        found |= {"transcript": path, "prompt_id": prompt, "emptied_at": emptied}
    return found
