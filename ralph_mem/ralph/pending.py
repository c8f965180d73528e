"""Note that a result or a rollback begins, and finish and tell one that a crash cut off."""

from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import experience, lessons, record, rollback_lines, runs
from ralph_mem.ralph.snapshot import journal, restoring, rollback_plan, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.snapshot.restoring import Report
    from ralph_mem.ralph.snapshot.store import Snapshots

STILL_THERE = (rollback_plan.BY_BOTH, journal.CANNOT)  # why something of a result is kept that can be taken out later
FINISHED = "was cut off, and is finished now:"


def note(project: "Project", run: "record.Run", what: str, /, **facts: "Any") -> None:
    """Write down what begins, or what came of it. Raises LoopError."""
    entry = {**facts, "what": what, "at": runs.now_ms()}
    record.append(runs.path_of(project, run.id), entry)
    run.add(entry)


def applied(
    project: "Project", values: "dict[str, Any]", run: "record.Run", begun: "dict[str, Any]", report: "Report", mixed: int
) -> None:
    """Write down what was brought of a result that was `begun`, for the person and for the way back. Raises LoopError."""
    if run.applied and not (report.restored or report.deleted):
        note(project, run, "applying", target=0)  # the last one stands, and is what there is a way back from
        return
    counts = {"brought": len(report.restored), "deleted": len(report.deleted), "mixed": mixed}
    note(project, run, "applied", **{**begun, **counts, "conflicts": _names(project, values, report.kept)})


def rolled_back(project: "Project", values: "dict[str, Any]", run: "record.Run", begun: "dict[str, Any]", report: "Report") -> None:
    """Write down what came of a rollback that was `begun`, for the person, the way back and the memory. Raises LoopError."""
    remains = _names(project, values, [each for each in report.kept if each[1].startswith(STILL_THERE)]) if run.room else []
    same = run.rolled_back and run.rolled_back[-1].get("target") == begun["target"]
    again = same and bool(remains) == bool(run.room)
    if again and not (report.restored or report.deleted or begun["git"]):
        note(project, run, "rolling_back", safety=0)  # the last one stands, and is what there is a way back from
        return
    counts = {"restored": len(report.restored), "deleted": len(report.deleted), "kept": len(report.kept)}
    more = {"remains": remains} if remains else {}
    note(project, run, "rolled_back", **{**begun, **counts, **more, "kept_paths": _names(project, values, report.kept)})
    experience.keep(project, values, runs.find(project, run.id), lessons.of_rollback)


def _names(project: "Project", values: "dict[str, Any]", kept: "list[tuple[bytes, str]]") -> "list[str]":
    """Return the paths that were left alone as a record may hold them."""
    names = [path.decode("utf-8", "replace") for path, _ in kept]
    return list(privacy.protect(names, project, values)[0]) if names else []


def settle(project: "Project", values: "dict[str, Any]", run: "record.Run | None" = None) -> "list[str]":
    """Finish what a crash cut off in the person's files, write down what came of it, and return that in lines.

    Of all runs of the tree; `run` hears of its own. Raises LoopError and SnapshotError.
    """
    if not _unfinished(project):
        return []
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        found = [run if run and run.id == each.id else each for each in _unfinished(project)]  # who had the store has noted it
        return [line for each in found for line in _settled(project, values, each, snapshots)]


def _unfinished(project: "Project") -> "list[record.Run]":
    return [run for run in runs.all(project) if run.applying or run.rolling_back]


def _settled(project: "Project", values: "dict[str, Any]", run: "record.Run", snapshots: "Snapshots") -> "list[str]":
    begun = run.applying or run.rolling_back
    report, steps = restoring.report_of(snapshots, begun["target"], begun["safety"])
    if report is None:  # nothing of it was done
        note(project, run, begun["what"], target=0, safety=0)
        return []
    if run.rolling_back:
        rolled_back(project, values, run, begun, report)
        return [f"The last rollback {FINISHED}", *rollback_lines.rolled_back(begun["words"], report, run)]
    mixed = len([step for step in steps if step.why == rollback_plan.MERGED])
    applied(project, values, run, begun, report, mixed)
    return [f"The last apply {FINISHED}", *rollback_lines.applied(begun.get("words", "a result"), report, mixed, run)]
