"""The commands `forget`, `scrub`, `review` and `purge`, which show rows and delete them."""

import time
from typing import Annotated, Any

import typer

from ralph_mem.core import places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, moment_of, not_as_shown, when
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal, whole
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirm, Confirmed, Digits, Json, Outside, Project, Type
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry
from ralph_mem.maintenance import review as reviewing
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.forget import copies as copies_of
from ralph_mem.maintenance.forget import erase, inventory, pending, select
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.memory import access
from ralph_mem.memory.recall import layers
from ralph_mem.memory.recall.lookup import Reader
from ralph_mem.memory.store.connection import Store
from ralph_mem.ralph import record_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.redaction.whole import Protect

commands = typer.Typer()


@commands.command(cls=Confirmed)
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID|WORDS", help="Turns, observations, sessions; or words.")] = [],  # noqa: B006
    query: Annotated[str, typer.Option("--query", "-q", help="Everything that holds exactly this text.")] = "",
    session: Annotated[str, typer.Option("--session", "-s", help="Everything of a session.")] = "",
    types: Type = [],  # noqa: B006
    since: Annotated[str, typer.Option("--since", help=printing.SINCE)] = "",
    until: Annotated[str, typer.Option("--until", help=printing.UNTIL)] = "",
    origin: Annotated[str, typer.Option("--origin", help="Only from: user, agent, tool, test, outside.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="All that is remembered, loops too.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="Which memory: project, global, both.")] = select.BOTH,
    snapshots: Annotated[
        bool, typer.Option("--snapshots", help="Delete snapshots, git copies and rooms of finished loops that hold it.")
    ] = False,
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `forget`.

    Backups, records of loops and caches are rid of it too; a forget that was interrupted is finished first.
    """
    place, now = registry.choose(project), time.time_ns() // 1_000_000
    reader = Reader(select.memories(place), place, effective.load(place))
    first, end = [moment_of(text, now) if text else 0 for text in (since, until)]
    names, text = select.told_apart(ids, query)
    chosen = select.Selection(names, text, session, first, end, types, origin, everything)
    if pending.waits(place):  # who types the same again after Ctrl-C means that one, whose rows are gone already
        _finish(reader, json)
        if not (names or everything or chosen.has_filters()):
            return
    choice = select.choose(reader, chosen, scope, snapshots)
    if confirm.lower() != choice.digits:
        _preview(reader, choice, json)
        if confirm:
            raise not_as_shown(confirm)
        return
    report = _carried_out(reader, choice)
    if json:
        printing.as_json(erasure_report.facts_of_report(report))
    else:
        printing.text("\n".join([*erasure_report.lines_of_report(report), f"Out of reach: {erasure_report.ALWAYS_OUT_OF_REACH}"]))
    if not report.is_clean():
        raise typer.Exit(1)


def _preview(reader: Reader, choice: select.Choice, json: bool) -> None:
    if json:
        rows = [row.public_id for row in choice.rows()]
        printing.as_json(
            {"would_delete": rows, "snapshots": choice.runs(), "files": choice.files, "digest": choice.digits, "confirmed": False}
        )
        return
    show_choice(reader, choice)


def show_choice(reader: Reader, choice: select.Choice) -> None:
    """Print what would be deleted, and how that is done."""
    again = f"Nothing is deleted yet. To delete exactly this, add --confirm {choice.digits}"
    for line in [*select.preview(reader, choice), again]:
        printing.text(line)


def _finish(reader: Reader, json: bool) -> None:
    with pending.told_where_cut_off(reader.project), printing.progress("finishing an earlier forget") as bar:
        task = bar.add_task("", total=None)
        report = erase.resume(reader, lambda what: bar.update(task, description=what))
    if report and not json:
        printing.text("\n".join(["A forget that was interrupted is finished now:", *erasure_report.lines_of_report(report), ""]))


def _carried_out(reader: Reader, choice: select.Choice) -> erasure_report.Report:
    with pending.told_where_cut_off(reader.project), printing.progress("forgetting") as bar:
        task = bar.add_task("", total=None)
        return erase.forget(reader, choice.plans, lambda what: bar.update(task, description=what), choice.runs())


NAMES = {"loop_runs": "loop run", "observations": "observation", "sessions": "session", "turns": "turn"}
OWED = "What an undo, an edit or a forget took away may still stand in the raw file."
REWRITTEN = "The file is written anew, without what an undo, an edit or a forget took away."
UNCONFIRMED = "Nothing is changed yet. To do this, add --confirm."
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count what would be cut out; this is the default.")]


@commands.command()
def scrub(dry_run: DryRun = False, confirm: Confirm = False, project: Project = "", json: Json = False) -> None:
    """Redact every stored row anew, by today's rules, a longer list than sessions have time for, your patterns and .env values.

    Counts by kind and never shows what it found. With --confirm it is cut out, from the index, the raw file, backups and
    records of loops as well.

    Example: ralph-mem scrub --confirm
    """
    if dry_run and confirm:
        raise RalphMemError("--dry-run and --confirm say the opposite", "give one of them")
    place = registry.choose(project)
    stores = access.to_change(place)
    protect = copies_of.remembering(whole.protector(place, effective.load(place)))
    reports, is_empty = _done(stores, protect, confirm)
    copies = _copies(place, stores, protect, confirm)
    records = record_lines.scrub(inventory.of_kind(inventory.of(place, stores), places.LOOP), protect, confirm)
    if json:
        printing.as_json({**_facts(reports, confirm, is_empty), "copies": copies._asdict(), "records": records})
        return
    word = "Cut out" if confirm else "Would cut it out"
    of_loops = [terminal.plain(f"{word} of the record of a loop too: {path}") for path in records]
    printing.text("\n".join([*_told(reports, confirm), *of_loops, *_told_of_copies(copies, confirm)]))
    if records or _has_found(reports, copies):
        printing.text("Exports that were made before may hold it still." if confirm else UNCONFIRMED)
    if not is_empty:
        printing.text("Another process reads the database: its log holds the text until that ends and the next session starts.")


def _done(stores: list[Store], protect: "Protect", confirm: bool) -> tuple[list[scrubbing.Report], bool]:
    reports, is_empty = [], True
    with printing.progress("scrubbing" if confirm else "looking") as bar:
        task = bar.add_task("", total=sum(scrubbing.total(store) for store in stores))
        for store in stores:
            report, emptied = _one(store, protect, confirm, lambda more: bar.update(task, advance=more))
            reports.append(report)
            is_empty = is_empty and emptied
    return reports, is_empty


def _copies(place: Place, stores: list[Store], protect: "Protect", confirm: bool) -> copies_of.Scrubbed:
    with printing.progress("backups") as bar:
        task = bar.add_task("", total=None)
        work = copies_of.scrub if confirm else copies_of.find_secrets
        return work(place, stores, protect, lambda what: bar.update(task, description=what))


def _told_of_copies(copies: copies_of.Scrubbed, confirm: bool) -> list[str]:
    """Tell what became of copies, or would; a line each."""
    lines = [f"{'Cut out' if confirm else 'Would cut it out'} of a copy too: {path}" for path in copies.scrubbed]
    word = "Deleted" if confirm else "Would delete"
    lines += [f"{word}, since it cannot be scrubbed: {path}" for path in copies.removed]
    lines += ["A backup of today takes its place."] if copies.removed and confirm else []
    return [terminal.plain(line) for line in [*lines, *[f"Set aside, and not looked into: {path}" for path in copies.unread]]]


def _has_found(reports: list[scrubbing.Report], copies: copies_of.Scrubbed) -> bool:
    return any(report.counts or report.owed for report in reports) or bool(copies.scrubbed or copies.removed)


def _one(store: Store, protect: "Protect", confirm: bool, tell: Any) -> tuple[scrubbing.Report, bool]:
    return scrubbing.scrub(store, protect, tell) if confirm else (scrubbing.preview(store, protect, tell), True)


def _summed(each: list[dict[str, int]]) -> dict[str, int]:
    names = sorted({name for one in each for name in one})
    return {name: sum(one.get(name, 0) for one in each) for name in names}


def _told(reports: list[scrubbing.Report], confirm: bool) -> list[str]:
    rows = sum(report.rows for report in reports)
    kinds, tables = _summed([report.counts for report in reports]), _summed([report.changed for report in reports])
    owed = [REWRITTEN if confirm else OWED] if any(report.owed for report in reports) else []
    if not kinds:
        return [f"Nothing to scrub: in {count(rows, 'row')} no rule finds a secret.", *owed]
    where = ", ".join(count(number, NAMES.get(table, "iteration")) for table, number in tables.items())
    lines = [f"{'Cut out' if confirm else 'Would cut out'} {count(sum(kinds.values()), 'secret')} of {where}:"]
    lines += [f"  {number:>6}  {kind}" for kind, number in kinds.items()]
    return [*lines, *(["The index and the file are written anew."] if confirm else owed)]


def _facts(reports: list[scrubbing.Report], confirm: bool, is_empty: bool) -> dict[str, Any]:
    return {
        "rows": sum(report.rows for report in reports), "changed": _summed([report.changed for report in reports]),
        "secrets": _summed([report.counts for report in reports]), "confirmed": confirm, "log_is_empty": is_empty,
        "owed": any(report.owed for report in reports),
    }  # fmt: skip


Origin = Annotated[
    list[str], typer.Option("--origin", help="Only of this origin, several by repeating it: outside, tool, test, agent, user.")
]
Session = Annotated[str, typer.Option("--session", "-s", help="Only of this session, as review prints it.")]
Since = Annotated[str, typer.Option("--since", help=printing.SINCE)]
COLUMNS = ("outside", "tool", "test", "agent", "user", "tainted")


@commands.command()
def review(
    origins: Origin = [],  # noqa: B006
    session: Session = "",
    since: Since = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="How many sessions and rows are listed at most.")
    ] = 20,
    outside: Outside = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `review`."""
    reader = reader_of(project, outside)
    first = moment_of(since, time.time_ns() // 1_000_000) if since else 0
    wanted = reviewing.Wanted(origins, session, first)
    counts, rows = reviewing.counts_of_sessions(reader, wanted), reviewing.rows(reader, wanted, limit)
    if json:
        printing.as_json({"sessions": counts, "rows": [reviewing.values(row) for row in rows]})
        return
    if not rows:
        printing.text("Nothing that is remembered fits.")
        return
    shown = counts[:limit]
    cells = [(each["session"], when(each["began"]), *[each["origins"].get(name, 0) for name in COLUMNS]) for each in shown]
    printing.table(("session", "began", *COLUMNS), cells)
    printing.text(f"and {count(len(counts) - limit, 'older session')}\n" if len(counts) > limit else "")
    for row in rows:
        printing.text(f"{_plain(reviewing.source(row))}  {_plain(layers.index(row))}")
    more = sum(each["origins"].get(name, 0) for each in counts for name in reviewing.ORIGINS) - len(rows)
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
    forget(session=session, since=since, origin=origin, confirm=confirm, project=project, json=json)


def _plain(line: str) -> str:
    return terminal.plain(line)
