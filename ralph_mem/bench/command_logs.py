"""Read which commands sessions ran and how each ended, as a set for `bench commands`, and check it.

{name, projects: [{id, sessions: [{id, at, commands: [{command, exit, output?}]}]}]}
"""

from collections import namedtuple
from typing import Any

from ralph_mem.bench import labelled
from ralph_mem.bench.labelled import moment, text

Logs = namedtuple("Logs", "name projects")
Log = namedtuple("Log", "id sessions")
# `at` is in milliseconds; the sessions of a project are in the order of their times.
Session = namedtuple("Session", "id at commands")
# `exit` is the exit code of the whole line, None where it is not known; `output` is what it printed, as far as that is known.
Command = namedtuple("Command", "line exit output")


def read(path: str) -> Logs:
    """Read and check a file. Raises RalphMemError with the place of what is wrong, and OSError."""
    found = labelled.read(path, "commands", lambda whole: Logs(text(whole["name"]), [_log(each) for each in whole["projects"]]))
    labelled.need(path, any(session.commands for log in found.projects for session in log.sessions), "no commands")
    return found


def _log(given: Any) -> Log:
    name = text(given["id"])
    sessions = [_session(each, f"{name}, session {number}") for number, each in enumerate(given["sessions"], 1)]
    return Log(name, sorted(sessions, key=lambda session: session.at))


def _session(given: Any, where: str) -> Session:
    return Session(text(given["id"]), moment(given["at"]), [_command(each, where) for each in given["commands"]])


def _command(given: Any, where: str) -> Command:
    code = given["exit"]
    if code is not None and (not isinstance(code, int) or isinstance(code, bool)):
        raise TypeError(f"{where}: exit is neither a number nor null")
    return Command(text(given["command"]), code, text(given.get("output") or ""))
