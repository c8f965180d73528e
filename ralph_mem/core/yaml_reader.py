"""A small strict reader for config files: mappings, lists and scalars; no anchors, tags, documents or flow mappings.

The hooks' interpreter sees no packages. What this reader accepts it reads as PyYAML does; the rest it refuses by line.
"""

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
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        try:
            document.take(line)
        except ConfigError as error:
            return {}, number, str(error)
    return document.values, 0, ""


class _Document:
    """What was read so far: its values, and where the next line may belong.

    `levels` are the keys that are open, each with its indent; the last of them is `waiting` for what it stands above
    as long as it has no value; `list_at` is the indent of the list that is being read, or -1.
    """

    __slots__ = ("begun", "levels", "list_at", "seen", "values", "waiting")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.levels: list[tuple[int, str]] = []
        self.list_at = -1
        self.waiting = self.begun = False

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
            self._take_item(indent, content[1:].lstrip(" "))
        else:
            self._take_key(indent, *_key(content))

    def _take_item(self, indent: int, text: str) -> None:
        if self.waiting and indent >= self.levels[-1][0]:
            self.values[self._name()] = []
            self.list_at = indent
        elif indent != self.list_at:
            raise ConfigError("a list item that belongs to no key")
        self.waiting = False
        if text.startswith("["):
            raise ConfigError("a list inside a list is more than a config file needs")
        self.values[self._name()].append(_value(text))

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
        if name in self.seen or len(self.levels) > DEEPEST:
            raise ConfigError(f"{name} stands here a second time" if name in self.seen else "deeper than a config file goes")
        self.seen.add(name)
        self.values[name] = _value(text)
        self.waiting, self.list_at = text[:1] in ("", "#"), -1

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


def _value(text: str) -> "Any":
    """Return the value that a text begins with; nothing but a comment may stand behind it."""
    value: Any
    if text[:1] == "[":
        value, rest = _list(text)
    elif text[:1] in QUOTES:
        value, rest = _quoted(text)
    else:
        return _plain((" " + text).partition(" #")[0].strip(" "))
    behind = rest.lstrip(" ")
    if behind and (behind == rest or behind[0] != "#"):
        raise ConfigError("text behind a value")
    return value


def _list(text: str) -> "tuple[list[Any], str]":
    items = []
    rest = text[1:].lstrip(" ")
    while rest[:1] != "]":
        item, rest = _quoted(rest) if rest[:1] in QUOTES else _word(rest)
        items.append(item)
        rest = rest.lstrip(" ")
        if rest[:1] == ",":
            rest = rest[1:].lstrip(" ")
        elif rest[:1] != "]":
            raise ConfigError("a list in brackets must end on its line, with a comma between two items")
    return items, rest[1:]


def _word(text: str) -> "tuple[Any, str]":
    """Return the item in front of the next comma or bracket, and the rest."""
    end = 0
    while end < len(text) and text[end] not in ",]":
        end += 1
    word = text[:end].rstrip(" ")
    if not word:
        raise ConfigError("a list in brackets must end on its line, with an item in front of each comma")
    if any([char in word for char in "[{}?#"]):
        raise ConfigError("a sign of YAML's own in a list in brackets; put the item in quotes")
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
