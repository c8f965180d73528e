"""Read tasks in YAML, a list of mappings, without a package. What is read at all is read as PyYAML reads it."""

from ralph_mem.core.settings import yaml_subset
from ralph_mem.ralph.tasks import Item, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TITLE = "title"
FORM = "a plan is a list: `- title: What is to be done`, and below it, indented by two, `check: pytest -q`"


def read(name: str, text: str, known: "frozenset[str]") -> "list[Item]":
    """Return the tasks of a text, with what the words of `known` say of each. Raises LoopError."""
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
