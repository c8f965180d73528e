"""The command `page`, which becomes the program that shows a memory in a browser."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import asker
from ralph_mem.interfaces.cli.printing import Project
from ralph_mem.maintenance import registry

commands = typer.Typer()
PROGRAM = Path(__file__).parents[1] / "page"


@commands.command()
def page(
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65_535, help="On this port; default: a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser; say which file leads there.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End the pages that are at work.")] = False,
    to: Annotated[str | None, typer.Option("--to", metavar="FOLDER", help="Write it as files into a new or empty folder.")] = None,
    project: Project = "",
) -> None:
    """Carry out `page`.

    It works at this address of this machine alone, until Ctrl-C or 15 minutes without a look; it needs the extra `page`.

    Example: ralph-mem page
    """
    if to == "":  # a variable that is not set
        raise RalphMemError("--to names no folder", "name a new or empty one")
    if stop and (to or port or no_open):
        raise RalphMemError("--stop ends pages, and something else was wanted too", "give the one or the other")
    what = ["stop"] if stop else ["to", to] if to else ["serve", "--port", str(port), *["--no-open"] * no_open]
    if what[0] == "serve" and asker.is_a_model():  # its forms say in the person's name what holds
        raise RalphMemError("only a person can open the page", "type it in a terminal of your own, or /mem page; --to writes files")
    root = registry.choose(project).root
    # an entrance of its own, which the command line does not load: this process becomes it, so that one is left, not two
    os.execv(sys.executable, [sys.executable, "-I", "-X", "utf8", str(PROGRAM), root, *what])  # noqa: S606 - no shell is wanted
