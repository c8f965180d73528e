"""Read mappings, scalars and flat lists in YAML as PyYAML does, and refuse everything else by line."""

import posix

from ralph_mem.core.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes. A config with every key and a comment to each has two thousand; whatever is larger was put there by mistake.
LARGEST = 65_536
# Levels. The keys of this release need two; PyYAML gives up at some three hundred.
DEEPEST = 8
# Characters. 18 digits fit in 64 bits everywhere; Python itself refuses to read 4,301 of them.
LONGEST_NUMBER = 20
LONGEST_KEY = 100

WORDS: "dict[str, bool | None]" = {
    "true": True, "True": True, "TRUE": True, "yes": True, "Yes": True, "YES": True, "on": True, "On": True, "ON": True,
    "false": False, "False": False, "FALSE": False, "no": False, "No": False, "NO": False, "off": False, "Off": False, "OFF": False,
    "null": None, "Null": None, "NULL": None, "~": None, "": None,
}  # fmt: skip
QUOTES = ("'", '"')
DIGITS = "0123456789"
INDICATORS = ",[]{}#&*!|>'\"%@`?:"
# What numbers, dates and times of any YAML are made of. A text that begins like one and has nothing else in it is refused:
# 1_000, 1e3, 0x1F, 0o7, 12:30 and 2026-01-01 are read differently from one program to the next.
NUMERIC = DIGITS + "_.:+-eExXoOabcdefABCDEFtTzZ "


