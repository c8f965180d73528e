"""Plan a rollback of a tree to a snapshot, and carry it out so that it can be undone.

What the loop alone changed is put back. What the user changed, what nobody stored and what holds such a thing is kept and named.
"""

import os
import unicodedata
from collections import namedtuple

from ralph_mem.ralph.snapshot import FOLDER, OTHER, execution, journal, listing, placing, taking
from ralph_mem.ralph.snapshot.journal import Step
from ralph_mem.ralph.snapshot.placing import OWNERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any

    from ralph_mem.ralph.snapshot import Change, Entry
    from ralph_mem.ralph.snapshot.journal import Entries, Journal, OnStep
    from ralph_mem.ralph.snapshot.listing import Scope
    from ralph_mem.ralph.snapshot.store import Snapshots

Action = namedtuple("Action", "path verb why now target early")
Action.__doc__ = """What is to be done to a path, and its entries now and in the target, or None.

The verb is `restore` (a file or link), `make_folder`, `change_mode` (of a folder), `delete` (a file or link) or
`remove_folder`. An `early` deletion comes before anything is put back, since what is put back takes its place.
"""

Plan = namedtuple("Plan", "actions kept")
Plan.__doc__ = (
    """What a rollback would do: its actions sorted by path, and as `(path, why)` what differs from the target and is kept."""
)

BY_LOOP = "changed by the loop"
BY_BOTH = "changed by the loop, then by you"
BY_YOU = "changed by you"
FORCED = "changed by the loop, then by you, and forced"
NEEDED = "holds what is put back"
ACTS = (BY_LOOP, FORCED)

REMOVALS = ("delete", "remove_folder")


def plan_of(snapshots: "Snapshots", target: int, last: int, now: int, force: bool = False) -> Plan:
    """Return what leads from the snapshot `now` to `target`, both by number.

    After `last` only the user changed something, or a rollback did, which is no more the user's than what the loop left.
    `force` gives up what the user changed after the loop had changed it, and nothing else.
    """
    changes = snapshots.differences(target, now)
    left = {change.path: change.before for change in snapshots.differences(last, now)}
    present = {change.path: change.after for change in changes}
    ours = journal.put_back(snapshots, last)
    for path, entry in ours.items():
        if path in present:
            left[path] = entry
            if entry == present[path]:
                del left[path]
    for path in _parted(changes, ours):
        left.pop(path, None)
    return decide(changes, left, force)


def _parted(changes: "list[Change]", ours: "Collection[bytes]") -> "list[bytes]":
    """Return the paths of which nothing changed but that a rollback took another name from their file."""
    broken = {change.before.twins for change in changes if change.before and change.path in ours}
    return [
        change.path
        for change in changes
        if change.before and change.before.twins and change.before.twins in broken and _same(change.before, change.after)
    ]


def decide(changes: "Iterable[Change]", left: "dict[bytes, Entry | None]", force: bool = False) -> Plan:
    """Decide for each change from the target to now; `left` has what the loop left, of the paths that are different now."""
    by_path = {change.path: change for change in changes}
    actions: dict[bytes, Action] = {}
    kept: dict[bytes, str] = {}
    for path, change in by_path.items():
        why = _doubt(change) or _hand(change, left, force)
        if why in ACTS:
            actions[path] = Action(path, _verb(change), why, change.after, change.before, False)
        else:
            kept[path] = why
    _make_way(actions, kept, by_path)
    _keep_what_holds(actions, kept, by_path)
    return Plan(_in_time(actions), sorted(kept.items()))


def within(plan: Plan, only: "Collection[bytes]") -> Plan:
    """Return the part of a plan that is about these paths, with the folders that they need."""
    needed = {folder for path in only for folder in folders_above(path)}
    actions = [each for each in plan.actions if each.path in only or (each.path in needed and each.target is not None)]
    return Plan(actions, [each for each in plan.kept if each[0] in only])


def _doubt(change: "Change") -> str:
    """Say why a path is not ours to touch, whoever changed it."""
    target, now = change.before, change.after
    if placing.is_out_of_bounds(change.path):
        return "is never touched"
    if now and now.kind == OTHER:
        return "is a FIFO, socket or device"
    if target and target.kind == OTHER:
        return "was a FIFO, socket or device"
    if now and now.kind != FOLDER and not now.stored:
        return "is not stored in any snapshot as it is now"
    if target and target.kind != FOLDER and not target.stored:
        return "was not stored"
    return ""


