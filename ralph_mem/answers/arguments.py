"""Arguments: the words behind a command, as they were typed; no shell has seen them."""

from ralph_mem import moments
from ralph_mem.core import event, paths
from ralph_mem.core.errors import RalphMemError

# What an earlier line might hold: an operating system's longest path and a little more.
MOST_BYTES = 262_144


def read() -> "tuple[str, str]":
    """Return the project's folder and the words: the first line of stdin, where it is a folder, and the rest as it stands."""
    head, _ = event.drain_stdin()
    whole = head[:MOST_BYTES].decode("utf-8", "replace").replace("\0", "")
    folder, _, text = whole.partition("\n")
    return (folder, text.strip()) if folder.startswith("/") and _is_folder(folder) else ("", whole.strip())


def _is_folder(path: str) -> bool:
    return paths.exists(path + "/.")


def listed(text: str) -> "list[str]":
    """Return the names of a list with commas. Raises RalphMemError for one with nothing in it."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise RalphMemError(f"there is no type in --type {text[:20]}", f"for example: --type {EXAMPLES['--type']}")
    return names


class Typed:
    """Words and options, apart. An option is a word that begins with two dashes; behind a lone `--` all are words."""

    __slots__ = ("options", "words")

    def __init__(self, text: str, valued: "tuple[str, ...]", flags: "tuple[str, ...]" = ()) -> None:
        self.words: list[str] = []
        self.options: dict[str, str] = {}
        waiting = text.split()
        while waiting:
            word = waiting.pop(0)
            name, equals, value = word.partition("=")
            if word == "--":
                self.words += waiting
                break
            if name in valued:
                if not equals and not waiting:
                    raise RalphMemError(f"{name} needs a value", f"for example: {name} {EXAMPLES.get(name, 'x')}")
                self.options[name] = value if equals else waiting.pop(0)
            elif word in flags:
                self.options[word] = "yes"
            elif word.startswith("--"):
                raise RalphMemError(f"there is no option {word[:40]}", "put -- before words that begin with dashes")
            else:
                self.words.append(word)

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
        return moments.of(self.options[name], now) if name in self.options else 0


EXAMPLES = {
    "--layer": "2", "--limit": "5", "--since": "7d", "--until": "2026-01-31", "--type": "error", "--from": "3000",
    "--session": "sess-...", "--query": "words",
}  # fmt: skip