def text_of(path: str) -> str:
    """Return the text of a config file. Raises ConfigError, also for a folder, and for more than 64 KiB."""
    try:
        # not blocking: a FIFO of that name must not hold up a hook
        file = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
        try:
            kind = posix.fstat(file).st_mode & 0o170000
            data = posix.read(file, LARGEST + 1) if kind == 0o100000 else b""
        finally:
            posix.close(file)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot be read ({getattr(error, 'strerror', error)})") from error
    if kind != 0o100000:
        raise ConfigError("is a folder, not a file" if kind == 0o040000 else "is not a regular file")
    if len(data) > LARGEST:
        raise ConfigError(f"is larger than {LARGEST // 1024} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"line {data.count(10, 0, error.start) + 1}: not UTF-8 text") from error


def read(text: str) -> "dict[str, Any]":
    """Return the values by dotted key, such as `memory.auto_inject`. Raises ConfigError with the line number."""
    values, line, why = scan(text)
    if why:
        raise ConfigError(f"line {line}: {why}")
    return values


def scan(text: str) -> "tuple[dict[str, Any], int, str]":
    """Return the values by dotted key; where something is refused none, but the number of its line and why."""
    document = _Document()
    try:
        document.read(text)
    except ConfigError as error:
        return {}, document.line, str(error)
    return document.values, 0, ""


def extents(text: str) -> "dict[str, tuple[int, int]]":
    """Return the first and the last line of each key; one above others ends on its own line. Raises ConfigError."""
    document = _Document()
    document.read(text)
    return document.extents


def parts(line: str) -> "tuple[str, str, str]":
    """Return what stands in front of the value of a key's or an item's line, the value, and the rest. Raises ConfigError."""
    content = line.rstrip("\r\n").removeprefix("\ufeff").strip(" ")
    is_item = content == "-" or content.startswith("- ")
    text = content[1:].lstrip(" ") if is_item else content
    if not is_item or _is_pair(text):
        _, text = _key(text)
    at = len(line.rstrip("\r\n").rstrip(" ")) - len(text)
    end = at + len(text) - len(_behind_value(text))
    return line[:at], line[at:end], line[end:]


class _Document:
    """What was read so far: its values, and where the next line may belong.

    `levels` are the keys that are open, each with its indent; the last of them is `waiting` for what it stands above
    as long as it has no value; `list_at` is the indent of the list that is being read, `item_at` that of the keys of its
    item where it has some, or -1. `extents` are the first and the last line of each key.
    """

    __slots__ = ("begun", "extents", "item_at", "levels", "line", "list_at", "values", "waiting")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.extents: dict[str, tuple[int, int]] = {}
        self.levels: list[tuple[int, str]] = []
        self.line = 0
        self.list_at = self.item_at = -1
        self.waiting = self.begun = False

    def read(self, text: str) -> None:
        """Read a text; where it raises ConfigError, `line` is the number of the line at fault."""
        for self.line, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
            self.take(line)

    def take(self, line: str) -> None:
        """Read one line."""
        if not _is_readable(line):
            raise ConfigError("a control character, or a line break of an unusual kind")
        content = line.strip(" ")
        if not content or content[0] == "#":
            return
        first, self.begun = not self.begun, True
        if first and line[0] == "-" and content.partition(" #")[0].rstrip(" ") == "---":
            return
        indent = len(line) - len(line.lstrip(" "))
        if content == "-" or content.startswith("- "):
            text = content[1:].lstrip(" ")
            self._take_item(indent, text, indent + len(content) - len(text))
        elif indent == self.item_at:
            self._take_pair(*_key(content))
        else:
            self._take_key(indent, *_key(content))

    def _take_item(self, indent: int, text: str, text_at: int) -> None:
        if self.waiting and indent >= self.levels[-1][0]:
            self.values[self._name()] = []
            self.list_at = indent
        elif indent != self.list_at:
            raise ConfigError("a list item that belongs to no key")
        self.waiting = False
        self._stretch()
        self.item_at = text_at if _is_pair(text) else -1
        if self.item_at >= 0:
            self.values[self._name()].append({})
            self._take_pair(*_key(text))
        else:
            self.values[self._name()].append(_item(text))

    def _take_pair(self, key: str, text: str) -> None:
        item = self.values[self._name()][-1]
        if key in item:
            raise ConfigError(f"{key} stands in this item a second time")
        if text[:1] in ("[", "{"):
            raise ConfigError("an item of a list is deeper than a config file goes")
        item[key] = _value(text)
        self._stretch()

    def _stretch(self) -> None:
        """Have the list that is being read end on this line."""
        name = self._name()
        self.extents[name] = (self.extents[name][0], self.line)

    def _take_key(self, indent: int, key: str, text: str) -> None:
        above = len(self.levels)
        while self.levels and self.levels[-1][0] > indent:
            self.levels.pop()
        if self.levels and self.levels[-1][0] == indent:
            self.levels.pop()
        elif len(self.levels) < above or (above and not self.waiting):
            raise ConfigError("indented differently from the keys beside it, or below a value")
        elif above:
            del self.values[self._name()]  # it stands above others and has no value of its own
        self.levels.append((indent, key))
        name = self._name()
        if name in self.extents or len(self.levels) > DEEPEST:
            raise ConfigError(f"{name} stands here a second time" if name in self.extents else "deeper than a config file goes")
        self.extents[name] = (self.line, self.line)
        self.values[name] = _value(text)
        self.waiting, self.list_at, self.item_at = text[:1] in ("", "#"), -1, -1

    def _name(self) -> str:
        return ".".join([key for _, key in self.levels])


def _is_readable(line: str) -> bool:
    """Say whether YAML allows these characters, and agrees with everybody else that they are on one line."""
    return line.isprintable() or all([
        char == "\t" or " " <= char <= "~" or "\xa0" <= char <= "\u2027" or "\u202a" <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufefe" or "\uff00" <= char <= "\ufffd" or char >= "\U00010000"
        for char in line
    ])  # fmt: skip


def _key(content: str) -> "tuple[str, str]":
    """Return the key of a line and the text behind its colon."""
    if content[0] == "\t":
        raise ConfigError("a tab where spaces are needed")
    quoted = content[0] in QUOTES
    key, rest = _quoted(content) if quoted else ("", content)
    before, colon, text = rest.partition(":")
    if not colon or text[:1] not in ("", " ") or (quoted and before.strip(" ")):
        raise ConfigError("`key: value` is needed")
    key = key if quoted else before.rstrip(" ")
    is_name = quoted or ((key[:1].isalpha() or key[:1] == "_") and key.lower() not in WORDS)
    if not (is_name and key and len(key) <= LONGEST_KEY and all([char.isalnum() or char in "_-. /" for char in key])):
        raise ConfigError("a key is a name; a word such as `yes`, a number or a sign is none")
    return key, text.lstrip(" ")


def _is_pair(text: str) -> bool:
    """Say whether an item of a list is a mapping, one key a line."""
    if text[:1] in QUOTES:
        return _quoted(text)[1].lstrip(" ")[:1] == ":"
    plain = _without_comment(text)
    return text[:1] not in ("[", "{") and (": " in plain or plain[-1:] == ":")


def _item(text: str) -> "Any":
    """Return an item of a list: a value, or a mapping in braces."""
    if text[:1] == "[":
        raise ConfigError("a list inside a list is more than a config file needs")
    return _alone(*_mapping(text)) if text[:1] == "{" else _value(text)


def _value(text: str) -> "Any":
    """Return the value that a text begins with; nothing but a comment may stand behind it."""
    if text[:1] == "[":
        return _alone(*_list(text))
    if text[:1] in QUOTES:
        return _alone(*_quoted(text))
    return _plain(_without_comment(text))


def _without_comment(text: str) -> str:
    return (" " + text).partition(" #")[0].strip(" ")


def _behind_value(text: str) -> str:
    """Return what stands behind the value that a text begins with."""
    if text[:1] in ("[", "{"):
        return (_list(text) if text[0] == "[" else _mapping(text))[1]
    return _quoted(text)[1] if text[:1] in QUOTES else text[len(_without_comment(text)) :]


def _alone(value: "Any", rest: str) -> "Any":
    behind = rest.lstrip(" ")
    if behind and (behind == rest or behind[0] != "#"):
        raise ConfigError("text behind a value")
    return value


def _list(text: str) -> "tuple[list[Any], str]":
    items = []
    rest = text[1:].lstrip(" ")
    while rest[:1] != "]":
        item, rest = _mapping(rest) if rest[:1] == "{" else _word(rest, "]")
        items.append(item)
        rest = _behind_comma(rest, "]")
    return items, rest[1:]


def _mapping(text: str) -> "tuple[dict[str, Any], str]":
    """Return the flat mapping in braces that a text begins with, and the rest."""
    pairs: dict[str, Any] = {}
    rest = text[1:].lstrip(" ")
    while rest[:1] != "}":
        key, rest = _key(rest or " ")
        if key in pairs:
            raise ConfigError(f"{key} stands in this item a second time")
        pairs[key], rest = _word(rest, "}")
        rest = _behind_comma(rest, "}")
    return pairs, rest[1:]


def _behind_comma(text: str, end: str) -> str:
    """Return what stands behind the comma after an item; at the end it needs none."""
    rest = text.lstrip(" ")
    if rest[:1] not in (",", end):
        raise ConfigError("what stands in brackets must end on its line, with a comma between two items")
    return rest[1:].lstrip(" ") if rest[0] == "," else rest


def _word(text: str, closing: str) -> "tuple[Any, str]":
    """Return the item in front of the next comma or closing bracket, and the rest."""
    if text[:1] in QUOTES:
        return _quoted(text)
    end = 0
    while end < len(text) and text[end] not in "," + closing:
        end += 1
    word = text[:end].rstrip(" ")
    if not word:
        raise ConfigError("what stands in brackets must end on its line, with an item in front of each comma")
    if any([char in word for char in "[]{}?#"]):
        raise ConfigError("a sign of YAML's own in brackets; put the item in quotes")
    return _plain(word), text[end:]


def _quoted(text: str) -> "tuple[str, str]":
    """Return what stands in quotes at the beginning of a text, and the rest."""
    quote, at = text[0], 1
    pieces: list[str] = []
    while at < len(text):
        pair = text[at : at + 2]
        if pair[0] == quote and pair != "''":
            return "".join(pieces), text[at + 1 :]
        escaped = pair == "''" if quote == "'" else pair[0] == "\\"
        if escaped and pair not in ("''", '\\"', "\\\\"):
            raise ConfigError("a backslash in double quotes; use single quotes")
        if pair[0] == "\t":
            raise ConfigError("a tab where spaces are needed")
        pieces.append(pair[-1] if escaped else pair[0])
        at += 2 if escaped else 1
    raise ConfigError("a quote that does not end on its line")


def _plain(text: str) -> "str | int | float | bool | None":
    """Return the value of a text without quotes."""
    if text in WORDS:
        return WORDS[text]
    if "\t" in text:
        raise ConfigError("a tab where spaces are needed")
    if text[0] in INDICATORS or text[:2] in ("-", "- "):
        raise ConfigError(f"`{text[0]}` is more YAML than a config file needs; put the value in quotes")
    if ": " in text or text[-1] == ":":
        raise ConfigError("a second colon; put the value in quotes")
    if text.lower() in WORDS or text in ("<<", "="):
        raise ConfigError(f"`{text}` is not read in the same way by everybody; put it in quotes")
    return _number(text) if text[0] in DIGITS + "+-." else text


def _number(text: str) -> "str | int | float":
    digits = text[1:] if text[0] in "+-" else text
    whole, point, part = digits.partition(".")
    ordinary = _is_digits(whole) and (whole == "0" or whole[0] != "0") and (not point or _is_digits(part))
    if ordinary and len(text) <= LONGEST_NUMBER:
        return float(text) if point else int(text)
    begins = digits.lstrip(".")[:1] in tuple(DIGITS) and all([char in NUMERIC for char in digits])
    if begins or digits.lower() in (".inf", ".nan"):
        raise ConfigError("a number or a date that is not read in the same way by everybody; put it in quotes")
    return text


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
