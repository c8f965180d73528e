"""Measure how often the command that a session is told at its start is one that it then uses.

Each session is told what the memory of those before it holds, and is then stored as a hook stores it. Beside that stands the
command that was used most until then, whether it passed or not. A session counts for a purpose where it ran a command of it and
was told one.

A file of logs is {name, projects: [{id, sessions: [{id, at, commands: [{command, exit, output?}]}]}]}.
"""

from collections import Counter, namedtuple
from typing import Any

from ralph_mem.bench import labelled, measures
from ralph_mem.bench.labelled import moment, text
from ralph_mem.bench.retrieval import Announce, silent
from ralph_mem.bench.throwaway import AGENT, Throwaway
from ralph_mem.core.command_lines import purposes, runs
from ralph_mem.core.command_lines.runs import Run
from ralph_mem.core.project import Activity
from ralph_mem.memory import activities
from ralph_mem.memory.facts import commands
from ralph_mem.memory.rows import fact_queries, records, row

Logs = namedtuple("Logs", "name projects")
Log = namedtuple("Log", "id sessions")
# `at` is in milliseconds; the sessions of a project are in the order of their times.
Session = namedtuple("Session", "id at commands")
# `exit` is the exit code of the whole line, None where it is not known; `output` is what it printed, as far as that is known.
Command = namedtuple("Command", "line exit output")
LAST, MOST = ARMS = ("last passed", "most used")
# A session used the told command where it ran the same one (`Run.same`); in the same words; or with its first words, on whatever
# part of the project.
SAME, WORDS, RUNNER = WAYS = ("same", "same words", "same runner")
GOALS = {purposes.TEST: 0.63, purposes.LINT: 0.76, purposes.BUILD: 0.70}

# What one session was told of a purpose by one arm, and the runs of it that followed.
Case = namedtuple("Case", "purpose told used")


def run(logs: Logs, announce: Announce = silent) -> dict[str, Any]:
    """Tell each session its commands, and return the report: plain values, ready for JSON."""
    total = sum(len(log.sessions) for log in logs.projects)
    cases: list[Case] = []
    untold: Counter[str] = Counter()
    done = 0
    for log in logs.projects:
        for used, told in _sessions(log):
            done += 1
            announce(log.id, done, total)
            for purpose, found in used.items():
                if LAST in told.get(purpose, {}):
                    cases.append(Case(purpose, told[purpose], found))
                else:
                    untold[purpose] += 1
    return _report(logs.name, total, cases, untold)


def _sessions(log: Log) -> list[tuple[dict[str, list[Run]], dict[str, dict[str, Run]]]]:
    """Return of each session of a project the runs by purpose, and by purpose what each arm told it before."""
    found = []
    often: dict[str, Counter[str]] = {}
    with Throwaway() as throwaway:
        for session in log.sessions:
            told = _told(throwaway, often)
            used: dict[str, list[Run]] = {}
            for each in [run for command in session.commands for run in runs.of(command.line)]:
                used.setdefault(each.purpose, []).append(each)
            found.append((used, told))
            for purpose, ran in used.items():
                often.setdefault(purpose, Counter()).update(each.text for each in ran)
            _remember(throwaway, session)
    return found


def _told(throwaway: Throwaway, often: dict[str, Counter[str]]) -> dict[str, dict[str, Run]]:
    told: dict[str, dict[str, Run]] = {}
    for fact in fact_queries.commands(throwaway.store):
        told.setdefault(fact.metadata["purpose"], {})[LAST] = _as_run(fact.metadata["command"], fact.metadata["purpose"])
    for purpose, counted in often.items():
        told.setdefault(purpose, {})[MOST] = _as_run(counted.most_common(1)[0][0], purpose)
    return told


def _as_run(text: str, purpose: str) -> Run:
    return next(each for each in runs.of(text) if each.purpose == purpose)


