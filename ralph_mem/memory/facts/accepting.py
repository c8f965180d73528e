"""Accept or reject a fact as a person decides, fold it into another one, or undo what it did."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import decision, taking
from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store


def accept(store: "Store", fact: "Fact", at: int) -> "list[str]":
    """Make a candidate a fact; what it was in conflict with as an update is replaced, and returned by id. In a transaction.

    One that was replaced holds again, and what replaced it holds as well: each is in conflict with the other. Raises RalphMemError
    where another one holds that says the same words.
    """
    _need_alone(store, fact)
    replaced = []
    for one, other, kind, score, *_ in facts.links(store, fact.public_id):
        old = facts.of_id(store, other)
        if one != fact.public_id or old is None or old.status not in facts.THERE:
            continue
        if kind == facts.RETIRES:
            taking.retire(store, old, fact.public_id, at)
        elif kind == facts.CONFLICTS and score >= decision.SURE:
            taking.supersede(store, fact.public_id, old, fact.said_at, score, at, facts.BY_PERSON)
        else:
            continue
        replaced.append(other)
    retires = any([kind == facts.RETIRES and one == fact.public_id for one, _, kind, *_ in facts.links(store, fact.public_id)])
    facts.hold(store, fact.number, facts.RETIRED if retires else facts.ACTIVE)
    facts.change(store, fact.number, {"recorded_at": at})
    _stand_beside(store, fact, at)
    return replaced


def _need_alone(store: "Store", fact: "Fact") -> None:
    same = [each for each in facts.with_key(store, fact.text_key) if each.status in facts.HOLDING and each.number != fact.number]
    if same and fact.status not in facts.UNDECIDED:
        raise RalphMemError(f"{same[0].public_id} says the same and holds, nothing was changed", "`ralph-mem facts` lists them")


def _stand_beside(store: "Store", fact: "Fact", at: int) -> None:
    """Let what replaced a fact that holds again be in conflict with it."""
    for one, other, kind, score, *_ in facts.links(store, fact.public_id):
        if kind == facts.SUPERSEDES and other == fact.public_id:
            facts.unlink(store, one, kind, other)
            facts.link(store, one, facts.CONFLICTS, other, score, at, facts.BY_PERSON)


def reject(store: "Store", fact: "Fact", at: int) -> None:
    """Let a candidate never come back: the same words are refused from now on. In a transaction."""
    facts.change(store, fact.number, {"status": facts.REJECTED, "retired_at": at})


def fold(store: "Store", fact: "Fact", into: str, at: int) -> None:
    """Let a fact be told as another one that says the same: that one has its sources as well. In a transaction.

    It stays in the history, and `undo` takes it out again. Raises RalphMemError where one of the two does not hold.
    """
    other = facts.of_id(store, into)
    if other is None or other.public_id == fact.public_id:
        raise RalphMemError(f"there is no other fact {into[:40]} in the same memory", "`ralph-mem facts` lists them")
    for each in (fact, other):
        if each.status not in facts.THERE:
            raise RalphMemError(f"{each.public_id} is {each.status}", "only what holds says the same as something else")
    for parent in facts.sources(store, fact.public_id):
        facts.sight(store, other.public_id, parent)
    for pair in ((fact, other), (other, fact)):
        facts.unlink(store, pair[0].public_id, facts.CONFLICTS, pair[1].public_id)
    facts.link(store, other.public_id, facts.SAME, fact.public_id, 1.0, at, facts.BY_PERSON)
    taking.retire(store, fact, other.public_id, at)


def _unfold(store: "Store", fact: "Fact") -> "list[str]":
    """Let a fact that was folded into another one stand for itself again; returns its id, nothing where it was not."""
    found = [one for one, other, kind, *_ in facts.links(store, fact.public_id) if kind == facts.SAME and other == fact.public_id]
    if not found or fact.status != facts.RETIRED:
        return []
    for one in found:
        facts.unlink(store, one, facts.SAME, fact.public_id)
    facts.hold(store, fact.number)
    return [fact.public_id]


def undo(store: "Store", fact: "Fact", at: int) -> "list[str]":
    """Take back what a fact did: what it replaced or retired holds again, and it does not. Returns their ids. In a transaction.

    One that was folded into another holds again. Raises RalphMemError where it did nothing of the kind, or was replaced or retired
    itself since.
    """
    unfolded = _unfold(store, fact)
    if unfolded:
        return unfolded
    did = [(other, kind) for one, other, kind, *_ in facts.links(store, fact.public_id) if one == fact.public_id]
    back = [(other, kind) for other, kind in did if kind in (facts.SUPERSEDES, facts.RETIRES)]
    if not back:
        raise RalphMemError(f"{fact.public_id} has replaced nothing", f"`ralph-mem facts show {fact.public_id}` shows what it did")
    _check_last(store, fact)
    status = facts.CANDIDATE if fact.status == facts.CANDIDATE else facts.ACTIVE
    for other, kind in back:
        old = facts.of_id(store, other)
        if old is not None:
            facts.hold(store, old.number, status)
        facts.unlink(store, fact.public_id, kind, other)
    facts.change(store, fact.number, {"status": facts.REJECTED, "retired_at": at})
    return [other for other, _ in back]


def _check_last(store: "Store", fact: "Fact") -> None:
    """Raise RalphMemError where another fact has replaced or retired one: taken back now, both ends of a chain would hold."""
    if fact.status not in (facts.SUPERSEDED, facts.RETIRED):
        return
    for one, other, kind, *_ in facts.links(store, fact.public_id):
        if other == fact.public_id and kind in (facts.SUPERSEDES, facts.RETIRES) and facts.of_id(store, one):
            did = "replaced" if kind == facts.SUPERSEDES else "taken back"
            raise RalphMemError(f"{fact.public_id} was {did} by {one}", f"take that back first: ralph-mem facts undo {one}")
