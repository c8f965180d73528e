"""Choosing: what a person means to forget, with the snapshots that hold it, and what they are shown of it before it goes.

Standard library only: the skill uses it.
"""

from ralph_mem.core import confirmation
from ralph_mem.core.errors import RalphMemError, SnapshotError
from ralph_mem.maintenance.forget import inventory, loop_snapshots, select, verify
from ralph_mem.maintenance.forget.select import name_of
from ralph_mem.memory import access
from ralph_mem.memory.recall import layers
from ralph_mem.memory.recall.lookup import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.maintenance.forget.select import Plan, Selection
    from ralph_mem.maintenance.forget.verify import Needles
    from ralph_mem.memory.recall.lookup import Reader, Row

MOST_SHOWN = 50


class Choice:
    """What a person chose to forget: rows and sessions by memory, `held`: runs whose snapshots go as well; the `digits` stand for
    all of it, and for what it says.
    """

    __slots__ = ("digits", "held", "plans")

    def __init__(self, plans: "list[Plan]", held: "list[loop_snapshots.Held]") -> None:
        self.plans = plans
        self.held = held
        chosen = plans[0].selection
        told = [f"{row.public_id}\n{row.asked}\n{row.said}\n{row.files}\n{row.lines}" for row in self.rows() if _says_anything(row)]
        told += [name_of(plan, number) for plan in plans for number in plan.sessions]
        self.digits = confirmation.of([*told, *self.runs(), f"all {chosen.everything}", f"text {chosen.query.casefold()}"])

    def rows(self) -> "list[Row]":
        """Return all rows that would go."""
        return [row for plan in self.plans for row in plan.rows()]

    def runs(self) -> "list[str]":
        """Return the runs whose snapshots would go."""
        return [each.run for each in self.held]


def _says_anything(row: "Row") -> bool:
    """Say whether a row is more than a place in the order: each command of ours that is typed opens such a turn, this one, too."""
    return row.type != "turn" or bool(row.asked or row.said or row.files or row.lines)


def choose(reader: "Reader", chosen: "Selection", scope: str = select.BOTH, snapshots: bool = False) -> Choice:
    """Return what a selection would take, nothing changed yet; with `snapshots` those that hold it, too.

    Where its rows are gone already, that is the snapshots in which an earlier forget found it, or in which a query is found.
    Raises RalphMemError, NothingFits where that is nothing at all.
    """
    try:
        plans = select.plan(reader, chosen, scope)
        named: list[str] = []
    except select.NothingFits:
        stores = select.within(reader, scope)
        if not (snapshots and stores):
            raise
        plans = [select.Plan(stores[0], [], [], [], chosen)]
        named = loop_snapshots.undecided(reader.stores[0])
        held = _held(reader.project, plans, named)
        if not held:
            raise
        return Choice(plans, held)
    return Choice(plans, _held(reader.project, plans, named) if snapshots else [])


def _held(project: "Project", plans: "list[Plan]", named: "list[str]") -> "list[loop_snapshots.Held]":
    """Return the runs whose snapshots are to go."""
    everything = all_of(plans) in (select.PROJECT, select.BOTH)
    found = []
    for tree in inventory.worktrees_of(project):
        try:
            found += loop_snapshots.runs_that_hold(tree, needles_of(plans), named, everything)
        except SnapshotError:  # told once it is tried
            continue
    return [each for each in found if not each.partly]


def all_of(plans: "list[Plan]") -> str:
    """Return the scope of which plans take everything, nothing where they were chosen otherwise."""
    if not plans[0].selection.everything:
        return ""
    kinds = {select.GLOBAL if access.is_global(plan.store) else select.PROJECT for plan in plans}
    return kinds.pop() if len(kinds) == 1 else select.BOTH


def preview(reader: "Reader", choice: Choice, most: int = MOST_SHOWN) -> "list[str]":
    """Return in lines what would go, the first rows of each kind."""
    plans = choice.plans
    lines = _shown(reader, [row for plan in plans for row in plan.meant], most)
    along = _shown(reader, [row for plan in plans for row in plan.with_them], most)
    lines += ["with it, since it tells of the same:", *along] if along else []
    lines += [f"{name_of(plan, number)}  the session itself" for plan in plans for number in plan.sessions]
    return lines + [f"{each.run}  its snapshots{' (kept while the loop is at work)' if each.busy else ''}" for each in choice.held]


def _shown(reader: "Reader", rows: "list[Row]", most: int) -> "list[str]":
    lines = []
    for row in rows[:most]:
        try:  # read again, the way a search shows it: a preview withholds what a search withholds
            lines.append(layers.index(find(reader, row.public_id)))
        except RalphMemError:
            lines.append(f"{row.public_id}  {row.type}  (about a path that the config excludes)")
    return lines + ([f"and {len(rows) - most} more"] if len(rows) > most else [])


def needles_of(plans: "list[Plan]") -> "Needles":
    """Return what to look for of all that plans take."""
    rows = [row for plan in plans for row in plan.rows()]
    return verify.needles_for(rows, [name_of(plan, number) for plan in plans for number in plan.sessions], plans[0].selection.query)
