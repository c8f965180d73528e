"""Let a person's own facts hold no longer while an approved item of a team replaces them."""

from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts, items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

    Pairs = set[tuple[str, str]]

SUPERSEDES = "supersedes"  # under which the value of a team's item has what it replaces


def by_team(store: "Store") -> "Pairs":
    """Return what approved items replace, in pairs of ids: what is replaced, and by which item."""
    if not facts.are_there(store):
        return set()
    held = [each for each in items.below(store, (items.TEAM,)) if each.key == each.public_id and not each.is_unapproved()]
    return {(old, each.public_id) for each in held if isinstance(each.value, dict) for old in each.value.get(SUPERSEDES, ())}


def settle(store: "Store", before: "Pairs", at: int) -> bool:
    """Retire facts that an item replaces now, and bring back those that none replaces any more; says whether any has changed.

    `before` is what `by_team` said before the items changed. What a person has let hold since is left. In that transaction.
    """
    after = by_team(store)
    found = [facts.of_id(store, old) for old in sorted({old for old, _ in before ^ after})]
    return any([_settle(store, fact, before, after, at) for fact in found if fact])


def _settle(store: "Store", fact: "Fact", before: "Pairs", after: "Pairs", at: int) -> bool:
    pairs = sorted(pair for pair in after if pair[0] == fact.public_id)
    new = [pair for pair in pairs if pair not in before]
    is_let_go = fact.status == facts.RETIRED and (fact.public_id, fact.retired_why) in before - after
    if (is_let_go and pairs) or (new and fact.status == facts.ACTIVE):
        taking.retire(store, fact, (new or pairs)[0][1], at)
    elif is_let_go and not any([each.status in facts.HOLDING for each in facts.with_key(store, fact.text_key)]):
        facts.hold(store, fact.number)
    else:
        return False
    return True
