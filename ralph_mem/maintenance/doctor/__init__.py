"""Look at everything that has to be right for memory to work, change nothing, and need no package."""

import sqlite3
from collections.abc import Callable

from ralph_mem.core.finding import OK, PROBLEM, WARNING, Finding, problem
from ralph_mem.core.format import count
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.hosts.claude_code import client
from ralph_mem.maintenance.doctor import files, machine, recording, server

CHECKS = (
    *(machine.own_interpreter, machine.interpreter_of_hooks, machine.packages, machine.clock),
    *(client.version, client.plugin, client.old_copies),
    *(recording.config, recording.switch, recording.events, recording.waiting, recording.trouble_line, recording.judging),
    recording.leaving,
    server.server,
    *(files.permissions, files.system, files.space, files.databases, files.size_of_memory, files.size_of_all),
    *(machine.token_counts, files.backup, files.forgetting, files.altered, files.kept, files.tracked),
    files.set_aside,
    *(machine.model, machine.vectors),
)
# Whoever asks in a session sees that the plugin is at work there, and needs none of the packages of the command line.
OF_A_TERMINAL = (machine.packages, client.plugin)


def examine(
    project: Project, announce: Callable[[str, int, int], object] = lambda *_: None, in_session: bool = False
) -> list[Finding]:
    """Run every check, but those that only a terminal needs in a session.

    `announce` hears before each its name, how many are done, and of how many.
    """
    found: list[Finding] = []
    checks = [check for check in CHECKS if not (in_session and check in OF_A_TERMINAL)]
    for number, check in enumerate(checks):
        name = f"{check.__module__.rpartition('.')[2]}: {check.__name__}".replace("_", " ")
        announce(name, number, len(checks))
        try:
            found += check(project)
        except (OSError, sqlite3.Error) as error:
            # one thing that cannot be looked at does not hide the others
            found.append(problem(name, f"cannot be looked at: {error}", "see whether the file is there, and yours"))
    return found


def lines(found: list[Finding]) -> list[str]:
    """Return findings in lines, and how many there are of each state."""
    told = [f"{each.state:<7}  {each.check:<15}  {each.seen}" + (f"; do: {each.do}" if each.do else "") for each in found]
    problems, warnings, fine = [sum(each.state == state for each in found) for state in (PROBLEM, WARNING, OK)]
    return [*told, "", f"{count(problems, PROBLEM)}, {count(warnings, WARNING)}, {fine} ok"]


def values(finding: Finding) -> dict[str, str]:
    """Return a finding for a program; a path may hold bytes that no text in UTF-8 can, and escape sequences."""
    return {name: terminal.plain(value) for name, value in finding._asdict().items()}


def is_ill(found: list[Finding]) -> bool:
    """Say whether there is a problem among the findings."""
    return any(each.state == PROBLEM for each in found)