def _hand(change: "Change", left: "dict[bytes, Entry | None]", force: bool) -> str:
    """Say whose hand changed a path."""
    if change.path not in left:
        return BY_LOOP
    if _same(left[change.path], change.after) and not _same(change.before, change.after):
        return BY_LOOP  # since the loop only another name of the file has come or gone
    if left[change.path] == change.before:
        return BY_YOU
    return FORCED if force else BY_BOTH


def _same(one: "Entry | None", other: "Entry | None") -> bool:
    """Say whether two entries are the same, whoever else bears the file."""
    return bool(one and other and one._replace(twins=b"") == other._replace(twins=b""))


def _verb(change: "Change") -> str:
    if change.before is None:
        return "remove_folder" if change.after.kind == FOLDER else "delete"
    if change.before.kind != FOLDER:
        return "restore"
    return "change_mode" if change.after and change.after.kind == FOLDER else "make_folder"


def _make_way(actions: "dict[bytes, Action]", kept: "dict[bytes, str]", by_path: "dict[bytes, Change]") -> None:
    """Make the folders that are needed again, and keep what cannot come back because something kept is in its place."""
    for path in sorted(path for path, action in actions.items() if action.target):
        for folder in folders_above(path):
            if folder not in kept:
                continue
            change = by_path[folder]
            if change.after is None and change.before and change.before.kind == FOLDER:
                actions[folder] = Action(folder, "make_folder", NEEDED, None, change.before, False)
                del kept[folder]
            elif change.after is None or change.after.kind != FOLDER:
                del actions[path]
                kept[path] = f"{_shown(folder)} is in its place"
                break


def _keep_what_holds(actions: "dict[bytes, Action]", kept: "dict[bytes, str]", by_path: "dict[bytes, Change]") -> None:
    """Keep the folders of what is kept, though they are to go or to be replaced."""
    for path in [path for path in kept if by_path[path].after]:
        for folder in folders_above(path):
            action = actions.get(folder)
            if action and action.now and action.now.kind == FOLDER and action.verb in ("remove_folder", "restore"):
                del actions[folder]
                kept[folder] = f"holds {_shown(path)}"


def _in_time(actions: "dict[bytes, Action]") -> "list[Action]":
    """Sort the actions, and mark the deletions that make room for what is put back."""
    cleared = {path for path, action in actions.items() if action.verb == "restore" and action.now and action.now.kind == FOLDER}
    # where letters of either case, or in either Unicode form, are the same name, the old one must not be deleted last
    names = {_folded(path) for path, action in actions.items() if action.verb not in REMOVALS}
    ordered = []
    for path in sorted(actions):
        action = actions[path]
        early = action.verb in REMOVALS and (_folded(path) in names or any(folder in cleared for folder in folders_above(path)))
        if early:
            cleared.add(path)  # and with it all that it holds
        ordered.append(action._replace(early=early))
    return ordered


def _folded(path: bytes) -> str:
    return unicodedata.normalize("NFC", os.fsdecode(path)).casefold()


def folders_above(path: bytes) -> "Iterator[bytes]":
    """Return the folders above a path, from the top down."""
    end = path.find(b"/")
    while end > 0:
        yield path[:end]
        end = path.find(b"/", end + 1)


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


SAFETY = "pre-rollback-"
PREVIEW = "preview"
GONE = "the snapshot that had it is gone"

Report = namedtuple("Report", "target restored deleted kept unstored safety")
Report.__doc__ = """What a rollback to the snapshot `target` did: the paths put back and those deleted, no more and no less.

`kept` has what differs from the target still and `unstored` what one of the two snapshots saw without storing it, both as
`(path, why)`. Rolling back to `safety`, the number of the snapshot before it, undoes it.
"""


def roll_back(  # noqa: PLR0913 - a rollback has as many options as its command
    snapshots: "Snapshots", target: int, last: "int | None" = None, run: str = "", scope: "Scope" = listing.DEFAULT, *,
    force: bool = False, only: "Collection[bytes] | None" = None, told: "Callable[[int, int], Any] | None" = None,
    on_step: "OnStep" = None,
) -> Report:  # fmt: skip
    """Put the tree back as the snapshot `target` has it, but for what the user changed since, and say what was done.

    `last` is the snapshot after which only the user changed something, by default the newest that the run took of its own
    work; rollbacks since then are taken into account. The run is by default that of the target, and any snapshot can be
    the target: that of an earlier report's `safety` undoes what it reports. `force` gives up what the user changed after
    the loop had changed it. With `only` nothing but these paths is touched. `told` hears of the safety snapshot's progress,
    and `on_step` of each step.

    Raises SnapshotError. Where it comes before the journal is begun nothing has changed, and afterwards `recover` goes on.
    """
    recover(snapshots, on_step)
    run = run or snapshots.run_of(target)  # so that no quota takes the target away
    last = last_of(snapshots, run) if last is None else last
    _tell(on_step, "safety snapshot")
    safety = taking.take(snapshots, _safety_label(snapshots), run, scope, told)
    plan = plan_of(snapshots, target, last or target, safety.id, force)
    plan = plan if only is None else within(plan, only)
    if not plan.actions:
        return Report(target, [], [], plan.kept, _unstored(snapshots, target, safety.id), safety.id)
    _tell(on_step, "begin journal")
    begun = journal.begin(snapshots, target, safety.id, _steps(snapshots, plan))
    entries = {action.path: (action.now, action.target) for action in plan.actions}
    return _carry_out(snapshots, begun, entries, False, on_step)


