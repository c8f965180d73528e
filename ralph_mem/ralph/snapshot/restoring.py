"""Put a tree back as a snapshot has it, in a way that can be undone."""

import os
from collections import namedtuple

from ralph_mem.ralph.snapshot import FOLDER, execution, journal, listing, others, taking
from ralph_mem.ralph.snapshot.journal import Step
from ralph_mem.ralph.snapshot.placing import OWNERS
from ralph_mem.ralph.snapshot.rollback_plan import BACK_TO_YOURS, Plan, folders_above, plan_of, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from ralph_mem.ralph.snapshot.store import Snapshots

SAFETY = "pre-rollback-"
PREVIEW, APPLIED, OVERWRITTEN, MADE = "preview", "applied", "overwritten", "made of two"
OF_THE_USER = (PREVIEW, APPLIED, OVERWRITTEN, MADE)
GONE = "the snapshot that had it is gone"

Report = namedtuple("Report", "target restored deleted kept unstored safety git", defaults=((),))
Report.__doc__ = """What a rollback to the snapshot `target` did: the paths put back and those deleted, no more and no less.

`kept` has what differs from the target still and `unstored` what one of the two snapshots saw without storing it, both as
`(path, why)`. Rolling back to `safety`, the number of the snapshot before it, undoes it. `git` is as in a Plan.
"""


def roll_back(  # noqa: PLR0913 - a rollback has as many options as its command
    snapshots: "Snapshots", target: int, last: "int | None" = None, run: str = "", scope: "listing.Scope" = listing.DEFAULT, *,
    force: bool = False, only: "Collection[bytes] | None" = None, on_step: "journal.OnStep" = None, until_ns: int = 0,
    everything: bool = False, begins: "Callable[[int], Any] | None" = None,
) -> Report:  # fmt: skip
    """Put the tree back as the snapshot `target` has it, but for what the user changed since, and say what was done.

    `last` is the snapshot after which only the user changed something, by default the newest that the run took of its own
    work; rollbacks since then are taken into account. The run is by default that of the target, and any snapshot can be
    the target: that of an earlier report's `safety` undoes what it reports. `force` gives up what the user changed after
    the loop had changed it, `everything` what somebody changed while it was at work. With `only` nothing but these paths is
    touched. `on_step` hears of each step, and `begins` of the number of the safety snapshot once there is something to be done.

    Raises SnapshotError. Where it comes before the journal is begun nothing has changed, and afterwards `recover` goes on.
    """
    recover(snapshots, on_step)
    run = run or snapshots.run_of(target)  # so that no quota takes the target away
    last = last_of(snapshots, run) if last is None else last
    _tell(on_step, "safety snapshot")
    safety = taking.take(snapshots, safety_label(snapshots), run, scope)
    theirs = {} if everything else others.since(snapshots, run, target)
    plan = plan_of(snapshots, target, last or target, safety.id, force, until_ns, theirs)
    plan = plan if only is None else within(plan, only)
    if any([action.why == BACK_TO_YOURS for action in plan.actions]):
        target = taking.write_down(snapshots, MADE, run, {action.path: action.target for action in plan.actions}, [])
    if begins and plan.actions:
        begins(safety.id)
    return execute(snapshots, plan, target, safety.id, on_step)


def execute(snapshots: "Snapshots", plan: Plan, target: int, safety: int, on_step: "journal.OnStep" = None) -> Report:
    """Carry out a plan that leads from the snapshot `safety`, which the tree is as, to `target`. Raises as `roll_back`."""
    if not plan.actions:
        return Report(target, [], [], plan.kept, _unstored(snapshots, target, safety), safety)
    _tell(on_step, "begin journal")
    begun = journal.begin(snapshots, target, safety, _steps(snapshots, plan))
    entries = {action.path: (action.now, action.target) for action in plan.actions}
    return _carry_out(snapshots, begun, entries, False, on_step)


def preview(  # noqa: PLR0913, PLR0917 - as for a rollback
    snapshots: "Snapshots", target: int, last: "int | None" = None, run: str = "", scope: "listing.Scope" = listing.DEFAULT,
    force: bool = False, until_ns: int = 0, everything: bool = False,
) -> "Plan":  # fmt: skip
    """Return what `roll_back` would do and keep, and change nothing in the tree.

    The snapshot that tells stays in the store, where it takes no more than what differs, and counts as nobody's work.
    """
    run = run or snapshots.run_of(target)
    last = last_of(snapshots, run) if last is None else last
    now = taking.take(snapshots, PREVIEW, run, scope)
    theirs = {} if everything else others.since(snapshots, run, target)
    return _as_it_goes(snapshots, plan_of(snapshots, target, last or target, now.id, force, until_ns, theirs))


