"""Show the help of a command, in frames and colours on a terminal, as plain text elsewhere."""

import copy
import sys
from types import MethodType
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter


def dress(command: "Command") -> None:
    """Have a command, and those below it, show their help as this terminal can; in a list none of its summary is cut off."""
    command.format_help = MethodType(_shown, command)  # type: ignore[method-assign]
    command.short_help = command.short_help or " ".join((command.help or "").partition("\n\n")[0].split())
    for each in filter(None, getattr(command, "commands", {}).values()):
        dress(each)


def _shown(command: "Command", ctx: "Context", formatter: "HelpFormatter") -> None:
    """Print the help of a command on a terminal; for all else write it into what typer prints."""
    if not sys.stdout.isatty():
        type(command).format_help(command, ctx, formatter)
        return
    from typer import rich_utils  # lazy: only for help on a terminal

    # typer gives frames to text with markup only, which ours is not
    rich_utils.rich_format_help(obj=_escaped(command, ctx), ctx=ctx, markup_mode="rich")


def _escaped(command: "Command", ctx: "Context") -> Any:
    """Return a command in whose help a [WORD] stays one."""
    made = _with_help(command)
    made.params = [_with_help(each) for each in command.params]
    if hasattr(command, "commands"):
        group: Any = command
        made.commands = {name: _with_help(group.get_command(ctx, name)) for name in group.commands}
    return made


def _with_help(each: Any) -> Any:
    from rich.markup import escape  # lazy: only for help on a terminal

    made = copy.copy(each)
    made.help = escape(getattr(each, "help", "") or "")
    return made
