"""Write rows as text of a known price, in three layers from a line to the whole.

Layer 1 is a line that says what reading more costs, layer 2 what happened around a row, layer 3 the whole text,
piece by piece.
"""

from ralph_mem.core import paths
from ralph_mem.core.format import when
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph_mem.memory.recall.lookup import Reader, Row

PRESERVED = ("error", "success")
STATEMENTS = (row.NOTE, row.FACT)
ITEM = "item"
NO_LONGER = ("candidate", "superseded", "retired", "rejected", "exported", "proposed")  # what a statement is that does not hold
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
# The same lines are weighed for their own row and for the timelines in which they stand.
PRICES: "dict[str, int]" = {}
MOST_TOLD = 500
MARK = "..."
TYPED = "(a slash command)"  # a turn of which no words are kept


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
    marks = (f" in {each.host}" if each.host else "") + _standing(each)
    kind = "" if each.type == "turn" and not marks else f"{each.type}{marks}: "
    told = gist(each, LINE_TOKENS if here else NEIGHBOUR_TOKENS) or TYPED * (each.type == "turn")
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
    if found.type in STATEMENTS or not (asked and said):
        text = f"{asked} {said}".strip() or _split(found.files)[0]
        shown = cut(text, tokens)
        return shown, "\n".join([_behind(text, shown), more_asked, more_said])
    first = cut(asked, tokens * 6 // 10)
    then = cut(said, tokens - price(first))
    return f"{first} -> {then}", "\n".join([_behind(said, then), more_said, _behind(asked, first), more_asked])


def _telling(found: "Row") -> "tuple[str, str]":
    """Return the line of a row that tells most, of a failure its error and not its exit code, and the rest."""
    if found.type == row.FACT:  # its lines are other words for it
        return "", ""
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
    if text not in PRICES:
        if len(PRICES) > 2 * MOST_TOLD:
            PRICES.clear()
        PRICES[text] = row.tokens(row.escaped(text))
    return PRICES[text]


def cut(text: str, tokens: int, mark: str = MARK) -> str:
    """Return the longest beginning of a text that is within a price, cut between words where there are any."""
    # no character costs more than three, and nine cost at least one (row.PER_CHARACTER)
    if 3 * len(text) <= tokens:
        return text
    low, high = 0, min(len(text), 9 * tokens)
    below, above = price(mark), price(text[:high])
    if above <= tokens:
        return text
    while low < high and (_gap(text, low, high) >= 0 or _gap(text, high // 2, low) <= 0):
        # where the end lies in an even text between two places of which the price is known
        even = low + (high - low) * (tokens - below) // max(1, above - below)
        middle = min(max(even, text.find(" ", low, high), low) + 1, high)  # a word more at least
        cost = price(text[:middle] + mark)
        if cost <= tokens:
            low, below = middle, cost
        else:
            high, above = middle - 1, cost
    at, low = _gap(text, low // 2, low), row.end_before(text, low)
    return text[: at + 1 if at > 0 else low].rstrip(" ") + mark if mark else text[: at + 1 if at > 0 else low]


def _gap(text: str, start: int, end: int) -> int:
    """Return where the last space or line end between two places is, -1 where there is none."""
    return max(text.rfind(" ", start, end), text.rfind("\n", start, end))


# The most that one row may cost in a layer, in tokens; the frame of ids, days and marks is part of it.
INDEX_TOKENS = 100
TIMELINE_TOKENS = 300
FULL_TOKENS = 1000
MARK_TOKENS = 30
LEFT_OUT = "[...]"
# A search in full shows the best ones only: ten would fill a context window with 10,000 tokens.
MOST_FULL = 3


def shown(reader: "Reader", rows: "list[Row]", layer: int, start: int = 0, most: int = 2**31) -> str:
    """Return rows as text in layer 1, 2 or 3, the last from a character on; what exceeds `most` characters is counted.

    In layer 2 nothing stands twice: a neighbour is left out that is a row itself, or stands beside an earlier one.
    """
    between = "\n" if layer == 1 else "\n\n"
    around = _once(lookup.timelines(reader, rows), rows) if layer == 2 else []
    texts: list[str] = []
    for number, found in enumerate(rows):
        text = index(found) if layer == 1 else timeline(around[number], found) if layer == 2 else full(found, start)[0]
        most -= len(row.escaped(text)) + len(between)
        if most < 0:
            return between.join([*texts, f"({len(rows) - len(texts)} more do not fit here; ask for a lower layer or fewer)"])
        texts.append(text)
    return between.join(texts)


def _once(around: "list[list[Row]]", rows: "list[Row]") -> "list[list[Row]]":
    """Return the timelines of rows, each of their entries in one of them: a row in its own, and a neighbour in the first."""
    told, kept = {row.public_id for row in rows}, []
    for line, found in zip(around, rows):
        kept.append([each for each in line if each.public_id == found.public_id or each.public_id not in told])
        told.update([each.public_id for each in kept[-1]])
    return kept


def index(found: "Row") -> str:
    """Return a row in a line: id, its score where it was searched for, type, when, its gist, what reading it whole costs."""
    marks = _marks(found)
    where = " global" if lookup.is_global(found) else ""
    score = f"score {found.score:.2f}  " if found.score else ""
    frame = f"{found.public_id}  {score}{found.type}{where}{marks}  {when(found.at)}"
    behind = f"[{cost(found)} tokens]"
    return f"{frame}  {gist(found, min(LINE_TOKENS, INDEX_TOKENS - price(f'{frame}  {behind}') - 3))}  {behind}"


def _marks(found: "Row") -> str:
    """Return whose a row is, which other client it is from, what the person said about it, and whether it holds no longer."""
    whose = f" of {found.speaker}" if found.speaker and found.type == ITEM else ""
    whose += f" in {found.host}" if found.host else ""
    said = "".join([mark for mark, there in ((" pinned", found.pinned), (" marked wrong", found.misled)) if there])
    return whose + said + _standing(found)


def _standing(found: "Row") -> str:
    """Return of a statement that does not hold what it is instead, such as superseded, and if a file is gone that it names; of a
    turn that broke off that it did.
    """
    if broke_off(found):
        return " broke off"
    state = f" {found.state}" if found.type in STATEMENTS and found.state in NO_LONGER else ""
    return state + " path gone" * found.gone


def broke_off(found: "Row") -> bool:
    """Say whether a row is a turn with a prompt that Esc, a crash or a kill ended."""
    return found.type == "turn" and found.state == "interrupted" and bool(found.asked)


def cost(found: "Row") -> int:
    """Return what reading a row whole costs, in tokens, at most what one piece of it may."""
    return int(min(found.tokens, FULL_TOKENS))


def timeline(rows: "list[Row]", found: "Row") -> str:
    """Return what happened around a row, in order, as much of it as the layer may cost; `>` points at the row."""
    return compress(rows, TIMELINE_TOKENS, found=found)


def full(found: "Row", start: int = 0, most: int = FULL_TOKENS) -> "tuple[str, int]":
    """Return the text of a row from a character on, of at most so many tokens, and how many characters are left.

    What is left, what was left out by age, and where the client's own transcript has more, is said at its end.
    """
    head = f"{found.public_id}  {found.type}{_marks(found)}  {when(found.at)}" + (f"  {found.branch}" if found.branch else "")
    pointer = _pointer(found)
    return piece(head, whole(found), start, _left_out(found, bool(pointer)) + pointer, most)


def piece(head: str, text: str, start: int, below: "Sequence[str]" = (), most: int = FULL_TOKENS) -> "tuple[str, int]":
    """Return a text from a character on, of at most so many tokens with what stands above and below it, and how much is left."""
    is_behind, start = len(text) <= start > 0, min(start, len(text))
    shown = cut(text[start:], most - MARK_TOKENS - price("\n".join([head, *below])), mark="")
    left = len(text) - start - len(shown)
    tail = [f"{LEFT_OUT} {row.tokens(text[start + len(shown) :])} more tokens, from character {start + len(shown)}"] if left else []
    tail = [f"(it ends at character {len(text)})"] if is_behind else tail
    return "\n".join([head, shown.rstrip("\n"), *tail, *below]), left


def whole(found: "Row") -> str:
    """Return all that is stored of a row, in one text."""
    parts = [found.asked, found.said]
    files = found.files.splitlines()
    # an edit's title is its file
    parts += ["changed: " + ", ".join(files)] if files and files != [found.asked] else []
    # those of anything else stand in its body, while it has one
    parts += [found.lines] if found.type == "turn" or not found.said else []
    return "\n".join([part for part in parts if part])


def _left_out(found: "Row", elsewhere: bool) -> "list[str]":
    """Say of a row that lost its body when that was, and whether it can still be read elsewhere."""
    if found.type != "tool_use" or found.said:
        return []
    from ralph_mem.memory.rows import retention  # lazy: only for a row that has no body

    at = retention.emptied_at(found.store, found.number)
    if at is None:
        return []
    rest = "Claude Code's transcript may still have it" if elsewhere else "Claude Code's transcript of it is gone too"
    return [f"{LEFT_OUT} its output was left out by age on {when(at)[:10]}; {rest}"]


def _pointer(found: "Row") -> "list[str]":
    path, prompt = lookup.transcript(found)
    if not paths.exists(path):
        return []
    return [f"transcript: {path}" + (f" (promptId {prompt})" if prompt else "")]
