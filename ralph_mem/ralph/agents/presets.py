"""Name agents that people have, by the commands that start them, and say whose turn it is."""

import os
import shlex
import shutil

from ralph_mem.core.errors import LoopError
from ralph_mem.hosts import known
from ralph_mem.hosts.claude_code import launch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.ralph.record import Run

# None of them asks anybody, and each does what its user may, but for what its host's module says. Claude is started by `launch`,
# with the rules that were allowed.
CLAUDE = "claude"
SETUPS = [known.setup_of(name) for name in known.OTHERS]
COMMANDS = {setup.PROGRAM: setup.HEADLESS for setup in SETUPS}
PACKAGES = {setup.PROGRAM: setup.PACKAGE for setup in SETUPS}
MODEL = "--model"
MOST_LABEL = 40
# What ends a run for what its agent did, and so may go better with another one; a rate limit is that of one agent as well.
TURNS = frozenset(("no_progress", "oscillation", "regression", "agent_error", "silent", "permission_denied", "rate_limited"))


def resolved(words: "Sequence[str]") -> "tuple[str, ...]":
    """Return the command that is meant: that of a preset where its name is all that was typed, none for claude as it comes."""
    if tuple(words) == (CLAUDE,):
        return ()
    return COMMANDS.get(words[0], tuple(words)) if len(words) == 1 else tuple(words)


def of_models(names: "Sequence[str]") -> "list[tuple[str, ...]]":
    """Return claude with each of these models. Raises LoopError for what is no name of one."""
    for name in names:
        if not name or name.startswith("-") or not name.isprintable():
            raise LoopError(f"{MODEL} {name[:40]} is no name of a model", f"for example: {MODEL} sonnet,opus")
    return [(CLAUDE, MODEL, name) for name in names]


def line_up(commands: "Sequence[Sequence[str]]", models: "Sequence[str]") -> "dict[str, tuple[object, ...]]":
    """Return the agents that were asked for as fields of a wish: the first, and those that follow it. Raises LoopError."""
    every: list[tuple[str, ...]] = [resolved(words) for words in commands]
    if models and any(every):
        raise LoopError(f"{MODEL} is for claude alone", f"write the model into the command: --agent 'claude {MODEL} opus'")
    every = of_models(models) or every
    return {"agent": every[0], "others": tuple(every[1:])} if every else {}


def is_claude(words: "Sequence[str]") -> bool:
    """Say whether claude is meant, perhaps with a model, and not a command line of the person's own."""
    return not words or (words[0] == CLAUDE and (len(words) == 1 or (len(words) == 3 and words[1] == MODEL)))


def options(words: "Sequence[str]") -> "list[str]":
    """Return what goes to the command line of claude."""
    return list(words[1:])


def label(words: "Sequence[str]") -> str:
    """Return what an agent is called in a list: `codex`, `claude --model opus`, or the name of its program."""
    if is_claude(words):
        return shlex.join(words)[:MOST_LABEL] or CLAUDE
    named = next((name for name, command in COMMANDS.items() if tuple(words) == command), "")
    return named or os.path.basename(words[0])[:MOST_LABEL]


def command(words: "Sequence[str]") -> str:
    """Return the command line of an agent as a person reads it."""
    return shlex.join(words) or CLAUDE


def obstacles(words: "Sequence[str]") -> "list[str]":
    """Return what keeps an agent from being started, a line each: with what to install where that is known."""
    if is_claude(words):
        return launch.preflight()
    if shutil.which(words[0]):
        return []
    package = PACKAGES.get(words[0])
    return [f"{words[0]} cannot be found or run{f': `npm install -g {package}` installs it' if package else ''}"]


def missing(words: "Sequence[str]") -> "list[str]":
    """Return the same for agents that we know; a command of the person's own is tried."""
    return obstacles(words) if is_claude(words) or words[0] in PACKAGES else []


def in_order(run: "Run") -> "list[list[str]]":
    """Return the agents of a run as commands, in their order; no words for claude."""
    return [run.options.get("agent") or [], *(run.options.get("others") or [])]


def at_turn(run: "Run") -> "list[str]":
    """Return the agent whose turn it is."""
    every = in_order(run)
    return every[min(run.turn, len(every) - 1)]


def next_after(run: "Run") -> "list[str] | None":
    """Return the agent that would be next, None after the last one."""
    every = in_order(run)
    return every[run.turn + 1] if run.turn + 1 < len(every) else None


def told_turn(run: "Run") -> str:
    """Return in a line who works now and how many there are, nothing where there is only one."""
    every = in_order(run)
    return f"agent: {label(at_turn(run))} ({min(run.turn, len(every) - 1) + 1} of {len(every)})" if len(every) > 1 else ""
