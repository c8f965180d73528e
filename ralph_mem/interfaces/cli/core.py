"""The command group `core`, for short facts under keys that every session is told at its start."""

from contextlib import closing
from typing import Annotated

import typer

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import stored
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import registry
from ralph_mem.memory import access
from ralph_mem.memory.facts import core as facts

commands = typer.Typer()
group = typer.Typer()
commands.add_typer(group, name="core")

Key = Annotated[str, typer.Argument(metavar="KEY", help="A word or a few, such as `port` or `issue tracker`.")]
Global = Annotated[bool, typer.Option("--global", "-g", help="Of all projects, not only of this one.")]


@group.callback(invoke_without_command=True)
def list_all(context: typer.Context, everywhere: Global = False, project: Project = "", json: Json = False) -> None:
    """Keep a handful of short facts under keys; every session is told all of them at its start.

    Example: ralph-mem core
    """
    if context.invoked_subcommand is None:
        list_(everywhere, project, json)


@group.command("list")
def list_(everywhere: Global = False, project: Project = "", json: Json = False) -> None:
    """List the facts under keys.

    Example: ralph-mem core list --json
    """
    found = _read(project, everywhere)
    if json:
        printing.as_json(found)
    elif found:
        printing.table(("key", "value"), list(found.items()))
    else:
        printing.text("There is none here; `ralph-mem core set KEY VALUE` keeps one.")


@group.command("get")
def get(key: Key, everywhere: Global = False, project: Project = "", json: Json = False) -> None:
    """Print what stands under a key.

    Example: ralph-mem core get port
    """
    found = _read(project, everywhere)
    if key not in found:
        raise RalphMemError(f"nothing stands under {key[:40]}", "`ralph-mem core` lists the keys")
    printing.as_json(found[key]) if json else printing.text(found[key])


@group.command("set")
def set_(
    key: Key,
    value: Annotated[list[str], typer.Argument(metavar="VALUE", help="At most 120 characters.")],
    everywhere: Global = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Keep a short fact under a key, in place of the one that stands there, which stays in its history.

    Example: ralph-mem core set port 8080
    """
    fact = facts.put(_place(project, everywhere), registry.choose(project), _settings(project), key, " ".join(value))
    printing.told(f"Kept as {fact.public_id}: {fact.text}", {"id": fact.public_id, "key": key, "value": facts.value_of(fact)}, json)


@group.command("delete")
def delete(key: Key, everywhere: Global = False, project: Project = "", json: Json = False) -> None:
    """Let the fact under a key hold no longer; `ralph-mem forget ID` deletes it for good.

    Example: ralph-mem core delete port
    """
    if not facts.delete(_place(project, everywhere), key):
        raise RalphMemError(f"nothing stands under {key[:40]}", "`ralph-mem core` lists the keys")
    printing.as_json({"key": key, "deleted": True}) if json else printing.text(f"{key} is told no more.")


def _read(project: str, everywhere: bool) -> dict[str, str]:
    place = _place(project, everywhere)
    if not access.is_there(place):
        return {}
    with closing(access.open_one(place)) as opened:
        found = facts.all_of(opened)
        stored.show(found.values(), ("text",), registry.choose(project), _settings(project))
        return {key: facts.value_of(fact) for key, fact in found.items()}


def _settings(project: str) -> dict[str, object]:
    return effective.load(registry.choose(project))


def _place(project: str, everywhere: bool) -> Place:
    place = projects.everywhere() if everywhere else registry.choose(project)
    if place is None:
        raise RalphMemError("there is no home folder for what holds in all projects", "leave out --global")
    return place
