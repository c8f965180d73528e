"""Write down what git knew before and after each iteration, outside of the project, and read it back."""

import json
import os
from collections import namedtuple

from ralph_mem.ralph.git import copies
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.touches import Hands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository
    from ralph_mem.ralph.git.state import Item

Look = namedtuple("Look", "number when states others", defaults=({},))
Look.__doc__ = """What git knew before or after an iteration, as repository name -> State; number 0 is before the first one.

`others` has by the name of a repository what somebody else than the loop changed since the look before (`touches.Hands`), nothing
where that is not known.
"""
BEFORE, AFTER = "before", "after"
FILE = "looks.jsonl"


def take(repositories_there: "list[Repository]", former: "Look | None", number: int, when: str) -> Look:
    """Look at a repository and its submodules."""
    known = former.states if former else {}
    return Look(number, when, {each.name: states.read(each, known.get(each.name)) for each in repositories_there})


def keep(project: "Project", run: str, look: Look, former: "Look | None") -> None:
    """Write a look down, unless git knew the same at the one before it and nothing can have come in between. Raises OSError."""
    if former and former.when == look.when == AFTER and former.states == look.states:
        return
    told = {"number": look.number, "when": look.when, "states": {name: states.to_json(each) for name, each in look.states.items()}}
    told["others"] = {name: [sorted(each) for each in hands] for name, hands in look.others.items() if any(hands)}
    if former and former.states == look.states:
        told["states"] = None  # as it was: a repository of ten thousand branches has states of a megabyte
    with open(_path(project, run), "a", encoding="utf-8", errors="surrogateescape", opener=_private) as file:
        file.write(json.dumps(told, separators=(",", ":")) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _path(project: "Project", run: str) -> str:
    return f"{copies.folder_of(project, run)}/{FILE}"


def of_run(project: "Project", run: str) -> "list[Look]":
    """Return the looks of a run in order; none where git was not guarded."""
    found: list[Look] = []
    try:
        with open(_path(project, run), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")[:-1]
    except OSError:
        return []
    for line in lines:
        try:
            told = json.loads(line)
        except ValueError:  # half a line of a loop that was killed
            continue
        known = found[-1].states if found else {}
        now = {name: states.from_json(each) for name, each in told["states"].items()} if told["states"] is not None else known
        others = {name: Hands(*map(_items, hands)) for name, hands in told.get("others", {}).items()}
        found.append(Look(told["number"], told["when"], now, others))
    return found


def _items(told: "list[list[str]]") -> "frozenset[Item]":
    return frozenset([(kind, name) for kind, name in told])


def guarded(project: "Project", run: str) -> "list[Repository]":
    """Return the repositories that a run began with, as they lie now; those that came later are not among them."""
    told = copies.read(project, run)
    return repositories.from_json(told["repositories"], project.top) if told else []
