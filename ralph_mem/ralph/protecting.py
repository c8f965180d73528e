"""Put back what an iteration changed and may not change, be it protected, the plan itself, or beyond its task."""

from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph import files
from ralph_mem.ralph.snapshot import FOLDER, restoring, taking
from ralph_mem.ralph.tasks import boxes, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot import Change, Taken, store

MOST_NAMED = 5


def is_protected(path: bytes, patterns: "Sequence[str]") -> bool:
    """Say whether a path, as seen from the top of the project, is protected.

    Patterns are as in .gitignore, without `!`: `tests/**`, `*.lock`, `/Makefile`, `ci/`.
    """
    name = path.decode("utf-8", "surrogateescape")
    return any([path_rules.matches(name, pattern) for pattern in patterns])


def protected(loop: "Loop", snapshots: "store.Snapshots", taken: "Taken", theirs: "set[bytes]") -> "tuple[Taken, list[str]]":
    """Put protected files back as they were at the start, and take the snapshot again where there were any."""
    patterns = loop.option("protect") or []
    start = loop.run.start_snapshot
    changed = [change.path for change in snapshots.differences(start, taken.id)] if patterns else []
    names = [path for path in changed if is_protected(path, patterns) and path not in theirs]
    if not names:
        return taken, []
    again = _put_back(loop, snapshots, start, taken, names)
    return again, [f"protected, put back: {name.decode('utf-8', 'backslashreplace')}" for name in names]


def _put_back(loop: "Loop", snapshots: "store.Snapshots", target: int, taken: "Taken", names: "list[bytes]") -> "Taken":
    """Put some paths back as an earlier snapshot has them, and take the snapshot again."""
    restoring.roll_back(snapshots, target, taken.id, run=loop.run.id, scope=files.scope_of(loop.settings), force=True, only=names)
    return taking.take(snapshots, taken.label, run=loop.run.id, scope=files.scope_of(loop.settings))


def not_for_the_task(
    loop: "Loop", snapshots: "store.Snapshots", before: int, taken: "Taken", found: "list[Change]"
) -> "tuple[Taken, list[str]]":
    """Put back what the task at hand may not touch, where only the agent works in the tree; else it is only said.

    In a tree that the person works in as well, such a change may be theirs.
    """
    paths = [change.path for change in found if FOLDER not in {each.kind for each in (change.before, change.after) if each}]
    names = [path for path in paths if _is_beyond(loop.run, path.decode("utf-8", "surrogateescape"))]
    if not names:
        return taken, []
    alone = loop.place.top != loop.project.top
    again = _put_back(loop, snapshots, before, taken, names) if alone else taken
    return again, _noticed(loop.run, [name.decode("utf-8", "backslashreplace") for name in names], alone)


def _is_beyond(run: "Run", path: str) -> bool:
    """Say whether a path, as seen from the top, is the plan, or none of the files that the task at hand may touch.

    Patterns are as in .gitignore, without `!`.
    """
    if path == boxes.name_of(run):
        return True
    task = standing.current(run)
    return bool(task and task["files"] and not any([path_rules.matches(path, pattern) for pattern in task["files"]]))


def _noticed(run: "Run", paths: "list[str]", put_back: bool) -> "list[str]":
    """Return lines about such paths that were changed."""
    end = ", put back" if put_back else ""
    plan, task = boxes.name_of(run), standing.current(run)
    found = [f"changed {plan}, the plan, which counts as it was accepted{end}"] if plan in paths else []
    others = [path for path in paths if path != plan]
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    if others and task:
        found.append(f"not among the files of task {task['number']}{end}: {', '.join(others[:MOST_NAMED])}{more}")
    return found
