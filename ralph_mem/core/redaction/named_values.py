"""Find secrets in tables of settings, whose rows hold a name below one head and its value below another."""

from ralph_mem.core.redaction import tables
from ralph_mem.core.redaction.below import NAMED, VALUED

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

NAMES = NAMED.union("cfg_key parameter_name setting_name env secret_name".split())
VALUES = VALUED.union("current_value raw_value secret_value".split())
RULES = "-+|=─━═┼├┤╪╞╡┿ \t"
MOST_ROWS, LONGEST_LINE = 200, 2048


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of the values of rows whose name says that they are secret."""
    spans: list[Span] = []
    heads: dict[str, tuple[int, int, int]] = {}
    at, rows = 0, 0
    for line in text.replace("\\n", " \n").split("\n"):  # of as many characters: `printf` spells its line ends out
        if len(line) <= LONGEST_LINE and line.strip(RULES):
            parted = tables.cut(line)
            found = {sign: head for sign, cells in parted for head in [_head(cells)] if head}
            heads, rows = (found, 0) if found else (heads if rows < MOST_ROWS else {}, rows + 1)
            spans += [(at + start, at + end, kind) for sign, cells in parted for start, end, kind in _row(cells, heads.get(sign))]
        elif not line.strip():
            heads = {}
        at += len(line) + 1
    return spans


def _head(cells: "list[tables.Cell]") -> "tuple[int, int, int] | None":
    """Return which cell of how many is the head of names and which that of values; None for another line."""
    said = [name.lower().strip("*_`") for _, _, name in cells]
    names = [number for number, name in enumerate(said) if name in NAMES]
    values = [number for number, name in enumerate(said) if name in VALUES]
    return (names[0], values[0], len(cells)) if len(names) == len(values) == 1 else None


def _row(cells: "list[tables.Cell]", head: "tuple[int, int, int] | None") -> "list[Span]":
    if head is None or len(cells) != head[2]:
        return []
    name, (start, end, value) = cells[head[0]][2], cells[head[1]]
    kind = tables.announces(name.rpartition(".")[2] if len(name) > tables.LONGEST_NAME else name)
    tells = kind and value and (tables.is_value(value, kind) or tables.is_cell(value, kind, is_ruled=True))
    return [(start, end, kind)] if tells else []
