"""`ralph-mem setup`: makes ready what can be made ready, and says what is left to do."""

import sys
from collections import namedtuple
from pathlib import Path

import typer

from ralph_mem import config
from ralph_mem.cli import options, printing
from ralph_mem.core import adoption, paths, setting_rules, settings, terminal
from ralph_mem.core.errors import RalphMemError
from ralph_mem.doctor import client, interpreter

MADE, WAS_THERE, TO_DO = "made", "was there", "to do"
HEAD = """\
# What holds for all your projects; a project's own .ralph-mem/config.yaml rules over it. Each key stands here with its
# default: take away the # before those that you change, and before the name of their section.
"""

# `do` lists what to type, for a step that is left to the person.
Step = namedtuple("Step", "step state what do")

commands = typer.Typer()


@commands.command("setup")
def make_ready(json: options.Json = False) -> None:
    """Make ready what memory needs: the Python of the hooks, your config file; and say how to install the plugin.

    Example: ralph-mem setup
    """
    steps = [_interpreter(), _config(), _plugin()]
    printing.as_json([_fields(step) for step in steps]) if json else _print(steps)


def _interpreter() -> Step:
    """Have the hooks start the Python that this one stands on, unless one that works is remembered."""
    state = WAS_THERE
    if (_fault() or not interpreter.chosen()[1]) and _remember():
        state = MADE
    if _fault() and interpreter.chosen()[1]:
        paths.remove(paths.data_home() + "/python")  # forgotten: the one on PATH may do
        state = MADE
    python, remembered = interpreter.chosen()
    if not _fault():
        return Step("python of hooks", state, python if remembered else f"{python}, found on PATH", [])
    what = f"{python or 'python3'}: {_fault()}"
    return Step("python of hooks", TO_DO, what, ["install python3, 3.9 or newer, whose SQLite has FTS5"])


def _fault() -> str:
    """Say what is wrong with the Python that the hooks start, nothing where it is in order."""
    python, remembered = interpreter.chosen()
    if not python:
        return "not on PATH"
    virtual = remembered and interpreter.is_virtual(python)
    return interpreter.fault(interpreter.abilities(python)) or ("of a virtual environment" if virtual else "")


def _remember() -> bool:
    """Have the hooks start what this Python stands on, where that will stay and can do what they need; says whether."""
    # in a virtual environment before Python 3.11 this names the environment's own, which goes with it
    python = getattr(sys, "_base_executable", "") or sys.executable
    if interpreter.is_virtual(python) or interpreter.fault(interpreter.abilities(python)):
        return False
    adoption.remember_interpreter()
    return interpreter.chosen() == (python, True)


def _config() -> Step:
    home = paths.config_home()
    if not home:
        raise RalphMemError("there is no home folder", "set HOME to a folder of yours")
    file = Path(home, "config.yaml")
    if file.exists() or file.is_symlink():
        return Step("config", WAS_THERE, str(file), [])
    try:
        paths.make_folder(home)
        paths.write(str(file), HEAD + "\n" + _defaults())
    except OSError as error:
        raise RalphMemError(f"cannot write {file}: {error.strerror}", "is the folder yours, and the disk not full?") from error
    return Step("config", MADE, f"{file}, every key commented out", [])


def _defaults() -> str:
    """Return every key with what it is for and its default, as YAML that is commented out."""
    lines: list[str] = []
    for key, rule in setting_rules.RULES.items():
        above, _, name = key.rpartition(".")
        lines += ["", f"#{above}:"] if above and f"#{above}:" not in lines else []
        indent = "  " if above else ""
        lines += [f"{indent}# {rule.meaning}", f"{indent}#{name}: {config.written(settings.DEFAULTS.get(key, True))}"]
    return "\n".join([*lines, ""])


def _plugin() -> Step:
    if client.is_installed():
        return Step("plugin", WAS_THERE, f"in {client.config_folder()}", [])
    return Step("plugin", TO_DO, "type in Claude Code", client.commands())


def _fields(step: Step) -> dict[str, object]:
    return {**step._asdict(), "what": terminal.plain(step.what)}


def _print(steps: list[Step]) -> None:
    for step in steps:
        printing.text(f"{step.state:<9}  {step.step:<15}  {terminal.plain(step.what)}" + (":" if step.do else ""))
        for line in step.do:
            printing.text(" " * 28 + line)
    printing.text("\n`ralph-mem doctor` says whether all of it works.")
