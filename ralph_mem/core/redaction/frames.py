"""Find secrets in the frames of data that pandas and R print, and in the tables of a page."""

from ralph_mem.core.redaction.tables import LONGEST_LINE, announces, is_cell, is_value
from ralph_mem.core.redaction.values import DIGITS, LETTERS, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Cell = tuple[int, int, str]  # start and end in the line, and what stands there
    Span = tuple[int, int, str]

FRAMED = LETTERS + DIGITS + "_. "  # in the names of columns


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    return (_of_markup(text, folded) if "<tr" in folded else []) + _of_frames(text)


def _of_markup(text: str, folded: str) -> "list[Span]":
    """Find secrets in the tables of a page: below the cell of a head, or beside it."""
    spans: list[Span] = []
    heads: list[str] = []
    for start in places(folded, "<tr"):
        end = folded.find("</tr", start)
        row = text[start : end if end > 0 else start + LONGEST_LINE]
        cells: list[Cell] = []
        for at in sorted([*places(row.lower(), "<td"), *places(row.lower(), "<th")]):
            begin = row.find(">", at) + 1
            value = row[begin : row.find("<", begin) if row.find("<", begin) > 0 else len(row)].strip()
            cells.append((begin + row[begin:].find(value), 0, value))
        names = [announces(value) for _, _, value in cells]
        if any(names) and ("<th" in row or len(cells) > 2):
            heads = names
            continue
        for kind, (at, _, value) in zip(["", *names] if any(names) else heads, cells):
            if kind and value and (is_value(value, kind) or is_cell(value, kind)):
                spans.append((start + at, start + at + len(value), kind))
    return spans


def _of_frames(text: str) -> "list[Span]":
    """Find secrets in what pandas and R print: names and values end below each other, and the column of numbers has no name."""
    spans: list[Span] = []
    heads: list[tuple[str, int]] = []  # what a name announces, and where it ends in its line
    at, lines = 0, text.split("\n")
    for number, line in enumerate(lines):
        first = lines[1] if number == 0 and len(lines) > 1 else ""
        is_cut = first[:1].isdigit() and len(first) > len(line)  # without the blanks that it begins with
        if (line[:1] == " " or is_cut) and len(line) <= LONGEST_LINE and len(line.split()) > 1 and not line.strip(FRAMED):
            moved = len(first) - len(line) if is_cut else 0
            heads = [(kind, end + moved) for end, name in _ending(line) for kind in [announces(name)] if kind]
        elif heads and line.strip():
            for end, value in _ending(line):
                kind = next((kind for kind, place in heads if place == end), "")
                if kind and (is_value(value, kind) or is_cell(value, kind)):
                    spans.append((at + end - len(value), at + end, kind))
        else:
            heads = []
        at += len(line) + 1
    return spans


def _ending(line: str) -> "list[tuple[int, str]]":
    """Return the words of a line, each with the place where it ends."""
    found, at = [], 0
    for word in line.split():
        at = line.index(word, at) + len(word)
        found.append((at, word))
    return found
