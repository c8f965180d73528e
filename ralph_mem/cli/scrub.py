"""scrub: stored rows are redacted anew, shown first in numbers, never in words."""

from typing import Annotated, Any

import typer

from ralph_mem import access, glance, remnants, scrubbing
from ralph_mem import projects as known
from ralph_mem.cli import printing
from ralph_mem.cli.options import Confirm, Json, Project
from ralph_mem.core import settings, terminal
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.store import Store

commands = typer.Typer()

NAMES = {"loop_runs": "loop run", "observations": "observation", "sessions": "session", "turns": "turn"}
UNCONFIRMED = "Nothing is changed yet. To do this, add --confirm."
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count what would be cut out; this is the default.")]


@commands.command()
def scrub(dry_run: DryRun = False, confirm: Confirm = False, project: Project = "", json: Json = False) -> None:
    """Redact every stored row anew, by today's rules, a longer list than sessions have time for, your patterns and .env values.

    Counts by kind and never shows what it found. With --confirm it is cut out, from the index, the raw file and backups as well.

    Example: ralph-mem scrub --confirm
    """
    if dry_run and confirm:
        raise RalphMemError("--dry-run and --confirm say the opposite", "give one of them")
    place = known.choose(project)
    stores = access.to_change(place)
    protect = remnants.remembering(scrubbing.protector(place, settings.load(place)))
    reports, is_empty = _done(stores, protect, confirm)
    copies = _copies(place, stores, protect, confirm)
    if json:
        printing.as_json({**_facts(reports, confirm, is_empty), "copies": copies._asdict()})
        return
    printing.text("\n".join([*_told(reports, confirm), *_told_of_copies(copies, confirm)]))
    if _has_found(reports, copies):
        printing.text("Exports that were made before may hold it still." if confirm else UNCONFIRMED)
    if not is_empty:
        printing.text("Another process reads the database: its log holds the text until that ends and the next session starts.")


def _done(stores: list[Store], protect: "scrubbing.Protect", confirm: bool) -> tuple[list[scrubbing.Report], bool]:
    reports, is_empty = [], True
    with printing.progress("scrubbing" if confirm else "looking") as bar:
        task = bar.add_task("", total=sum(scrubbing.total(store) for store in stores))
        for store in stores:
            report, emptied = _one(store, protect, confirm, lambda more: bar.update(task, advance=more))
            reports.append(report)
            is_empty = is_empty and emptied
    return reports, is_empty


def _copies(place: Place, stores: list[Store], protect: "scrubbing.Protect", confirm: bool) -> remnants.Remnants:
    with printing.progress("backups") as bar:
        task = bar.add_task("", total=None)
        work = remnants.scrub if confirm else remnants.look
        return work(place, stores, protect, lambda what: bar.update(task, description=what))


def _told_of_copies(copies: remnants.Remnants, confirm: bool) -> list[str]:
    """Tell what became of copies, or would; a line each."""
    lines = [f"{'Cut out' if confirm else 'Would cut it out'} of a copy too: {path}" for path in copies.scrubbed]
    word = "Deleted" if confirm else "Would delete"
    lines += [f"{word}, since it cannot be scrubbed: {path}" for path in copies.removed]
    lines += ["A backup of today takes its place."] if copies.removed and confirm else []
    return [terminal.plain(line) for line in [*lines, *[f"Set aside, and not looked into: {path}" for path in copies.unread]]]


def _has_found(reports: list[scrubbing.Report], copies: remnants.Remnants) -> bool:
    return any(report.counts for report in reports) or bool(copies.scrubbed or copies.removed)


def _one(store: Store, protect: "scrubbing.Protect", confirm: bool, tell: Any) -> tuple[scrubbing.Report, bool]:
    return scrubbing.scrub(store, protect, tell) if confirm else (scrubbing.preview(store, protect, tell), True)


def _summed(each: list[dict[str, int]]) -> dict[str, int]:
    names = sorted({name for one in each for name in one})
    return {name: sum(one.get(name, 0) for one in each) for name in names}


def _told(reports: list[scrubbing.Report], confirm: bool) -> list[str]:
    rows = sum(report.rows for report in reports)
    kinds, tables = _summed([report.counts for report in reports]), _summed([report.changed for report in reports])
    if not kinds:
        return [f"Nothing to scrub: in {glance.count(rows, 'row')} no rule finds a secret."]
    where = ", ".join(glance.count(number, NAMES.get(table, "iteration")) for table, number in tables.items())
    lines = [f"{'Cut out' if confirm else 'Would cut out'} {glance.count(sum(kinds.values()), 'secret')} of {where}:"]
    lines += [f"  {number:>6}  {kind}" for kind, number in kinds.items()]
    return [*lines, "The index and the file are written anew."] if confirm else lines


def _facts(reports: list[scrubbing.Report], confirm: bool, is_empty: bool) -> dict[str, Any]:
    return {
        "rows": sum(report.rows for report in reports), "changed": _summed([report.changed for report in reports]),
        "secrets": _summed([report.counts for report in reports]), "confirmed": confirm, "log_is_empty": is_empty,
    }  # fmt: skip
