"""Choose what a prompt is told within a budget, without what its session already knows."""

from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import candidates, features, search
from ralph_mem.memory.rows import receipts, row, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.inject.instruction_text import Said
    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

MOST_ITEMS = 3
MOST_OF_A_TIME = 8  # where the prompt asks what was done then: lines of eight turns leave room for one of them in full
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
        found = search.of_time(stores[0], span)
    else:
        found = search.hits(stores[0], query, now, sense, tell, turns.at_hand(stores[0], window.session, window.since))
    if len(stores) > 1 and not span:
        found = _with_shared(found, search.hits(stores[1], query, now, sense, tell))
    if not found:
        return "", []
    fresh, known = _fresh(found, project, settings, window) if found[0].admitted else ([], None)
    fresh = fresh[: MOST_OF_A_TIME if span else MOST_ITEMS]
    memories = [memory for _, memory in fresh]
    block.compare(memories, known)
    block.name_hosts(stores[0], memories)
    texts, items = _fill(fresh, window.told, settings["memory.inject_tokens_prompt"])
    passed = {item.memory for item in items} | set(window.told)
    missed = [hit for hit in found if hit.values[1] not in passed][:MOST_MISSED]
    items += [receipts.Item(hit.values[1], "missed", hit.chance, features.packed(hit.features), 0) for hit in missed]
    return "\n".join(texts), items


def _fresh(
    found: "list[search.Hit]", project: "Project", settings: "dict[str, Any]", window: "Window"
) -> "tuple[list[tuple[search.Hit, block.Memory]], Said | None]":
    """Return what is admitted and the context window lacks, each with what says the same, and what the instructions say."""
    known = block.read_instructions(project, window.instructions)
    choice = [(hit, block.Memory(hit.values, known, settings)) for hit in found]
    kept = block.folded([memory for _, memory in choice])  # of those that are not admitted, too: they were said as often
    fresh = [(hit, memory) for hit, memory in choice if hit.admitted and memory in kept and _is_fresh(memory, window)]
    return fresh, known


def _with_shared(own: "list[search.Hit]", shared: "list[search.Hit]") -> "list[search.Hit]":
    """Add the best hits in the memory of all projects, each memory ranked by itself, and at most half of what is told."""
    for hit in shared:
        hit.values = (*hit.values[:2], NO_SESSION, *hit.values[3:])  # its sessions are numbered apart
    found = own + shared[: MOST_ITEMS // 2 if own else MOST_ITEMS]
    found.sort(key=lambda hit: (not hit.admitted, -hit.chance))
    return found


def _is_fresh(memory: block.Memory, window: Window) -> bool:
    """Say whether the context window lacks a memory, and what says the same: neither told in full, nor happened in it.

    That an answer is withheld answers no prompt.
    """
    says = memory.says_something() and not memory.only_withholds()
    return says and all([_is_missing(each, window) for each in (memory, *memory.again)])


def _is_missing(memory: block.Memory, window: Window) -> bool:
    happened_here = memory.session == window.session and memory.seq > window.since
    known = window.told.get(memory.public_id)
    told_whole = known == "full" or (known == "line" and memory.full() == memory.line())
    return not happened_here and not told_whole


def _fill(
    fresh: "list[tuple[search.Hit, block.Memory]]", told: "dict[str, str]", budget: int
) -> "tuple[list[str], list[receipts.Item]]":
    """Spend the budget: a line for each first, then the best ones in full."""
    room = budget - block.AROUND_TOKENS
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
    repeats = _without_repeats([memory for _, memory in fresh if texts.get(memory.public_id)], texts, costs)
    items = []
    for hit, memory in [(hit, memory) for hit, memory in fresh if texts.get(memory.public_id)]:
        why, cost = features.packed(hit.features), costs[memory.public_id]
        item = receipts.Item(memory.public_id, _outcome(memory, texts), hit.chance, why, cost, memory.own_words())
        items += [item, *receipts.folded(item, [each.public_id for each in memory.again] + repeats.get(memory.public_id, []))]
    return [texts[item.memory] for item in items if item.outcome != receipts.FOLDED], items


def _without_repeats(
    memories: "list[block.Memory]", texts: "dict[str, str]", costs: "dict[str, int]"
) -> "dict[str, list[str]]":  # fmt: skip
    """Shorten or empty the texts of which one before has nearly all words; returns the ids of those it empties, by that one's."""
    told: list[block.Item] = []
    found: dict[str, list[str]] = {}
    for memory in memories if memories[1:] else ():
        text = texts[memory.public_id]
        words = block.words_of(text)
        first = block.alike(told, words)
        if first:
            from ralph_mem.memory.inject import repeats  # lazy: only for items that are nearly the same

            text = texts[memory.public_id] = repeats.beside(told, memory.label(), text, first)
            costs[memory.public_id], words = row.tokens(text), block.words_of(text)
            found.setdefault(first[0], []).extend([memory.public_id] if not text else [])
        told.append((memory.public_id, words, text))
    return found


def _outcome(memory: block.Memory, texts: "dict[str, str]") -> str:
    return "line" if texts[memory.public_id] == memory.line() else "full"
