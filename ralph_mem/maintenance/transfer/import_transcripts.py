"""Turn the transcripts that the client kept into what its hooks would have recorded."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ralph_mem.core import session_pause
from ralph_mem.core.format import count
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code.archive import UNREACHABLE, Kept, Passed
from ralph_mem.maintenance.transfer.intake import WAIT_MS, Memory, Outcome, PassedOver, Session
from ralph_mem.memory.rows import draining
from ralph_mem.memory.store import connection
from ralph_mem.memory.store.connection import Store

COUNTED = ("sessions", "turns", "observations")
MOST_NAMED = 5
OFF, FAILED, NOTHING = "recording is off in its project", "it failed", "nothing new is in it"
PAUSED = "you paused it"
# These are told file by file, and are a failure.
TROUBLE = (FAILED, UNREACHABLE)


class Report:
    """What an import did, or would do: by project's root, and what was passed over with the reason."""

    def __init__(self, passed: list[Passed]) -> None:
        self.projects: dict[str, Counter[str]] = {}
        self.passed = passed
        self.unreadable = Counter[Path]()
        self.cut: list[Path] = []

    def add(self, root: str, kept: Kept, outcome: Outcome) -> None:
        """Count a session of a project."""
        if outcome.unreadable:
            self.unreadable[kept.path] += outcome.unreadable
        if outcome.cut:
            self.cut.append(kept.path)
        if outcome.turns or outcome.observations:
            told = {"sessions": 1, "turns": outcome.turns, "observations": outcome.observations}
            self.projects.setdefault(root, Counter()).update(told)
        else:
            self.passed.append(Passed(kept.path, NOTHING, ""))

    def total(self, what: str) -> int:
        """Return how many sessions, turns or observations there were in all projects."""
        return sum(counts[what] for counts in self.projects.values())


def run(
    sorted_by: dict[str, tuple[Project, list[Kept]]],
    report: Report,
    tell: Callable[[Kept, int, Report], object] = lambda _kept, _position, _report: None,
    *,
    dry: bool = False,
) -> Report:
    """Import the sessions of each project, the oldest first; `dry` only counts what would come in.

    `tell` hears which session is on its way and up to which byte, and the report so far.
    """
    for place, kept in sorted_by.values():
        values = effective.load(place)
        if not effective.recording(place, values):
            report.passed += [Passed(each.path, OFF, place.root) for each in kept]
            continue
        target = (Rehearsal if dry else Memory)(place, values)
        try:
            for each in kept:
                _import(target, each, report, tell)
        finally:
            target.leave()
    return report


def _import(target: Memory, kept: Kept, report: Report, tell: Callable[[Kept, int, Report], object]) -> None:
    if session_pause.was_paused(kept.session):
        report.passed.append(Passed(kept.path, PAUSED, ""))
        return
    try:
        report.add(target.place.root, kept, target.take(kept, lambda position: tell(kept, position, report)))
    except PassedOver as passed:
        report.passed.append(Passed(kept.path, str(passed), ""))
    except (*draining.BAD, OSError, connection.sqlite.Error) as error:  # one session must not keep the others out
        report.passed.append(Passed(kept.path, FAILED, str(error) or type(error).__name__))
    tell(kept, kept.bytes, report)


class Rehearsal(Memory):
    """The same without a memory being made or changed: what would come in is counted."""

    def leave(self) -> None:
        """Let go of the memory, if there is one."""
        privacy.HELD.clear()
        if self.opened:
            self.opened.close()

    def _open(self) -> Store:
        if not self.opened:
            self.opened = connection.connect(self.place.folder, WAIT_MS)
        return self.opened

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return super()._rows(sql, *values)
        except connection.sqlite.OperationalError:  # a memory of an older release, into which nothing was ever imported
            return []

    def _write(self, session: Session, batch: list[dict[str, Any]], _positions: dict[str, int]) -> None:
        turns = {record["turn"] for record in batch if record["verb"] in ("turn", "close")}
        ids = {record["event_id"] for record in batch if record["verb"] in ("observation", "memory")}
        self.turns += len(turns - self._counted(session, "turns", turns))
        self.observations += len(ids - self._counted(session, "observations", ids))

    def _counted(self, session: Session, table: str, ids: set[str]) -> set[str]:
        """Return which events were counted before, or are stored."""
        stored = {name for name in ids if self._rows(f"SELECT 1 FROM {table} WHERE event_id = ?", name)}
        again = {name for name in ids if session.strange.setdefault("counted " + name, False)}
        session.strange.update({"counted " + name: True for name in ids})
        return stored | again

    def _finish(self, session: Session, _model: str, _positions: dict[str, int]) -> None:
        pass


def lines(report: Report, dry: bool) -> list[str]:
    """Return what came in, or would, and what was passed over, in lines for people."""
    found = []
    for root, counts in report.projects.items():
        told = ", ".join(count(counts[what], what[:-1]) for what in COUNTED)
        found.append(f"{'would come in' if dry else 'imported'}: {told}  {root}")
    found += [] if report.projects else ["Nothing would come in." if dry else "Nothing came in."]
    found += _passed(report.passed)
    for path, number in report.unreadable.items():
        found.append(f"{count(number, 'line')} could not be read and were left out: {path}")
    return found + [f"ends in the middle of a line, which was left for later: {path}" for path in report.cut]


def _passed(passed: list[Passed]) -> list[str]:
    named = [each for each in passed if each.why in TROUBLE]
    found = [f"left out, {each.why}: {each.path}" + (f" ({each.detail})" if each.detail else "") for each in named[:MOST_NAMED]]
    found += [f"and {len(named) - MOST_NAMED} more of these"] if len(named) > MOST_NAMED else []
    for (why, detail), number in Counter((each.why, each.detail) for each in passed if each.why not in TROUBLE).items():
        found.append(f"passed over: {count(number, 'session')}, {why}" + (f": {detail}" if detail else ""))
    return found
