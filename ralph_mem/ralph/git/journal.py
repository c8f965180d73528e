"""Write down what git knew before and after each iteration, and what a rollback does to it."""

import json
import os
from collections import namedtuple

from ralph_mem.core import paths, rooms
from ralph_mem.ralph.git import copies
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.state import FILE, HEAD, INDEX, POINTER, REF, REPOSITORY, STASHES
from ralph_mem.ralph.git.touches import Hands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository
    from ralph_mem.ralph.git.state import Item

Action = namedtuple("Action", "name kind item value was says label")
Action.__doc__ = """One thing that is put back: in which repository (empty for the main one), what, its value
then and now, in words, and the folder of the copy that holds it."""

Rollback = namedtuple("Rollback", "label actions")
FILE_OF_ROLLBACKS = "rollbacks.jsonl"
Look = namedtuple("Look", "number when states others", defaults=({},))
Look.__doc__ = """What git knew before or after an iteration, as repository name -> State; number 0 is before the first one.

`others` has by the name of a repository what somebody else than the loop changed since the look before (`touches.Hands`), nothing
where that is not known.
"""
BEFORE, AFTER = "before", "after"
FILE_OF_LOOKS = "looks.jsonl"


def label_of(project: "Project", run: str) -> str:
    """Return the name of the next rollback's copy."""
    return f"rollback-{len(read(project, run)) + 1}"


def write(project: "Project", run: str, told: Rollback) -> None:
    """Write down what is about to be done, on the disk before this returns. Raises OSError."""
    line = json.dumps({"label": told.label, "actions": [dict(action._asdict()) for action in told.actions]})
    with open(_path(project, run, FILE_OF_ROLLBACKS), "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def read(project: "Project", run: str) -> "list[Rollback]":
    """Return the rollbacks of a run, the oldest first."""
    try:
        with open(_path(project, run, FILE_OF_ROLLBACKS), encoding="utf-8", errors="surrogateescape") as file:
            told = [json.loads(line) for line in file.read().split("\n")[:-1]]
    except (OSError, ValueError):
        return []
    return [Rollback(each["label"], [Action(**action) for action in each["actions"]]) for each in told]


def _path(project: "Project", run: str, name: str) -> str:
    return f"{copies.folder_of(project, run)}/{name}"


def set_by_us(project: "Project", run: str, name: str) -> "dict[tuple[str, str], list[Any]]":
    """Return the values that rollbacks gave to the items of a repository."""
    found: dict[tuple[str, str], list[Any]] = {}
    for told in read(project, run):
        for action in told.actions:
            if action.name == name:
                found.setdefault((action.kind, action.item), []).append(action.value)
    return found


def made_again(project: "Project", run: str, name: str) -> bool:
    """Say whether a rollback has made a repository again."""
    return (REPOSITORY, "") in set_by_us(project, run, name)


def value_now(repository: "Repository", action: Action) -> "Any":
    """Return what an item is now, in the form in which an action has it."""
    now = states.read(repository)
    if action.kind == REF:
        return now.refs.get(action.item)
    if action.kind == FILE:
        return now.pointer if action.item == POINTER else now.files.get(action.item)
    return {HEAD: now.head, STASHES: now.stash, INDEX: now.staged or now.index}.get(action.kind)


def look(repositories_there: "list[Repository]", former: "Look | None", number: int, when: str) -> Look:
    """Look at a repository and its submodules."""
    known = former.states if former else {}
    return Look(number, when, {each.name: states.read(each, known.get(each.name)) for each in repositories_there})


def keep_look(project: "Project", run: str, look: Look, former: "Look | None") -> None:
    """Write a look down, unless git knew the same at the one before it and nothing can have come in between. Raises OSError."""
    if former and former.when == look.when == AFTER and former.states == look.states:
        return
    told = {"number": look.number, "when": look.when, "states": {name: states.to_json(each) for name, each in look.states.items()}}
    told["others"] = {name: [sorted(each) for each in hands] for name, hands in look.others.items() if any(hands)}
    if former and former.states == look.states:
        told["states"] = None  # as it was: a repository of ten thousand branches has states of a megabyte
    with open(_path(project, run, FILE_OF_LOOKS), "a", encoding="utf-8", errors="surrogateescape", opener=_private) as file:
        file.write(json.dumps(told, separators=(",", ":")) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def looks_of(project: "Project", run: str) -> "list[Look]":
    """Return the looks of a run in order; none where git was not guarded."""
    found: list[Look] = []
    try:
        with open(_path(project, run, FILE_OF_LOOKS), encoding="utf-8", errors="surrogateescape") as file:
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
    return repositories.from_json(told["repositories"], _top(project, run, told["repositories"]["top"])) if told else []


def _top(project: "Project", run: str, known: str) -> str:
    """Return where a tree lies now that had this top: the person's may have moved, and that of another is in its place."""
    if f"{project.top}/".startswith(f"{known}/"):  # it may be a repository around it
        return known
    return os.path.realpath(rooms.top_of(project.tree, run)) if paths.IN_ROOMS in known else str(project.top)
