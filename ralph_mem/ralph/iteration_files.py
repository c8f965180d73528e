"""Take in the files as an iteration left them, put back what it may not change, and tell the rest."""

from collections import namedtuple

from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.format import listed
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.ralph import changes, files
from ralph_mem.ralph.judges import tampering
from ralph_mem.ralph.snapshot import FILE, FOLDER, NO_WAY_BACK, ignoring, others, restoring, store, taking
from ralph_mem.ralph.tasks import boxes, task_at_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.snapshot import Change, Entry, Taken

    Content = Callable[[Change], "bytes | None"]

# What is compared line by line; a larger file is named alone.
MOST_BYTES_COMPARED = 262_144

After = namedtuple("After", "snapshot tree changed tampered unnamed", defaults=(0,))
After.__doc__ = """The files as an iteration left them: the number of their snapshot and the hash of the tree (0 and empty without
snapshots), what it changed as `changes.described` tells it and how many files more, and lines about edits to what judges it."""
NOT_KEPT = After(0, "", [], [])
MOST_NAMED = 5


def after(loop: "Loop", number: int) -> After:
    """Take the snapshot of an iteration and tell what it changed; protected files are put back first. Raises SnapshotError."""
    if not loop.option("snapshot"):
        return NOT_KEPT
    with store.open_store(loop.place) as snapshots:
        restoring.recover(snapshots)
        snapshots.find_of(loop.run.id, files.last_snapshot(loop.run))
        before = _begun_from(snapshots, loop.run.id)
        lost = files.settle_overwritten(loop, snapshots)
        taken = taking.take(snapshots, f"iteration {number}", run=loop.run.id, scope=files.scope_of(loop.settings))
        theirs = files.note_others(loop, snapshots, taken.id)
        found, contents = _of_agent(loop, snapshots, taken.id, snapshots.differences(before, taken.id)), _contents(snapshots)
        tampered = [*ignoring.changed(snapshots, loop.run.id), *tampering.told(found, *contents, loop.criteria())]
        just_now = others.between(snapshots, loop.run.id, before, taken.id)
        own = [change for change in found if change.path not in just_now]
        taken, again = _protected(loop, snapshots, taken, theirs)
        taken, beyond = _not_for_the_task(loop, snapshots, before, taken, own)
        left = {change.path for change in snapshots.differences(before, taken.id)}  # without what was put back
        own = [change for change in own if change.path in left]
        lost = [*lost, *_no_way_back(own)] if loop.place.top == loop.project.top else lost
        changed = changes.described(own, *contents, loop.project, loop.settings)
        return After(taken.id, taken.tree, changed, [*again, *beyond, *lost, *tampered], len(own) - len(changed))


def as_at_start(loop: "Loop", number: int) -> "list[str]":
    """Return which paths that iterations changed are in a snapshot as they were at the start, as the record names them."""
    names = {each[0] for iteration in loop.run.iterations for each in iteration.changed} - {changes.EXCLUDED}
    if not (number and names):
        return []
    with store.open_store(loop.place) as snapshots:
        found = snapshots.differences(loop.run.base or loop.run.start_snapshot, number)
    other = [change.path.decode("utf-8", "replace") for change in found]
    back = names.difference(other)
    return sorted(back.difference(privacy.protect(other, loop.project, loop.settings)[0])) if back else []


def _begun_from(snapshots: "store.Snapshots", run_id: str) -> int:
    """Return the snapshot with which an iteration began, also one that was cut off, maybe looked at then, and is done again."""
    labels = [(each.id, each.label) for each in snapshots.taken(run_id) if restoring.is_of_the_loop(each.label)]
    return max([number for number, label in labels if not label.endswith(files.CUT_OFF)], default=0)


def _of_agent(loop: "Loop", snapshots: "store.Snapshots", number: int, found: "list[Change]") -> "list[Change]":
    """Return what changed after the last checks were done: what they left behind is neither the agent's doing nor the person's."""
    done = files.checked_ns(loop.run)
    left = {change.path for change in found if snapshots.changed_ns(change.path) <= done}
    others.note(snapshots, loop.run.id, number, others.CHECKS, left)
    return [change for change in found if change.path not in left]


def _no_way_back(found: "list[Change]") -> "list[str]":
    """Return a line for each path of the person's that changed and of which no snapshot has what it was."""
    paths = [each.path for each in found if each.before and each.before.kind != FOLDER and not each.before.stored]
    return [f"{NO_WAY_BACK}: {path.decode('utf-8', 'backslashreplace')}" for path in paths]


def _contents(snapshots: "store.Snapshots") -> "tuple[Content, Content]":
    return lambda change: _content(snapshots, change.before), lambda change: _content(snapshots, change.after)


def _content(snapshots: "store.Snapshots", entry: "Entry | None") -> "bytes | None":
    if entry is None or entry.kind != FILE or not entry.stored or entry.size > MOST_BYTES_COMPARED:
        return None
    try:
        return snapshots.content(entry)
    except SnapshotError:  # its loss is told where it matters, when it is to be put back
        return None


def is_protected(path: bytes, patterns: "Sequence[str]") -> bool:
    """Say whether a path, as seen from the top of the project, is protected.

    Patterns are as in .gitignore, without `!`: `tests/**`, `*.lock`, `/Makefile`, `ci/`.
    """
    name = path.decode("utf-8", "surrogateescape")
    return any([path_rules.matches(name, pattern) for pattern in patterns])


def _protected(loop: "Loop", snapshots: "store.Snapshots", taken: "Taken", theirs: "set[bytes]") -> "tuple[Taken, list[str]]":
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


def _not_for_the_task(
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
    task = task_at_hand(run)
    return bool(task and task["files"] and not any([path_rules.matches(path, pattern) for pattern in task["files"]]))


def _noticed(run: "Run", paths: "list[str]", put_back: bool) -> "list[str]":
    """Return lines about such paths that were changed."""
    end = ", put back" if put_back else ""
    plan, task = boxes.name_of(run), task_at_hand(run)
    found = [f"changed {plan}, the plan, which counts as it was accepted{end}"] if plan in paths else []
    others = [path for path in paths if path != plan]
    if others and task:
        found.append(f"not among the files of task {task['number']}{end}: {listed(others, MOST_NAMED)}")
    return found
