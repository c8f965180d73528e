"""Remove the rooms of runs that need them no more, and what a killed run has left of one."""

import os
import shutil

from ralph_mem.core import paths, rooms
from ralph_mem.ralph.snapshot import trees
from ralph_mem.ralph.stop_reasons import SUCCESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot.store import Snapshots

# A room is as large as the project. The one of the last run is gone on with or looked into, that before it sometimes; what older
# ones had, snapshots have.
MOST_KEPT = 2


def remove(tree: str, run_id: str) -> None:
    """Remove the room of a run, if it is there, as far as that goes."""
    folder = rooms.folder_of(tree)
    if folder and run_id:
        remove_folder(f"{folder}/{run_id}")


def remove_folder(path: str) -> None:
    """Remove a folder with all that is in it, closed folders too; links are not followed."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, onerror=_open_and_retry)


def _open_and_retry(again: "Callable[..., object]", path: str, _error: object) -> None:
    """Remove what lies in a folder that its owner may not write to, or not enter."""
    above = os.path.dirname(path)
    try:
        os.chmod(above, 0o700)
        if os.path.isdir(path) and not os.path.islink(path):
            os.chmod(path, 0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            again(path)
    except OSError:  # told by doctor, and tried again by the next loop
        pass


def sweep(project: "Project", runs: "Iterable[Run]", snapshots: "Snapshots") -> None:
    """Remove the rooms of a tree but those of its last runs that can go on; a loop that has the lock is at work here alone."""
    folder = rooms.folder_of(project.tree)
    wanted = [run.id for run in runs if run.room and is_needed(run)][-MOST_KEPT:]
    held = {row[0] for row in snapshots.query("SELECT DISTINCT run FROM snapshots")}
    for name in [name for name in paths.names(folder) if name != rooms.STANDS_FOR]:
        if name not in wanted or name not in held:
            let_go(project, name, snapshots)


def let_go(project: "Project", run_id: str, snapshots: "Snapshots") -> None:
    """Remove a room, and what the store knows of how it looked."""
    trees.forget(snapshots, os.fsencode(rooms.top_of(project.tree, run_id)))
    remove(project.tree, run_id)


def is_needed(run: "Run") -> bool:
    """Say whether a run can go on in its room, or has something in it that the person does not have, commits too."""
    has_all = run.applied and not run.applied[-1]["conflicts"] and (run.brought.get("name") or not run.commits)
    return run.status != SUCCESS or bool(run.iterations and not has_all)
