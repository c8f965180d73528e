"""Layers: rows as text of a known price. Layer 1 is a line that says what reading more costs, layer 2 what happened
around a row, layer 3 the whole text, piece by piece.
"""

from ralph_mem import recall
from ralph_mem.core import context, paths, row
from ralph_mem.moments import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.recall import Reader, Row

# The most that one row may cost in a layer, in tokens; the frame of ids, days and marks is part of it.
INDEX_TOKENS = 100
TIMELINE_TOKENS = 300
FULL_TOKENS = 1000
# What is left for the words of a row once its frame is paid.
LINE_TOKENS = 56
NEIGHBOUR_TOKENS = 34
MARK_TOKENS = 30
MARK = "[...]"
# A search in full shows the best ones only: ten would fill a context window with 10,000 tokens.
MOST_FULL = 3


def shown(reader: "Reader", rows: "list[Row]", layer: int, start: int = 0, most: int = 2**31) -> str:
    """Return rows as text in layer 1, 2 or 3, the last from a character on; what exceeds `most` characters is counted."""
    between = "\n" if layer == 1 else "\n\n"
    around = recall.timelines(reader, rows) if layer == 2 else []
    texts: list[str] = []
    for number, found in enumerate(rows):
        text = index(found) if layer == 1 else timeline(around[number], found) if layer == 2 else full(found, start)[0]
        most -= len(context.escaped(text)) + len(between)
        if most < 0:
            return between.join([*texts, f"({len(rows) - len(texts)} more do not fit here; ask for a lower layer or fewer)"])
        texts.append(text)
    return between.join(texts)


def index(found: "Row") -> str:
    """Return a row in a line: id, score where it was searched for, type, when, its gist, what reading it whole costs."""
    marks = "".join([mark for mark, there in ((" pinned", found.pinned), (" marked wrong", found.misled)) if there])
    where = " global" if recall.is_global(found) else ""
    score = f"{found.score:.2f}  " if found.score else ""
    frame = f"{found.public_id}  {score}{found.type}{where}{marks}  {when(found.at)}"
    behind = f"[{cost(found)} tokens]"
    return f"{frame}  {gist(found, min(LINE_TOKENS, INDEX_TOKENS - price(f'{frame}  {behind}') - 3))}  {behind}"


def cost(found: "Row") -> int:
    """Return what reading a row whole costs, in tokens, at most what one piece of it may."""
    return int(min(found.tokens, FULL_TOKENS))


def gist(found: "Row", tokens: int) -> str:
    """Return the beginning of what was asked and of what was said, within a price."""
    asked, said = _line(found.asked), _telling_line(found)
    if found.type == "note":
        return cut(f"{asked} {said}".strip(), tokens)
    if not (asked and said):
        return cut(asked or said or _line(found.files), tokens)
    first = cut(asked, tokens * 6 // 10)
    return f"{first} -> {cut(said, tokens - price(first))}"


def _telling_line(found: "Row") -> str:
    """Return the line of a row that tells most: of a failure its error, not its exit code."""
    lines = found.lines.splitlines() if found.type == "error" else []
    errors = [line for line in lines if "error" in line.lower()]
    return _line((errors or lines or [found.said or found.lines])[0])


def timeline(rows: "list[Row]", found: "Row") -> str:
    """Return what happened around a row, in order, a line each, as many as the layer may cost; `>` points at the row."""
    room = TIMELINE_TOKENS
    lines: dict[str, str] = {}
    for each in sorted(rows, key=lambda each: _rank(each, found)):
        line = entry(each, found)
        room -= price(line) + 1
        if room < 0:
            break
        lines[each.public_id] = line
    kept = [lines[each.public_id] for each in rows if each.public_id in lines]
    missing = len(rows) - len(kept)
    return "\n".join(kept + ([f"  ({missing} more)"] if missing else []))


def _rank(entry: "Row", found: "Row") -> "tuple[bool, bool, bool, int]":
    """Order by what is worth the room: the row, its turn and neighbours, what failed or passed, the nearest of the rest."""
    outcome = entry.type in ("error", "success")
    return (entry.public_id != found.public_id, entry.type != "turn", not outcome, abs(entry.seq - found.seq))


def entry(row: "Row", found: "Row") -> str:
    """Return one row of a timeline in a line; `>` points at the row that it was made for."""
    here = row.public_id == found.public_id
    tokens = LINE_TOKENS if here else NEIGHBOUR_TOKENS
    kind = "" if row.type == "turn" else row.type + ": "
    return f"{'>' if here else ' '} {row.public_id}  {when(row.at)}  {kind}{gist(row, tokens)}"


def full(found: "Row", start: int = 0) -> "tuple[str, int]":
    """Return the text of a row from a character on, of at most 1,000 tokens, and how many characters are left.

    What is left, and where the client's own transcript has more, is said at its end.
    """
    text = whole(found)
    start = min(start, len(text))
    head = f"{found.public_id}  {found.type}  {when(found.at)}" + (f"  {found.branch}" if found.branch else "")
    pointer = _pointer(found)
    piece = cut(text[start:], FULL_TOKENS - MARK_TOKENS - price("\n".join([head, *pointer])), mark="")
    left = len(text) - start - len(piece)
    tail = [f"{MARK} {row.tokens(text[start + len(piece) :])} more tokens, from character {start + len(piece)}"] if left else []
    return "\n".join([head, piece.rstrip("\n"), *tail, *pointer]), left


def whole(found: "Row") -> str:
    """Return all that is stored of a row, in one text."""
    parts = [found.asked, found.said]
    files = found.files.splitlines()
    # an edit's title is its file
    parts += ["changed: " + ", ".join(files)] if files and files != [found.asked] else []
    parts += [found.lines] if found.type == "turn" else []
    return "\n".join([part for part in parts if part])


def _pointer(found: "Row") -> "list[str]":
    path, prompt = recall.transcript(found)
    if not paths.exists(path):
        return []
    return [f"transcript: {path}" + (f" (promptId {prompt})" if prompt else "")]


def price(text: str) -> int:
    """Return what a text costs once it is escaped for a model, in tokens."""
    return row.tokens(context.escaped(text)) if text else 0


def cut(text: str, tokens: int, mark: str = "...") -> str:
    """Return the longest beginning of a text that is within a price, cut between words where there are any."""
    # no character costs more than three
    if 3 * len(text) <= tokens or price(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * 16)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if price(text[:middle] + mark) <= tokens else (low, middle - 1)
    at = max(text.rfind(" ", low // 2, low), text.rfind("\n", low // 2, low))
    return text[: at + 1 if at > 0 else low].rstrip(" ") + mark if mark else text[: at + 1 if at > 0 else low]


def _line(text: str) -> str:
    return " ".join(text.strip().partition("\n")[0].split())
