"""Find secrets in dumps of bytes, as `xxd` and `hexdump -C` print them."""

from ralph_mem.core.redaction import gate
from ralph_mem.core.redaction.values import HEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]
    Row = tuple[int, int, bytes]  # where its digits begin, where the line ends, what they say

FEWEST_ROWS, MOST_ROWS = 2, 256
SHORTEST_PLACE, MOST_DIGITS = 6, 32  # digits of the place that a row begins with, and of the sixteen bytes that it has
GROUPS = (2, 4, 8)
# What is no letter parts a name from its value: zeros in a file of settings.
_READ = "".join([chr(code) if 32 <= code < 127 or code > 160 else "=" for code in range(256)])


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of the rows of which the bytes hold a secret, each with the letters beside it."""
    spans: list[Span] = []
    rows: list[Row] = []
    at = 0
    for line in [*text.split("\n"), ""]:
        row = _row(line, at)
        if row and len(rows) < MOST_ROWS:
            rows.append(row)
        else:
            spans, rows = spans + _of_rows(rows), []
        at += len(line) + 1
    return spans


def _row(line: str, at: int) -> "Row | None":
    """Return what a line of a dump says, None for another line."""
    place, *groups = line.split() or [""]
    if len(place.rstrip(":")) < SHORTEST_PLACE or place.rstrip(":").strip(HEX):
        return None
    digits = ""
    for group in groups:
        if len(group) not in GROUPS or group.strip(HEX) or len(digits) + len(group) > MOST_DIGITS:
            break
        digits += group
    start = line.index(place) + len(place) + 1
    return (at + start, at + len(line.rstrip()), bytes.fromhex(digits)) if digits else None


def _of_rows(rows: "list[Row]") -> "list[Span]":
    if len(rows) < FEWEST_ROWS:
        return []
    found = gate.by_rules("".join([_READ[code] for _, _, said in rows for code in said]))
    spans, at = [], 0
    for start, end, said in rows:
        if any([first < at + len(said) and last > at for first, last, _ in found]):
            spans.append((start, end, "encoded"))
        at += len(said)
    return spans
