"""Make the room of a run with what checks need, and remove those that no run needs."""

import json
import os
import shlex
import shutil
from collections import namedtuple

from ralph_mem.core import paths, rooms
from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.ralph import files, runs
from ralph_mem.ralph.loop import MEANWHILE
from ralph_mem.ralph.room import dependencies, filling, redirects, repository, walls
from ralph_mem.ralph.room.dependencies import COPIED, LINKED
from ralph_mem.ralph.snapshot import ignoring, others, store, taking, trees
from ralph_mem.ralph.snapshot.listing import GIT, run_git
from ralph_mem.ralph.stop_reasons import SUCCESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot.listing import Scope
    from ralph_mem.ralph.snapshot.store import Snapshots

Room = namedtuple("Room", "path base linked roots missing")
Room.__doc__ = """A room that is there: its top, the number of its first snapshot, the ignored paths that are links to the person's,
the folders that `PYTHONPATH` leads to instead, and the paths of the snapshot that are not in it."""

LABEL = "room"
INSTALLERS = ("uv", "poetry", "pdm", "pipenv", "hatch")  # they change the environment that they find before they run anything
MOST_NAMED = 5
# A room is as large as the project. The one of the last run is gone on with or looked into, that before it sometimes; what older
# ones had, snapshots have.
MOST_KEPT = 2


def make(project: "Project", run_id: str, start: int, scope: "Scope", values: "dict[str, Any]", checks: "list[Criterion]") -> Room:
    """Make the room of a run from its snapshot `start`, anew where there is one; the checks are those of the person's tree.

    Raises LoopError where a check would look at the person's own files, and SnapshotError where the room cannot be made.
    """
    remove_room(project.tree, run_id)
    top = _make_top(project, run_id)
    try:
        with store.open_store(project) as snapshots:
            return _filled(snapshots, project, run_id, start, scope, values, checks, top)
    except OSError as error:
        remove_room(project.tree, run_id)
        raise SnapshotError(
            f"the room of the loop cannot be made: {error}", "make room on the disk, or work here: --here"
        ) from error
    except BaseException:
        remove_room(project.tree, run_id)
        raise


def _make_top(project: "Project", run_id: str) -> str:
    try:
        rooms.note(project.root, project.tree)
        top = rooms.top_of(project.tree, run_id)
        paths.make_folder(top)
    except OSError as error:
        raise SnapshotError(f"the room of the loop cannot be made: {error}", "is the data home yours? --here needs none") from error
    return os.path.realpath(top)


def _filled(  # noqa: PLR0913, PLR0917 - all that is known of a run
    snapshots: "store.Snapshots", project: "Project", run_id: str, start: int, scope: "Scope", values: "dict[str, Any]",
    checks: "list[Criterion]", top: str,
) -> Room:  # fmt: skip
    choices = chosen(snapshots, project.top, values)
    outside = check(project.top, checks, choices)
    missing, led = filling.fill(snapshots, start, project.top, top)
    linked = [os.fsdecode(each.path) for each in choices if each.how == LINKED]
    _make_repositories(snapshots, project.top, top, run_id, linked)
    dependencies.bring(choices, project.top, top)
    filling.finish(snapshots, start, top, led)
    inside = snapshots.at(os.fsencode(top), True)
    base = taking.take(inside, LABEL, run_id, scope)
    others.note_uncommitted(snapshots, run_id, top, base.id)
    ignoring.changed(inside, run_id)  # what a room adds to git's rules is nobody's change
    return Room(top, base.id, linked, outside.roots, sorted(missing))


def chosen(snapshots: "store.Snapshots", top: str, values: "dict[str, Any]") -> "list[dependencies.Choice]":
    """Return what becomes of the paths that the last snapshot found to be ignored."""
    ignored = [row[0] for row in snapshots.query("SELECT path FROM ignored")]
    return dependencies.choose(top, ignored, values["ralph.room_copy_mb"])


def check(top: str, criteria: "Iterable[Criterion]", choices: "list[dependencies.Choice]") -> redirects.Outside:
    """Return what leads out of a room, as far as it can be redirected. Raises LoopError for what cannot."""
    criteria = list(criteria)
    copied = [os.fsdecode(each.path) for each in choices if each.how == COPIED]
    outside = redirects.look(top, criteria, os.environ, copied)
    refused = outside.refused + _through_links(top, criteria, [os.fsdecode(each.path) for each in choices if each.how == LINKED])
    if refused:
        raise LoopError(f"the checks would look at your own files, not at the loop's: {refused[0]}", redirects.HINT)
    return outside


