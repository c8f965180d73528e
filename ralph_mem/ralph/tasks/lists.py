"""Read a list of tasks in Markdown, boxes with what proves each indented below it, or in YAML.

YAML is a list of mappings and read without a package; what is read at all is read as PyYAML reads it.
"""

import re

from ralph_mem.core.settings import yaml_subset
from ralph_mem.ralph.tasks import Item, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BOX = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+|$)(.*)")
# A word of ours and what it says, as plain text or as an item of a list.
SAID = re.compile(r"(\s*)(?:[-*+]\s+)?([a-z]+):(?:\s+|$)(.*)")
FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
TITLE = "title"
FORM = "a plan is a list: `- title: What is to be done`, and below it, indented by two, `check: pytest -q`"


def read_markdown(name: str, text: str, known: "frozenset[str]") -> "list[Item]":
    """Return the tasks of a text in Markdown, with what the words of `known` say of each. Raises LoopError.

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


def read_yaml(name: str, text: str, known: "frozenset[str]") -> "list[Item]":
    """Return the tasks of a text in YAML, with what the words of `known` say of each. Raises LoopError."""
    found = _Tasks(name, known)
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        found.take(number, line)
    return found.ended()


class _Tasks:
    """What was read so far: the tasks, where keys of the last one stand, and the key whose list is being read."""

    __slots__ = ("begun", "indent", "items", "keys_at", "known", "list_at", "name", "waiting")

    def __init__(self, name: str, known: "frozenset[str]") -> None:
        self.name, self.known = name, known
        self.items: list[tuple[int, dict[str, tuple[int, Any]]]] = []
        self.indent = self.keys_at = self.list_at = -1
        self.waiting = ""
        self.begun = False

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        content = line.strip(" ")
        if not content or content[0] == "#" or (not self.begun and line.rstrip(" ") == "---"):
            return
        self.begun = True
        indent = len(line) - len(line.lstrip(" "))
        is_item = content == "-" or content.startswith("- ")
        if is_item and (not self.items or indent == self.indent):
            self._take_task(number, indent, content)
        elif is_item and self.waiting and indent >= self.keys_at and self.list_at in (-1, indent):
            self._take_word(number, indent, content[1:].lstrip(" "))
        elif not is_item and indent == self.keys_at:
            self._take_pair(number, content)
        else:
            raise wrong(self.name, number, "a line that belongs to no task", FORM)

    def _take_task(self, number: int, indent: int, content: str) -> None:
        text = content[1:].lstrip(" ")
        self.indent, self.keys_at = indent, indent + len(content) - len(text)
        self.items.append((number, {}))
        self._take_pair(number, text)

    def _take_pair(self, number: int, content: str) -> None:
        word, value = self._pair(number, content)
        words = self.items[-1][1]
        if word in words:
            raise wrong(self.name, number, f"`{word}` stands in this task a second time", "put several values into a list: [a, b]")
        self.waiting, self.list_at = word if value is None else "", -1
        words[word] = (number, [] if value is None else value)

    def _pair(self, number: int, content: str) -> "tuple[str, Any]":
        values, _, why = yaml_subset.scan(content)
        if why or len(values) != 1:
            raise wrong(self.name, number, why or "`word: value` is needed", FORM)
        ((word, value),) = values.items()
        if word != TITLE and word not in self.known:
            hint = f"a task knows {', '.join([TITLE, *sorted(self.known)])}"
            raise wrong(self.name, number, f"there is no word `{word}`", hint)
        is_open = value is None and not content.partition(":")[2].partition(" #")[0].strip()
        return word, None if is_open else self._texts(number, value)

    def _take_word(self, number: int, indent: int, text: str) -> None:
        values, _, why = yaml_subset.scan(f"value: {text}")
        value = self._texts(number, values.get("value")) if not why else ""
        if why or isinstance(value, list):
            raise wrong(self.name, number, why or "a list inside a list", FORM)
        self.items[-1][1][self.waiting][1].append(value)
        self.list_at = indent

    def _texts(self, number: int, value: "Any") -> "Any":
        """Return a value as text, or a list of texts."""
        if isinstance(value, list):
            return [self._texts(number, each) for each in value]
        if not isinstance(value, str) and type(value) is not int:
            raise wrong(self.name, number, f"{value!r} is no text", "put it in quotes")
        return str(value)

    def ended(self) -> "list[Item]":
        """Return the tasks. Raises LoopError for one without a title."""
        return [self._item(number, words) for number, words in self.items]

    def _item(self, number: int, words: "dict[str, tuple[int, Any]]") -> Item:
        title = words.pop(TITLE, (number, ""))[1]
        if not isinstance(title, str) or not title.split():
            raise wrong(self.name, number, "a task without a title", FORM)
        return Item(number, " ".join(title.split()), False, [(line, word, value) for word, (line, value) in words.items()])