def _as_it_goes(snapshots: "Snapshots", plan: "Plan") -> "Plan":
    """Return a plan that keeps the folders in which something lies that no snapshot has, such as a repository of their own."""
    going = {action.path for action in plan.actions if action.verb in journal.REMOVING}
    stays = {}
    for path in sorted([action.path for action in plan.actions if action.verb == "remove_folder"], reverse=True):
        try:
            names = os.listdir(snapshots.top + b"/" + path)
        except OSError:  # told when it is to go
            continue
        if not going.issuperset([path + b"/" + name for name in names]):
            going.remove(path)
            stays[path] = journal.NOT_EMPTY
    return plan._replace(
        actions=[action for action in plan.actions if action.path not in stays], kept=sorted([*plan.kept, *stays.items()])
    )


def recover(snapshots: "Snapshots", on_step: "journal.OnStep" = None) -> "Report | None":
    """Finish the rollback that a crash or a full disk left half done, and report the whole of it; None where there is none.

    What was changed since then is the user's: it is kept and named.
    """
    begun = journal.unfinished(snapshots)
    if begun is None:
        return None
    known = {taken.id for taken in snapshots.taken()}
    snapshots = journal.place(snapshots)
    is_there = not snapshots.is_room or os.path.isdir(snapshots.top)
    if not (is_there and {begun.target, begun.safety} <= known):  # nothing tells any more what to put where
        if is_there:
            execution.sweep(snapshots, begun)
        journal.finish(snapshots, begun, {step.path: GONE for step in begun.steps})
        return Report(begun.target, [], [], [(step.path, GONE) for step in begun.steps], [], begun.safety)
    snapshots.see_place(snapshots.run_of(begun.target))
    changes = snapshots.differences(begun.target, begun.safety)
    return _carry_out(snapshots, begun, {change.path: (change.after, change.before) for change in changes}, True, on_step)


def report_of(snapshots: "Snapshots", target: int, safety: int) -> "tuple[Report | None, list[Step]]":
    """Return what a rollback from the snapshot `safety` came to that is over by now, with its steps; None where it never began."""
    steps = journal.steps_from(snapshots, safety)
    if steps is None:
        return None, []
    done = [step for step in steps if step.verb not in journal.UNCHANGING]
    deleted = [step.path for step in done if step.verb in journal.REMOVING]
    kept = sorted([(step.path, step.why) for step in steps if step.verb == "keep"])
    restored = [step.path for step in done if step.verb not in journal.REMOVING]
    return Report(target, restored, deleted, kept, [], safety), done


def last_of(snapshots: "Snapshots", run: str = "") -> int:
    """Return the newest snapshot of a run that tells what the loop left, 0 for a run without any.

    A safety snapshot does not: it has what the user did since then, which would count as the loop's. Nor does one of a result
    in the user's tree.
    """
    return max((taken.id for taken in snapshots.taken(run) if is_of_the_loop(taken.label)), default=0)


def is_of_the_loop(label: str) -> bool:
    """Say whether a snapshot with this label tells what the loop left."""
    return label not in OF_THE_USER and not label.startswith(SAFETY)


def _carry_out(
    snapshots: "Snapshots", begun: "journal.Journal", entries: "journal.Entries", again: bool, on_step: "journal.OnStep"
) -> Report:
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


def safety_label(snapshots: "Snapshots") -> str:
    """Return the label of the next safety snapshot."""
    numbers = [taken.label[len(SAFETY) :] for taken in snapshots.taken() if taken.label.startswith(SAFETY)]
    return f"{SAFETY}{max((int(number) for number in numbers if number.isdecimal()), default=0) + 1}"


def _unstored(snapshots: "Snapshots", *numbers: int) -> "list[tuple[bytes, str]]":
    return sorted({path: why for number in numbers for path, why in snapshots.find(number).unstored}.items())


def _tell(on_step: "journal.OnStep", name: str) -> None:
    if on_step:
        on_step(name)
