"""Choose what a prompt is told within a budget, without what its session already knows."""

from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import receipts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

MOST_ITEMS = 5
MOST_MISSED = 3
NO_SESSION = -1
# Of an item that is admitted but far behind the best one, nobody asked: at 0.7 three to eight of a hundred items less are
# irrelevant than at 0.4, and as many prompts get a relevant one.
LEAST_SHARE = 0.7


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
    found = search.hits(stores[0], query, now, sense)
    if len(stores) > 1:
        found = _with_shared(found, search.hits(stores[1], query, now, sense))
    if not found:
        return "", []
    known = block.read_instructions(project, window.instructions) if found[0].admitted else None
    choice = [(hit, block.Memory(hit.values, known, settings)) for hit in found]
    meant = [(hit, memory) for hit, memory in choice if hit.admitted and hit.score >= LEAST_SHARE * found[0].score]
    kept = block.folded([memory for _, memory in meant])
    fresh = [(hit, memory) for hit, memory in meant if memory in kept and _is_fresh(memory, window)][:MOST_ITEMS]
    block.compare([memory for _, memory in fresh], known)
    texts, items = _fill(fresh, window.told, settings["memory.inject_tokens_prompt"])
    passed = {item.memory for item in items} | set(window.told)
    missed = [(hit, memory) for hit, memory in choice if memory.public_id not in passed]
    items += [receipts.Item(memory.public_id, "missed", hit.score, hit.evidence, 0) for hit, memory in missed[:MOST_MISSED]]
    return "\n".join(texts), items


def _with_shared(own: "list[search.Hit]", shared: "list[search.Hit]") -> "list[search.Hit]":
    """Add the best hits in the memory of all projects, each memory ranked by itself, and at most half of what is told."""
    for hit in shared:
        hit.values = (*hit.values[:2], NO_SESSION, *hit.values[3:])  # its sessions are numbered apart
    found = own + shared[: MOST_ITEMS // 2 if own else MOST_ITEMS]
    found.sort(key=lambda hit: (not hit.admitted, -hit.score))
    return found


def _is_fresh(memory: block.Memory, window: Window) -> bool:
    """Say whether the context window lacks a memory, and what says the same: neither told in full, nor happened in it."""
    return memory.says_something() and all([_is_missing(each, window) for each in (memory, *memory.again)])


def _is_missing(memory: block.Memory, window: Window) -> bool:
    happened_here = memory.session == window.session and memory.seq > window.since
    known = window.told.get(memory.public_id)
    told_whole = known == "full" or (known == "line" and memory.full() == memory.line())
    return not happened_here and not told_whole


def _fill(
    fresh: "list[tuple[search.Hit, block.Memory]]", told: "dict[str, str]", budget: int
) -> "tuple[list[str], list[receipts.Item]]":
    """Spend the budget: a line for each first, then the best ones in full."""
    room = budget - row.tokens(block.OPENING) - block.FENCE_TOKENS
    texts: dict[str, str] = {}
    costs: dict[str, int] = {}
    for _, memory in fresh:
        # what was told in a line already is worth telling again only in full
        line = "" if any([each.public_id in told for each in (memory, *memory.again)]) else memory.line()
        if row.tokens(line) <= room:
            texts[memory.public_id], costs[memory.public_id] = line, row.tokens(line)
            room -= costs[memory.public_id]
    for _, memory in fresh:
        full = memory.full()
        more = row.tokens(full) - costs.get(memory.public_id, 0)
        if memory.public_id in costs and more <= room:
            texts[memory.public_id], costs[memory.public_id] = full, row.tokens(full)
            room -= more
    kept = [(hit, memory) for hit, memory in fresh if texts.get(memory.public_id)]
    items = []
    for hit, memory in kept:
        item = receipts.Item(
            memory.public_id, _outcome(memory, texts), hit.score, hit.evidence, costs[memory.public_id], memory.own_words()
        )
        items += [item, *receipts.folded(item, [each.public_id for each in memory.again])]
    return [texts[memory.public_id] for _, memory in kept], items


def _outcome(memory: block.Memory, texts: "dict[str, str]") -> str:
    return "line" if texts[memory.public_id] == memory.line() else "full"
