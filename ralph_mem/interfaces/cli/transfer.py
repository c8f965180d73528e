"""The commands `import`, `export` and `import-archive`, which bring memories in and out."""

import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core import project as places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, moment_of
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import privacy, terminal
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker, known
from ralph_mem.hosts import kept as kept_by
from ralph_mem.hosts.claude_code import archive
from ralph_mem.hosts.claude_code.archive import Kept
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirm, Json, Outside, Project, Type
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.transfer import document, foreign, home, incoming, outgoing, tables
from ralph_mem.maintenance.transfer import import_transcripts as importing
from ralph_mem.memory import access
from ralph_mem.memory.store import connection
from ralph_mem.memory.store.connection import Store

commands = typer.Typer()


@commands.command("import")
def import_sessions(
    path: Annotated[str, typer.Argument(help="A transcript, or a folder of some. Default: all that the client has kept.")] = "",
    host: Annotated[
        str, typer.Option("--from", metavar="CLIENT", help=f"Whose: {', '.join(known.OTHERS)}. Default: Claude Code.")
    ] = known.FIRST,
    everything: Annotated[
        bool, typer.Option("--all", "--all-projects", help="Of every project, each into its own memory.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would come in.")] = False,
    since: Annotated[str, typer.Option("--since", help=printing.SINCE)] = "",
    project: printing.Project = "",
    json: printing.Json = False,
) -> None:
    """Carry out `import`.

    Another client's sessions come in from what it has kept of them itself, as its hooks would have recorded them.
    A path that is named, and --all, take in the sessions of every project, each into the memory of its own. What is known
    stays as it is, so this may be broken off and run again.
    """
    only = registry.choose(project) if project or not (path or everything) else None
    first = moment_of(since, time.time_ns() // 1_000_000) if since else 0
    if host not in (known.FIRST, *known.OTHERS):
        raise RalphMemError(f"there is no client {host[:20]!a}", "one of " + ", ".join((known.FIRST, *known.OTHERS)))
    report = _carried_out(_found(host, Path(path).expanduser() if path else None), host, only, first, dry_run)
    printing.as_json(_fields(report, host, dry_run)) if json else _print_report(report, dry_run, only)
    raise typer.Exit(int(any(each.why in importing.TROUBLE for each in report.passed)))


def _found(host: str, path: Path | None) -> list[Path]:
    if host != known.FIRST:
        return kept_by.files_in(host, path)
    return archive.files_in(path) if path else archive.all_kept()


def _carried_out(files: list[Path], host: str, only: Place | None, since: int, dry: bool) -> importing.Report:
    with printing.progress("looking" if dry else "importing") as bar:
        task = bar.add_task("", total=len(files))
        looked = lambda number: bar.update(task, completed=number, description=f"file {number}")  # noqa: E731
        kept, passed = archive.look(files, looked) if host == known.FIRST else kept_by.look(host, files, looked)
        by_project, others = archive.sort(kept, only, since)
        bar.reset(task, total=max(1, sum(each.bytes for _, sessions in by_project.values() for each in sessions)))

        taken = 0

        def tell(each: Kept, position: int, report: importing.Report) -> None:
            nonlocal taken
            told = ", ".join(count(report.total(what), what[:-1]) for what in importing.COUNTED)
            bar.update(task, completed=taken + position, description=f"{told}; {terminal.plain(each.folder)}")
            taken += position if position == each.bytes else 0

        return importing.run(by_project, importing.Report(passed + others), tell, dry=dry)


def _fields(report: importing.Report, host: str, dry: bool) -> dict[str, object]:
    why = Counter((each.why, each.detail) for each in report.passed)
    return {
        "dry_run": dry,
        "from": host,
        **{what: report.total(what) for what in importing.COUNTED},
        "projects": [{"path": terminal.plain(root), **counts} for root, counts in report.projects.items()],
        "passed_over": [{"why": why, "detail": terminal.plain(detail), "sessions": n} for (why, detail), n in why.items()],
        "unreadable_lines": [{"path": terminal.plain(str(path)), "lines": n} for path, n in report.unreadable.items()],
        "cut_off": [terminal.plain(str(path)) for path in report.cut],
    }


def _print_report(report: importing.Report, dry: bool, only: Place | None) -> None:
    for line in importing.lines(report, dry):
        printing.text(terminal.plain(line))
    if only and any(each.why == archive.ELSEWHERE for each in report.passed):
        printing.text("`ralph-mem import --all` takes in those of other projects, each into its own memory.")
    if dry and report.projects:
        printing.text("Nothing is stored yet. To import this, leave out --dry-run.")


Everywhere = Annotated[bool, typer.Option("--global", "-g", help="The memory of all projects in place of a project's.")]
Secret = Annotated[
    str | None,
    typer.Option("--passphrase-file", metavar="FILE", help="Read the passphrase from a file; it is asked for otherwise."),
]
CSV, SQLITE = "csv", "sqlite"
FORMATS = ("jsonl", "markdown", *(CSV, SQLITE))
MOST_PASSPHRASE = 4096
STRANGER = (
    "Another home wrote this file: its rows count as text from outside. They are found by a search, and told to no model unasked."
)
OTHERWISE, AS_SAID, OF_ANOTHER_TOOL = (
    "--mine, if it is your own from another machine, lets them count as they did there.",
    "As you say, it is your own.",
    "Its rows count as text from outside: `search --outside` shows them, no model is told. With --mine they are an agent's notes.",
)


@commands.command()
def export(
    form: Annotated[
        str, typer.Option("--format", help="jsonl, to take in again; markdown, to read; csv or sqlite, for other tools.")
    ] = "jsonl",
    to: Annotated[
        str | None, typer.Option("--to", metavar="FILE", help="Write to this file, for you alone. Default: print.")
    ] = None,
    everywhere: Everywhere = False,
    since: Annotated[str, typer.Option("--since", help=printing.SINCE)] = "",
    until: Annotated[str, typer.Option("--until", help=printing.UNTIL)] = "",
    types: Type = [],  # noqa: B006
    origins: Annotated[
        list[str], typer.Option("--origin", help="Only of this origin, several by repeating it: user, agent, tool, test, outside.")
    ] = [],  # noqa: B006
    encrypt: Annotated[bool, typer.Option("--encrypt", help="Behind a passphrase, in the format of age.")] = False,
    secret: Secret = None,
    outside: Outside = False,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Write what is remembered of a project into one file, with secrets cut out by today's rules; nothing is changed.

    Text that web and MCP tools brought in is part of it, with its mark; Markdown shows it with --outside only.
    --json tells of a file that was written; what is printed without --to is the export itself.

    Example: ralph-mem export --to shop.jsonl
    """
    if form not in FORMATS:
        raise RalphMemError(f"there is no format {form[:20]!a}", "one of " + ", ".join(FORMATS))
    if to == "":  # of a variable that is not set
        raise RalphMemError("--to names no file", "name one, or leave --to out to print")
    encrypt = encrypt or secret is not None  # also by an empty name, of a variable that is not set
    if encrypt and not to:
        raise RalphMemError("an encrypted export is not printed", "name a file with --to")
    if json and not to:
        raise RalphMemError("--json tells of a file that was written", "name one with --to; what is printed is the export itself")
    if form == SQLITE and not to:
        raise RalphMemError("a database is not printed", "name a file with --to")
    place, now = _place(project, everywhere=everywhere), time.time_ns() // 1_000_000
    first, end = [moment_of(text, now) if text else 0 for text in (since, until)]
    choice = outgoing.Choice(first, end, types, origins)
    words = _passphrase(secret, twice=True) if encrypt else ""
    opened = _opened(place)
    parcel = collected(opened, place, choice, "exporting")
    if form in (CSV, SQLITE):
        made = tables.database(parcel, tables.beside(opened, parcel, place, effective.load(place)))
        data = tables.as_csv(made) if form == CSV else tables.as_bytes(made)
    else:
        data = _written(form, place, parcel.records, now, outside=outside)
    data = home.locked(data, words) if encrypt else data
    if not to:
        _print(data, now)
        return
    home.write(Path(to).expanduser(), data, now, force=force)
    counts = {what: sum([record["row"] == what for record in parcel.records]) for what in document.rows()[:-1]}
    if json:
        printing.as_json(
            {"path": terminal.plain(to), "bytes": len(data), "encrypted": encrypt, **counts, "left_out": parcel.left_out}
        )
        return
    printing.text(f"exported: {_told(counts)}  {terminal.plain(to)}")
    if parcel.left_out:
        printing.text(f"left out: {count(parcel.left_out, 'row')} about paths that the config excludes, or that no file can hold")


@commands.command("import-archive")
def take_in(
    path: Annotated[str, typer.Argument(metavar="FILE", help="What `ralph-mem export` or another tool wrote; or a folder.")],
    columns: Annotated[
        list[str], typer.Option("--map", metavar="FIELD=COLUMN", help="What a column holds: text, title, at, id, session, files.")
    ] = [],  # noqa: B006
    mine: Annotated[
        bool, typer.Option("--mine", help="It is your own, from another machine: trust its rows as they were.")
    ] = False,
    everywhere: Everywhere = False,
    secret: Secret = None,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Take an export into the memory of a project; what is known or was forgotten here stays as it is.

    It comes in as a whole or not at all, and only where the file is whole. Rows of a file that another home wrote are told
    to no model unasked, unless you say with --mine that it is your own.

    What claude-mem, mem0, doobidoo, engram and basic-memory remember comes in from their own files and exports; any other JSON,
    JSON lines, CSV, TSV or SQLite with --map.

    Example: ralph-mem import-archive shop.jsonl --confirm
    """
    place = _place(project, everywhere=everywhere)
    values = effective.load(place)
    if not effective.recording(place, values):
        raise RalphMemError(
            "recording is switched off here, nothing was taken in", "`ralph-mem resume`; `ralph-mem doctor` says by what"
        )
    other, found = _read(Path(path).expanduser(), secret, columns, place)
    with printing.progress("reading" if not confirm else "importing") as bar:
        task = bar.add_task("", total=2 * len(found.lines))
        records = incoming.prepared(found, place, place, values, mine=mine, tell=lambda n: bar.update(task, completed=n))
        if confirm:
            opened = access.to_write(place)
            counts = incoming.take(opened, records, lambda n: bar.update(task, completed=len(found.lines) + n))
        else:
            counts = incoming.counted(access.to_write(place) if connection.exists(place.folder) else None, records)
    facts = {what: counts[what] for what in (*document.rows()[:-1], "known", "forgotten")}
    if json:
        told = {"confirmed": confirm, "ours": found.ours, "trusted": found.ours or mine, **facts}
        printing.as_json({**told, **({"format": other.name, "left_out": other.left_out} if other else {})})
        return
    if other:
        printing.text(
            f"read as {other.name}" + (f"; {count(other.left_out, 'row')} without text or time left out" * bool(other.left_out))
        )
    _tell(
        facts, "" if found.ours else AS_SAID if mine else OF_ANOTHER_TOOL if other else f"{STRANGER} {OTHERWISE}", confirm=confirm
    )


def _place(meant: str, *, everywhere: bool) -> places.Project:
    if not everywhere:
        return registry.choose(meant)
    if meant:
        raise RalphMemError("--project and --global are two memories", "give one of them")
    place = places.everywhere()
    if place is None:
        raise RalphMemError("there is no home folder for notes about all projects", "leave out --global")
    return place


def _opened(place: places.Project) -> Store:
    if not connection.exists(place.folder):
        raise RalphMemError(f"nothing is remembered for {place.root} yet", "`ralph-mem projects` lists those that have a memory")
    return access.open_to_read(place) if access.closed(place) else access.to_write(place)


def collected(opened: Store, place: places.Project, choice: outgoing.Choice, doing: str) -> outgoing.Parcel:
    """Return what is chosen of a memory as it may leave it, with a bar for whoever waits that says what is done."""
    choice.for_model = not asker.is_a_person()
    with printing.progress(doing) as bar:
        task = bar.add_task("", total=None)
        tell = lambda number: bar.update(task, description=count(number, "row"))  # noqa: E731
        return outgoing.parcel(opened, choice, place, effective.load(place), tell)


def _written(form: str, place: places.Project, records: list[dict[str, Any]], now: int, *, outside: bool) -> bytes:
    (root,), _ = privacy.protect([place.root], place, effective.load(place))
    if form == "markdown":
        return outgoing.written(root, records, outside=outside).encode()
    return document.packed(root, now, records, home.key())


def _print(data: bytes, now: int) -> None:
    path = home.behind(sys.stdout.fileno())
    if path:
        home.list_it(path, now)
    sys.stdout.buffer.write(data)


def _read(
    path: Path, secret: str | None, columns: list[str], place: places.Project
) -> tuple[foreign.Read | None, document.Document]:  # fmt: skip
    """Return what a file holds, and how it was read where another tool wrote it."""
    if not columns and not os.path.isdir(path):  # unlike Path.is_dir, false where no system call takes the path
        data = home.read(path, document.MOST_BYTES)
        if home.is_locked(data):
            data = home.opened(data, _passphrase(secret))
        if document.is_one(data):
            return None, document.unpacked(data, home.key())
    given = dict(each.partition("=")[::2] for each in columns)
    found = foreign.read(path, given, time.time_ns() // 1_000_000, place.root)
    return found, found.document


def _passphrase(path: str | None, *, twice: bool = False) -> str:
    if path:
        words = home.read(Path(path).expanduser(), MOST_PASSPHRASE).decode("utf-8", "replace")
        return words.removesuffix("\n").removesuffix("\r")
    if not sys.stdin.isatty():
        raise RalphMemError("there is nobody to ask for the passphrase", "give it in a file: --passphrase-file FILE")
    return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=twice, err=True))


def _told(counts: dict[str, int]) -> str:
    return ", ".join([count(counts[what], what.replace("_", " ")) for what in document.rows()[:-1]])


def _tell(facts: dict[str, int], trust: str, *, confirm: bool) -> None:
    printing.text(f"{'imported' if confirm else 'would come in'}: {_told(facts)}")
    for what, why in (("known", "known already"), ("forgotten", "forgotten here")):
        if facts[what]:
            printing.text(f"left as it is: {count(facts[what], 'row')} {why}")
    if trust:
        printing.text(trust)
    if not confirm:
        printing.text("Nothing is stored yet. To take this in, add --confirm.")
