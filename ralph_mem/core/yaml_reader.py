"""A small strict reader for config files: mappings, lists and scalars; no anchors, tags, documents or flow mappings.

The hooks' interpreter sees no packages. What this reader refuses, it names with its line.
"""

from ralph_mem.core.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORDS: "dict[str, bool | None]" = {
    "true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "null": None, "~": None, "": None,
}  # fmt: skip
REFUSED = "&*!|>{%@`"


def read(text: str) -> "dict[str, Any]":
    """Return the values by dotted key, such as `memory.auto_inject`. Raises ConfigError with the line number."""
    values: dict[str, Any] = {}
    above: list[tuple[int, str]] = []  # the keys that the current line stands under, with their indents
    items: tuple[int, list[Any]] | None = None
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = _without_comment(raw)
        content = line.strip()
        if not content or (content == "---" and not values):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if "\t" in line[: indent + 1]:
            raise ConfigError(f"line {number}: a tab where spaces are needed")
        if content == "-" or content.startswith("- "):
            items = _item(values, above, items, indent, number)
            items[1].append(_item_value(content[1:].strip(), number))
            continue
        items = None
        while above and above[-1][0] >= indent:
            above.pop()
        key, colon, rest = content.partition(":")
        if not colon or (rest and rest[0] != " "):
            raise ConfigError(f"line {number}: `key: value` is needed")
        if above and values[".".join([part for _, part in above])] is not None:
            raise ConfigError(f"line {number}: `{key.strip()}` stands under a value")
        above.append((indent, key.strip().strip("\"'")))
        name = ".".join([part for _, part in above])
        if name in values and values[name] is not None:
            raise ConfigError(f"line {number}: {name} stands here a second time")
        values[name] = _value(rest.strip(), number)
    return values


def _item(
    values: "dict[str, Any]", above: "list[tuple[int, str]]", items: "tuple[int, list[Any]] | None", indent: int, number: int
) -> "tuple[int, list[Any]]":
    """Return the list that an item belongs to."""
    if items and items[0] == indent:
        return items
    name = ".".join([part for _, part in above])
    if not above or values.get(name) is not None or indent < above[-1][0]:
        raise ConfigError(f"line {number}: a list item that belongs to no key")
    values[name] = []
    return indent, values[name]


def _item_value(text: str, number: int) -> "str | int | float | bool | None":
    if text.startswith(("[", "- ")) or text == "-":
        raise ConfigError(f"line {number}: a list inside a list is more than a config file needs")
    return _scalar(text, number)


def _without_comment(line: str) -> str:
    quote = ""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and (at == 0 or line[at - 1] in " [,"):
            quote = char
        elif char == "#" and (at == 0 or line[at - 1] == " "):
            return line[:at]
    return line


def _value(text: str, number: int) -> "Any":
    if text.startswith("["):
        if not text.endswith("]"):
            raise ConfigError(f"line {number}: a list in brackets must end on its line")
        return [_item_value(item.strip(), number) for item in text[1:-1].split(",") if item.strip()]
    return _scalar(text, number)


def _scalar(text: str, number: int) -> "str | int | float | bool | None":
    if text[:1] in ('"', "'") and text:
        return _quoted(text, number)
    if text[:1] and text[0] in REFUSED:
        raise ConfigError(f"line {number}: `{text[0]}` is more YAML than a config file needs; put the value in quotes")
    if ": " in text or text.endswith(":"):
        raise ConfigError(f"line {number}: a second colon; put the value in quotes")
    if len(text) > 1 and text[0] == "0" and text.isdigit():
        raise ConfigError(f"line {number}: a number that begins with 0 is read in many ways; put it in quotes")
    return WORDS[text.lower()] if text.lower() in WORDS else _number(text)


def _quoted(text: str, number: int) -> str:
    inner, quote = text[1:-1], text[0]
    plain = inner.replace("''", "") if quote == "'" else inner.replace("\\\\", "").replace('\\"', "")
    if len(text) < 2 or text[-1] != quote or quote in plain:
        raise ConfigError(f"line {number}: a quote that does not end, or text behind it")
    if quote == "'":
        return inner.replace("''", "'")
    if "\\" in plain:
        raise ConfigError(f"line {number}: a backslash in double quotes; use single quotes")
    return inner.replace('\\"', '"').replace("\\\\", "\\")


def _number(text: str) -> "str | int | float":
    for kind in (int, float):
        try:
            return kind(text) if text[:1] in "+-.0123456789" else text
        except ValueError:
            continue
    return text
