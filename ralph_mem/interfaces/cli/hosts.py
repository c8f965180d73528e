"""The command group `hosts`, which lets other clients record into the same memory, and be told from it."""

import os
import shutil
import subprocess
from typing import Annotated, Any

import typer

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError, StoreError
from ralph_mem.core.format import when
from ralph_mem.hosts import known
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json
from ralph_mem.maintenance import wiring
from ralph_mem.memory import access, opening
from ralph_mem.memory.rows import session_hosts

commands = typer.Typer()
group = typer.Typer()
commands.add_typer(group, name="hosts")

VERSION_S = 10  # some of these clients take seconds to say their version
ALL, HERE, NOWHERE, UNKNOWN = "all projects", "this project", "no", "not known"
COLUMNS = ("host", "program", "version", "hooks", "last event here")

Name = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(known.OTHERS)}.")]
InProject = Annotated[bool, typer.Option("--project", help="In this project's own files, for all who work on it.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change in the file, and change nothing.")]


@group.callback(invoke_without_command=True)
def list_all(context: typer.Context, json: Json = False) -> None:
    """See which other clients are here, and whether they record into the memory of this project.

    Example: ralph-mem hosts
    """
    if context.invoked_subcommand is not None:
        return
    place = projects.find(os.getcwd())
    last = _last(place)
    rows = [_about(host, place.root, last.get(host, 0)) for host in known.OTHERS]
    if json:
        printing.as_json(rows)
        return
    shown = [(row["title"], row["program"] or "-", row["version"] or "-", row["hooks"], _when(row["last"])) for row in rows]
    printing.table(COLUMNS, shown)
    for line in [row["trust"] for row in rows if row["trust"] and row["hooks"] not in (NOWHERE, UNKNOWN)]:
        printing.text(line + ".")
    for row in [row for row in rows if row["trouble"]]:
        printing.text(f"{row['title']}: {row['trouble']}.")


def _last(place: projects.Project) -> dict[str, int]:
    """Return when each client was last heard of here; nothing where the memory is none of this person's, or cannot be read."""
    try:
        opened = access.to_look(place, access.WAIT_MS)
    except StoreError:  # whatever is wrong with it `status` and `doctor` tell
        return {}
    try:
        return session_hosts.by_host(opened[0]) if opened else {}
    finally:
        for each in opened:
            each.close()


def _when(at: int) -> str:
    return when(at) if at else "never"


def _about(host: str, root: str, last: int) -> dict[str, Any]:
    setup = wiring.setup_of(host)
    program = shutil.which(setup.PROGRAM) or ""
    hooks, trouble = _hooks(host, root)
    found = {"host": host, "title": setup.TITLE, "program": program, "version": _version(program)}
    return {**found, "hooks": hooks, "trouble": trouble, "trust": setup.TRUST, "last": last}


def _hooks(host: str, root: str) -> tuple[str, str]:
    """Return where our hooks of a client stand, and what is wrong with a file of its."""
    found, trouble = [], ""
    for word, project in ((ALL, ""), (HERE, root)):
        try:
            found += [word] if wiring.Wired(host, project).is_there() else []
        except RalphMemError as error:
            trouble = str(error)
    setup = wiring.setup_of(host)
    found += [setup.PLUGIN] if wiring.plugin_of(setup) else []
    return " and ".join(found) or (UNKNOWN if trouble else NOWHERE), trouble


def _version(program: str) -> str:
    """Ask a client for its version; nothing where it does not say."""
    if not program:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=VERSION_S, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    words = [word.strip("v.,()") for word in done.stdout.split() if word.strip("v.,()")[:1].isdigit()]
    return words[0][:20] if words else ""


@group.command("add")
def add(name: Name, project: InProject = False, dry_run: DryRun = False, json: Json = False) -> None:
    """Write our hooks into the file of a client, beside what is there.

    Example: ralph-mem hosts add gemini --dry-run
    """
    wired = wiring.Wired(name, _root(project))
    wired.add()
    if not dry_run:
        opening.remember_plugin(wiring.plugin())
    _do(
        wired,
        dry_run,
        json,
        ". ".join(
            [f"{wired.setup.TITLE} records and is told from its next session on", *[wired.setup.TRUST][: bool(wired.setup.TRUST)]]
        ),
    )


@group.command("remove")
def remove(name: Name, project: InProject = False, dry_run: DryRun = False, json: Json = False) -> None:
    """Take our hooks out of the file of a client; all else in it stays.

    Example: ralph-mem hosts remove gemini
    """
    wired = wiring.Wired(name, _root(project))
    wired.remove()
    _do(wired, dry_run, json, _left(wired, project))


def _left(wired: wiring.Wired, in_project: bool) -> str:
    """Say whether a client that leaves one of its two files is recorded by the other, or by a plugin of its own."""
    title, plugin = wired.setup.TITLE, wiring.plugin_of(wired.setup)
    where, option = (ALL, "") if in_project else (HERE, " --project")
    still = [f"in {where}; `ralph-mem hosts remove {wired.host}{option}` ends that too"] if _is_left(wired, in_project) else []
    still += [f"by the {wired.setup.PLUGIN} in {plugin}; take it out in {title} to end that"] if plugin else []
    return f"{title} is still recorded {', and '.join(still)}" if still else f"{title} is no longer recorded"


def _is_left(wired: wiring.Wired, in_project: bool) -> bool:
    try:
        other = wiring.Wired(wired.host, _root(not in_project))
    except RalphMemError:  # what is wrong with it `hosts` tells
        return False
    return other.path != wired.path and other.is_there()


def _root(in_project: bool) -> str:
    return projects.find(os.getcwd()).root if in_project else ""


def _do(wired: wiring.Wired, dry_run: bool, json: bool, done: str) -> None:
    changes = wired.changes()
    if not dry_run:
        wired.write()
    if json:
        printing.as_json({"file": wired.path, "changed": bool(changes) and not dry_run, "diff": changes})
    elif not changes:
        printing.text(f"Nothing to change in {wired.path}; {done}.")
    elif dry_run:
        for line in changes:
            printing.verbatim(line)
        printing.text("Nothing was changed.")
    else:
        printing.text(f"{'Removed' if wired.after is None else 'Written'}: {wired.path}; {done}.")
