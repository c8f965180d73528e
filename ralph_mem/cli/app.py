"""The application: its commands, and the edge at which every error becomes one line and a hint."""

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ralph_mem import __version__
from ralph_mem.cli import (
    bench,
    compressing,
    config,
    correcting,
    doctor,
    embeddings,
    explaining,
    exporting,
    forgetting,
    importing,
    printing,
    projects,
    ralph,
    reading,
    restoring,
    reviewing,
    scrub,
    setup,
    state,
    trusting,
    uninstalling,
)
from ralph_mem.core import paths, quick
from ralph_mem.core.errors import RalphMemError

FAILED, MISUSED, CRASHED, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    name="ralph-mem",
    help="See, search, correct and forget what is remembered.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for room in (
    reading,
    correcting,
    forgetting,
    explaining,
    state,
    projects,
    config,
    doctor,
    setup,
    bench,
    compressing,
    embeddings,
    importing,
    ralph,
    restoring,
    exporting,
    reviewing,
    scrub,
    trusting,
    uninstalling,
):
    app.add_typer(room.commands)


def _version(wanted: bool) -> None:
    if wanted:
        printing.text(f"ralph-mem {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """See, search, correct and forget what Claude Code's sessions leave behind, from a terminal."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; leaves with 0, 1 for what can be mended, 2 for a wrong call, 3 for a crash, 130 for Ctrl-C."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # a stream that was closed before we started
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 - for as long as the process lives
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = app(arguments, prog_name="ralph-mem", standalone_mode=False)
        sys.stdout.flush()
    except RalphMemError as error:
        return _complain(str(error), error.hint, FAILED)
    except quick.load_sqlite().Error as error:
        return _complain(f"the database: {error}", "`ralph-mem doctor` says more", FAILED)
    except BrokenPipeError:  # `ralph-mem search ... | head`
        return _silent(0)
    except SystemExit as leaving:  # typer's own way to meet a closed pipe
        return _silent(0) if isinstance(leaving.__context__, BrokenPipeError) else FAILED
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return _silent(_complain(f"{error.strerror}:{where or ' the output'}", "`ralph-mem doctor` looks for the cause", FAILED))
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", "", INTERRUPTED)
    except Exception as error:
        return _misused(error) if hasattr(error, "format_message") else _crashed(error)
    if code == INTERRUPTED:  # typer's own answer to Ctrl-C
        return _complain("interrupted", "", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _silent(code: int) -> int:
    """Keep what could not be printed from being tried again at the end; returns the code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def _misused(error: Exception) -> int:
    """Tell what was wrong with the call; typer raises the errors of the click that it carries, which has no public name."""
    what = error.format_message()  # type: ignore[attr-defined]
    where = getattr(getattr(error, "ctx", None), "command_path", "ralph-mem")
    if type(error).__name__ == "NoArgsIsHelpError":  # called without a command: its message is the help
        printing.text(what)
        return MISUSED
    return _complain(what.rstrip("."), f"see `{where} --help`", MISUSED)


def _crashed(error: Exception) -> int:
    """Keep the traceback in a file, which names code and never a memory, and say where it is."""
    report = Path(paths.data_home() or "/tmp", "crash.txt")  # noqa: S108 - nobody without a home gets a secret file
    lines = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    try:
        report.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        paths.write(str(report), "\n".join([f"ralph-mem {__version__}: {type(error).__name__}", *lines, ""]))
    except OSError:
        return _complain(f"a bug: {type(error).__name__}: {error}", "", CRASHED)
    return _complain(f"a bug: {type(error).__name__}: {error}", f"where it happened stands in {report}", CRASHED)


def _complain(what: str, hint: str, code: int) -> int:
    printing.complain(what, hint)
    return code
