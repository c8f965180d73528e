"""Take lines into a prompt until its tokens are spent."""

from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_TOKENS = 60  # of a line that is always told: it names a test, a file or a task
REST_TOKENS = 12  # of the line that counts what was left out
MARK = "[...]"


def cost(*lines: str) -> int:
    """Return what lines cost, each with its line end: the sum is never less than the price of the text that they make."""
    return sum([row.tokens(line + "\n") for line in lines])


class Budget:
    """How many tokens a prompt may have, and how many of them are left."""

    __slots__ = ("left", "total")

    def __init__(self, total: int) -> None:
        self.total = self.left = total

    def keep(self, *lines: str) -> "list[str]":
        """Take lines that have to be there, whether there is room or not."""
        self.left -= cost(*lines)
        return list(lines)

    def narrow(self, most: int) -> None:
        """Have no more than so many tokens for all that comes after; parts are parts of these from now on."""
        self.total = self.left = min(self.left, most)

    def share(self, part: float, *beside: str) -> int:
        """Return how many tokens may go into a part of the whole, beside lines that go with it."""
        return min(self.left, int(self.total * part)) - cost(*beside)

    def block(self, heading: "Sequence[str]", lines: "Sequence[str]", part: float, rest: str = "") -> "list[str]":
        """Take a blank line, a heading and as many lines, the first ones, as a part of the whole has room for.

        `rest` says how many are left out. Where not even the first fits, nothing is taken.
        """
        room = self.share(part, "", *heading)
        kept = fitting(lines, room)
        if len(kept) < len(lines):
            kept = fitting(lines, room - REST_TOKENS) if rest else kept
        if not kept:
            return []
        told = [rest.format(len(lines) - len(kept))] if rest and len(kept) < len(lines) else []
        return self.keep("", *heading, *kept, *told)


def fitting(lines: "Sequence[str]", room: int) -> "list[str]":
    """Return as many lines, from the first one on, as there is room for."""
    kept = []
    for line in lines:
        room -= cost(line)
        if room < 0:
            break
        kept.append(line)
    return kept


def evenly(prices: "Sequence[int]", room: int) -> int:
    """Return what each of several things may cost at most, that they fit together: what a cheap one leaves the others may have."""
    most = room
    for at, price in enumerate(sorted(prices)):
        most = room // (len(prices) - at)
        if price > most:
            break
        room -= price
    return most


def trimmed(text: str, room: int) -> str:
    """Return the beginning and the end of a text, in whole lines, so that it fits; nothing where no line does."""
    lines = text.strip("\n").splitlines()
    if cost(text) <= room:
        return "\n".join(lines)
    room -= cost(MARK)
    tail = fitting(lines[::-1], 2 * room // 3)
    head = fitting(lines[: len(lines) - len(tail)], room - cost(*tail))
    return "\n".join([*head, MARK, *tail[::-1]]) if head or tail else ""


def cut(line: str, room: int) -> str:
    """Return a line, its end cut off where it costs more."""
    if cost(line) <= room:
        return line
    low, high = 0, len(line)
    while low < high:  # the price grows with the length
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(line[:middle] + "...") <= room else (low, middle - 1)
    return line[:low] + "..."
