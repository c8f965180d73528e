"""The doctor: looks at everything that has to be right for memory to work, and changes nothing.

Each check takes a project and yields findings. Standard library only: where a package is missing, this still runs.
"""

import sqlite3
from collections.abc import Callable

from ralph_mem.core.finding import PROBLEM, Finding, problem
from ralph_mem.core.project import Project
from ralph_mem.hosts.claude_code import client
from ralph_mem.maintenance.doctor import database, files, interpreter, machine, recording

CHECKS = (
    *(interpreter.own, interpreter.of_hooks, machine.packages, machine.clock, client.version, client.plugin, client.old_copies),
    *(recording.config, recording.switch, recording.events, recording.waiting, recording.trouble_line, recording.judging),
    *(files.permissions, files.system, files.space, database.databases, files.size_of_memory, files.size_of_all),
    *(machine.token_counts, database.backup, database.altered, database.kept, files.tracked, database.set_aside),
    *(machine.model, machine.vectors),
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
