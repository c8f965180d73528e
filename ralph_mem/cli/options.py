"""Options that several commands share."""

from typing import Annotated

import typer

Project = Annotated[
    str, typer.Option("--project", "-p", metavar="PROJECT", help="Another project: its folder, name or id. Default: where you are.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a program to read.")]
Type = Annotated[
    list[str],
    typer.Option("--type", "-t", help="Only of this type, several by repeating it: turn, note, error, success, tool_use, summary."),
]
Outside = Annotated[bool, typer.Option("--outside", help="Show text that web and MCP tools brought in; it is withheld otherwise.")]
Confirm = Annotated[bool, typer.Option("--confirm", help="Do it; without, only show what would be done.")]
