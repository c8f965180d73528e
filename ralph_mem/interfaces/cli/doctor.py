"""The command `doctor`, which says what keeps the memory from working and what to do."""

import sqlite3
import subprocess
import sys
import tempfile
from typing import Annotated

import typer

from ralph_mem.core import project as places
from ralph_mem.core.finding import OK, PROBLEM, WARNING, Finding, ok, problem
from ralph_mem.core.format import count
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces import demo
from ralph_mem.interfaces.cli import printing
from ralph_mem.maintenance import doctor, registry
from ralph_mem.maintenance.recovery import repair

commands = typer.Typer()

LOOK = "`ralph-mem demo` shows the whole session"


@commands.command("doctor")
def examine(
    project: printing.Project = "",
    repaired: Annotated[
        bool, typer.Option("--repair", help="Show what is damaged; with --confirm, save what can be read.")
    ] = False,
    confirm: printing.Confirm = False,
    tried: Annotated[bool, typer.Option("--self-test", help="Record and recall a session in a throwaway project.")] = False,
    json: printing.Json = False,
) -> None:
    """Check everything that has to be right for memory to work; leaves with 1 where there is a problem.

    Example: ralph-mem doctor
    """
    if tried:
        raise typer.Exit(_try(json))
    if repaired or confirm:
        raise typer.Exit(_repair(registry.choose(project), confirm, json))
    found = _examined(registry.choose(project))
    printing.as_json([_fields(each) for each in found]) if json else _print(found)
    raise typer.Exit(int(doctor.is_ill(found)))


def _repair(project: Project, confirm: bool, json: bool) -> int:
    """Look at both memories and mend those that are damaged; returns 1 where something stays damaged."""
    everywhere = places.everywhere()
    faults = {place: why for place in (project, everywhere) if place and (why := repair.look(place))}
    told = []
    for place, why in faults.items():
        line = _mended(place, why) if confirm else f"{repair.name_of(place)} in {place.folder} is damaged: {why}"
        told.append({"memory": place.folder, "damage": why, "repaired": confirm, "told": line})
    if json:
        printing.as_json(told)
    else:
        _print_repairs([each["told"] for each in told], confirm)
    return int(bool(faults) and not confirm)


def _mended(place: Project, why: str) -> str:
    with printing.progress("Repairing") as bar:
        task = bar.add_task("", total=None)
        return repair.mend(place, why, lambda what: bar.update(task, description=what)).line(repair.name_of(place))


def _print_repairs(lines: list[object], confirm: bool) -> None:
    for line in lines:
        printing.text(terminal.plain(str(line)))
    if not lines:
        printing.text("Nothing is damaged: every page, table, row and index is as it was written.")
    elif not confirm:
        printing.text(
            "What can be read would go into a new memory, the rest come from the newest backup; the damaged file is kept.\n"
            "Nothing is changed yet. To do it, add --confirm."
        )


def _try(json: bool) -> int:
    """Replay the demonstration's session and say whether it was recorded, told to the next one, and rid of its secret."""
    with printing.progress("Trying") as bar, tempfile.TemporaryDirectory(prefix="ralph-mem-try-") as folder:
        bar.add_task("the hooks of a throwaway project", total=None)
        found = _tried(demo.Throwaway(folder))
    printing.as_json([_fields(each) for each in found]) if json else _print(found)
    return int(doctor.is_ill(found))


def _tried(place: demo.Throwaway) -> list[Finding]:
    try:
        session = list(demo.first_session(place))
        turns, outputs = [len(place.rows(f"SELECT id FROM {table}")) for table in ("turns", "observations")]
        told = "\n".join(demo.next_session(place))
    except (OSError, sqlite3.Error, subprocess.SubprocessError, ValueError) as error:
        return [problem("hooks", f"a session could not be replayed: {error}", "`ralph-mem doctor` looks for what is in the way")]
    seen = f"recorded: {count(turns, 'turn')}, {count(outputs, 'observation')}"
    found = [ok("hooks", session[-1].strip())]
    found += [ok("memory", seen) if turns and outputs else problem("memory", seen, LOOK)]
    is_told = demo.SUBJECT in told
    found += [ok("next session", f"told of {demo.SUBJECT}") if is_told else problem("next session", "told nothing of it", LOOK)]
    kept = place.keeps_the_secret()
    return [*found, problem("secret", "a token is in the files of the memory", LOOK) if kept else ok("secret", "cut out")]


def _examined(project: Project) -> list[Finding]:
    """Examine a project; on a terminal a bar shows how far it is, since a large database takes seconds."""
    if not sys.stderr.isatty():
        return doctor.examine(project)
    with printing.progress("Looking") as bar:
        task = bar.add_task("")
        return doctor.examine(project, lambda name, done, total: bar.update(task, description=name, completed=done, total=total))


def _fields(finding: Finding) -> dict[str, str]:
    # a path may hold bytes that no text in UTF-8 can, and escape sequences
    return {name: terminal.plain(value) for name, value in finding._asdict().items()}


def _print(found: list[Finding]) -> None:
    for each in map(_fields, found):
        printing.text(f"{each['state']:<7}  {each['check']:<15}  {each['seen']}" + (f"; do: {each['do']}" if each["do"] else ""))
    problems, warnings, fine = [sum(each.state == state for each in found) for state in (PROBLEM, WARNING, OK)]
    printing.text(f"\n{count(problems, PROBLEM)}, {count(warnings, WARNING)}, {fine} ok")
