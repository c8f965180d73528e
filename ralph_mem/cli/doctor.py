"""`ralph-mem doctor`: what keeps memory from working, and what to do about it."""

import sys
from typing import Annotated

import typer

from ralph_mem import doctor, glance, projects, repair
from ralph_mem.cli import options, printing
from ralph_mem.core import project as places
from ralph_mem.core import terminal
from ralph_mem.core.project import Project
from ralph_mem.doctor import trials
from ralph_mem.doctor.finding import OK, PROBLEM, WARNING, Finding

commands = typer.Typer()


@commands.command("doctor")
def examine(
    project: options.Project = "",
    repaired: Annotated[
        bool, typer.Option("--repair", help="Show what is damaged; with --confirm, save what can be read.")
    ] = False,
    confirm: options.Confirm = False,
    tried: Annotated[bool, typer.Option("--self-test", help="Try faults on a throwaway memory, on this machine.")] = False,
    json: options.Json = False,
) -> None:
    """Check everything that has to be right for memory to work; leaves with 1 where there is a problem.

    Example: ralph-mem doctor
    """
    if tried:
        raise typer.Exit(_try(json))
    if repaired or confirm:
        raise typer.Exit(_repair(projects.choose(project), confirm, json))
    found = _examined(projects.choose(project))
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
    with printing.progress("Trying") as bar:
        task = bar.add_task("", total=len(trials.TRIALS))
        results = trials.run(lambda name, done: bar.update(task, description=name, completed=done))
    if json:
        printing.as_json([result._asdict() for result in results])
    else:
        printing.table(("row", "fault", "expected", "outcome"), results)
        failed = sum(trials.has_failed(result) for result in results)
        printing.text(f"\n{glance.count(len(results), 'fault')} tried, {failed} not met as expected")
    return int(any(map(trials.has_failed, results)))


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
    printing.text(f"\n{glance.count(problems, PROBLEM)}, {glance.count(warnings, WARNING)}, {fine} ok")