def _remember(throwaway: Throwaway, session: Session) -> None:
    """Store a session and learn from it."""
    store, project, settings = throwaway.store, throwaway.project, throwaway.settings
    store.begin()
    try:
        records.apply(store, records.session(session.id, project.root, session.at, "startup", agent=AGENT))
        for number, command in enumerate(session.commands):
            seen = _activity(command, session, number)
            for record in activities.records(seen, project, settings):
                records.apply(store, record)
        records.apply(store, records.end(session.id, session.at + len(session.commands)))
        while commands.learn(store, session.at):
            pass
        store.commit()
    finally:
        store.roll_back()


def _activity(command: Command, session: Session, number: int) -> Activity:
    """Return a command as a client tells it; one of which no exit code is known was left to itself."""
    failed = command.exit not in (0, None)
    failure = f"Exit code {command.exit}\n{command.output}" if failed else ""
    ids = {"session": session.id, "id": f"{session.id}:{number}", "at": session.at + number}
    return Activity(
        "command", **ids, tool=row.COMMAND, command=_line(command),
        text=command.output, failure=failure, exit=command.exit, ended_well=command.exit == 0, interrupted=command.exit is None,
    )  # fmt: skip


def _line(command: Command) -> str:
    """Return a line as it is stored: without pipes where its output is not known, so that its exit code is that of its checks."""
    found = [] if command.output else runs.of(command.line)
    return " && ".join(commands.typed(each) for each in found) or command.line


def _report(name: str, sessions: int, cases: list[Case], untold: Counter[str]) -> dict[str, Any]:
    found = {purpose: [case for case in cases if case.purpose == purpose] for purpose in purposes.PURPOSES}
    return {
        "name": name, "sessions": sessions,
        "purposes": {purpose: _figures(each, untold[purpose]) for purpose, each in found.items() if each or untold[purpose]},
        "goals": {purpose: _goal(found[purpose], wanted) for purpose, wanted in GOALS.items()},
    }  # fmt: skip


def _figures(cases: list[Case], untold: int) -> dict[str, Any]:
    arms = {arm: {way: measures.share([is_used(case, arm, way) for case in cases]) for way in WAYS} for arm in ARMS}
    return {"told": len(cases), "untold": untold, "arms": arms}


def _goal(cases: list[Case], wanted: float) -> dict[str, Any]:
    reached = measures.share([is_used(case, LAST, SAME) for case in cases])
    return {"wanted": wanted, "reached": reached and reached["value"], "met": bool(reached and reached["value"] >= wanted)}


def is_used(case: Case, arm: str, way: str = SAME) -> bool:
    """Say whether a session used what an arm told it."""
    told = case.told.get(arm)
    return told is not None and any(_is_like(told, each, way) for each in case.used)


def _is_like(told: Run, used: Run, way: str) -> bool:
    if way == WORDS:
        return told.text == used.text
    return told.same == used.same if way == SAME else _runner(told) == _runner(used)


def _runner(run: Run) -> list[str]:
    """Return the words of a command without those that name a place."""
    return [word for word in run.same.split() if "/" not in word and "." not in word and "::" not in word]


def read(path: str) -> Logs:
    """Read and check a file. Raises RalphMemError with the place of what is wrong, and OSError."""
    found = labelled.read(path, "commands", lambda whole: Logs(text(whole["name"]), [_log_of(each) for each in whole["projects"]]))
    labelled.need(path, any(session.commands for log in found.projects for session in log.sessions), "no commands")
    return found


def _log_of(given: Any) -> Log:
    name = text(given["id"])
    sessions = [_session_of(each, f"{name}, session {number}") for number, each in enumerate(given["sessions"], 1)]
    return Log(name, sorted(sessions, key=lambda session: session.at))


def _session_of(given: Any, where: str) -> Session:
    return Session(text(given["id"]), moment(given["at"]), [_command_of(each, where) for each in given["commands"]])


def _command_of(given: Any, where: str) -> Command:
    code = given["exit"]
    if code is not None and (not isinstance(code, int) or isinstance(code, bool)):
        raise TypeError(f"{where}: exit is neither a number nor null")
    return Command(text(given["command"]), code, text(given.get("output") or ""))
