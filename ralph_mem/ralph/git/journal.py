"""Write down what a rollback does to git before it does it, so that it can be undone."""

import json
import os
from collections import namedtuple

from ralph_mem.ralph.git import copies
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.state import FILE, HEAD, INDEX, POINTER, REF, REPOSITORY, STASHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.repository import Repository

Action = namedtuple("Action", "name kind item value was says label")
Action.__doc__ = """One thing that is put back: in which repository (empty for the main one), what, its value
then and now, in words, and the folder of the copy that holds it."""

Rollback = namedtuple("Rollback", "label actions")
FILE_OF_ROLLBACKS = "rollbacks.jsonl"


def label_of(project: "Project", run: str) -> str:
    """Return the name of the next rollback's copy."""
    return f"rollback-{len(read(project, run)) + 1}"


def write(project: "Project", run: str, told: Rollback) -> None:
    """Write down what is about to be done, on the disk before this returns. Raises OSError."""
    line = json.dumps({"label": told.label, "actions": [dict(action._asdict()) for action in told.actions]})
    with open(_path(project, run), "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def read(project: "Project", run: str) -> "list[Rollback]":
    """Return the rollbacks of a run, the oldest first."""
    try:
        with open(_path(project, run), encoding="utf-8", errors="surrogateescape") as file:
            told = [json.loads(line) for line in file.read().split("\n")[:-1]]
    except (OSError, ValueError):
        return []
    return [Rollback(each["label"], [Action(**action) for action in each["actions"]]) for each in told]


def _path(project: "Project", run: str) -> str:
    return f"{copies.folder_of(project, run)}/{FILE_OF_ROLLBACKS}"


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
