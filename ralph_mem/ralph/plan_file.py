"""The plan file: a list of tasks that is read anew before each iteration, of which the next open one is to be done."""

import os
import re

from ralph_mem.core.errors import LoopError

TASK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(.*\S)", re.MULTILINE)
# A plan is read whole into each prompt's budget; what is longer than this is a book.
MOST_BYTES = 262_144


def read(folder: str, name: str) -> str:
    """Return the text of a plan file, named as seen from the project. Raises LoopError where it cannot be read."""
    path = os.path.join(folder, name)
    try:
        with open(path, "rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise LoopError(f"cannot read the plan {name}: {error.strerror}", "--plan FILE names a file in this project") from error


def open_tasks(text: str) -> "list[str]":
    """Return the tasks that are not ticked off, in their order."""
    return [task for mark, task in TASK.findall(text) if mark == " "]


def tasks(text: str) -> "list[str]":
    """Return all tasks in their order."""
    return [task for _, task in TASK.findall(text)]