def _through_links(top: str, criteria: "list[Criterion]", linked: "list[str]") -> "list[str]":
    """Return a line for each linked folder that leads back into the person's tree, or that a check would change."""
    found = []
    for path in linked:
        if path.rpartition("/")[2] == "node_modules":
            names = redirects.linked_modules(top, f"{top}/{path}")
            found += [f"{path}/{names[0]} is a link into this project, and {path} is too large to copy"] if names else []
        if os.path.exists(f"{top}/{path}/pyvenv.cfg"):
            found += [
                f"{shlex.join(each.argv)} would change {path}, which is too large to copy (ralph.room_copy_mb)"
                for each in criteria
                if each.argv and each.argv[0].rpartition("/")[2] in INSTALLERS
            ]
    return found


def _make_repositories(snapshots: "store.Snapshots", source: str, top: str, run_id: str, linked: "list[str]") -> None:
    """Give the room a repository wherever the tree has one: its own, those of submodules, others that lie in it."""
    rules = json.loads(snapshots.property(ignoring.AT_START + run_id) or "{}")
    for prefix in sorted(rules):
        place, target = f"{source}/{prefix}".rstrip("/"), f"{top}/{prefix}".rstrip("/")
        hidden = [path[len(prefix) :] for path in linked if path.startswith(prefix)]
        if os.path.isdir(target) and os.path.lexists(f"{place}/.git") and repository.make(place, target, hidden):
            repository.redirect(target, source, top, prefix)
    if "" in rules:
        _copy_tracked_state(source, top)


def _copy_tracked_state(source: str, top: str) -> None:
    """Copy what git tracks of our own folder, or it would count as deleted."""
    for name in run_git([*GIT, "ls-files", "-z", "--", paths.STATE], source)[1].split(b"\0"):
        if name:
            target = os.path.join(os.fsencode(top), name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            filling.copy_file(os.path.join(os.fsencode(source), name), target)


def enter(loop: "Loop") -> None:
    """Make the room of a loop from its newest snapshot and work there. Raises LoopError and SnapshotError.

    The caller holds the lock. Rooms that nobody needs any more go first.
    """
    loop.told(MEANWHILE + "making a room for the loop")
    if not loop.option("attempt_of"):  # others are at work beside it
        _sweep(loop)
    former, loop.run.room = loop.run.room, ""  # its checks as the person's tree has them
    loop.see_room()
    if not files.last_snapshot(loop.run):  # it was killed before there was one
        files.begin(loop)
    checks = loop.every_criterion()
    made = make(loop.project, loop.run.id, files.last_snapshot(loop.run), files.scope_of(loop.settings), loop.settings, checks)
    loop.run.room = former
    loop.note("room", path=made.path, base=made.base, linked=made.linked, roots=made.roots)
    if paths.IN_ROOMS in former and former != made.path:
        remove_folder(os.path.dirname(former))
    loop.see_room()
    for line in _lines_of(made, walls.holds_links(loop)):
        loop.told(line)


def _sweep(loop: "Loop") -> None:
    with store.open_store(loop.project) as snapshots:
        sweep(loop.project, [run for run in runs.all(loop.project) if run.id != loop.run.id], snapshots)


def is_there(loop: "Loop") -> bool:
    """Say whether the room of a loop is there to go on in, or none is needed; that of a project that was moved leads elsewhere."""
    here = os.path.realpath(rooms.top_of(loop.project.tree, loop.run.id))
    return bool(loop.option("here") is not False or (loop.run.room == here and os.path.isdir(here)))


def _lines_of(made: "Room", held: bool) -> "list[str]":
    """Return what a person should know of a room."""
    lines = ["works in a room of its own; your files stay as they are"]
    rule = "and read-only there" if held else "and yours: the loop ends where something is written there"
    lines += [f"linked, {rule}: {', '.join(made.linked[:MOST_NAMED])}"] if made.linked else []
    missing = [path.decode("utf-8", "backslashreplace") for path in made.missing[:MOST_NAMED]]
    return lines + ([f"not in it: {', '.join(missing)}"] if missing else [])


def remove_room(tree: str, run_id: str) -> None:
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
    remove_room(project.tree, run_id)


def is_needed(run: "Run") -> bool:
    """Say whether a run can go on in its room, or has something in it that the person does not have, commits too."""
    has_all = run.applied and not run.applied[-1]["conflicts"] and (run.brought.get("name") or not run.commits)
    return run.status != SUCCESS or bool(run.iterations and not has_all)
