"""The application with its commands, where every error becomes one line and a hint."""

import copy
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import MethodType
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from ralph_mem import __version__
from ralph_mem.core import fast, paths
from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.cli import contents, printing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

HINT_FOR_AGENTS = (
    "a person types it in a terminal of their own, or as /ralph in the session; an agent may look: `ralph-mem ralph status`"
)

NAMES_OF_A_LOOP = ("loop", "loops", "run")  # what people type who look for `ralph`
FAILED, MISUSED, CRASHED, INTERRUPTED = 1, 2, 3, 130


def _told(name: str, command: "Command") -> "Command":
    """Give a command its help from the table of verbs; what only a terminal has stays as its function says it."""
    verb = verbs.OF.get(name)
    if verb and not verb.differs and not hasattr(command, "commands"):
        more = [each for each in (command.help or "").split("\n\n")[1:] if not each.startswith("Example: ")]
        command.help = "\n\n".join([verb.about, *more, f"Example: ralph-mem {verb.terminal_example}"])
        meanings = {each.partition(" ")[0]: meaning for each, meaning in verb.options.items()}
        for option in [each for each in command.params if each.param_type_name == "option"]:
            option.help = next((meanings[word] for word in option.opts if word in meanings), option.help)  # type: ignore[attr-defined]
    return command


class LazyGroup(TyperGroup):
    """The commands of `contents`: what the help and a completion say of each is known without it, and it is loaded to be run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # None until it is needed; typer suggests one of these names for a word that is none
        self.commands = cast("dict[str, Command]", dict.fromkeys(contents.MODULE_OF))
        _dress(self)

    def load(self, name: str) -> "Command | None":
        """Return a command, loaded with its module; None for a word that names none."""
        if name in contents.MODULE_OF and type(self.commands[name]) in (type(None), Summary):
            # lazy: a command loads its own module alone
            module = importlib.import_module(f"ralph_mem.interfaces.cli.{contents.MODULE_OF[name]}")
            found = typer.Typer(rich_markup_mode=None)
            found.add_typer(module.commands)
            self.commands.update({name: _told(name, each) for name, each in typer.main.get_group(found).commands.items()})
            _dress(self.commands[name])
        return self.commands.get(name)

    def resolve_command(self, ctx: "Context", args: list[str]) -> "tuple[str | None, Command | None, list[str]]":
        """Return the command that these words call, loaded."""
        self.load(args[0])
        meant = verbs.MEANT_BY.get(args[0]) or self._of_a_loop(args[0])
        if meant:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{meant}'?")
        return super().resolve_command(ctx, args)

    def _of_a_loop(self, word: str) -> str:
        """Return the command of the loop that somebody may mean who typed a word that names none."""
        if word in NAMES_OF_A_LOOP:
            return "ralph"
        known = () if word in contents.MODULE_OF or word.startswith("-") else getattr(self.load("ralph"), "commands", ())
        return f"ralph {word}" if word in known else ""

    def get_command(self, ctx: "Context", cmd_name: str) -> "Command | None":
        """Return a command by its name, with its summary alone where it is not loaded; None for a word that names none."""
        if cmd_name in contents.MODULE_OF and self.commands[cmd_name] is None:
            self.commands[cmd_name] = cast("Command", Summary(cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002 - as typer calls it
        """Write the commands under the names of their groups."""
        width = max(map(len, contents.MODULE_OF))
        for group, rows in contents.COMMANDS.items():
            with formatter.section(group.capitalize()):
                formatter.write_dl([(name.ljust(width), summary) for name, _, summary, *_ in rows])


class Summary(TyperCommand):
    """What is known of a command that is not loaded: its name, its group, and what it does in a few words."""

    def __init__(self, name: str) -> None:
        group = next(group for group, rows in contents.COMMANDS.items() if name in [each for each, *_ in rows])
        super().__init__(name=name, help=contents.SUMMARY_OF[name], rich_help_panel=group.capitalize())


app = typer.Typer(
    name="ralph-mem",
    cls=LazyGroup,
    help="See, search, correct and forget what is remembered.",
    no_args_is_help=True,
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
    """Raise an error of ours where an agent, or what one started, would act as the person."""
    if contents.only_reads(words):
        return
    name, *more = [word for word in words if not word.startswith("-")]
    if name in contents.DECIDE:
        _refuse_a_model(name, more)
    from ralph_mem.ralph import in_session, leftovers, runs  # lazy: only for what changes something, a third of a command's start

    run = leftovers.around_us() or in_session.around_us() or runs.above_us()
    if run:
        command = " ".join([word for word in words if not word.startswith("-")][:2])
        raise LoopError(f"only a person may do this while {run} is at work: {command[:60]}", HINT_FOR_AGENTS)


def _refuse_a_model(name: str, more: Sequence[str]) -> None:
    from ralph_mem.hosts import asker  # lazy: only for what says what is remembered

    if asker.is_a_model():
        raise RalphMemError(f"only a person can type ralph-mem {name}", f"{_in_session(name, more)}in a terminal of your own")


def _in_session(name: str, more: Sequence[str]) -> str:
    """Say how a person types it in the session, where that can be; behind `!` nobody can tell them from the agent."""
    verb = verbs.OF.get(name)
    is_there = verb and verb.changes and ("|" not in verb.words or f"{more[0] if more else ''} " in verb.words)
    return f"type `/mem {name} ...` as a prompt of the session, without `!`, or this " if is_there else "type it "


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
        return _complain(str(error), error.hint, INTERRUPTED if isinstance(error.__cause__, KeyboardInterrupt) else FAILED)
    except fast.load_sqlite().Error as error:
        from ralph_mem.memory import inspect  # lazy: only for a memory that cannot be read

        told = inspect.unusable(error)
        return _complain(str(told), told.hint, FAILED)
    except BrokenPipeError:  # `ralph-mem search ... | head`
        return _silent(0)
    except SystemExit as leaving:  # typer's own way to meet a closed pipe, and to end what completes words
        return _silent(0) if isinstance(leaving.__context__, BrokenPipeError) else _code(leaving.code)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        hint = "is that its name?" if isinstance(error, FileNotFoundError) else "`ralph-mem doctor` looks for the cause"
        return _silent(_complain(f"{error.strerror}:{where or ' the output'}", hint, FAILED))
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", "", INTERRUPTED)
    except Exception as error:
        return _misused(error) if hasattr(error, "format_message") else _crashed(error)
    if code == INTERRUPTED:  # typer's own answer to Ctrl-C
        return _complain("interrupted", "", INTERRUPTED)
    return _code(code)


def _code(given: object) -> int:
    return given if isinstance(given, int) else FAILED if given else 0


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


def _dress(command: "Command") -> None:
    """Have a command, and those below it, show their help as this terminal can; in a list none of its summary is cut off."""
    command.format_help = MethodType(_show_help, command)  # type: ignore[method-assign]
    command.short_help = command.short_help or " ".join((command.help or "").partition("\n\n")[0].split())
    for each in filter(None, getattr(command, "commands", {}).values()):
        _dress(each)


def _show_help(command: "Command", ctx: "Context", formatter: "HelpFormatter") -> None:
    """Print the help of a command on a terminal; for all else write it into what typer prints."""
    if not sys.stdout.isatty():
        type(command).format_help(command, ctx, formatter)
        return
    from typer import rich_utils  # lazy: only for help on a terminal

    # typer gives frames to text with markup only, which ours is not
    rich_utils.rich_format_help(obj=_escaped_help(command, ctx), ctx=ctx, markup_mode="rich")


def _escaped_help(command: "Command", ctx: "Context") -> Any:
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
