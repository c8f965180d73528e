"""A wish for a criterion, as a person writes it: `test_pass`, `custom=./check.sh --all`, `custom=./count => 3`."""

import re
import shlex
from collections import namedtuple

from ralph_mem.core.errors import ConfigError
from ralph_mem.criteria import CUSTOM, MARKER, TYPES

Wish = namedtuple("Wish", "type argv expected")
Wish.__doc__ = """What is asked for: a type, and where a command is named, its words and what it has to end with or print."""

EXPECTS = re.compile(r"(?:^|\s)=>(?:\s|$)")
# What a shell would have acted upon. Started without one, a command would get it as a plain word, and mean something else.
FOR_A_SHELL = re.compile(r"\|\||&&|\$\(|\$\{|\$(?=[A-Za-z_])|[|;<>`&\n]")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def read(item: str) -> Wish:
    """Read one item of `--criteria` or of the config. Raises ConfigError, with what to write in its place."""
    kind, equals, command = item.partition("=")
    kind = kind.strip()
    if kind not in TYPES:
        raise ConfigError(f"there is no criterion {kind!r}", f"choose from {', '.join(TYPES)}, such as 'custom=./check.sh'")
    if kind == MARKER and equals:
        raise ConfigError("a marker has no command", "--promise names the words that the agent has to say")
    if kind != CUSTOM and not equals:
        return Wish(kind, (), 0)
    if not command.strip():
        raise ConfigError(f"{kind} needs a command", f"write it as '{kind}=./check.sh --all'")
    return _with_command(kind, command.strip())


def _with_command(kind: str, command: str) -> Wish:
    # the first of them: a command cannot hold one that is not quoted
    arrow = EXPECTS.search(_without_quoted(command))
    expected = command[arrow.end() :].strip() if arrow else "0"
    command = command[: arrow.start()].strip() if arrow else command
    if not expected or not command:
        raise ConfigError(f"nothing is said on one side of => in {kind}", f"'{kind}=./count => 3' or '{kind}=./check => all good'")
    return Wish(kind, _words(kind, command), int(expected) if re.match(r"\d{1,3}$", expected) else expected)


def _words(kind: str, command: str) -> "tuple[str, ...]":
    found = FOR_A_SHELL.search(_without_quoted(command))
    if found:
        what = f"put it into a script, or write '{kind}=sh -c \"...\"'"
        raise ConfigError(f"{found[0].strip() or 'a line end'} means nothing here: a criterion is started without a shell", what)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigError(f"the command of {kind} cannot be read: {error}", "a quote is opened and not closed") from error
    if not words or not words[0]:
        raise ConfigError(f"{kind} needs a command", f"write it as '{kind}=./check.sh --all'")
    if ASSIGNMENT.match(words[0]):
        raise ConfigError(f"{words[0]} is no program: a criterion is started without a shell", f"'{kind}=env {command}' sets it")
    return words


def _without_quoted(command: str) -> str:
    """Return the command with each quoted or escaped character replaced by an x, none of them moved."""
    plain = []
    quote = ""
    escaped = False
    for char in command:
        if escaped or (quote and char != quote):
            plain.append("x")
            escaped = not escaped and char == "\\" and quote == '"'
        elif char == "\\":
            plain.append("x")
            escaped = True
        else:
            quote = char if not quote and char in "'\"" else "" if char == quote else quote
            plain.append("x" if char in "'\"" else char)
    return "".join(plain)
