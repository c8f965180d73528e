"""The command `setup`, which prepares what it can and says what is left to do."""

import sys
import time
from collections import namedtuple
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective, schema
from ralph_mem.hosts.claude_code import client
from ralph_mem.hosts.claude_code import session as client_session
from ralph_mem.interfaces import demo as demonstration
from ralph_mem.interfaces import statusline
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import config_change, outside
from ralph_mem.maintenance import registry as known
from ralph_mem.maintenance import status as statuses
from ralph_mem.maintenance import uninstall as belongings
from ralph_mem.maintenance.doctor import machine
from ralph_mem.maintenance.forget import inventory
from ralph_mem.maintenance.uninstall import Belonging
from ralph_mem.memory import access, opening

BEFORE = "ralph-mem "
MADE, WAS_THERE, TO_DO = "made", "was there", "to do"
HEAD = """\
# What holds for all your projects; a project's own .ralph-mem/config.yaml rules over it. Each key stands here with its
# default: take away the # before those that you change, and before the name of their section.
"""

# `do` lists what to type, for a step that is left to the person.
Step = namedtuple("Step", "step state what do")

commands = typer.Typer()


@commands.command("setup")
def make_ready(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="`status-line` or `shim`: do this, which is asked about otherwise.")
    ] = "",
    wrap: Annotated[bool, typer.Option("--wrap", help="Run a status line that is there first.")] = False,
    off: Annotated[bool, typer.Option("--off", help="Take it away again.")] = False,
    json: printing.Json = False,
) -> None:
    """Carry out `setup`.

    It also remembers the Python of the hooks, writes your config file where there is none, and says how to install the plugin.
    """
    if what or off or wrap:
        done = outside.take_away(what) if off else outside.add(what, BEFORE, wrap)
        printing.as_json({"done": done}) if json else printing.text(done)
        return
    steps = [_interpreter(), _config(), _plugin()]
    printing.as_json([_fields(step) for step in steps]) if json else _print(steps)
    if not json:
        _offer()


def _offer() -> None:
    """Say what lies outside of our folders; ask about what is not there where somebody sits at a terminal."""
    printing.text("\n" + "\n".join([terminal.plain(line) for line in outside.lines(BEFORE)]))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    for word in outside.absent():
        if typer.confirm(f"Do this now: {word}?"):
            printing.text(outside.add(word, BEFORE))


def _interpreter() -> Step:
    """Have the hooks start the Python that this one stands on, unless one that works is remembered."""
    state = WAS_THERE
    if (_fault() or not machine.chosen()[1]) and _remember():
        state = MADE
    if _fault() and machine.chosen()[1]:
        paths.remove(f"{paths.data_home()}/{paths.PYTHON}")  # forgotten: the one on PATH may do
        state = MADE
    python, remembered = machine.chosen()
    if not _fault():
        return Step("python of hooks", state, python if remembered else f"{python}, found on PATH", [])
    what = f"{python or 'python3'}: {_fault()}"
    return Step("python of hooks", TO_DO, what, ["install python3, 3.9 or newer, whose SQLite has FTS5"])


def _fault() -> str:
    """Say what is wrong with the Python that the hooks start, nothing where it is in order."""
    python, remembered = machine.chosen()
    if not python:
        return "not on PATH"
    virtual = remembered and machine.is_virtual(python)
    return machine.fault(machine.abilities(python)) or ("of a virtual environment" if virtual else "")


def _remember() -> bool:
    """Have the hooks start what this Python stands on, where that will stay and can do what they need; says whether."""
    # in a virtual environment before Python 3.11 this names the environment's own, which goes with it
    python = getattr(sys, "_base_executable", "") or sys.executable
    if machine.is_virtual(python) or machine.fault(machine.abilities(python)):
        return False
    opening.remember_interpreter()
    return machine.chosen() == (python, True)


def _config() -> Step:
    home = paths.config_home()
    if not home:
        raise RalphMemError("there is no home folder", "set HOME to a folder of yours")
    file = Path(home, paths.CONFIG)
    if file.exists() or file.is_symlink():
        return Step("config", WAS_THERE, str(file), [])
    try:
        paths.make_folder(home)
        paths.write(str(file), HEAD + "\n" + _defaults())
    except OSError as error:
        raise RalphMemError(f"cannot write {file}: {error.strerror}", "is the folder yours, and the disk not full?") from error
    return Step("config", MADE, f"{file}, every key commented out", [])


def _defaults() -> str:
    """Return every key with what it is for and its default, as YAML that is commented out."""
    lines: list[str] = []
    for key, rule in schema.RULES.items():
        above, _, name = key.rpartition(".")
        lines += ["", f"#{above}:"] if above and f"#{above}:" not in lines else []
        indent = "  " if above else ""
        lines += [f"{indent}# {rule.meaning}", f"{indent}#{name}: {config_change.written(effective.DEFAULTS.get(key, True))}"]
    return "\n".join([*lines, ""])


def _plugin() -> Step:
    if client.is_installed():
        return Step("plugin", WAS_THERE, f"in {client.config_folder()}", [])
    return Step("plugin", TO_DO, "type in Claude Code", client.commands())


def _fields(step: Step) -> dict[str, object]:
    return {**step._asdict(), "what": terminal.plain(step.what)}


