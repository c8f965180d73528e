"""The commands `doctor`, `backup` and `restore`, which find what is wrong and bring a memory back."""

import sqlite3
import subprocess
import tempfile
import time
from typing import Annotated, Any

import typer

from ralph_mem.core import notices, paths
from ralph_mem.core import project as places
from ralph_mem.core.errors import StoreError
from ralph_mem.core.finding import OK, PROBLEM, WARNING, Finding, ok, problem
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces import demo
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirm, Json, Project
from ralph_mem.maintenance import doctor, registry
from ralph_mem.maintenance.recovery import backups, repair
from ralph_mem.maintenance.recovery import restore as restoring
from ralph_mem.maintenance.recovery.backups import Backup
from ralph_mem.memory import access, inspect, opening
from ralph_mem.memory.store.connection import Store

commands = typer.Typer()

COLOURS = {PROBLEM: printing.RED, WARNING: printing.YELLOW, OK: printing.GREEN}
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
    """Carry out `doctor`.

    Leaves with 1 where there is a problem.
    """
    if tried:
        raise typer.Exit(_try(json))
    if repaired or confirm:
        raise typer.Exit(_repair(registry.choose(project), confirm, json))
    found = _examined(registry.choose(project))
    printing.as_json([doctor.values(each) for each in found]) if json else _print(found)
    raise typer.Exit(int(doctor.is_ill(found)))


def _repair(project: Place, confirm: bool, json: bool) -> int:
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


def _mended(place: Place, why: str) -> str:
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
    printing.as_json([doctor.values(each) for each in found]) if json else _print(found)
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


def _examined(project: Place) -> list[Finding]:
    """Examine a project; on a terminal a bar shows how far it is, since a large database takes seconds."""
    with printing.steps("Looking") as tell:
        return doctor.examine(project, tell)


def _print(found: list[Finding]) -> None:
    for line in doctor.lines(found):
        printing.text(terminal.plain(line), COLOURS)


NONE = "No backup is there yet: one a day is made when a turn ends; `ralph-mem backup` makes one now."


@commands.command("backup")
def back_up(project: Project = "", json: Json = False) -> None:
    """Copy a project's memory into the data folder now, whatever its size.

    Example: ralph-mem backup
    """
    place = registry.choose(project)
    access.need_memory(place)
    opened = access.to_write(place)
    _settle(opened, place, json)  # a copy has the id of its original until then, and would take the place of its backup
    with printing.steps("Copying") as tell:
        path = backups.make(opened, time.time_ns() // 1_000_000, tell=lambda done, total: tell("pages", done, total))
    opened.set_property(backups.FAULT, None)
    opened.close()
    printing.as_json({"backup": path}) if json else printing.text(f"The memory is copied to {path}")


def _settle(opened: Store, place: Place, json: bool) -> None:
    """Have the registry know where a memory is, as a session start does: its folder may have moved since, or be a copy."""
    line = opening.notice(opened, place)
    if line and json:
        notices.note(place.root, line)
    elif line:
        printing.text(terminal.plain(line))


@commands.command("restore")
def restore(
    which: Annotated[
        str, typer.Argument(metavar="DAY", help="The backup of that day: 2026-01-31; a file of --list. Default: the newest.")
    ] = "",
    listed: Annotated[bool, typer.Option("--list", "-l", help="List the backups, and leave.")] = False,
    confirm: Confirm = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Bring a project's memory back from a backup: shown first, done with --confirm. What is there now is kept.

    Example: ralph-mem restore --list
    """
    place = registry.choose(project)
    found = backups.of_place(place)
    if listed or not (found or which):
        _print_list(found, json)
        return
    chosen = _chosen(found + backups.of_path(which), which)
    if not confirm:
        _preview(place, chosen, json)
        return
    with printing.progress("Restoring") as bar:
        task = bar.add_task("", total=None)
        kept, gone = restoring.restore(place, chosen, lambda what: bar.update(task, description=what))
    opened = opening.open_ready(place)
    _settle(opened, place, json)
    opened.close()
    if json:
        printing.as_json({"restored": chosen.path, "kept": kept, "forgotten": gone})
        return
    printing.text(f"The memory of {when(chosen.at)} is back: {_contents(inspect.of(place.folder))}.")
    if gone:
        printing.text(f"{count(gone, 'row')} forgotten since stayed out, and went from the backup as well.")
    printing.text(f"What was there is kept in {terminal.plain(kept)}" if kept else "There was none in its place.")


def _chosen(found: list[Backup], which: str) -> Backup:
    # in its name: a folder above may be called after a day as well
    fits = [each for each in found if which in (each.path, terminal.plain(each.path)) or _names(which, each)]
    if fits:  # what a restore replaced is brought back where it is named; a day, and no word, mean the day's own
        return next((each for each in fits if restoring.REPLACED not in each.path.rpartition("/")[2]), fits[0])
    hint = "`ralph-mem restore --list` shows those that are there, by their days and paths"
    raise StoreError(f"there is no backup of {terminal.plain(which)}", hint if found else _none())


def _names(which: str, each: Backup) -> bool:
    """Say whether a word means a backup: none at all, its file, a whole day or more of it, or that it was replaced."""
    name = each.path.rpartition("/")[2]
    return which in ("", name) or (restoring.REPLACED in name and which == restoring.REPLACED[:-1]) or _is_day_of(which, name)


def _is_day_of(which: str, name: str) -> bool:
    return len(which) >= len("2026-01-31") and f"-{which}" in name


def _fields_of_backup(each: Backup) -> dict[str, Any]:
    return {"path": terminal.plain(each.path), "memory": each.number, "at": each.at, "bytes": each.bytes}


def _print_list(found: list[Backup], json: bool) -> None:
    if json:
        printing.as_json([_fields_of_backup(each) for each in found])
    elif found:
        rows = [(when(each.at), amount(each.bytes), each.number, terminal.plain(each.path)) for each in found]
        printing.table(("made", "size", "memory", "file"), rows)
    else:
        printing.text(_none())


def _none() -> str:
    others = f" Those of other memories lie in {paths.data_home()}/{paths.BACKUPS}; `ralph-mem restore` takes the path of one."
    return NONE + others * bool(backups.files())


def _preview(place: places.Project, chosen: Backup, json: bool) -> None:
    restoring.check(chosen)
    there = None if inspect.is_gone(place.folder + "/memory.db") else inspect.of(place.folder)
    if json:
        printing.as_json({"would_restore": _fields_of_backup(chosen), "confirmed": False})
        return
    printing.text(f"Would bring back: {when(chosen.at)}, {amount(chosen.bytes)}, {terminal.plain(chosen.path)}")
    printing.text(f"in the place of: {_contents(there)}" + (", which is kept beside the backups" if there else ""))
    printing.text("Nothing is changed yet. To do it, add --confirm.")


def _contents(seen: inspect.Glance | None) -> str:
    if seen is None or seen.turns is None:
        return "nothing" if seen is None else f"a memory that is {seen.state}"
    numbers = {"session": seen.sessions, "turn": seen.turns, "observation": seen.observations}
    return ", ".join(count(number, what) for what, number in numbers.items())
