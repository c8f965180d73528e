"""Put items into JSON that somebody has written, and take them out again; every other byte stays."""

import json
import re
from collections import namedtuple
from typing import Any, Union

BLANK = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder()
INDENT = "  "  # of a file that has none

# One item of an object or a list: its key or number, and where in the text it begins, its value begins, and it ends.
Item = namedtuple("Item", "key start value end")
# Where a container stands: the keys and numbers that lead to it from the outermost.
Way = tuple[Union[str, int], ...]


def put(text: str, way: Way, added: Any) -> str:
    """Return the text with what a list or a mapping holds put at the end of the container there, of the same kind.

    What is put into an empty one stands right behind its bracket; what is made here has a blank there. By that `cut` knows it.
    """
    at, lead = _place(text, way)
    there = _items(text, at)
    lead = _lead(text, there[-1].start) if there else lead
    inner = _written(added, lead, _indent(text))
    end = there[-1].end if there else at + 1
    return text[:end] + ("," + lead if there else "") + inner + text[end:]


def cut(text: str, way: Way) -> str:
    """Return the text without the item there, nor the containers that `put` made for it; empty where nothing is left."""
    if not way:
        return ""
    at, _ = _place(text, way[:-1])
    there = _items(text, at)
    number = [item.key for item in there].index(way[-1])
    item = there[number]
    if number:
        return text[: there[number - 1].end] + text[item.end :]
    if len(there) > 1:
        return text[: item.start] + text[there[1].start :]
    return cut(text, way[:-1]) if item.start > at + 1 else text[: item.start] + text[item.end :]


def replace(text: str, way: Way, value: str) -> str:
    """Return the text with another string in the place of the one there."""
    at, _ = _place(text, way[:-1])
    item = next(item for item in _items(text, at) if item.key == way[-1])
    is_escaped = text.isascii() or any("\ud800" <= char <= "\udfff" for char in value)  # half of a character has no bytes
    return text[: item.value] + json.dumps(value, ensure_ascii=is_escaped) + text[item.end :]


def made(values: dict[str, Any]) -> str:
    """Return the text of a file of our own."""
    return json.dumps(values, indent=INDENT) + "\n"


def _place(text: str, way: Way) -> tuple[int, str]:
    """Return where the bracket of a container stands, and what stands before each item of it where it has none yet."""
    at, lead = _skip(text, 0), "\r\n" if "\r\n" in text else "\n"
    for key in way:
        item = next(item for item in _items(text, at) if item.key == key)
        at, lead = item.value, _lead(text, item.start)
    return at, lead + _indent(text) if "\n" in lead else lead


def _items(text: str, at: int) -> list[Item]:
    """Return the items of the container whose bracket stands there."""
    found: list[Item] = []
    is_list, at = text[at] == "[", _skip(text, at + 1)
    while text[at] not in "]}":
        key, value = (len(found), at) if is_list else _key(text, at)
        found.append(Item(key, at, value, DECODER.raw_decode(text, value)[1]))
        at = _skip(text, found[-1].end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _key(text: str, at: int) -> tuple[str, int]:
    key, end = DECODER.raw_decode(text, at)
    return key, _skip(text, _skip(text, end) + 1)


def _skip(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _lead(text: str, start: int) -> str:
    """Return what stands before an item that begins its line, a blank for one that does not."""
    line = text[:start].rpartition("\n")[2]
    if "\n" not in text[:start] or line.strip():
        return " "
    return ("\r\n" if "\r\n" in text else "\n") + line


def _indent(text: str) -> str:
    """Return the indent of the outermost items."""
    first = next(iter(_items(text, _skip(text, 0))), None)
    lead = _lead(text, first.start) if first else ""
    return (lead.lstrip("\r\n") if "\n" in lead else "") or INDENT


def _written(added: Any, lead: str, indent: str) -> str:
    """Return what stands between the brackets of a list or a mapping."""
    text = json.dumps(added, indent=indent if "\n" in lead else 0)
    inner = text[1:-1].strip().replace("\n" + indent if "\n" in lead else "\n", "\n")
    return inner.replace("\n", lead)
