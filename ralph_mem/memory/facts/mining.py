"""Find by counting what comes again in the log, such as a command that fails or belongs to a weekday."""

import time

from ralph_mem.core.command_lines import again, purposes
from ralph_mem.core.command_lines import runs as run_in
from ralph_mem.core.format import WEEKDAYS
from ralph_mem.memory.facts import proved, strength, wording
from ralph_mem.memory.facts.commands import FAILED, PASSED, never_ran, outcome_of
from ralph_mem.memory.facts.proved import Finding
from ralph_mem.memory.rows import facts, log, relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.core.command_lines.runs import Run
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.rows.log import Command
    from ralph_mem.memory.store.connection import Store

# The last month, and no more of it than takes half a second to read: a command line takes a tenth of a millisecond.
WINDOW_MS, MOST_ROWS = 30 * 86_400_000, 3_000
FEWEST_SESSIONS, FEWEST_WEEKS = 3, 3
# Of the sessions that ran it: a routine is not what is run on every day, nor a test what was run with every file.
SHARE = 0.75
WEEK_MS = 7 * 86_400_000
# Three sessions are half a proof, each further one a tenth more, and nothing is beyond doubt.
FIRST, EACH, MOST_SURE = 0.6, 0.1, 0.9
TOLD_FROM = 0.5  # what is believed less is no hint
LINE_CHARACTERS = 120


def patterns(store: "Store", at: int) -> "list[Finding]":
    """Return the commands that failed in three sessions or more and passed in none of these, and those that belong to a weekday."""
    ran: dict[str, list[tuple[Command, str]]] = {}
    commands = log.ran_since(store, at - WINDOW_MS, MOST_ROWS)
    for command in commands:
        for name, outcome in _named(command):
            ran.setdefault(name, []).append((command, outcome))
    return [finding for name, seen in ran.items() for finding in (*_failing(name, seen, commands), *_routine(name, seen))]


def _named(command: "Command") -> "list[tuple[str, str]]":
    """Return the commands of a line with how each ended; a line without a purpose that we know stands for itself."""
    found = [run for run in run_in.of(command.line) if run.is_whole]
    if found:
        names = [f"cd {run.place} && {run.same}" if run.place else run.same for run in found]
        return [(name, outcome_of(command, run, len(found))) for name, run in zip(names, found)]
    if command.interrupted or command.runs_on or never_ran(command) or len(command.line) > LINE_CHARACTERS:
        return []
    return [(command.line, FAILED if command.outcome == "error" else PASSED)]


def _failing(name: str, seen: "list[tuple[Command, str]]", commands: "list[Command]") -> "Iterator[Finding]":
    failed: dict[int, Command] = {command.session: command for command, outcome in seen if outcome == FAILED}
    for command, outcome in seen:
        if outcome == PASSED:
            failed.pop(command.session, None)
    left = [command for command in failed.values() if not _is_mended(command, commands)] if len(failed) >= FEWEST_SESSIONS else []
    if len(left) >= FEWEST_SESSIONS:
        yield _finding(f"`{name}` failed and was left so", left)


def _is_mended(failed: "Command", commands: "list[Command]") -> bool:
    """Say whether what failed only looks, or passed later in its session in another line, or with all that it is a part of."""
    behind = [each for each in commands if each.session == failed.session and (each.at, each.number) > (failed.at, failed.number)]
    passed = [each for each in behind if each.outcome != "error" and not (each.interrupted or each.runs_on)]
    return again.is_over(failed.line, [step for each in passed for step in again.passed(each.line, each.outcome == "success")])


def _routine(name: str, seen: "list[tuple[Command, str]]") -> "Iterator[Finding]":
    sessions = {command.session: command for command, _ in seen}
    days: dict[int, list[Command]] = {}
    for command in sessions.values():
        days.setdefault(time.localtime(command.at / 1000).tm_wday, []).append(command)
    for day, commands in days.items():
        weeks = {command.at // WEEK_MS for command in commands}
        if len(weeks) >= FEWEST_WEEKS and len(commands) >= SHARE * len(sessions):
            yield _finding(f"`{name}` is run on a {WEEKDAYS[day].title()}", commands)


def _finding(text: str, proofs: "list[Command]") -> Finding:
    last = max(command.at for command in proofs)
    sure = min(MOST_SURE, FIRST + EACH * (len(proofs) - FEWEST_SESSIONS))
    said = f"{text}, in {len(proofs)} sessions"
    found = Finding(wording.key(text), said, "", last, {"confidence": sure, "said": said})
    found.sources = [command.public_id for command in proofs]
    return found


def tested(store: "Store", at: int) -> "list[tuple[str, str, int]]":
    """Return files with the test that was run after a change to them in three sessions or more, and when that was last."""
    edits: dict[int, list[tuple[str, int]]] = {}
    for session, path, when in log.edited(store, at - WINDOW_MS, MOST_ROWS):
        edits.setdefault(session, []).append((path, when))
    with_test: dict[tuple[str, str], dict[int, int]] = {}
    of_test: dict[str, set[int]] = {}
    for command in log.ran_since(store, at - WINDOW_MS, MOST_ROWS):
        for test in {path for run in run_in.of(command.line) for path in _tests_in(run)}:
            of_test.setdefault(test, set()).add(command.session)
            for path, when in edits.get(command.session, ()):
                if when <= command.at and path != test:
                    with_test.setdefault((path, test), {})[command.session] = command.at
    return [
        (path, test, max(sessions.values())) for (path, test), sessions in with_test.items()
        if len(sessions) >= FEWEST_SESSIONS and len(sessions) >= SHARE * len(of_test[test])
    ]  # fmt: skip


def _tests_in(run: "Run") -> "list[str]":
    if run.purpose != purposes.TEST or run.is_whole:
        return []
    paths = [word.strip("'").partition("::")[0] for word in run.text.split()]
    return [path for path in paths if "." in path.rpartition("/")[2].strip(".") and path[:1] not in "-./"]


def write(store: "Store", found: "list[Finding]", pairs: "list[tuple[str, str, int]]", at: int) -> None:
    """Store patterns as candidates and tests as relations. In the caller's transaction; the same again changes nothing."""
    proved.write(store, facts.PATTERN, facts.CANDIDATE, found, at)
    for path, test, when in pairs:
        if max(len(path), len(test)) <= relations.LABEL_CHARACTERS:
            relations.upsert(store, (path, relations.FILE), relations.TESTED_BY, (test, relations.TEST), when)


def believed(fact: "Fact", now: int) -> float:
    """Return how much a pattern is believed at a time in ms."""
    confidence = fact.metadata.get("confidence")
    return strength.of_mined(fact.said_at, now, confidence if isinstance(confidence, float) else FIRST)


def hints(store: "Store", now: int, most: int = 3) -> "list[Fact]":
    """Return the patterns that are worth a hint at a time in ms, the most believed first."""
    found = [
        fact for fact in facts.of_status(store, facts.CANDIDATE, facts.ACTIVE) if fact.kind == facts.PATTERN and not fact.misled
    ]
    return sorted([fact for fact in found if believed(fact, now) >= TOLD_FROM], key=lambda fact: -believed(fact, now))[:most]
