"""Order the facts among the answers of a search, of two about the same the later said first."""

from ralph_mem.memory.recall import ranking
from ralph_mem.memory.rows import fact_queries, facts, index_text, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

    Scored = list[tuple[float, tuple[Any, ...]]]

# Facts of which the words of the query weigh the same to a tenth, and of which the score is near that of the first of them, are
# about the same: how long they are, and how often they say a word, tells little in statements of a line. On the histories of rule
# files this puts the new before the old in .99 of the queries, in place of .90; without a look at the score it would also put what
# was said last before what answers, in memories with hundreds of notes.
STEPS, NEAR = 10, 0.9


def newer_first(store: "Store", scored: "Scored", weights: "dict[str, float]") -> "Scored":
    """Return the answers, best first, with the facts about the same in each other's places, by their time.

    `weights` says what each term of the query counts. What a person pinned, or said to mislead, keeps its place.
    """
    names = facts.among(store, [values[1] for _, values in scored])
    places = [at for at, (_, values) in enumerate(scored) if values[1] in names and not any(values[reading.MARKS])]
    if len(places) < 2:
        return scored
    roots = [(ranking.root_of(term), weight) for term, weight in weights.items()]
    held = {at: _held(scored[at][1], roots) for at in places}
    most = max(held.values()) or 1.0
    step = {at: round(STEPS * held[at] / most) for at in places}
    found = list(scored)
    left, order = list(places), []
    while left:
        first = left[0]
        alike = [at for at in left if step[at] == step[first] and scored[at][0] >= NEAR * scored[first][0]]
        order += sorted(alike, key=lambda at: -scored[at][1][reading.CREATED_AT])
        left = [at for at in left if at not in alike]
    for place, at in zip(places, order):
        found[place] = (scored[place][0], scored[at][1])
    return found


def folded(store: "Store", scored: "Scored") -> "tuple[Scored, dict[str, list[str]]]":
    """Return the answers without those facts that one further up contradicts, and the ids of these by the id of that one."""
    places = {values[1]: at for at, (_, values) in enumerate(scored)}
    below: dict[str, list[str]] = {}
    for one, other in fact_queries.contradicted(store, list(places)):
        if places[one] < places[other]:
            below.setdefault(one, []).append(other)
    gone = {other for others in below.values() for other in others}
    return [each for each in scored if each[1][1] not in gone], below


def _held(row: "tuple[Any, ...]", roots: "list[tuple[str, float]]") -> float:
    """Return what the terms of the query weigh that a row holds."""
    whole = index_text.plain("\0".join(row[reading.INDEXED]))
    return sum([weight for root, weight in roots if root in whole])
