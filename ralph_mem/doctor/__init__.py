"""The doctor: looks at everything that has to be right for memory to work, and changes nothing.

Each check takes a project and yields findings. Standard library only: where a package is missing, this still runs.
"""

import sqlite3
from collections.abc import Callable

from ralph_mem.core.project import Project
from ralph_mem.doctor import (
    aside,
    client,
    database,
    embeddings,
    files,
    interpreter,
    machine,
    recording,
    safety,
    size,
    tokens,
    tracked,
    usage,
)
from ralph_mem.doctor.finding import PROBLEM, Finding, problem

CHECKS = (
    *(interpreter.own, interpreter.of_hooks, machine.packages, machine.clock, client.version, client.plugin),
    *(recording.config, recording.switch, recording.events, recording.waiting, recording.trouble_line),
    *(files.permissions, files.system, files.space, database.databases, size.quota, usage.of_all, tokens.counts),
    *(safety.backup, safety.altered, safety.kept, tracked.of_memory, aside.memories),
    *(embeddings.model, embeddings.memories),
)


def examine(project: Project, announce: Callable[[str, int, int], object] = lambda *_: None) -> list[Finding]:
    """Run every check; `announce` hears before each its name, how many are done, and of how many."""
    found: list[Finding] = []
    for number, check in enumerate(CHECKS):
        name = f"{check.__module__.rpartition('.')[2]}: {check.__name__}".replace("_", " ")
        announce(name, number, len(CHECKS))
        try:
            found += check(project)
        except (OSError, sqlite3.Error) as error:
            # one thing that cannot be looked at does not hide the others
            found.append(problem(name, f"cannot be looked at: {error}", "see whether the file is there, and yours"))
    return found


def is_ill(found: list[Finding]) -> bool:
    """Say whether there is a problem among the findings."""
    return any(each.state == PROBLEM for each in found)
