"""Orders: the words behind `/ralph`, as a verb, its options, and the rest as it was typed, quotes and line ends included."""

from ralph_mem.core.errors import LoopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTES = "\"'"
# What keyboards and chats make of two dashes.
LONG_DASHES = ("\u2014", "\u2013")
MOST_SHOWN = 40


class Order:
    """What was typed behind a verb. `options` holds the values of each option in their order; `rest` is all else, as it stood.

    An option is a word that begins with two dashes and a letter, as `--name value` or `--name=value`. What stands in quotes
    holds none, and behind a lone `--` there are none. One that the verb does not know raises LoopError: it is never taken for
    a part of a goal.
    """

    __slots__ = ("options", "rest")

    def __init__(self, text: str, valued: "tuple[str, ...]", flags: "tuple[str, ...]" = ()) -> None:
        self.options: dict[str, list[str]] = {}
        pieces: list[str] = []
        kept = 0  # where the text begins that is not told apart yet
        words = _words(text)
        for start, end in words:
            word = text[start:end]
            if word == "--":
                pieces += [text[kept:start], text[end:]]
                break
            if not _is_option(word, (*valued, *flags)):
                continue
            pieces.append(text[kept:start])
            name, equals, value = word.partition("=")
            if name in valued and not equals:
                start, end = next(words, (end, end))  # noqa: PLW2901 - the word behind it belongs to it
                value = text[start:end]
            self._take(name, value, valued, flags, bool(equals))
            kept = end
        else:
            pieces.append(text[kept:])
        self.rest = unquoted(" ".join([piece.strip() for piece in pieces if piece.strip()]))

    def _take(self, name: str, value: str, valued: "tuple[str, ...]", flags: "tuple[str, ...]", has_value: bool) -> None:
        if name in flags and not has_value:
            self.options.setdefault(name, []).append("yes")
        elif name not in valued:
            raise LoopError(
                f"there is no option {name[:MOST_SHOWN]} here", "put a goal that holds such words in quotes, or behind --"
            )
        elif not value:
            raise LoopError(f"{name} needs a value", f"for example: {name} {EXAMPLES.get(name, 'x')}")
        else:
            self.options.setdefault(name, []).append(unquoted(value))

    def has(self, name: str) -> bool:
        """Say whether an option was given."""
        return name in self.options

    def last(self, name: str) -> "str | None":
        """Return the value of an option, the last one where there are several, None where it was not given."""
        return self.options[name][-1] if name in self.options else None


EXAMPLES = {
    "--criteria": "'custom=./check.sh --all'", "--max-iterations": "5", "--max-duration": "30m", "--max-cost": "2.50",
    "--cooldown": "1000", "--no-progress": "3", "--plan": "PLAN.md", "--to": "2", "--timeout": "120",
}  # fmt: skip


def _is_option(word: str, known: "tuple[str, ...]") -> bool:
    """Say whether a word is an option; raises LoopError for one whose dashes were made into a long one."""
    if word.startswith(LONG_DASHES) and "--" + word[1:].partition("=")[0] in known:
        raise LoopError(f"{word[:MOST_SHOWN]} begins with one long dash", f"type two short ones: --{word[1:MOST_SHOWN]}")
    return word.startswith("--") and word[2:3].isalnum()


def _words(text: str) -> "Iterator[tuple[int, int]]":
    """Return where each word begins and ends; what stands in quotes is one, and so is an option with its quoted value."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        equals = text.find("=", at, end)
        quote = at if text[at] in QUOTES else equals + 1 if text[at : at + 2] == "--" and 0 < equals < end - 1 else -1
        end = max(end, _closed(text, quote)) if quote >= 0 and text[quote] in QUOTES else end
        yield at, end
        at = end


def _closed(text: str, start: int) -> int:
    """Return where a passage in quotes ends: at a quote of the same kind with nothing, or a space, behind it; -1 where none is."""
    end = text.find(text[start], start + 1)
    while end >= 0 and end + 1 < len(text) and not text[end + 1].isspace():
        end = text.find(text[start], end + 1)
    return end + 1 if end >= 0 else -1


def unquoted(text: str) -> str:
    """Return a text without the one pair of quotes that stands around all of it."""
    whole = len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES and text[0] not in text[1:-1]
    return text[1:-1] if whole else text
