"""Importing: the transcripts that the client has kept become what its hooks would have recorded, project by project."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ralph_mem.archive import Kept, Passed
from ralph_mem.core import records, settings, store
from ralph_mem.core.project import Project
from ralph_mem.intake import Memory, Outcome, PassedOver
from ralph_mem.rehearsal import Rehearsal

OFF, FAILED, NOTHING = "recording is off in its project", "it failed", "nothing new is in it"


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
        values = settings.load(place)
        if not settings.recording(place, values):
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
    try:
        report.add(target.place.root, kept, target.take(kept, lambda position: tell(kept, position, report)))
    except PassedOver as passed:
        report.passed.append(Passed(kept.path, str(passed), ""))
    except (*records.BAD, OSError, store.sqlite.Error) as error:  # one session must not keep the others out
        report.passed.append(Passed(kept.path, FAILED, str(error) or type(error).__name__))
    tell(kept, kept.bytes, report)
