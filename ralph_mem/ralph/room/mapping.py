"""Say in the words of a room what was said of the person's tree in commands and environments."""

import os
import re

from ralph_mem.hosts.claude_code import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# They name a repository, which would be the person's.
OF_GIT = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR"),
    *("GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH"),
)
# What is the person's and no part of their project stays, even where it lies in it.
OF_THE_PERSON = ("HOME", "XDG_", "TMPDIR", event.CONFIG_FOLDER, "RALPH_MEM_", "SSH_")
PYTHONPATH = "PYTHONPATH"


def text(told: str, top: str, room: str) -> str:
    """Return a text in which the person's folder, and what lies in it, is the room's."""
    if top == room:
        return told
    return re.sub(re.escape(top) + r"(?![\w.-])", lambda _: room, told)


def environment(given: "Mapping[str, str]", top: str, room: str, roots: "Iterable[str]" = ()) -> "dict[str, str]":
    """Return an environment whose paths into the person's tree lead to the room, as far as there is the same in it.

    `roots` are folders of the person's tree that an installed package leads to; Python looks into the room's first.
    """
    if top == room:
        return dict(given)
    found = {name: value if name.startswith(OF_THE_PERSON) else _mapped(value, top, room) for name, value in given.items()}
    found = {name: value for name, value in found.items() if name not in OF_GIT}
    first = [text(root, top, room) for root in roots]
    if first:
        found[PYTHONPATH] = os.pathsep.join([*first, *filter(None, [found.get(PYTHONPATH, "")])])
    return found


def _mapped(value: str, top: str, room: str) -> str:
    if top not in value:
        return value
    return os.pathsep.join([_part(part, top, room) for part in value.split(os.pathsep)])


def _part(part: str, top: str, room: str) -> str:
    there = room + part[len(top) :]
    return there if (part == top or part.startswith(top + "/")) and os.path.lexists(there) else part
