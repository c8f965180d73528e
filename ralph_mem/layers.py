"""Layers: rows as text of a known price. Layer 1 is a line that says what reading more costs, layer 2 what happened
around a row, layer 3 the whole text, piece by piece.
"""

from ralph_mem import recall
from ralph_mem.compressor import LINE_TOKENS, compress, cut, gist, price
from ralph_mem.core import context, paths, row
from ralph_mem.moments import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.recall import Reader, Row

# The most that one row may cost in a layer, in tokens; the frame of ids, days and marks is part of it.
INDEX_TOKENS = 100
TIMELINE_TOKENS = 300
FULL_TOKENS = 1000
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


def timeline(rows: "list[Row]", found: "Row") -> str:
    """Return what happened around a row, in order, as much of it as the layer may cost; `>` points at the row."""
    return compress(rows, TIMELINE_TOKENS, found=found)


def full(found: "Row", start: int = 0) -> "tuple[str, int]":
    """Return the text of a row from a character on, of at most 1,000 tokens, and how many characters are left.

    What is left, what was left out by age, and where the client's own transcript has more, is said at its end.
    """
    text = whole(found)
    start = min(start, len(text))
    head = f"{found.public_id}  {found.type}  {when(found.at)}" + (f"  {found.branch}" if found.branch else "")
    pointer = _pointer(found)
    pointer = _left_out(found, bool(pointer)) + pointer
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
    # those of anything else stand in its body, while it has one
    parts += [found.lines] if found.type == "turn" or not found.said else []
    return "\n".join([part for part in parts if part])


def _left_out(found: "Row", elsewhere: bool) -> "list[str]":
    """Say of a row that lost its body when that was, and whether it can still be read elsewhere."""
    if found.type != "tool_use" or found.said:
        return []
    from ralph_mem.core import keeping  # few rows have lost their body

    at = keeping.emptied_at(found.store, found.number)
    if at is None:
        return []
    rest = "Claude Code's transcript may still have it" if elsewhere else "Claude Code's transcript of it is gone too"
    return [f"{MARK} its output was left out by age on {when(at)[:10]}; {rest}"]


def _pointer(found: "Row") -> "list[str]":
    path, prompt = recall.transcript(found)
    if not paths.exists(path):
        return []
    return [f"transcript: {path}" + (f" (promptId {prompt})" if prompt else "")]
