"""Keep what a person typed and was shown, so that a short code can accept exactly that."""

import json
import os
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.core.redaction import privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

MOST_KEPT = 5  # of a project: what was shown before that is typed again
MOST_AGE_MS = 86_400_000  # nobody remembers longer what a code stands for
MOST_BYTES = 1_048_576

Shown = namedtuple("Shown", "code typed digest at")
Shown.__doc__ = """What was shown: the code that a person types, what they had typed, the whole digest, when (in milliseconds)."""


def keep(project: "Project", values: "dict[str, Any]", typed: str, digest: str, at: int) -> str:
    """Return the short code for what is shown; nothing where it cannot be kept as it was typed, such as one with a secret."""
    path = _path(project)
    if not path or privacy.protect([typed], project, values)[0] != [typed]:
        return ""
    known = _read(project, at)
    same = next((each.code for each in known if (each.typed, each.digest) == (typed, digest)), "")
    code = same or _new({each.code for each in known})
    _write(project, [*[each for each in known if each.code != code], Shown(code, typed, digest, at)][-MOST_KEPT:])
    return code


def _new(taken: "set[str]") -> str:
    code = os.urandom(2).hex()
    while code in taken:
        code = os.urandom(2).hex()
    return code


def find(project: "Project", code: str, at: int) -> Shown:
    """Return what was shown under a code within the last day. Raises LoopError."""
    found = [each for each in _read(project, at) if code and each.code == code.lower()]
    if not found:
        what = f"nothing was shown here under {code[:20]}" if code else "which? a plan has a code below it"
        raise LoopError(what, "type /ralph start again: what it would run is shown with its code")
    return found[0]


def drop(project: "Project", code: str, at: int) -> None:
    """Forget what was shown under a code: it has been accepted."""
    _write(project, [each for each in _read(project, at) if each.code != code])


def _path(project: "Project") -> str:
    home = paths.data_home()
    return f"{home}/{paths.TRUST}/shown-{paths.key_of(project.root)}.json" if home else ""


def _read(project: "Project", at: int) -> "list[Shown]":
    """Return what is kept, oldest first. What cannot be read, or others could have written, holds nothing."""
    path = _path(project)
    try:
        state = Path(path).stat()
        if not path or state.st_uid != os.geteuid() or state.st_mode & 0o022:
            return []
        told = [Shown(**{name: each[name] for name in Shown._fields}) for each in json.loads(paths.read(path, MOST_BYTES))]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []
    whole = [each for each in told if all(isinstance(text, str) for text in each[:3]) and isinstance(each.at, int)]
    return [each for each in whole if abs(at - each.at) < MOST_AGE_MS]


def _write(project: "Project", kept: "list[Shown]") -> None:
    path = _path(project)
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, json.dumps([dict(each._asdict()) for each in kept]))
    except OSError as error:
        raise LoopError(f"what was shown cannot be kept: {error.strerror}", f"see to it that {path} can be written") from error
