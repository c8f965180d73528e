"""The command `import`, which reads the sessions that Claude Code kept into the memory."""

import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from ralph_mem.core import moments
from ralph_mem.core.format import count
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.hosts.claude_code import archive
from ralph_mem.hosts.claude_code.archive import Kept, Passed
from ralph_mem.interfaces.cli import printing
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.transfer import import_transcripts as importing

COUNTED = ("sessions", "turns", "observations")
MOST_NAMED = 5
# These are told file by file, and make the command leave with 1.
TROUBLE = (importing.FAILED, archive.UNREACHABLE)

commands = typer.Typer()


@commands.command("import")
def take_in(
    path: Annotated[str, typer.Argument(help="A transcript, or a folder of some. Default: all of Claude Code's.")] = "",
    everything: Annotated[
        bool, typer.Option("--all", "--all-projects", help="Of every project, each into its own memory.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would come in.")] = False,
    since: Annotated[str, typer.Option("--since", help="Only sessions that went on after: 2026-01-31, or 30d, 12h, 2w ago.")] = "",
    project: printing.Project = "",
    json: printing.Json = False,
) -> None:
    """Remember what earlier sessions of this project did, from Claude Code's own transcripts; with secrets cut out, as ever.

    A path that is named, and --all, take in the sessions of every project, each into the memory of its own. What is known
    stays as it is, so this may be broken off and run again.

    Example: ralph-mem import --dry-run
    """
    only = registry.choose(project) if project or not (path or everything) else None
    first = moments.of(since, time.time_ns() // 1_000_000) if since else 0
    report = _carried_out(Path(path).expanduser() if path else archive.place(), only, first, dry_run)
    printing.as_json(_fields(report, dry_run)) if json else _print(report, dry_run, only)
    raise typer.Exit(int(any(each.why in TROUBLE for each in report.passed)))


def _carried_out(path: Path, only: Project | None, since: int, dry: bool) -> importing.Report:
    files = archive.files_in(path)
    with printing.progress("looking" if dry else "importing") as bar:
        task = bar.add_task("", total=len(files))
        kept, passed = archive.look(files, lambda number: bar.update(task, completed=number, description=f"file {number}"))
        by_project, others = archive.sort(kept, only, since)
        bar.reset(task, total=max(1, sum(each.bytes for _, sessions in by_project.values() for each in sessions)))

        taken = 0

        def tell(each: Kept, position: int, report: importing.Report) -> None:
            nonlocal taken
            told = ", ".join(count(report.total(what), what[:-1]) for what in COUNTED)
            bar.update(task, completed=taken + position, description=f"{told}; {terminal.plain(each.folder)}")
            taken += position if position == each.bytes else 0

        return importing.run(by_project, importing.Report(passed + others), tell, dry=dry)


def _fields(report: importing.Report, dry: bool) -> dict[str, object]:
    why = Counter((each.why, each.detail) for each in report.passed)
    return {
        "dry_run": dry,
        **{what: report.total(what) for what in COUNTED},
        "projects": [{"path": terminal.plain(root), **counts} for root, counts in report.projects.items()],
        "passed_over": [{"why": why, "detail": terminal.plain(detail), "sessions": n} for (why, detail), n in why.items()],
        "unreadable_lines": [{"path": terminal.plain(str(path)), "lines": n} for path, n in report.unreadable.items()],
        "cut_off": [terminal.plain(str(path)) for path in report.cut],
    }


def _print(report: importing.Report, dry: bool, only: Project | None) -> None:
    for root, counts in report.projects.items():
        told = ", ".join(count(counts[what], what[:-1]) for what in COUNTED)
        printing.text(f"{'would come in' if dry else 'imported'}: {told}  {terminal.plain(root)}")
    if not report.projects:
        printing.text("Nothing would come in." if dry else "Nothing came in.")
    _print_passed(report.passed, only)
    for path, number in report.unreadable.items():
        printing.text(f"{count(number, 'line')} could not be read and were left out: {terminal.plain(str(path))}")
    for path in report.cut:
        printing.text(f"ends in the middle of a line, which was left for later: {terminal.plain(str(path))}")
    if dry and report.projects:
        printing.text("Nothing is stored yet. To import this, leave out --dry-run.")


def _print_passed(passed: list[Passed], only: Project | None) -> None:
    named = [each for each in passed if each.why in TROUBLE]
    for each in named[:MOST_NAMED]:
        printing.text(f"left out, {each.why}: {terminal.plain(str(each.path))}" + (f" ({each.detail})" if each.detail else ""))
    if len(named) > MOST_NAMED:
        printing.text(f"and {len(named) - MOST_NAMED} more of these")
    for (why, detail), number in Counter((each.why, each.detail) for each in passed if each.why not in TROUBLE).items():
        printing.text(f"passed over: {count(number, 'session')}, {why}" + (f": {terminal.plain(detail)}" if detail else ""))
    if only and any(each.why == archive.ELSEWHERE for each in passed):
        printing.text("`ralph-mem import --all` takes in those of other projects, each into its own memory.")
