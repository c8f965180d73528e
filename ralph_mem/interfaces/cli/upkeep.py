"""The commands `projects`, `compress`, `maintain` and `tokens`, which look after what memories take."""

import shlex
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirm, Json, Project
from ralph_mem.maintenance import condition, registry
from ralph_mem.maintenance import count_tokens as counting
from ralph_mem.maintenance import usage as quota
from ralph_mem.maintenance.registry import Known, Leftover
from ralph_mem.memory import access
from ralph_mem.memory.rows import growth as growing
from ralph_mem.memory.rows import retention
from ralph_mem.memory.store.connection import Store
from ralph_mem.ralph.display import sparkline

COLUMNS = ("name", "path", "id", "sessions", "turns", "size", "last seen", "state")
SIZES = ("name", "total", *quota.Use._fields[1:], "path")
NOBODYS = "(none known)"
NOTHING = "Nothing is left of projects that are gone."
MOVED = "A project that was moved, and not opened since, looks gone too: start a session there first."

commands = typer.Typer()
group = typer.Typer()
commands.add_typer(group, name="projects")


@group.callback(invoke_without_command=True)
def list_all(
    context: typer.Context,
    sizes: Annotated[bool, typer.Option("--sizes", help="Show what each takes on the disk, the largest first.")] = False,
    json: printing.Json = False,
) -> None:
    """List the projects that have a memory on this machine, the last active one first.

    Example: ralph-mem projects
    """
    if context.invoked_subcommand is None and sizes:
        _print_sizes(quota.measure(), effective.load(registry.choose()), json)
    elif context.invoked_subcommand is None:
        found = registry.known()
        printing.as_json([registry.values(each) for each in found]) if json else _print_all(found)


@group.command()
def clean(
    context: typer.Context,
    confirm: printing.Confirm = False,
    json: printing.Json = False,
) -> None:
    """Remove what is left in your data folder of projects whose memory is gone; a memory that is there is never touched.

    Example: ralph-mem projects clean --confirm
    """
    found = registry.orphans()
    files = registry.clean() if confirm else [each for of_one in found.values() for each in of_one]
    kept = {known: registry.kept(known.id) for known in found}
    unknown = registry.unknown()
    # also where it stands before `clean`
    if json or (context.parent and context.parent.params.get("json")):
        stays = [_file(each) for of_one in kept.values() for each in of_one]
        told = {"files": [_file(each) for each in files], "kept": stays, "unknown": [_file(each) for each in unknown]}
        printing.as_json({"removed": confirm, **told})
    else:
        _print_preview({known: left for known, left in found.items() if left}, files) if not confirm else _print_removed(files)
        if not (files or any(kept.values())):
            printing.text(NOTHING)
        _print_kept(kept)
        _print_unknown(unknown)


def _print_all(found: list[Known]) -> None:
    if not found:
        return printing.text("No project has a memory on this machine yet: start a session with the plugin installed.")
    printing.table(COLUMNS, [_row(each) for each in found])
    gone = [each for each in found if each.state in registry.ORPHANED]
    if gone:
        printing.text(f"\n{count(len(gone), 'project')} without a memory: `ralph-mem projects clean` shows what is left.")
    return None


def _print_sizes(usage: quota.Usage, values: dict[str, object], json: bool) -> None:
    if json:
        return printing.as_json(_sizes(usage, values))
    if usage.projects:
        printing.table(SIZES, [_size_row(use) for use in usage.projects])
    most, (_, do) = quota.allowed(values), quota.warning(usage, values)
    shared = f"for all projects {amount(usage.shared)}; " if usage.shared else ""
    sums = f"{'' if usage.is_whole else 'at least '}{amount(quota.taken(usage))}" + (f" of {amount(most)}" if most else "")
    printing.text(f"{shared}together {sums}" + (f"\nToo much: {do}." if do else ""))
    return None


def _size_row(use: quota.Use) -> tuple[object, ...]:
    sizes = [amount(size) if size else "-" for size in (quota.total(use), *use[1:])]
    return (terminal.plain(Path(use.path).name) if use.path else NOBODYS, *sizes, terminal.plain(use.path))


def _sizes(usage: quota.Usage, values: dict[str, object]) -> dict[str, object]:
    told = [{**use._asdict(), "path": terminal.plain(use.path), "total": quota.total(use)} for use in usage.projects]
    sums = {"taken": quota.taken(usage), "allowed": quota.allowed(values), "whole": usage.is_whole}
    return {"projects": told, "shared": usage.shared, **sums}


def _row(known: Known) -> tuple[object, ...]:
    told = ["-" if number is None else number for number in (known.sessions, known.turns)]
    size = amount(known.bytes) if known.bytes else "-"
    return (_name(known), terminal.plain(known.path), known.id, *told, size, when(known.at) or "-", known.state)


def _name(known: Known) -> str:
    return terminal.plain(Path(known.path).name)


def _file(leftover: Leftover) -> dict[str, object]:
    return {"path": terminal.plain(leftover.path), "bytes": leftover.bytes}


