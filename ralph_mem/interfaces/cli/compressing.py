"""The commands `compress` and `tokens`, which shorten old output and count tokens exactly."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount, count
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirm, Json, Project
from ralph_mem.maintenance import count_tokens as counting
from ralph_mem.maintenance import registry as known
from ralph_mem.memory import access
from ralph_mem.memory.rows import retention
from ralph_mem.memory.store.connection import Store

commands = typer.Typer()


@commands.command()
def compress(confirm: Confirm = False, project: Project = "", json: Json = False) -> None:
    """Cut all old tool outputs to title, files and error lines at once, which sessions do bit by bit, and shrink the file.

    Old is what is beyond both memory.retention_days and memory.max_observations. Errors, successes, notes, turns, and what
    you pinned or edited stay whole.

    Example: ralph-mem compress --confirm
    """
    place, now = known.choose(project), time.time_ns() // 1_000_000
    values, opened, before = effective.load(place), access.to_change(place)[0], _bytes(place)
    rows, characters = retention.due(opened, values, now)
    if confirm and rows:
        rows = _emptied(opened, values, now, rows)
    if json:
        sizes = {"bytes_before": before, "bytes": _bytes(place)}
        printing.as_json({"rows": rows, "characters": characters, "confirmed": confirm, **sizes})
        return
    what = f"{count(rows, 'tool output')}, {characters:,} characters, {_limits(values)}"
    if not rows:
        printing.text(f"Nothing to compress: no tool output is {_limits(values)}.")
    elif confirm:
        printing.text(f"Compressed {what}. The files had {amount(before)} and have {amount(_bytes(place))}.")
    else:
        printing.text(f"Would compress {what}. Nothing is changed yet. To do this, add --confirm.")


def _bytes(place: Place) -> int:
    return sum(file.stat().st_size for file in Path(place.folder).glob("memory.db*"))


def _limits(values: dict[str, Any]) -> str:
    return f"older than {values['memory.retention_days']} days and beyond the newest {values['memory.max_observations']:,}"


def _emptied(opened: Store, values: dict[str, Any], now: int, rows: int) -> int:
    with printing.progress("compressing") as bar:
        task = bar.add_task("", total=rows)
        done = retention.keep_all(opened, values, now, lambda more: bar.update(task, advance=more))
        bar.update(task, description="rewriting the file", total=None)
        access.rewrite(opened)
    return done


@commands.command()
def tokens(
    fetch: Annotated[bool, typer.Option("--fetch", help="Let tiktoken download the vocabulary once, a few MB.")] = False,
    vocabulary: Annotated[str, typer.Option("--vocabulary", help="Which of tiktoken's to count by.")] = counting.VOCABULARY,
    project: Project = "",
    json: Json = False,
) -> None:
    """Count exactly what every memory costs in tokens, by a vocabulary on this machine, and say how good the estimate was.

    Sessions estimate; what they add later is estimated until the next time. Nothing is downloaded without --fetch.

    Example: ralph-mem tokens
    """
    chosen = counting.fetch(vocabulary) if fetch else counting.find(vocabulary)
    if chosen is None:
        hint = "`ralph-mem tokens --fetch` lets tiktoken download it once, a few MB; until then costs are estimated"
        raise RalphMemError(f"the vocabulary {vocabulary} is not on this machine", hint)
    opened = access.to_change(known.choose(project))
    done = _counted(opened, chosen)
    found = counting.of(opened[0])
    if json:
        printing.as_json({"counted": done, "vocabulary": chosen.name, "error_on_code": found.code, "error_on_prose": found.prose})
        return
    errors = counting.told(found)
    printing.text(f"Counted {count(done, 'row')} by {chosen.name}." + (f" The estimate is off by {errors}." if errors else ""))


def _counted(opened: list[Store], vocabulary: counting.Vocabulary) -> int:
    with printing.progress("counting") as bar:
        task = bar.add_task("", total=sum(counting.missing(store, vocabulary) for store in opened))
        return sum(counting.count_rows(store, vocabulary, lambda more: bar.update(task, advance=more)) for store in opened)
