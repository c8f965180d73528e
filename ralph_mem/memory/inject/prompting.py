"""Choose what a prompt is told within a budget, without what its session already knows."""

from ralph_mem.memory.recall import candidates, features, ranking, search
from ralph_mem.memory.rows import receipts, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

MOST_ITEMS = 3
MOST_MISSED = 3
NO_SESSION = -1


class Window:
    """The context window of a session: its row number, the `seq` since which it is whole, and what it holds of us, as
    `receipts.told` returns it.
    """

    __slots__ = ("instructions", "session", "since", "told")

    def __init__(self, session: int, since: int, told: "dict[str, str]", instructions: "tuple[str, ...]" = ()) -> None:
        self.session = session
        self.since = since
        self.told = told
        self.instructions = instructions


def build(
    stores: "list[Store]",
    project: "Project",
    settings: "dict[str, Any]",
    query: str,
    window: "Window",
    now: int,
    sense: "Sense | None" = None,
) -> "tuple[str, list[receipts.Item]]":
    """Return what a prompt should be told, and the items of its receipt.

    The first store is the project's, a second one that of all projects. `now` is in milliseconds and only orders; a `sense`
    tells what means the same without a common word. Both results are empty where nothing is worth saying.
    """
    tell = settings["memory.tell"]
    span = candidates.time_asked_about(query, now)
    if span:
        from ralph_mem.memory.inject import days  # lazy: only for a prompt that asks what was done at a time

        return days.told(stores[0], project, settings, span, window)
    found = search.hits(stores[0], query, now, sense, tell, turns.at_hand(stores[0], window.session, window.since))
    if len(stores) > 1:
        found = _with_shared(found, search.hits(stores[1], query, now, sense, tell))
    if _asks_for_work(query):
        found = [hit for hit in found if not ranking.is_turn(hit.values)]
    if not found:
        return "", []
    texts: list[str] = []
    items: list[receipts.Item] = []
    if found[0].admitted:
        from ralph_mem.memory.inject import prompt_items  # lazy: only for a prompt that may be told something

        if stores[0].property(turns.TAKING_BACK):
            from ralph_mem.memory.recall import retractions  # lazy: only where a prompt may have taken something back

            found = retractions.with_retractions(stores[0], found, (window.session, window.since))
        texts, items = prompt_items.told(stores[0], found, project, settings, window, MOST_ITEMS)
    passed = {item.memory for item in items} | set(window.told)
    missed = [hit for hit in found if hit.values[1] not in passed][:MOST_MISSED]
    items += [receipts.Item(hit.values[1], "missed", hit.chance, features.packed(hit.features), 0) for hit in missed]
    return "\n".join(texts), items


def _asks_for_work(query: str) -> bool:
    """Say whether a prompt is one word that every project is full of: `commit` means none of the turns that did so."""
    word = query.strip(" \n.!").lower()
    return word.isalpha() and candidates.share_of(word) >= candidates.PROJECTS


def _with_shared(own: "list[search.Hit]", shared: "list[search.Hit]") -> "list[search.Hit]":
    """Add the best hits in the memory of all projects, each memory ranked by itself, and at most half of what is told."""
    for hit in shared:
        hit.values = (*hit.values[:2], NO_SESSION, *hit.values[3:])  # its sessions are numbered apart
    found = own + shared[: MOST_ITEMS // 2 if own else MOST_ITEMS]
    found.sort(key=lambda hit: (not hit.admitted, -hit.chance))
    return found