def _print_preview(found: dict[Known, list[Leftover]], files: list[Leftover]) -> None:
    if not found:
        return
    for known, its_files in found.items():
        printing.text(f"{_name(known)}: {known.state}, {terminal.plain(known.path)}")
        _print_lines("would go", its_files)
    printing.text(f"\nThat is {_total(files)}. To remove it: ralph-mem projects clean --confirm\n{MOVED}")


def _print_removed(files: list[Leftover]) -> None:
    _print_lines("removed", files)
    if files:
        printing.text(f"Removed {_total(files)}.")


def _print_kept(kept: dict[Known, list[Leftover]]) -> None:
    for known, files in kept.items():
        if files:
            path = terminal.plain(known.path)
            printing.text(f"\nKept, since loops can put files of {path} back with it:")
            _print_lines("stays", files)
            printing.text(f"To remove it: ralph-mem forget --all --scope project --snapshots --project {shlex.quote(path)}")


def _print_unknown(files: list[Leftover]) -> None:
    if files:
        printing.text("\nOf projects that are not registered, and left alone:")
        _print_lines("unknown", files)
        printing.text("Typed in the folder of one, `ralph-mem forget --all --snapshots` removes what waits and what loops left.")


def _print_lines(word: str, files: list[Leftover]) -> None:
    for each in files:
        printing.text(f"  {word:<8}  {amount(each.bytes):>10}  {terminal.plain(each.path)}")


def _total(files: list[Leftover]) -> str:
    return f"{count(len(files), 'place')}, {amount(sum(each.bytes for each in files))}"


@commands.command()
def compress(confirm: Confirm = False, project: Project = "", json: Json = False) -> None:
    """Cut all old tool outputs to title, files and error lines at once, which sessions do bit by bit, and shrink the file.

    Old is what is beyond both memory.retention_days and memory.max_observations. Errors, successes, notes, turns, and what
    you pinned or edited stay whole.

    Example: ralph-mem compress --confirm
    """
    place, now = registry.choose(project), time.time_ns() // 1_000_000
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
def maintain(confirm: Confirm = False, project: Project = "", json: Json = False) -> None:
    """Check a memory's file, show what takes how much in it, and with --confirm merge its indexes and shrink it.

    Only indexes are merged, in small steps, while a session is at work here: to shrink the file would keep it waiting.

    Example: ralph-mem maintain --confirm
    """
    place = registry.choose(project)
    opened = access.to_change(place)[0]
    bytes_before = _bytes(place)
    with printing.progress("maintaining") as bar:
        task = bar.add_task("reading it", total=None)
        before = condition.of(opened)
        is_rewritten = confirm and condition.improve(opened, lambda what: bar.update(task, description=what))
    sizes = {"bytes_before": bytes_before, "bytes": _bytes(place)}
    if json:
        told = {**before._asdict(), "sizes": [each._asdict() for each in before.sizes], **sizes}
        printing.as_json({**told, "confirmed": confirm, "rewritten": is_rewritten})
        return
    printing.table(("table", "rows", "size"), [_size_of(each) for each in before.sizes if each.rows != 0])
    printing.text("\n".join(["", *before.faults] if before.faults else ["\nNothing is damaged."]))
    if is_rewritten:
        printing.text(f"Shrunk from {amount(bytes_before)} to {amount(sizes['bytes'])}.")
    elif before.at_work:
        merged = "Its indexes are merged. " if confirm else ""
        printing.text(f"{merged}The file cannot be shrunk now: {', '.join(before.at_work[:3])} is at work.")
    elif not confirm:
        free = f"{amount(before.free)} free, {amount(before.log)} of log"
        printing.text(
            f"The file has {amount(before.bytes)}, {free}. Nothing is changed yet. To merge and shrink it, add --confirm."
        )
    if before.faults:
        raise typer.Exit(1)


def _size_of(size: condition.Size) -> tuple[object, ...]:
    return (size.name, "-" if size.rows is None else size.rows, "-" if size.bytes is None else amount(size.bytes))


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
    opened = access.to_change(registry.choose(project))
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


@commands.command()
def growth(
    days: Annotated[int, typer.Option("--days", min=7, max=growing.MOST_DAYS, help="How many days are shown.")] = growing.DAYS,
    project: Project = "",
    json: Json = False,
) -> None:
    """Show by days what was remembered and told, a bar for each day, the last one to the right.

    Example: ralph-mem growth --days 90
    """
    found = growing.of(access.to_read(registry.choose(project)), time.time_ns() // 1_000_000, days)
    if json:
        printing.as_json(found)
        return
    named = {"rows": "rows remembered", "sessions": "sessions", "told": "times told", "tokens": "tokens told"}
    for name, what in named.items():
        printing.text(f"{sparkline([each[name] for each in found['days']])}  {found[name]:,} {what} in {days} days")
    printing.text(f"marked wrong of what was told: {found['misled']}")
