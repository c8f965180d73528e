"""`ralph-mem doctor`: what keeps memory from working, and what to do about it."""

import sys

import typer

from ralph_mem import doctor, glance, projects
from ralph_mem.cli import options, printing
from ralph_mem.core import terminal
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import OK, PROBLEM, WARNING, Finding

commands = typer.Typer()


@commands.command("doctor")
def examine(project: options.Project = "", json: options.Json = False) -> None:
    """Check everything that has to be right for memory to work; leaves with 1 where there is a problem.

    Example: ralph-mem doctor
    """
    found = _examined(projects.choose(project))
    printing.as_json([_fields(each) for each in found]) if json else _print(found)
    raise typer.Exit(int(doctor.is_ill(found)))


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