def _print(steps: list[Step]) -> None:
    for step in steps:
        line = f"{step.state:<9}  {step.step:<15}  {terminal.plain(step.what)}" + (":" if step.do else "")
        printing.text(line, {TO_DO: printing.YELLOW, MADE: printing.GREEN})
        for line in step.do:
            printing.text(" " * 28 + line)
    printing.text("\n`ralph-mem doctor` says whether all of it works.")


@commands.command()
def status(project: Project = "", json: Json = False) -> None:
    """Carry out `status`.

    Leaves with 1 where something is wrong, the settings too.
    """
    place = known.choose(project)
    found = statuses.of(place, effective.load(place), time.time_ns() // 1_000_000, client_session.session())
    if json:
        printing.as_json(found)
    else:
        printing.text("\n".join(statuses.lines(found)), {"trouble:": printing.RED, "config:": printing.YELLOW})
    raise typer.Exit(1 if found["trouble"] or found["config"] else 0)


@commands.command()
def pause(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="`session`: only the one in which this is run.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `pause`."""
    if what:
        _pause_session(what)
        return
    place = known.choose(project)
    access.pause(place)
    _tell_switch(place, f"Paused: nothing is recorded or told in {place.root} until `ralph-mem resume`.", json)


def _pause_session(what: str) -> None:
    if what != "session":
        raise RalphMemError(f"there is nothing such as {what[:40]} to pause", "`ralph-mem pause`, or `ralph-mem pause session`")
    access.pause_session(client_session.session())
    printing.text("Paused: nothing of this session is recorded, and nothing told in it, until it ends or /mem resume.")


@commands.command()
def resume(project: Project = "", json: Json = False) -> None:
    """Carry out `resume`."""
    was_paused = access.resume_session(client_session.session())
    place = known.choose(project)
    switch = Path(place.folder, paths.OFF)
    was_paused |= switch.exists()
    switch.unlink(missing_ok=True)
    off = statuses.off_by(place, effective.load(place))
    told = statuses.still_off(was_paused, off) if off else f"Recording in {place.root}."
    _tell_switch(place, told, json)


def _tell_switch(place: Place, told: str, json: bool) -> None:
    off = statuses.off_by(place, effective.load(place))
    printing.as_json({"project": place.root, "recording": not off, "off_by": off or None}) if json else printing.text(told)


@commands.command("statusline")
def status_line() -> None:
    """Print one short line for a status line, from what Claude Code says on stdin.

    Example: ralph-mem statusline
    """
    printing.verbatim(statusline.enter().rstrip())


@commands.command()
def demo() -> None:
    """Replay a recorded session through the hooks in a throwaway project, and show what the next session is told.

    Example: ralph-mem demo
    """
    demonstration.main()


PLUGIN_FIRST = (
    "The plugin is installed still: its next event would begin anew. In Claude Code: /plugin uninstall ralph-mem@ralph-mem"
)
NOT_OURS = "Not removed by this: the program (pip uninstall ralph-mem), and Claude Code's transcripts of your sessions."


@commands.command("uninstall")
def uninstall(
    memories: Annotated[bool, typer.Option("--memories", help="The memories of all projects and your config as well.")] = False,
    confirm: printing.Confirm = False,
    json: printing.Json = False,
) -> None:
    """Remove what lies outside your projects: settings, backups, snapshots. Shown first, done with --confirm.

    Memories stay where they are, with the key by which they are known to be yours, unless --memories takes them as well. Whatever
    is left behind is named, and where one of our entries cannot be taken out of another program's file, this leaves with 1.

    Example: ralph-mem uninstall --memories
    """
    remembered = belongings.memories()
    meant, needed = belongings.of_home(memories or not remembered)
    meant += remembered if memories else []
    meant += belongings.outside()
    exports, of_projects = inventory.listed_exports(), belongings.in_projects()  # before the lists of them go
    kept = [*([] if memories else [*remembered, *needed]), *of_projects]
    removed = belongings.remove(meant) if confirm else []
    stuck = [*belongings.stuck(), *(belongings.outside() if confirm else [])]
    left = [*kept, *stuck, *belongings.strange(), *[Belonging(path, None, "an export of yours") for path in exports]]
    if json:
        told = {"confirmed": confirm, "removed" if confirm else "would_remove": _facts(removed if confirm else meant)}
        printing.as_json({**told, "left": _facts(left), "plugin_installed": client.is_installed()})
    else:
        _print_places(removed if confirm else meant, left, confirm)
    if confirm and stuck:
        raise typer.Exit(1)


def _print_places(found: list[Belonging], left: list[Belonging], confirm: bool) -> None:
    if client.is_installed():
        printing.text(PLUGIN_FIRST)
    printing.text("\n".join(_lines("removed" if confirm else "would go", found)) or "There is nothing to remove.")
    printing.text("\n".join([*_lines("stays", left), NOT_OURS]))
    if found and not confirm:
        printing.text("Nothing is removed yet. To do this, add --confirm.")


def _lines(word: str, found: list[Belonging]) -> list[str]:
    return [
        f"{word:<8}  {'' if each.bytes is None else amount(each.bytes):>10}  {terminal.plain(each.path)}  ({each.what})"
        for each in found
    ]


def _facts(found: list[Belonging]) -> list[dict[str, Any]]:
    return [{**each._asdict(), "path": terminal.plain(each.path)} for each in found]
