"""Say which runs have a text that is forgotten in their snapshots, and what was decided of them."""

import os
from collections import namedtuple

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.maintenance.forget import verify
    from ralph_mem.memory.store import connection

# Of a run that is at work, and whether it was deleted; `partly` says that only shorter lines of it are there, which files have
# for reasons of their own.
Held = namedtuple("Held", "run busy deleted partly")
UNDECIDED = "undecided_snapshots"  # the property with the runs that were found to hold what is forgotten, and were not deleted


def runs_that_hold(
    project: "Project", needles: "verify.Needles", named: "Sequence[str]" = (), everything: bool = False
) -> "list[Held]":
    """Return the runs of which a snapshot holds one of the pieces, or what was typed, in a file or in its name; also those that
    are named, or all.

    Raises SnapshotError for snapshots that are damaged.
    """
    if not os.path.lexists(f"{paths.data_home()}/{paths.SNAPSHOTS}/{paths.key_of(project.tree)}"):
        return []
    from ralph_mem.maintenance.forget import snapshot_contents  # lazy: most projects have had no loop

    found, partly, at_work = snapshot_contents.runs_that_hold(project, needles, named, everything)
    return [Held(run, run == at_work, False, run not in found) for run in dict.fromkeys([*found, *partly])]


def delete_runs(project: "Project", held: "list[Held]") -> "list[Held]":
    """Delete the snapshots of runs, but for one that is at work; returns all, with whether they were deleted.

    Raises SnapshotError; then some may be deleted, and the next forget goes on.
    """
    doomed = [each.run for each in held if not each.busy]
    if not doomed:
        return held
    from ralph_mem.maintenance.forget import snapshot_contents  # lazy: most projects have had no loop

    snapshot_contents.delete_runs(project, doomed)
    return [each._replace(deleted=each.run in doomed) for each in held]


def undecided(opened: "connection.Store") -> "list[str]":
    """Return the runs that hold what a forget took from a memory, and of which nobody has decided yet."""
    return str(opened.property(UNDECIDED) or "").split()


def note_undecided(opened: "connection.Store", held: "list[Held]") -> None:
    """Keep which runs hold what is forgotten: their names only, since the text is gone by then."""
    before = undecided(opened)
    left = dict.fromkeys([*before, *[each.run for each in held if not each.partly]])
    for each in held:
        if each.deleted:
            left.pop(each.run, None)
    if list(left) != before:
        opened.set_property(UNDECIDED, " ".join(left) or None)
