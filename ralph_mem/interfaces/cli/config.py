"""The commands `config` and `trust`, which show and change settings, and approve a project's."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import trust
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import approve as approval
from ralph_mem.maintenance import config_change, config_file, registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typer._click import Command, Context

commands = typer.Typer()


class ByKey(TyperGroup):
    """The commands of `config`; a key alone is printed, and one with a value is set, as `/mem config` does it."""

    def resolve_command(self, ctx: "Context", args: list[str]) -> "tuple[str | None, Command | None, list[str]]":
        """Return the command that these words call."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            args = ["set" if [word for word in args[1:] if not word.startswith("-")] else "get", *args]
        return super().resolve_command(ctx, args)


inner = typer.Typer(cls=ByKey, no_args_is_help=True, rich_markup_mode=None, help="Show, change and check the settings.")
commands.add_typer(inner, name="config")


def no_option(ctx: typer.Context, key: str) -> str:
    """Return a key that was typed; where options that nobody knows are words, as of `config set KEY -1`, one may stand there."""
    if key.startswith("-"):
        ctx.fail(f"No such option: {key}")
    return key


Key = Annotated[
    str, typer.Argument(metavar="KEY", callback=no_option, help="Such as memory.auto_inject; `config show` lists them all.")
]


def name_wrong(place: Place) -> None:
    """Say beside an answer which keys of the config files are wrong: all others count."""
    for line in config_change.wrong(place):
        printing.complain(line, config_change.CHECK_HINT)


@inner.command()
def get(key: Key, project: Project = "", json: Json = False) -> None:
    """Print the value of one setting.

    Example: ralph-mem config get memory.inject_tokens_prompt
    """
    place = registry.choose(project)
    setting = config_file.find(place, key)
    name_wrong(place)
    printing.told(config_change.written(setting.value), facts_of(setting), json)


@inner.command("set", context_settings={"ignore_unknown_options": True})  # or -1 would be an option
def change(
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="true or false, a number, or a list: a, b or [a, 'b, c'].")],
    everywhere: Annotated[bool, typer.Option("--global", help="For all your projects, not this one alone.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Change a setting in the project's config, or in yours for all projects; it counts from the next event on.

    Example: ralph-mem config set memory.inject_tokens_prompt 400
    """
    place = registry.choose(project)
    _say_changed(key, config_file.change(place, key, value, everywhere), json)
    name_wrong(place)


@inner.command()
def unset(
    key: Key,
    everywhere: Annotated[bool, typer.Option("--global", help="For all your projects, not this one alone.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Take a setting out of the project's config, or out of yours for all projects.

    Example: ralph-mem config unset memory.inject_tokens_prompt
    """
    place = registry.choose(project)
    _say_changed(key, config_file.unset(place, key, everywhere), json)
    if not json:
        now = config_file.find(place, key)
        printing.text(f"what counts here now is {config_change.written(now.value)} ({now.origin})")


def _say_changed(key: str, changed: config_change.Changed, json: bool) -> None:
    if json:
        printing.as_json({"key": key, **changed._asdict()})
        return
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
    place = registry.choose(project)
    settings = config_file.load(place).values()
    name_wrong(place)
    if json:
        printing.as_json([facts_of(setting) for setting in settings])
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
    printing.told("\n".join(line for file in files for line in _lines(file)), [_report(file) for file in files], json)
    if any(problem.level == "error" for file in files for problem in file.problems):
        raise typer.Exit(1)


def facts_of(setting: config_file.Setting) -> dict[str, Any]:
    """Return a setting for a program; a default has no path."""
    return {**setting._asdict(), "path": setting.path or None}


def _report(file: config_file.File) -> dict[str, Any]:
    return {"file": file.path, "there": file.there, "problems": [problem._asdict() for problem in file.problems]}


def _lines(file: config_file.File) -> list[str]:
    if not file.problems:
        return [f"{file.path}: " + ("in order" if file.there else "not there: defaults")]
    places = [f":{problem.line}:{problem.column}" if problem.line else "" for problem in file.problems]
    return [f"{file.path}{place}: {each.level}: {each.what}" for place, each in zip(places, file.problems, strict=True)]


@commands.command("trust")
def approve(
    show: Annotated[bool, typer.Option("--show", help="Only show what waits; this is what it does anyway.")] = False,  # noqa: ARG001
    confirm: Annotated[str, typer.Option("--confirm", metavar="DIGITS", help="Approve what was shown under these digits.")] = "",
    memory: Annotated[
        bool, typer.Option("--memory", help="Take the memory that was set aside; with --confirm and its digits.")
    ] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take back all that you approved in this project.")] = False,
    every: Annotated[bool, typer.Option("--list", help="List what you approved, in all projects.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Carry out `trust`."""
    if every:
        _list(json)
        return
    place = registry.choose(project)
    if revoke:
        count = approval.revoke(place)
        printing.told(f"taken back: {count}" if count else "nothing was approved here", {"revoked": count}, json)
    elif memory:
        _memory(place, confirm, json)
    elif confirm:
        done = approval.approve(place, confirm)
        facts = {"approved": [each.kind for each in done]}
        printing.told("\n".join([*approval.shown(done), "Approved, as long as nothing of it changes."]), facts, json)
    else:
        _show(place, json)


def _show(place: Place, json: bool) -> None:
    found, aside = approval.matters(place), approval.aside(place)
    digits = approval.digest(place, found)[: approval.LEAST_DIGITS] if found else ""
    if json:
        waiting = [{"kind": each.kind, "lines": each.lines} for each in found]
        memories = [{**each._asdict(), "digits": approval.digits_of(each)} for each in aside]
        printing.as_json({"project": place.root, "digits": digits or None, "waiting": waiting, "memories": memories})
        return
    printing.text("\n".join(approval.shown(found) or [f"Nothing waits for your approval in {terminal.plain(place.root)}."]))
    if found:
        printing.text(f"To approve exactly this: ralph-mem trust --confirm {digits}")
    for line in approval.shown_aside(aside, "ralph-mem trust"):
        printing.text(terminal.plain(line))


def _memory(place: Place, given: str, json: bool) -> None:
    if not given:
        _show(place, json)
        return
    taken, replaced = approval.take(place, given)
    printing.told(approval.taken(place, replaced), {"memory": taken, "replaced": replaced or None}, json)


def _list(json: bool) -> None:
    found = trust.approvals()
    if json:
        printing.as_json(found)
        return
    lines = [f"{approval.ago(each['at'])}  {each['path']}  {each['kind']}: {'; '.join(each['lines'])}" for each in found]
    printing.text("\n".join([terminal.plain(line) for line in lines]) or "You have approved nothing yet.")
