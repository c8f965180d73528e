"""Acceptance: which commands of a project a person has seen and agreed to have run, by their hash.

Whatever changes what would be run takes it back: a word of a command, the script behind it, the folder.
"""

import hashlib
import json
import os
import shlex
import time
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.criteria import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.criteria import Criterion

MOST_KEPT = 50  # sets of criteria of one project
MOST_BYTES = 1_048_576
DIGITS = 32  # of a SHA-256: 128 bits, since an agent could try to write a script that has the hash of another


def digest(criteria: "Iterable[Criterion]", folder: str, also: "Iterable[str]" = ()) -> str:
    """Return the hash of what would be run: where, as which commands, defined how, expected to end how.

    `also` are other lines that are run, such as the agent's command or the notify command.
    """
    checks = [
        [
            criterion.type,
            list(criterion.argv or ()),
            os.path.realpath(criterion.folder or folder),
            criterion.expected,
            criterion.definition,
        ]
        for criterion in criteria
    ]
    text = json.dumps([os.path.realpath(folder), checks, list(also)])
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def is_accepted(project: "Project", what: str) -> bool:
    """Say whether a person has accepted this hash. What cannot be read, or others could have written, holds nothing."""
    return what in _read(project)


def accept(project: "Project", what: str, lines: "Iterable[str]") -> None:
    """Keep that a person accepted a hash, with the lines that they were shown."""
    path = _path(project)
    if not path:
        raise LoopError("there is no home folder in which to keep what you accepted", "set HOME or XDG_DATA_HOME")
    accepted = {**_read(project), what: {"at": int(time.time()), "lines": list(lines)}}
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
        lines.append(_escaped(_line(criterion)))
        lines += [f"    {_escaped(line)}" for line in (criterion.definition or "").splitlines() if line.strip()]
    return lines + [_escaped(line) for line in also]


def _line(criterion: "Criterion") -> str:
    if criterion.type == MARKER:
        return "marker: the last line of the agent's last message"
    expected = f" => {criterion.expected}" if criterion.expected != 0 else ""
    facts = f"in {criterion.folder}, from {criterion.source}, at most {criterion.seconds:g} s"
    return f"{criterion.type}: {shlex.join(criterion.argv)}{expected}  ({facts})"


def _escaped(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode() for char in text)


def _path(project: "Project") -> str:
    home = paths.data_home()
    return f"{home}/trust/criteria-{paths.key_of(project.root)}.json" if home else ""


def _read(project: "Project") -> "dict[str, dict[str, Any]]":
    path = _path(project)
    try:
        state = Path(path).stat()
        if not path or state.st_uid != os.geteuid() or state.st_mode & 0o022:
            return {}
        told = json.loads(paths.read(path, MOST_BYTES))
        return {what: entry for what, entry in told.items() if isinstance(entry["at"], int)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
