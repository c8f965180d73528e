"""Tell only what differs of an item of which an earlier one has nearly all words."""

from ralph_mem.memory.inject import block, sameness
from ralph_mem.memory.rows import receipts


def beside(told: "list[block.Item]", label: str, text: str, first: "block.Item") -> str:
    """Return what is told in place of an item with nearly the words of the `first`: what differs, or nothing."""
    shorter = sameness.differing(label, text, first[0], first[2])
    return "" if block.alike(told, block.words_of(shorter)) else shorter


def fold(parts: "dict[str, list[receipts.Item]]", first: str, name: str) -> None:
    """Put into the receipt of a block, by its parts, that an item told another memory as well."""
    for items in parts.values():
        places = [at for at, item in enumerate(items) if item.memory == first]
        for at in places[:1]:
            items[at + 1 : at + 1] = receipts.folded(items[at], [name])
