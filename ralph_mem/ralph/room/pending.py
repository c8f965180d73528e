"""Learn what became of a result that was being applied when a crash came."""

from ralph_mem.ralph import record, runs
from ralph_mem.ralph.snapshot import journal, restoring, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project


def note(project: "Project", run: "record.Run", what: str, **facts: "Any") -> None:
    """Write down that a result is being applied, or that it was. Raises LoopError."""
    entry = {"what": what, "at": runs.now_ms(), **facts}
    record.append(runs.path_of(project, run.id), entry)
    run.add(entry)


def settle(project: "Project", run: "record.Run") -> None:
    """Finish what a crash cut off, and write down whether that was applied. Raises LoopError and SnapshotError."""
    if not run.applying:
        return
    with store.open_store(project) as snapshots:
        restoring.recover(snapshots)
        begun = journal.was_begun(snapshots, run.applying["target"])
    if begun:
        note(project, run, "applied", **{name: run.applying[name] for name in ("snapshot", "target", "safety")}, conflicts=[])
    else:
        note(project, run, "applying", target=0)
