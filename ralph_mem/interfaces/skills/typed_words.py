"""The words behind a slash command, with its options told apart from what is text."""

from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.core.format import moment_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def listed(text: str) -> "list[str]":
    """Return the names of a list with commas. Raises RalphMemError for one with nothing in it."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise RalphMemError(f"there is no type in --type {text[:20]}", f"for example: --type {EXAMPLES['--type']}")
    return names


CONFIRM = "--confirm"


class Typed:
    """Words and options, apart. An option is a word that begins with two dashes; behind a lone `--` all are words.

    `confirmed` are the digits behind `--confirm`, which may be missing; `rest` is all else, as it was typed.
    """

    __slots__ = ("confirmed", "options", "rest", "words")

    def __init__(self, text: str, valued: "tuple[str, ...]", flags: "tuple[str, ...]" = ()) -> None:
        self.words: list[str] = []
        self.options: dict[str, str] = {}
        self.confirmed = ""
        rest: list[str] = []
        every = text.split()
        waiting = every[::-1]  # the next one last: to take the first of a list moves all others
        while waiting:
            begun = len(every) - len(waiting)
            word = waiting.pop()
            name, equals, value = word.partition("=")
            if word == "--":
                self.words += waiting[::-1]
                waiting = []
            elif name == CONFIRM and CONFIRM in flags:
                from ralph_mem.core.format import are_digits  # lazy: only for what is confirmed

                has_digits = not equals and bool(waiting) and are_digits(waiting[-1])
                self.confirmed = waiting.pop() if has_digits else value
                continue
            elif name in valued:
                if not equals and not waiting:
                    raise RalphMemError(f"{name} needs a value", f"for example: {name} {EXAMPLES.get(name, 'x')}")
                self.options[name] = unquoted(value) if equals else _value(name, waiting)
            elif word in flags:
                self.options[word] = "yes"
            elif word.startswith("--"):
                raise RalphMemError(f"there is no option {word[:40]}", "put -- before words that begin with dashes")
            else:
                self.words.append(word)
            rest += every[begun : len(every) - len(waiting)]
        self.rest = " ".join(rest)

    def number(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Return the whole number that an option gives. Raises RalphMemError for anything else."""
        value = self.options.get(name)
        if value is None:
            return otherwise
        if not value.isascii() or not value.isdigit() or not low <= int(value[:9]) <= high or len(value) > 9:
            raise RalphMemError(f"{name} {value[:20]} is no number from {low} to {high}", f"for example: {name} {EXAMPLES[name]}")
        return int(value)

    def moment(self, name: str, now: int) -> int:
        """Return the time that an option gives, in milliseconds, 0 where it is not given."""
        return moment_of(self.options[name], now) if name in self.options else 0


def _value(name: str, waiting: "list[str]") -> str:
    """Take the value of an option from the words behind it, the next one last: one, what stands in quotes, or a time."""
    value = waiting.pop()
    if value[0] in QUOTES:
        taken = [value]
        while waiting and not (taken[-1][-1] == value[0] and len(taken) + len(taken[0]) > 2):
            taken.append(waiting.pop())
        return unquoted(" ".join(taken))
    if name in ("--since", "--until"):
        from ralph_mem.core.format import words_of_moment  # lazy: only for a time

        more = words_of_moment([value, *waiting[:-3:-1]]) - 1  # a time has three at most
        value = " ".join([value, *[waiting.pop() for _ in range(more)]])
    return value


EXAMPLES = {
    "--layer": "2", "--limit": "5", "--since": "7d", "--until": "2026-01-31", "--type": "error", "--from": "3000",
    "--session": "sess-...", "--page": "2", "--query": "words", "--last": "3", "--before": "3", "--after": "3",
    "--origin": "outside",
}  # fmt: skip


QUOTES = "\"'"
# What keyboards and chats make of two dashes.
LONG_DASHES = ("\u2014", "\u2013")
LONGEST_SHOWN = 40


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
                f"there is no option {name[:LONGEST_SHOWN]} here", "put a goal that holds such words in quotes, or behind --"
            )
        elif not value:
            raise LoopError(f"{name} needs a value", f"for example: {name} {OPTION_EXAMPLES.get(name, 'x')}")
        else:
            before, equals, quoted = value.partition("=")
            plain = before + equals + unquoted(quoted) if equals and before[:1] not in QUOTES else unquoted(value)
            self.options.setdefault(name, []).append(plain)

    def has(self, name: str) -> bool:
        """Say whether an option was given."""
        return name in self.options

    def last(self, name: str) -> "str | None":
        """Return the value of an option, the last one where there are several, None where it was not given."""
        return self.options[name][-1] if name in self.options else None


OPTION_EXAMPLES = {
    "--criteria": "'custom=./check.sh --all'", "--max-iterations": "5", "--max-duration": "30m", "--max-cost": "2.50",
    "--cooldown": "1000", "--no-progress": "3", "--plan": "PLAN.md", "--to": "2", "--timeout": "120",
}  # fmt: skip


def _is_option(word: str, known: "tuple[str, ...]") -> bool:
    """Say whether a word is an option; raises LoopError for one whose dashes were made into a long one."""
    if word.startswith(LONG_DASHES) and "--" + word[1:].partition("=")[0] in known:
        raise LoopError(f"{word[:LONGEST_SHOWN]} begins with one long dash", f"type two short ones: --{word[1:LONGEST_SHOWN]}")
    return word.startswith("--") and word[2:3].isalnum()


def _words(text: str) -> "Iterator[tuple[int, int]]":
    """Return where each word begins and ends; one is what stands in quotes, or a name with its quoted value, as in a shell."""
    at, ends = 0, dict.fromkeys(QUOTES, 0)
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        inside = (place + 1 for place in range(at, end - 1) if text[place] == "=" and text[place + 1] in QUOTES)
        quote = at if text[at] in QUOTES else next(inside, -1)
        end = max(end, _closed(text, quote, ends)) if quote >= 0 else end
        yield at, end
        at = end


def _closed(text: str, start: int, ends: "dict[str, int]") -> int:
    """Return where a passage in quotes ends: at a quote of the same kind with nothing, or a space, behind it; -1 where none is.

    `ends` holds where the last passage of each kind ended: of many that are never closed each would else look to the end.
    """
    kind = text[start]
    if 0 <= ends[kind] <= start + 1:
        end = text.find(kind, start + 1)
        while end >= 0 and end + 1 < len(text) and not text[end + 1].isspace():
            end = text.find(kind, end + 1)
        ends[kind] = end + 1 if end >= 0 else -1
    return ends[kind]


def unquoted(text: str) -> str:
    """Return a text without the one pair of quotes that stands around all of it."""
    whole = len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES and text[0] not in text[1:-1]
    return text[1:-1] if whole else text
