"""Plan how a tree becomes as a snapshot has it.

What the loop alone changed is put back. What the user changed, what nobody stored and what holds such a thing is kept and named.
"""

import os
import unicodedata
from collections import namedtuple

from ralph_mem.ralph.snapshot import FOLDER, LOST, MEANWHILE, OTHER, Change, Entry, journal, placing, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ralph_mem.ralph.snapshot.store import Snapshots

Action = namedtuple("Action", "path verb why now target early")
Action.__doc__ = """What is to be done to a path, and its entries now and in the target, or None.

The verb is `restore` (a file or link), `make_folder`, `change_mode` (of a folder), `delete` (a file or link) or
`remove_folder`. An `early` deletion comes before anything is put back, since what is put back takes its place.
"""

Plan = namedtuple("Plan", "actions kept git", defaults=((), ()))
Plan.__doc__ = """What a rollback would do: its actions sorted by path, as `(path, why)` what differs and is kept, and what it
would do to git, as pairs of a verb and words."""

BY_LOOP = "changed by the loop"
AFTER_LOOP = "changed by the loop, then by "
BY_BOTH = f"{AFTER_LOOP}you"
BY_YOU = "changed by you"
FORCED = "changed by the loop, then by you, and forced"
NEEDED = "holds what is put back"
MERGED = "merged: both changed it, in different lines"
BACK_TO_YOURS = "changed by the loop after you had: yours again"
ACTS = (BY_LOOP, FORCED, BACK_TO_YOURS)
A_FOLDER = Entry(FOLDER, 0o755, 0, b"", True)  # of which only what was in it is known


def plan_of(
    snapshots: "Snapshots",
    target: int,
    last: int,
    now: int,
    force: bool = False,
    until_ns: int = 0,
    theirs: "Mapping[bytes, int] | None" = None,
) -> Plan:
    """Return what leads from the snapshot `now` to `target`, both by number.

    After `last` only the user changed something, or a rollback did, which is no more the user's than what the loop left. What
    changed after `last` and no later than `until_ns` checks have left behind, and it is the loop's too. `theirs` are paths that
    somebody else changed while the loop was at work, with the snapshot that has what they left: where the loop has changed that
    since, it comes back.
    `force` gives up what the user changed after the loop had changed it, and nothing else.
    """
    changes = snapshots.differences(target, now)
    left = {change.path: change.before for change in snapshots.differences(last, now)}
    left = {path: entry for path, entry in left.items() if not until_ns or snapshots.changed_ns(path) > until_ns}
    present = {change.path: change.after for change in changes}
    ours = journal.put_back(snapshots, last)
    for path, entry in ours.items():
        if path in present:
            left[path] = entry
            if entry == present[path]:
                del left[path]
    for path in _parted(changes, ours):
        left.pop(path, None)
    back = _changed_since(snapshots, theirs or {}, now, left)
    by_path = {**{change.path: change for change in changes}, **back}
    wanted = [change for _, change in sorted(by_path.items()) if change.before != change.after]
    return decide(wanted, left, force, {*(theirs or {})} - back.keys(), back)


def _changed_since(
    snapshots: "Snapshots", theirs: "Mapping[bytes, int]", now: int, left: "dict[bytes, Entry | None]"
) -> "dict[bytes, Change]":
    """Return what leads back to what somebody else left, of the paths that the loop has changed since, with their folders."""
    found: dict[bytes, Change] = {}
    entries = snapshots.some(now, [*theirs, *{folder for path in theirs for folder in folders_above(path)}])
    for path, number in theirs.items():
        before = snapshots.some(number, [path]).get(path)
        if not same(before, entries.get(path)) and path not in left and before is not None:
            found[path] = Change(path, "changed" if path in entries else "deleted", before, entries.get(path))
            gone = [folder for folder in folders_above(path) if folder not in entries]
            found.update({folder: Change(folder, "deleted", A_FOLDER, None) for folder in gone})
    return found


def _parted(changes: "list[Change]", ours: "Collection[bytes]") -> "list[bytes]":
    """Return the paths of which nothing changed but that a rollback took another name from their file."""
    broken = {change.before.twins for change in changes if change.before and change.path in ours}
    return [
        change.path
        for change in changes
        if change.before and change.before.twins and change.before.twins in broken and same(change.before, change.after)
    ]


def decide(
    changes: "Iterable[Change]", left: "dict[bytes, Entry | None]", force: bool = False, theirs: "Collection[bytes]" = (),
    back: "Collection[bytes]" = (),
) -> Plan:  # fmt: skip
    """Decide for each change from the target to now; `left` has what the loop left, of the paths that are different now.

    What `theirs` names is kept; what `back` names comes back as somebody else left it before the loop changed it again.
    """
    by_path = {change.path: change for change in changes}
    actions: dict[bytes, Action] = {}
    kept: dict[bytes, str] = {}
    for path, change in by_path.items():
        why = _doubt(change) or (BACK_TO_YOURS if path in back else MEANWHILE if path in theirs else _hand(change, left, force))
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
        return "was not stored" if now else LOST
    return ""


def _hand(change: "Change", left: "dict[bytes, Entry | None]", force: bool) -> str:
    """Say whose hand changed a path."""
    if change.path not in left:
        return BY_LOOP
    if change.after and same(left[change.path], change.after) and not same(change.before, change.after):
        return BY_LOOP  # since the loop only another name of the file has come or gone
    if left[change.path] == change.before:
        return BY_YOU
    return FORCED if force else BY_BOTH


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
    names = {_folded(path) for path, action in actions.items() if action.verb not in journal.REMOVING}
    ordered = []
    for path in sorted(actions):
        action = actions[path]
        makes_room = _folded(path) in names or any(folder in cleared for folder in folders_above(path))
        early = makes_room and action.verb in journal.REMOVING
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
