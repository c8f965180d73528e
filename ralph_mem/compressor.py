"""Compressor: rows in as few tokens as there are. A line says the gist of a row; of many rows those that tell most are
kept, with details where there is room, and what was left out is counted.

Standard library only: the skills use it. Prices are those of a text as a model gets it, escaped.
"""

from ralph_mem.core import context, row
from ralph_mem.moments import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph_mem.recall import Row

PRESERVED = ("error", "success")
# What the words of a row may cost in its line: of the one that was asked for, and of those around it.
LINE_TOKENS = 56
NEIGHBOUR_TOKENS = 34
# Fewer tokens of details are half a sentence.
FEWEST_DETAILS = 16
# What may go into the details of the row that is pointed at before the others have a line: one part in four.
OWN_PART = 4
INDENT = "\n      "
# The line of a row, and the details below it, begin with the same gist; neighbours stand in several timelines.
TOLD: "dict[tuple[object, ...], tuple[str, str]]" = {}
MOST_TOLD = 500
MARK = "..."


def compress(rows: "Sequence[Row]", budget: int, preserved: "Sequence[str]" = PRESERVED, found: "Row | None" = None) -> str:
    """Return rows in the order of what happened, in at most so many tokens: a line each, details in the room that is left.

    Where the lines are too many, the oldest rows go first and those of preserved types last, the oldest of these at the very
    end: the first failure is the cause more often than the last one. With `found`, the row that is pointed at, that one stays
    longest, then turns, then preserved types, then what is near to it. How many rows were left out stands at the end; a
    budget without room even for that gets an empty text.
    """
    ranked = sorted(rows, key=_nearness(found, preserved)) if found else _by_age(rows, preserved)
    ran = {each.turn for each in rows if each.type != "turn"}
    lines = {id(each): entry(each, found) for each in ranked}
    own = ranked[:1] if found else []
    for each in own:
        lines[id(each)] += _details(each, budget // OWN_PART, ran, LINE_TOKENS)
    kept, count = _fitting(ranked, lines, budget), []
    if len(kept) < len(ranked):
        kept = _fitting(ranked, lines, budget - _cost(_count(ranked, preserved)))
        count = [_count(ranked[len(kept) :], preserved)]
    room = budget - sum([_cost(text) for text in [*count, *[lines[id(each)] for each in kept]]])
    if room < 0:
        return ""
    room = _fill(kept[len(own) :], lines, room, ran, preserved)
    for each in own[: len(kept)]:
        line = entry(each, found)
        lines[id(each)] = line + _details(each, room + price(lines[id(each)]) - price(line), ran, LINE_TOKENS)
    return "\n".join([lines[id(each)] for each in sorted(kept, key=_moment)] + count)


def _moment(each: "Row") -> "tuple[int, int]":
    return each.seq, each.number


def _by_age(rows: "Sequence[Row]", preserved: "Sequence[str]") -> "list[Row]":
    """Order by what is worth the room: preserved types, the oldest first, then the others, the newest first."""
    oldest = sorted(rows, key=_moment)
    return [each for each in oldest if each.type in preserved] + [each for each in oldest[::-1] if each.type not in preserved]


def _nearness(found: "Row", preserved: "Sequence[str]") -> "Callable[[Row], tuple[object, ...]]":
    """Order by what is worth the room: the row, its turn and neighbours, what failed or passed, the nearest of the rest."""
    return lambda each: (
        *(each.public_id != found.public_id, each.type != "turn", each.type not in preserved),
        *(abs(each.seq - found.seq), *_moment(each)),
    )


def _fitting(ranked: "Sequence[Row]", lines: "dict[int, str]", room: int) -> "list[Row]":
    """Return as many rows, from the first one on, as there is room for: none is left out for one that tells less."""
    kept = []
    for each in ranked:
        room -= _cost(lines[id(each)])
        if room < 0:
            break
        kept.append(each)
    return kept


def _count(missing: "Sequence[Row]", preserved: "Sequence[str]") -> str:
    lost = len([each for each in missing if each.type in preserved])
    return f"  ({len(missing)} more, {lost} of them {' or '.join(preserved)})" if lost else f"  ({len(missing)} more)"


def _cost(text: str) -> int:
    """Return what a text costs as a part of a longer one: with the line end before it."""
    return price(text) + 1


def entry(each: "Row", found: "Row | None" = None) -> str:
    """Return one row in a line; `>` points at the row that is meant."""
    here = found is not None and each.public_id == found.public_id
    kind = "" if each.type == "turn" else each.type + ": "
    told = gist(each, LINE_TOKENS if here else NEIGHBOUR_TOKENS)
    return f"{'>' if here else ' '} {each.public_id}  {when(each.at)}  {kind}{told}"


# Details


def _fill(kept: "Sequence[Row]", lines: "dict[int, str]", room: int, ran: "set[int]", preserved: "Sequence[str]") -> int:
    """Add details to the lines of rows: what failed or passed gets twice as much, and the next ones what one leaves over.

    Returns the room that is left.
    """
    shares = [2 if each.type in preserved else 1 for each in kept]
    for number, each in enumerate(kept):
        share = max(FEWEST_DETAILS, room * shares[number] // sum(shares[number:]))
        details = _details(each, min(room, share), ran, NEIGHBOUR_TOKENS)
        lines[id(each)] += details
        room -= _cost(details) if details else 0
    return room


def _details(each: "Row", tokens: int, ran: "set[int]", told: int) -> str:
    """Return what a row tells beyond the so many tokens of its line, in lines below it, within a price."""
    more = [_told(each, told)[1]]
    if each.type == "turn" and each.number not in ran and each.asked + each.said:
        # what its own rows do not tell, and not its line either
        more += ["changed: " + ", ".join(each.files.splitlines()) if each.files else "", each.lines if each.said else ""]
    lines = [line.rstrip() for line in "\n".join(more).split("\n") if line.strip()]
    if tokens < FEWEST_DETAILS or not lines:
        return ""
    text = INDENT + INDENT.join(lines)
    kept = cut(text, tokens - price(MARK) - 1, mark="").rstrip()
    # the mark behind the last word, and not on a line of its own
    return text if price(text) < tokens else kept + MARK if kept else ""


# The gist of a row


def gist(found: "Row", tokens: int) -> str:
    """Return the beginning of what was asked and of what was said, within a price."""
    return _told(found, tokens)[0]


def _told(found: "Row", tokens: int) -> "tuple[str, str]":
    """Return the gist of a row, and all that the gist leaves out."""
    key = (found.type, found.asked, found.said, found.files, found.lines, tokens)
    if key not in TOLD:
        if len(TOLD) == MOST_TOLD:
            TOLD.clear()
        TOLD[key] = _tell(found, tokens)
    return TOLD[key]


def _tell(found: "Row", tokens: int) -> "tuple[str, str]":
    (asked, more_asked), (said, more_said) = _split(found.asked), _telling(found)
    if found.type == "note" or not (asked and said):
        text = f"{asked} {said}".strip() or _split(found.files)[0]
        shown = cut(text, tokens)
        return shown, "\n".join([_behind(text, shown), more_asked, more_said])
    first = cut(asked, tokens * 6 // 10)
    then = cut(said, tokens - price(first))
    return f"{first} -> {then}", "\n".join([_behind(said, then), more_said, _behind(asked, first), more_asked])


def _telling(found: "Row") -> "tuple[str, str]":
    """Return the line of a row that tells most, of a failure its error and not its exit code, and the rest."""
    lines = found.lines.splitlines() if found.type == "error" else []
    errors = [line for line in lines if "error" in line.lower()]
    if not (errors or lines):
        return _split(found.said or found.lines)
    line = (errors or lines)[0]
    rest = [other for other in (found.said or found.lines).splitlines() if other.strip() and other.strip() != line.strip()]
    return _split(line)[0], "\n".join(rest)


def _split(text: str) -> "tuple[str, str]":
    """Return the first line of a text, and the others."""
    first, _, rest = text.strip().partition("\n")
    return " ".join(first.split()), rest


def _behind(text: str, shown: str) -> str:
    return "" if shown == text else text[len(shown) - len(MARK) :].strip()


# Prices


def price(text: str) -> int:
    """Return what a text costs once it is escaped for a model, in tokens."""
    return row.tokens(context.escaped(text)) if text else 0


def cut(text: str, tokens: int, mark: str = MARK) -> str:
    """Return the longest beginning of a text that is within a price, cut between words where there are any."""
    # no character costs more than three
    if 3 * len(text) <= tokens:
        return text
    whole = price(text)
    if whole <= tokens:
        return text
    low, high = 0, min(len(text), tokens * 16)
    # mostly the end lies near where an even text would have it
    even = len(text) * tokens // whole
    for at in (even * 3 // 4, even * 5 // 4):
        if low < at < high:
            low, high = (at, high) if price(text[:at] + mark) <= tokens else (low, at - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if price(text[:middle] + mark) <= tokens else (low, middle - 1)
    at = max(text.rfind(" ", low // 2, low), text.rfind("\n", low // 2, low))
    return text[: at + 1 if at > 0 else low].rstrip(" ") + mark if mark else text[: at + 1 if at > 0 else low]
