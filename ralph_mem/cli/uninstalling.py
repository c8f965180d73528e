"""uninstall: what ralph-mem left on this machine is named, and removed when that is wanted."""

from typing import Annotated, Any

import typer

from ralph_mem import belongings, glance
from ralph_mem.belongings import Belonging
from ralph_mem.cli import options, printing
from ralph_mem.core import terminal
from ralph_mem.doctor import client

commands = typer.Typer()

PLUGIN_FIRST = (
    "The plugin is installed still: its next event would begin anew. In Claude Code: /plugin uninstall ralph-mem@ralph-mem"
)
NOT_OURS = "Not removed by this: the program (pip uninstall ralph-mem), and Claude Code's transcripts of your sessions."


@commands.command("uninstall")
def uninstall(
    memories: Annotated[bool, typer.Option("--memories", help="The memories of all projects and your config as well.")] = False,
    confirm: options.Confirm = False,
    json: options.Json = False,
) -> None:
    """Remove what lies outside your projects: settings, backups, snapshots. Shown first, done with --confirm.

    Memories stay where they are, with the key by which they are known to be yours, unless --memories takes them as well. Whatever
    is left behind is named.

    Example: ralph-mem uninstall --memories
    """
    remembered = belongings.memories()
    meant, needed = belongings.of_home(memories or not remembered)
    meant += remembered if memories else []
    exports = belongings.exports()  # before the list of them goes
    kept = [] if memories else [*remembered, *needed]
    removed = belongings.remove(meant) if confirm else []
    left = [*kept, *belongings.strange(), *[Belonging(path, None, "an export of yours") for path in exports]]
    if json:
        told = {"confirmed": confirm, "removed" if confirm else "would_remove": _facts(removed if confirm else meant)}
        printing.as_json({**told, "left": _facts(left), "plugin_installed": client.is_installed()})
        return
    _print(removed if confirm else meant, left, confirm)


def _print(found: list[Belonging], left: list[Belonging], confirm: bool) -> None:
    if client.is_installed():
        printing.text(PLUGIN_FIRST)
    printing.text("\n".join(_lines("removed" if confirm else "would go", found)) or "There is nothing to remove.")
    printing.text("\n".join([*_lines("stays", left), NOT_OURS]))
    if found and not confirm:
        printing.text("Nothing is removed yet. To do this, add --confirm.")


def _lines(word: str, found: list[Belonging]) -> list[str]:
    return [
        f"{word:<8}  {'' if each.bytes is None else glance.amount(each.bytes):>10}  {terminal.plain(each.path)}  ({each.what})"
        for each in found
    ]


def _facts(found: list[Belonging]) -> list[dict[str, Any]]:
    return [{**each._asdict(), "path": terminal.plain(each.path)} for each in found]
