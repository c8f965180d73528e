"""Write what a prompt is told, within a budget, without what its session already knows."""

from ralph_mem.core import project as projects
from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import features
from ralph_mem.memory.rows import receipts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.inject.instruction_text import Said
    from ralph_mem.memory.inject.prompting import Window
    from ralph_mem.memory.recall import search
    from ralph_mem.memory.store.connection import Store


def told(
    store: "Store", found: "list[search.Hit]", project: "Project", settings: "dict[str, Any]", window: "Window", most: int,
    spare: "int | None" = None,
) -> "tuple[list[str], list[receipts.Item]]":  # fmt: skip
    """Return the texts of what is admitted of hits and the context window lacks, of at most so many, and the items of a receipt.

    Where `spare` is given so many tokens of the budget stay, and the newest is told first, whoever had room first.
    """
    fresh, known = _fresh(found, project, settings, window)
    fresh = fresh[:most]
    memories = [memory for _, memory in fresh]
    block.compare(memories, known)
    block.name_whereabouts(store, memories, projects.elsewhere(project))
    return _fill(fresh, window.told, settings["memory.inject_tokens_prompt"] - (spare or 0), spare is not None)


def _fresh(
    found: "list[search.Hit]", project: "Project", settings: "dict[str, Any]", window: "Window"
) -> "tuple[list[tuple[search.Hit, block.Memory]], Said | None]":
    """Return what is admitted and the context window lacks, each with what says the same, and what the instructions say."""
    known = block.read_instructions(project, window.instructions)
    choice = [(hit, block.Memory(hit.values, known, settings)) for hit in found]
    kept = block.folded([memory for _, memory in choice])  # of those that are not admitted, too: they were said as often
    fresh = [(hit, memory) for hit, memory in choice if hit.admitted and memory in kept and _is_fresh(memory, window)]
    return fresh, known


def _is_fresh(memory: block.Memory, window: "Window") -> bool:
    """Say whether the context window lacks a memory, and what says the same: neither told in full, nor happened in it.

    That an answer is withheld answers no prompt.
    """
    says = memory.says_something() and not memory.only_withholds()
    return says and all([_is_missing(each, window) for each in (memory, *memory.again)])


def _is_missing(memory: block.Memory, window: "Window") -> bool:
    happened_here = memory.session == window.session and memory.seq > window.since
    known = window.told.get(memory.public_id)
    told_whole = known == "full" or (known == "line" and memory.full() == memory.line())
    return not happened_here and not told_whole


def _fill(
    fresh: "list[tuple[search.Hit, block.Memory]]", told: "dict[str, str]", budget: int, newest_first: bool = False
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
    if newest_first:
        fresh = sorted(fresh, key=lambda each: each[1].at, reverse=True)
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
