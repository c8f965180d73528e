"""Read how people changed their files of rules, as a set that somebody labelled, and check it.

{name, projects: [{id, statements: [text], items: [{op: ADD or UPDATE, new, store: [number], target: number for UPDATE}]}]}
"""

from collections import namedtuple
from typing import Any

from ralph_mem.bench import labelled
from ralph_mem.bench.labelled import text

OPERATIONS = ADD, UPDATE = ("ADD", "UPDATE")

# `statements` are all that ever stood in the file of a project; the numbers of its items lead there.
RuleFiles = namedtuple("RuleFiles", "name projects")
RuleFile = namedtuple("RuleFile", "id statements items")
# A statement that came in: those that stood then, and the number of the one that it replaced, None where it replaced none.
Item = namedtuple("Item", "op new store target")


def read(path: str) -> RuleFiles:
    """Read and check a file. Raises RalphMemError with the place of what is wrong, and OSError."""
    found = labelled.read(
        path, "rule files", lambda whole: RuleFiles(text(whole["name"]), [_project(each) for each in whole["projects"]])
    )
    labelled.need(path, any(project.items for project in found.projects), "no items")
    return found


def _project(given: Any) -> RuleFile:
    name, statements = text(given["id"]), [text(each) for each in given["statements"]]
    return RuleFile(
        name, statements, [_item(each, len(statements), f"{name}, item {at}") for at, each in enumerate(given["items"])]
    )


def _item(given: Any, statements: int, where: str) -> Item:
    op, target = given["op"], given.get("target")
    if op not in OPERATIONS:
        raise ValueError(f"{where}: op is neither ADD nor UPDATE")
    numbers = [*given["store"], *([target] if op == UPDATE else [])]
    if not all(isinstance(each, int) and 0 <= each < statements for each in numbers):
        raise ValueError(f"{where}: a number names no statement")
    if op == UPDATE and target not in given["store"]:
        raise ValueError(f"{where}: the target does not stand in the store")
    return Item(op, text(given["new"]), tuple(given["store"]), target if op == UPDATE else None)
