"""Remember by their hash which commands of a project a person has agreed to have run."""

import hashlib
import json
import os
import re
import shlex
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.errors import ConfigError, LoopError
from ralph_mem.ralph.criteria import CUSTOM, MARKER, TYPES, Criterion, native_build

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.core.project import Project

Wish = namedtuple("Wish", "type argv expected")
Wish.__doc__ = """What is asked for: a type, and where a command is named, its words and what it has to end with or print."""

EXPECTS = re.compile(r"(?:^|\s)=>(?:\s|$)")
# What a shell would have acted upon. Started without one, a command would get it as a plain word, and mean something else.
FOR_A_SHELL = re.compile(r"\|\||&&|\$\(|\$\{|\$(?=[A-Za-z_])|[|;<>`&\n]")
EXIT_CODE = re.compile(r"\d{1,3}$")
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
    return Wish(kind, _words(kind, command), int(expected) if EXIT_CODE.match(expected) else _unquoted(expected))


def _unquoted(expected: str) -> str:
    """Return a text without the quotes around all of it, in which a number is no exit code but what is printed."""
    quoted = len(expected) > 2 and expected[0] == expected[-1] and expected[0] in "'\""
    return expected[1:-1] if quoted else expected


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
    if native_build.is_of_what_was_built(words):
        what = f"'{kind}={native_build.building(words)}' builds as well"
        raise ConfigError(f"{command} runs what was built before, by the agent too, and says nothing of the sources", what)
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


MOST_KEPT = 50  # sets of criteria of one project
MOST_LINES, MOST_CHARACTERS = 100, 200  # of what was shown: all sets together have to be read again
MOST_BYTES = 1_048_576
DIGITS = 32  # of a SHA-256: 128 bits, since an agent could try to write a script that has the hash of another


def digest(criteria: "Iterable[Criterion]", folder: str, also: "Iterable[str]" = ()) -> str:
    """Return the hash of what would be run: where, as which commands, defined how, expected to end how.

    `also` are other lines that are run, such as the agent's command or the notify command.
    """
    checks = [
        [each.type, list(each.argv or ()), os.path.realpath(each.folder or folder), each.expected, each.definition]
        for each in criteria
    ]
    text = json.dumps([os.path.realpath(folder), checks, list(also)])
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def is_accepted(project: "Project", what: str) -> bool:
    """Say whether a person has accepted this hash. What cannot be read, or others could have written, holds nothing."""
    return what in _read(project)


def accept(project: "Project", what: str, lines: "Iterable[str]") -> None:
    """Keep that a person accepted a hash, with the lines that they were shown."""
    path = path_of(project)
    if not path:
        raise LoopError("there is no home folder in which to keep what you accepted", "set HOME or XDG_DATA_HOME")
    kept = [line[:MOST_CHARACTERS] for line in list(lines)[:MOST_LINES]]
    accepted = {**_read(project), what: {"at": int(time.time()), "lines": kept}}
    latest = dict(sorted(accepted.items(), key=lambda item: item[1]["at"])[-MOST_KEPT:])
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, json.dumps(latest))
    except OSError as error:
        raise LoopError(f"what you accepted cannot be kept: {error}", f"see to it that {path} can be written") from error


def shown(criteria: "Iterable[Criterion]", also: "Iterable[str]" = ()) -> "list[str]":
    """Return exactly what would be run, for a person to read; nothing in it can move the cursor or hide a part.

    Below a command stands the script that it runs, where a file of the project defines it.
    """
    lines = []
    for criterion in criteria:
        lines.append(escaped(_line(criterion)))
        lines += [f"    {escaped(line)}" for line in (criterion.definition or "").splitlines() if line.strip()]
    return lines + [escaped(line) for line in also]


def _line(criterion: "Criterion") -> str:
    if criterion.type == MARKER:
        return "marker: the last line of the agent's last message"
    expected = f" => {criterion.expected}" if criterion.expected != 0 else ""
    facts = f"in {criterion.folder}, from {criterion.source}, at most {criterion.seconds:g} s"
    return f"{criterion.type}: {shlex.join(criterion.argv)}{expected}  ({facts})"


def escaped(text: str) -> str:
    """Return a text in which nothing steers a terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode() for char in text)


def path_of(project: "Project") -> str:
    """Return the file that keeps what was accepted in a project, there or not; nothing without a home."""
    home = paths.data_home()
    return f"{home}/{paths.TRUST}/criteria-{paths.key_of(project.root)}.json" if home else ""


def _read(project: "Project") -> "dict[str, dict[str, Any]]":
    path = path_of(project)
    try:
        state = Path(path).stat()
        if not path or state.st_uid != os.geteuid() or state.st_mode & 0o022:
            return {}
        told = json.loads(paths.read(path, MOST_BYTES))
        return {what: entry for what, entry in told.items() if isinstance(entry["at"], int)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