def preview(
    snapshots: "Snapshots", target: int, last: "int | None" = None, run: str = "", scope: "Scope" = listing.DEFAULT,
    force: bool = False,
) -> "Plan":  # fmt: skip
    """Return what `roll_back` would do and keep, and change nothing in the tree.

    The snapshot that tells stays in the store, where it takes no more than what differs, and counts as nobody's work.
    """
    run = run or snapshots.run_of(target)
    last = last_of(snapshots, run) if last is None else last
    now = taking.take(snapshots, PREVIEW, run, scope)
    return plan_of(snapshots, target, last or target, now.id, force)


def recover(snapshots: "Snapshots", on_step: "OnStep" = None) -> "Report | None":
    """Finish the rollback that a crash or a full disk left half done, and report the whole of it; None where there is none.

    What was changed since then is the user's: it is kept and named.
    """
    begun = journal.unfinished(snapshots)
    if begun is None:
        return None
    known = {taken.id for taken in snapshots.taken()}
    if not {begun.target, begun.safety} <= known:  # nothing tells any more what to put where
        execution.sweep(snapshots, begun)
        journal.finish(snapshots, begun, {step.path: GONE for step in begun.steps})
        return Report(begun.target, [], [], [(step.path, GONE) for step in begun.steps], [], begun.safety)
    snapshots.see_place(snapshots.run_of(begun.target))
    changes = snapshots.differences(begun.target, begun.safety)
    return _carry_out(snapshots, begun, {change.path: (change.after, change.before) for change in changes}, True, on_step)


def last_of(snapshots: "Snapshots", run: str = "") -> int:
    """Return the newest snapshot of a run that tells what the loop left, 0 for a run without any.

    A safety snapshot does not: it has what the user did since then, which would count as the loop's.
    """
    return max(
        (taken.id for taken in snapshots.taken(run) if taken.label != PREVIEW and not taken.label.startswith(SAFETY)), default=0
    )


def _carry_out(snapshots: "Snapshots", begun: "Journal", entries: "Entries", again: bool, on_step: "OnStep") -> Report:
    outcome = execution.carry_out(snapshots, begun, entries, again, on_step)
    _tell(on_step, "close journal")
    journal.finish(snapshots, begun, dict(outcome.kept))
    kept = sorted([(step.path, step.why) for step in begun.steps if step.verb == "keep"] + outcome.kept)
    unstored = _unstored(snapshots, begun.target, begun.safety)
    return Report(begun.target, outcome.restored, outcome.deleted, kept, unstored, begun.safety)


def _steps(snapshots: "Snapshots", plan: "Plan") -> "list[Step]":
    """Return the rows of a plan: folders that have to be opened first, actions, and what is kept."""
    closed = "SELECT path, mode FROM entries WHERE last IS NULL AND kind = ? AND mode & ? != ? ORDER BY path"
    worked_in = {above for action in plan.actions for above in folders_above(action.path)}
    rows = [
        ("open", path, "", False, mode) for path, mode in snapshots.query(closed, (FOLDER, OWNERS, OWNERS)) if path in worked_in
    ]
    rows += [(action.verb, action.path, action.why, action.early, 0) for action in plan.actions]
    rows += [("keep", path, why, False, 0) for path, why in plan.kept]
    return [Step(place, path, verb, why, early, mode) for place, (verb, path, why, early, mode) in enumerate(rows)]


def _safety_label(snapshots: "Snapshots") -> str:
    numbers = [taken.label[len(SAFETY) :] for taken in snapshots.taken() if taken.label.startswith(SAFETY)]
    return f"{SAFETY}{max((int(number) for number in numbers if number.isdecimal()), default=0) + 1}"


def _unstored(snapshots: "Snapshots", *numbers: int) -> "list[tuple[bytes, str]]":
    return sorted({path: why for number in numbers for path, why in snapshots.find(number).unstored}.items())


def _tell(on_step: "OnStep", name: str) -> None:
    if on_step:
        on_step(name)
