"""The command group `config`, which shows, changes and checks the settings."""

from typing import Annotated, Any

import typer

from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import config_change, config_file, registry

commands = typer.Typer()
inner = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Show, change and check the settings.")
commands.add_typer(inner, name="config")

Key = Annotated[str, typer.Argument(metavar="KEY", help="Such as memory.auto_inject; `config show` lists them all.")]


@inner.command()
def get(key: Key, project: Project = "", json: Json = False) -> None:
    """Print the value of one setting.

    Example: ralph-mem config get memory.inject_tokens_prompt
    """
    setting = config_file.find(registry.choose(project), key)
    if json:
        printing.as_json(_facts(setting))
    else:
        printing.text(config_change.written(setting.value))


@inner.command("set", context_settings={"ignore_unknown_options": True})  # or -1 would be an option
def change(
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="true or false, a number, or a list: a, b or [a, 'b, c'].")],
    everywhere: Annotated[bool, typer.Option("--global", help="For all your projects, not this one alone.")] = False,
    project: Project = "",
) -> None:
    """Change a setting in the project's config, or in yours for all projects; it counts from the next event on.

    Example: ralph-mem config set memory.inject_tokens_prompt 400
    """
    changed = config_file.change(registry.choose(project), key, value, everywhere)
    printing.text(f"{key} is {config_change.written(changed.value)} in {changed.path}")
    if changed.ruled_by:
        printing.text(f"but here {changed.ruled_by} says otherwise, and a project's own word counts")
    if changed.waiting:
        printing.text("not all of this file is in force: ralph-mem trust")


@inner.command()
def show(project: Project = "", json: Json = False) -> None:
    """List all settings: their values, where each comes from, and what it is for.

    Example: ralph-mem config show
    """
    settings = config_file.load(registry.choose(project)).values()
    if json:
        printing.as_json([_facts(setting) for setting in settings])
        return
    rows = [(each.key, config_change.written(each.value), each.origin, each.meaning) for each in settings]
    printing.table(("key", "value", "from", "meaning"), rows)
    for origin, path in sorted({(each.origin, each.path) for each in settings if each.path}):
        printing.text(f"{origin}: {path}")


@inner.command()
def check(project: Project = "", json: Json = False) -> None:
    """Say what is wrong with the config files, by line and column; leaves with 1 where a file is broken.

    Example: ralph-mem config check
    """
    files = config_file.check(registry.choose(project))
    if json:
        printing.as_json([_report(file) for file in files])
    else:
        printing.text("\n".join(line for file in files for line in _lines(file)))
    if any(problem.level == "error" for file in files for problem in file.problems):
        raise typer.Exit(1)


def _facts(setting: config_file.Setting) -> dict[str, Any]:
    return {**setting._asdict(), "path": setting.path or None}


def _report(file: config_file.File) -> dict[str, Any]:
    return {"file": file.path, "there": file.there, "problems": [problem._asdict() for problem in file.problems]}


def _lines(file: config_file.File) -> list[str]:
    if not file.problems:
        return [f"{file.path}: " + ("in order" if file.there else "not there: defaults")]
    places = [f":{problem.line}:{problem.column}" if problem.line else "" for problem in file.problems]
    return [f"{file.path}{place}: {each.level}: {each.what}" for place, each in zip(places, file.problems, strict=True)]
