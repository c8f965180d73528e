"""(to come)"""

import typer

commands = typer.Typer()
