"""Read tasks in Markdown, boxes with a title, and indented below them what proves them."""

import re

from ralph_mem.ralph.tasks import Item, wrong

BOX = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+|$)(.*)")
# A word of ours and what it says, as plain text or as an item of a list.
SAID = re.compile(r"(\s*)(?:[-*+]\s+)?([a-z]+):(?:\s+|$)(.*)")
FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")


def read(name: str, text: str, known: "frozenset[str]") -> "list[Item]":
    """Return the tasks of a text, with what the words of `known` say of each. Raises LoopError.

    Other lines are for people. What stands in a block of code is no task.
    """
    items: list[Item] = []
    for number, line in outside_of_code(text):
        box, said = BOX.match(line), SAID.match(line)
        if box:
            items.append(Item(number, title_of(name, number, box[2]), box[1] != " ", []))
        elif said and said[1] and items:
            _take(name, number, items[-1], said[2], said[3], known)
        elif said and said[2] in known:
            raise wrong(name, number, f"`{said[2]}:` stands below no task", "indent it below the `- [ ]` line that it is about")
    return items


def outside_of_code(text: str) -> "list[tuple[int, str]]":
    """Return the numbered lines of a text without its blocks of code."""
    found, fence = [], ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]) else fence
        elif mark:
            fence = mark[1]
        else:
            found.append((number, line.rstrip("\r")))
    return found


def title_of(name: str, number: int, text: str) -> str:
    """Return the title of a task in one line. Raises LoopError where there is none."""
    title = " ".join(text.split())
    if not title:
        raise wrong(name, number, "a task without a title", "write what is to be done behind `- [ ]`")
    return title


def _take(name: str, number: int, item: Item, word: str, value: str, known: "frozenset[str]") -> None:
    if word not in known:
        hint = f"a task knows {', '.join(sorted(known))}; begin a line of prose with a capital letter"
        raise wrong(name, number, f"there is no word `{word}:`", hint)
    item.words.append((number, word, _unquoted(value.strip())))


def _unquoted(value: str) -> str:
    """Return a value without the backticks that keep Markdown from reading it."""
    inner = value[1:-1]
    return inner.strip() if len(value) > 2 and value[0] == value[-1] == "`" and "`" not in inner else value
