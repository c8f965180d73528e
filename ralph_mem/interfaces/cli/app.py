"""The application with its commands, where every error becomes one line and a hint."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from ralph_mem import __version__
from ralph_mem.core import fast, paths
from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.cli import printing
from ralph_mem.ralph import in_session, leftovers

# What the agent of a loop may call: it changes no loop, no trust, no setting and no memory. Everything else is for a person.
READS = frozenset((
    "search", "timeline", "show", "why", "preview", "status", "review", "tokens", "doctor", "demo", "export", "trust", "bench",
    "config get", "config show", "config check", "embeddings status", "ralph status", "ralph bisect", "ralph replay", "ralph plan",
))  # fmt: skip
ACTS = frozenset(("--confirm", "--accept", "--repair", "--revoke"))  # with one of these they would change something
CONFIG_WORDS = 3  # `ralph config KEY` shows; a value behind it changes
HINT_FOR_AGENTS = (
    "a person types it in a terminal of their own, or as /ralph in the session; an agent may look: `ralph-mem ralph status`"
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typer._click import Command, Context

FAILED, MISUSED, CRASHED, INTERRUPTED = 1, 2, 3, 130
# Which module of this package has which commands, in the order of the help. A module is loaded for a command of its own,
# for the help and for a word that is no command: all of them together take twice as long as typer itself.
MODULES = (
    ("reading", ("search", "timeline", "show", "sessions", "why", "preview")),
    ("correcting", ("inject", "edit", "pin", "wrong", "undo")),
    ("forgetting", ("forget", "scrub")),
    ("upkeep", ("projects",)),
    ("config", ("config",)),
    ("recovery", ("doctor",)),
    ("setup", ("setup", "status", "pause", "resume", "demo", "uninstall")),
    ("bench", ("bench",)),
    ("upkeep", ("compress", "tokens")),
    ("embeddings", ("embeddings",)),
    ("transfer", ("import",)),
    ("ralph", ("ralph",)),
    ("recovery", ("backup", "restore")),
    ("transfer", ("export", "import-archive")),
    ("forgetting", ("review", "purge")),
    ("config", ("trust",)),
)
MODULE_OF = {name: module for module, names in MODULES for name in names}


def _told(name: str, command: "Command") -> "Command":
    """Give a command its help from the table of verbs; what only a terminal has stays as its function says it."""
    verb = verbs.OF.get(name)
    if verb and not hasattr(command, "commands"):
        more = [each for each in (command.help or "").split("\n\n")[1:] if not each.startswith("Example: ")]
        command.help = "\n\n".join([verb.about, *more, f"Example: ralph-mem {verb.terminal_example}"])
        meanings = {each.partition(" ")[0]: meaning for each, meaning in verb.options.items()}
        for option in [each for each in command.params if each.param_type_name == "option"]:
            option.help = next((meanings[word] for word in option.opts if word in meanings), option.help)  # type: ignore[attr-defined]
    return command


class LazyGroup(TyperGroup):
    """The commands of `MODULE_OF`, each loaded when it is asked for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # None until it is loaded; typer suggests one of these names for a word that is none
        self.commands = cast("dict[str, Command]", dict.fromkeys(MODULE_OF))

    def get_command(self, ctx: "Context", cmd_name: str) -> "Command | None":
        """Return a command, loaded with its module; None for a word that names none."""
        if cmd_name in MODULE_OF and self.commands[cmd_name] is None:
            # lazy: a command loads its own module alone
            module = importlib.import_module(f"ralph_mem.interfaces.cli.{MODULE_OF[cmd_name]}")
            found = typer.Typer(rich_markup_mode=None)
            found.add_typer(module.commands)
            self.commands.update({name: _told(name, each) for name, each in typer.main.get_group(found).commands.items()})
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    name="ralph-mem",
    cls=LazyGroup,
    help="See, search, correct and forget what is remembered.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        printing.text(f"ralph-mem {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """See, search, correct and forget what Claude Code's sessions leave behind, from a terminal."""


def _refuse_an_agent(words: Sequence[str]) -> None:
    """Raise LoopError where a loop's agent, or what that started, would act as the person."""
    command = [word for word in words if not word.startswith("-")]
    if not command or _only_reads(command, words):
        return
    run = leftovers.around_us() or in_session.around_us()
    if run:
        raise LoopError(f"only a person may do this while {run} is at work: {' '.join(command[:2])[:60]}", HINT_FOR_AGENTS)


def _only_reads(command: Sequence[str], words: Sequence[str]) -> bool:
    if {"--help", "-h"}.intersection(words):
        return True
    changes = any(word.partition("=")[0] in ACTS for word in words)
    if command[:2] == ["ralph", "config"]:
        return len(command) <= CONFIG_WORDS
    return not changes and (command[0] in READS or " ".join(command[:2]) in READS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; leaves with 0, 1 for what can be mended, 2 for a wrong call, 3 for a crash, 130 for Ctrl-C."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # a stream that was closed before we started
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - for as long as the process lives
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        _refuse_an_agent(sys.argv[1:] if arguments is None else arguments)
        code = app(arguments, prog_name="ralph-mem", standalone_mode=False)
        sys.stdout.flush()
    except RalphMemError as error:
        return _complain(str(error), error.hint, FAILED)
    except fast.load_sqlite().Error as error:
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
    report = Path(paths.data_home() or "/tmp", paths.CRASH)  # noqa: S108 - nobody without a home gets a secret file
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
