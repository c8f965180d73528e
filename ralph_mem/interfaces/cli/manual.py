"""The command `man`, which makes a manual page of what the help says."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import typer

from ralph_mem import __version__
from ralph_mem.interfaces.cli import contents, printing

commands = typer.Typer()

NAME = "ralph\\-mem \\- see, search, correct and forget what earlier sessions left behind"
ABOUT = (
    "ralph-mem records what sessions of Claude Code asked, did and found out into a database in the project, and tells later "
    "sessions what matters. This command looks into that memory and changes it. Inside a session the verbs that /mem help "
    "lists are typed as /mem VERB, and the loop as /ralph."
)
EXIT_STATUS = (
    ("0", "It went well."), ("1", "Something that can be mended: one line says what, and a hint what to do."),
    ("2", "A wrong call."), ("3", "A crash; a report without any memory in it is kept."), ("130", "Ctrl-C."),
)  # fmt: skip
FILES = (
    (".ralph-mem/memory.db", "The memory of a project."),
    (".ralph-mem/config.yaml", "The settings of a project."),
    ("~/.config/ralph-mem/config.yaml", "The settings for all projects."),
    ("~/.local/share/ralph-mem", "Backups, snapshots, and what waits to be stored."),
)
ENVIRONMENT = (
    ("RALPH_MEM_RECORDING", "off keeps a session from being recorded and told."),
    ("RALPH_MEM_...", "Each setting has a variable, which rules over the files."),
    ("NO_COLOR", "Where it is set, nothing is coloured."),
    ("VISUAL, EDITOR", "What `edit` opens."),
)


@commands.command("man")
def man(context: typer.Context) -> None:
    """Show all commands, options and files as a manual page; in a pipe it is the page's source.

    To have it as `man ralph-mem`, write it into man1 of a folder of manual pages.

    Example: ralph-mem man
    """
    root = context.find_root()
    text = page(root.command)
    viewer = shutil.which("man") if sys.stdout.isatty() else None
    if viewer:
        subprocess.run([viewer, "-l", "-"], input=text.encode(), check=False)
    else:
        printing.verbatim(text.rstrip("\n"))


def page(root: Any) -> str:
    """Return the manual page of a program, as the program `man` reads it."""
    lines = [f'.TH RALPH\\-MEM 1 "" "ralph\\-mem {__version__}" "User Commands"', ".SH NAME", NAME]
    lines += [".SH SYNOPSIS", ".B ralph\\-mem", "[OPTIONS] COMMAND [ARGS]...", ".SH DESCRIPTION", _text(ABOUT)]
    lines += [".SH OPTIONS", *_parameters(root)]
    for group, rows in contents.COMMANDS.items():
        lines += [f".SH {_text(group.upper())}", *[line for name, *_ in rows for line in _command(name, root.load(name))]]
    for title, pairs in (("EXIT STATUS", EXIT_STATUS), ("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)):
        lines += [f".SH {title}", *[line for term, meaning in pairs for line in _term(term, meaning)]]
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    """Return the lines about a command, or about those of a group."""
    below = getattr(command, "commands", {})
    if not below or command.invoke_without_command:
        yield f".SS {_text(_usage(name, command))}"
        for paragraph in (command.help or "").strip().split("\n\n"):
            yield from (".PP", _text(" ".join(paragraph.split())))
        yield from _parameters(command)
    for word, each in below.items():
        yield from _command(f"{name} {word}", each)


def _usage(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    names = [(each.metavar or each.name.upper()).rstrip(".") + ("..." if each.nargs == -1 else "") for each in arguments]
    return " ".join([name, *[word if each.required else f"[{word}]" for word, each in zip(names, arguments, strict=True)]])


def _parameters(command: Any) -> Iterator[str]:
    for each in command.params:
        if each.param_type_name == "argument":
            if each.help:
                yield from _term(each.metavar or each.name.upper(), each.help)
        elif not each.hidden and each.name != "help":
            value = "" if each.is_flag else f" {each.metavar or 'VALUE'}"
            yield from _term(", ".join([*each.opts, *each.secondary_opts]) + value, each.help or "")


def _term(term: str, meaning: str) -> Iterator[str]:
    yield from (".TP", f".B {_text(term)}", _text(" ".join(meaning.split())))


def _text(words: str) -> str:
    """Return words as a page has them: what the program would read as a request is none."""
    plain = words.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain
