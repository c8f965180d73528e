"""Take in the files as an iteration left them, and tell what it changed."""

from collections import namedtuple

from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.redaction import privacy
from ralph_mem.ralph import changes, files, protecting
from ralph_mem.ralph.judges import tampering
from ralph_mem.ralph.snapshot import FILE, FOLDER, NO_WAY_BACK, ignoring, others, restoring, store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.snapshot import Change, Entry

    Content = Callable[[Change], "bytes | None"]

# What is compared line by line; a larger file is named alone.
MOST_BYTES_COMPARED = 262_144

After = namedtuple("After", "snapshot tree changed tampered unnamed", defaults=(0,))
After.__doc__ = """The files as an iteration left them: the number of their snapshot and the hash of the tree (0 and empty without
snapshots), what it changed as `changes.described` tells it and how many files more, and lines about edits to what judges it."""
NOT_KEPT = After(0, "", [], [])


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
        taken, again = protecting.protected(loop, snapshots, taken, theirs)
        taken, beyond = protecting.not_for_the_task(loop, snapshots, before, taken, own)
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
