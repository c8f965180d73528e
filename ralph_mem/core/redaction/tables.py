"""Find secrets that stand in a table, beside the cell that names them or below the head of their column."""

from ralph_mem.core.redaction.by_hand import is_made_by_hand
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import is_secret, kind_of_name, stems_in, words_of
from ralph_mem.core.redaction.open_forms import is_dated, is_list
from ralph_mem.core.redaction.passwords import (
    is_base32,
    is_coined,
    is_dotted,
    is_generated,
    is_jumbled,
    is_of_words,
    is_passphrase,
    is_spaced,
)
from ralph_mem.core.redaction.values import DIGITS, SYMBOLS, is_called_so, is_filler, is_plain

PLUGINS = ("native_password", "sha2_password", "old_password")  # how a database checks a password: of MySQL and its kin
TYPE_CHECKING = False
if TYPE_CHECKING:
    Cell = tuple[int, int, str]  # start and end in the line, and what stands there
    Head = tuple[str, int, str, int, int]  # how cells are parted, which it is of how many, what it announces, where it begins
    Span = tuple[int, int, str]

RULES = "|│║┃"
EDGES = {**dict.fromkeys(map(ord, "─━═"), " "), **dict.fromkeys(map(ord, "┌┬┐╭╮╔╦╗"), "│")}  # heads may stand between them
QUOTED = " \t\"'`"
# Names whose last word is a number or no label.
KEYS = ("unseal key", "recovery key", "root token", "anon key", "service_role key", "activation key")
COLUMNS = ("seed", "community", "enroll", "enrollment", "license", "licence")  # which name a secret above a column alone
# Which say above a column by what somebody gets in.
ENTERING = (
    "unlock", "zugang", "erstzugang", "enter", "rein", "phrase", "entry", "dostęp", "wejście", "acceso", "accès", "accesso", "pswd",
    "joined with", "say this",
)  # fmt: skip
OPEN_COLUMNS = (
    "digest",
    "hash",
    "checksum",
    "fingerprint",
    "accessor",
    "id",
    "commit",
    "revision",
)  # below which everybody may read
ALTERNATIVES = ("|'", '|"', ")$'", ')$"')  # so ends a line of a regular expression, whose words are no cells
CIPHERS = ("CCMP", "TKIP")
SHORTEST_CELL = 5
OF_REGISTRIES = ("REG_SZ", "REG_EXPAND_SZ")
STATES = frozenset(  # of a password
    "active always changed encrypted expired hashed locked missing n-a never not-set not_set plain plaintext present required"
    " shadow stored text unchanged unknown unlocked unset varchar".split()
)
LONGEST_WORD = 24  # letters; no word has more
LONGEST_HUMPED = 17  # characters of words that nothing joins: what is longer is the name of a class
MOST_ROWS = 200
RULERS_BEFORE_ROWS = 2  # one above the heads, one below them
FEWEST_COLUMNS = 4  # that semicolons part: sentences and code have fewer
MOST_CELLS = 24
LONGEST_NAME, LONGEST_LINE = 40, 2048
MOST_WORDS = 3  # of a name


_JOINING = dict.fromkeys(map(ord, "_ -'."))


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of secrets in tables; `folded` is the text in lower case, character by character."""
    spans: list[Span] = []
    heads: list[Head] = []
    ruler: list[Cell] = []
    sealed: list[int] = []
    above, at, rows, ruled = "", 0, 0, 0
    stems = stems_in(text, folded) + [word for word in ENTERING if word in folded]
    for line, said in zip(text.split("\n"), folded.split("\n")):
        if any([name in said for name in OPEN_COLUMNS]):
            sealed = _sealed(line[:LONGEST_LINE])
        ruled = _rulers(line, ruled)
        columns = _columns(line, above)
        above = line if any([stem in said for stem in stems]) else ""
        if not heads and not above and not columns:
            at += len(line) + 1
            continue
        parted = cut(line) if len(line) <= LONGEST_LINE and not line.rstrip().endswith(ALTERNATIVES) else []
        if ruler and heads and line.strip():
            parted = [(" ", _under_ruler(line, ruler))]
        parted = [(sign, [(at, end, "" if at in sealed else said) for at, end, said in cells]) for sign, cells in parted]
        for sign, cells in parted:
            spans += [
                (at + start, at + end, kind)
                for start, end, kind in [*_beside(sign, cells), *_below(sign, cells, heads, bool(ruler), line)]
            ]
        spans += [(at + start, at + end, kind) for start, end, kind in _alone(line)]
        found = [head for sign, cells in parted for head in _heads(sign, cells) if ": " not in line and ruled < RULERS_BEFORE_ROWS]
        rows = 0 if found else rows + 1
        # a blank line may stand between the head and the rows of a table with bars
        heads = found or (heads if (line.strip() or (rows == 1 and heads and heads[0][0] == "|")) and rows < MOST_ROWS else [])
        heads = _heads(" ", columns) or heads if columns else heads
        ruler = columns or (ruler if heads else [])
        at += len(line) + 1
    return spans


def _sealed(line: str) -> "list[int]":
    """Return where the columns begin below which everybody may read; none for a line of a record: `id | 18`."""
    parted = cut(line)
    heads = [cells for _, cells in parted if not any([name.strip(DIGITS + "-| ") == "" for _, _, name in cells if name])]
    return [start for cells in heads for start, _, name in cells if _is_open(name)]


def _is_open(name: str) -> bool:
    """Say whether everybody may read what stands below a head: `Image ID`, but for `secret_id`."""
    return any([word in OPEN_COLUMNS for word in words_of(name)[-1:]]) and not kind_of_name(name)


def _rulers(line: str, before: int) -> int:
    """Return how many rulers of a table with bars stand above a line, itself among them: the second one parts head and rows."""
    bare = line.strip()
    if bare[:1] not in ("+", "|"):
        return 0
    return before + (not bare.strip("+-|=: ") and "-" in bare)


def _under_ruler(line: str, ruler: "list[Cell]") -> "list[Cell]":
    """Return the cells of a line below a ruler: as many words as columns, or what stands below each."""
    words, at = line.split(), 0
    if len(words) != len(ruler):
        return [(start, min(end, len(line)), line[start:end].strip(QUOTED)) for start, end, _ in ruler]
    cells = []
    for word, (start, _, _) in zip(words, ruler):
        at = line.index(word, at)
        cells.append((start, at + len(word), word))
        at += len(word)
    return [(end - len(word), end, word) for _, end, word in cells]


def _columns(line: str, above: str) -> "list[Cell]":
    """Return the columns that a ruler of dashes below a head marks, with what the head says there; none for another line."""
    if not above or len(line.split()) < 2 or line.strip("-= "):
        return []
    cells, at = [], 0
    for dashes in line.split():
        at = line.index(dashes, at)
        cells.append((at, at + len(dashes), above[at : at + len(dashes)].strip(QUOTED)))
        at += len(dashes)
    return cells


def cut(line: str) -> "list[tuple[str, list[Cell]]]":
    """Return the cells of a line by each sign that may part them: rules, a tab or several, commas, two blanks."""
    line = line.translate(EDGES)
    found = [(" ", _by_blanks(line))]
    bare = line
    for sign in RULES[1:]:
        bare = bare.replace(sign, "|")
    found += [(sign, _by_sign(bare, sign)) for sign in "|\t,;" if sign in bare]
    found += [("\t\t", [cell for cell in _by_sign(bare, "\t") if cell[2]])] if "\t" in bare else []
    return [(sign, cells) for sign, cells in found if 1 < len(cells) <= MOST_CELLS]


def _by_sign(line: str, sign: str) -> "list[Cell]":
    cells, at = [], 0
    for piece in line.split(sign):
        bare = piece.strip(QUOTED + "\r")
        start = at + piece.find(bare)
        cells.append((start, start + len(bare), bare))
        at += len(piece) + 1
    return cells


def _by_blanks(line: str) -> "list[Cell]":
    cells: list[Cell] = []
    at = 0
    while at < len(line):
        at += len(line[at:]) - len(line[at:].lstrip(" \t\r"))
        end = min([each for each in (line.find("  ", at), line.find("\t", at)) if each >= 0], default=len(line))
        colon = line.find(": ", at, end) if not cells else -1
        end = colon if colon > at else end
        word = line[at:end].strip(QUOTED + "\r").removeprefix(": ").strip(QUOTED)
        if word:
            start = line.find(word, at)
            cells.append((start, start + len(word), word))
        at = max(end + (colon > at), at + 1)
    return cells


def announces(name: str) -> str:
    """Return the kind of secret that a cell names, nothing for one that is no name."""
    name = name.rstrip(":").strip("*_` ")
    name = name[:-1].partition("(")[2] if name[-1:] == ")" else name  # what a query makes of a column
    if not name or len(name) > LONGEST_NAME or name.count(" ") >= MOST_WORDS or not name[0].isalpha():
        return ""
    folded = name.lower()
    if folded in ("pass", "pw", "pwd", "key content") or (folded.endswith(ENTERING) and (folded in ENTERING or " " in folded)):
        return "password"
    if folded.endswith(PLUGINS) or is_dated(name):
        return ""
    if any([key in folded for key in KEYS]):
        return "key"
    words = name.split(" ")
    if words[-1].lower() in COLUMNS:
        return "password" if words[-1].lower() == "community" else "key"
    return (
        kind_of_name(name.replace("'", ""))
        if all([word.replace("'", "a").replace("_", "a").replace("-", "a").replace(".", "a").isalnum() for word in words])
        else ""
    )


def is_value(value: str, kind: str) -> bool:
    """Say whether what stands beside a name of a kind in a table is a secret."""
    if kind == "code" or (kind == "password" and value.isdigit() and len(value) > 5):
        return is_secret(value or "x", "code", "listed")
    is_numbered = is_spaced(value) and any([char in DIGITS for char in value])
    if kind == "password" and (is_numbered or (is_of_words(value) and not is_called_so(value))):
        return True
    if _is_text(value) or (value.islower() and "-" in value and is_called_so(value)):  # a name: `sql-password-v2`
        return False
    if kind == "password" and (is_jumbled(value) or (is_secret(value, kind, "flag") and value.isalpha())):
        return True
    are_letters = not any([char in DIGITS or not char.isalnum() for char in value])
    return not is_plain(value) and (not are_letters or is_secret(value, "key", "quoted")) and is_secret(value, kind, "listed")


def _is_text(value: str) -> bool:
    """Say whether a cell is words, a place for a value, or what code or a sentence ends with."""
    is_version = "." in value and "".join(value.split(".", 2)[:2]).isdigit()  # `3.6.3build1`
    return (
        is_version
        or " " in value
        or "(" in value
        or value[-1:] in ":(.;,"
        or value[:1] in "$<([{-*="
        or is_filler(value or "x")
        or is_list(value)
    )


def is_cell(value: str, kind: str, is_ruled: bool = False) -> bool:
    """Say whether what stands below the head of a column of secrets is one: a head says more than a name in a line does."""
    groups = value.split(" ")
    if len(groups) > 2 and len({*map(len, groups)}) == 1:  # parted for people to type
        return is_generated("".join(groups))
    if (kind == "password" and _is_worded(value, is_ruled)) or (
        kind == "secret" and value.isalpha() and (len(value) >= LONGEST_WORD or is_jumbled(value, 3))
    ):
        return True
    if " " in value or len(value) < SHORTEST_CELL or is_filler(value) or is_plain(value) or value[0] in "$<([{-*=/":
        return False
    if kind == "key":
        return is_generated(value) or is_base32(value) or stands_alone(value)
    is_odd = any([char in DIGITS or char in SYMBOLS for char in value])
    if kind == "password" and (is_odd or is_passphrase(value) or is_coined(value) or _is_humped(value)):
        return True
    is_mixed = is_odd and value[0] in DIGITS and not (value.islower() or value.isupper()) and value.isalnum()
    return is_generated(value) or is_base32(value) or is_made_by_hand(value) or is_mixed


def _is_worded(value: str, is_ruled: bool) -> bool:
    """Say whether words are a password in a column of those: a few, some that dots join, between rules one of small letters too."""
    if is_spaced(value) or is_dotted(value):
        return True
    is_word = value.replace("-", "a").replace("_", "a").isalpha() and len(value) > SHORTEST_CELL
    return is_ruled and is_word and not is_filler(value) and value.lower() not in STATES and not is_called_so(value)


def _is_humped(value: str) -> bool:
    """Say whether a cell is words that nothing joins, each with a capital: `SilverBirch`."""
    return (
        value.isalpha()
        and 7 < len(value) < LONGEST_HUMPED
        and value[1:] != value[1:].lower()
        and not value.isupper()
        and not is_called_so(value)
    )


def _beside(sign: str, cells: "list[Cell]") -> "list[Span]":
    """Return the value behind each cell that names a secret; a comma parts lists too, where that says nothing."""
    if sign in ",;" and not (len(cells) == 2 and "_" in cells[0][2] and cells[0][2].isupper()):
        return []
    is_scan = any([said.endswith(CIPHERS) for _, _, said in cells])  # of networks, in which `PSK` is a method
    named = [(at, kind) for at, (_, _, name) in enumerate(cells[:-1]) for kind in [announces(name)] if kind and not is_scan]
    behind = [(kind, cells[at + 1 + _is_operator(cells[at + 1 : at + 3])]) for at, kind in named]
    is_typed = any([said in OF_REGISTRIES for _, _, said in cells])
    found = [(*cell, kind) for kind, cell in behind if is_value(cell[2], kind)]
    found += [(*cell, kind) for kind, cell in behind if is_typed and is_secret(cell[2] or "x", kind, "quoted")]
    is_sealed = len(cells) > 2 and cells[1][0] < cells[1][1] and not cells[1][2]
    if len(cells) > 2 and not is_sealed and (not cells[1][2].strip("-") or is_filler(cells[1][2]) or cells[1][2].lower() == "n/a"):
        found += [(*cell, kind) for at, kind in named[:1] if not at for cell in cells[2:] if stands_alone(cell[2])]
    return [(start, end, kind) for start, end, _, kind in found]


def _is_operator(cells: "list[Cell]") -> bool:
    """Say whether the first of two cells is a sign between a name and its value: `Cleartext-Password | := | x`."""
    return len(cells) > 1 and cells[0][2] in ("=", ":=", "==", "+=", ":", *OF_REGISTRIES)


def _alone(line: str) -> "list[Span]":
    """Return the value of a line that is a name and a value with nothing but a blank between."""
    name, _, value = line.strip().partition(" ")
    if name[:1] == "[" and name[-1:] == "]":  # `[http-basic.example.org.password] x`
        name = name[1:-1].rpartition(".")[2]
        return [(line.rindex(value), line.rindex(value) + len(value), "password")] * (
            kind_of_name(name) == "password" and len(value) > 5 and " " not in value and not is_filler(value)
        )
    kind = kind_of_name(name) if value and name.isalpha() else ""
    if kind not in ("password", "secret") or not is_value(value, kind):
        return []
    return [(line.rindex(value), line.rindex(value) + len(value), kind)]


def _below(sign: str, cells: "list[Cell]", heads: "list[Head]", is_ruled: bool, line: str) -> "list[Span]":
    spans, is_ruled = [], is_ruled or sign == "|"
    for parted, index, kind, column, count in heads:
        if parted == sign == " " and len(cells) == count + 1 and cells[0][2].isdigit():  # of a data frame
            cells = cells[1:]
        if parted != sign or len(cells) > count or (sign in (",", ";", "\t\t") and len(cells) < count):
            continue
        if parted == " ":  # a cell may be empty: what begins where the head does, or nearly
            below = [cell for cell in cells if abs(cell[0] - column) <= 1 and len(cells) > 1]
            below = below or (cells[index : index + 1] if len(cells) == count else _word_at(line, column))
        else:
            below = cells[index : index + 1]
        spans += [
            (start, end, kind) for start, end, value in below if value and (is_value(value, kind) or is_cell(value, kind, is_ruled))
        ]
    return spans


def _word_at(line: str, column: int) -> "list[Cell]":
    """Return the word that begins below a head, which one blank may part from the cell before it."""
    word = line[column:].partition(" ")[0]
    return [(column, column + len(word), word)] if word and line[column - 1 : column] == " " and column else []


def _is_sign(name: str) -> bool:
    """Say whether a head is a lone sign, such as a mark of what is done; one of code is none."""
    return name in ("#", "*", ".", "#*") or (len(name) == 1 and not name.isascii() and not name.isalnum())


def _is_name(name: str) -> bool:
    bare = name.translate(_JOINING)
    return bare.isalpha() or (bare.isalnum() and bare[0].isalpha() and bare[-1].isalpha() and bool(announces(name)))


def _heads(sign: str, cells: "list[Cell]") -> "list[Head]":
    """Return the cells that are heads of columns of secrets, in a line that holds nothing but names."""
    cells = [(start, end, name.lstrip(":")) for start, end, name in cells]  # atoms of Elixir, symbols of Ruby
    names = [name for _, _, name in cells if name]
    if sign in "|\t":  # what a query makes of a column
        names = [name.replace("(", "_").replace(")", "_") for name in names]
    if sign in ";,":  # `Quota (MB)`
        names = [name.replace("(", "").replace(")", "") for name in names]
    if not all([(len(name) <= LONGEST_NAME and name[:1] != "." and _is_name(name)) or _is_sign(name) for name in names]):
        return []
    gaps = {after[0] - cell[1] for cell, after in zip(cells, cells[1:])}
    is_tight = len(cells) > 2 and (gaps == {1} or (gaps == {3} and cells[0][0] == 1))  # which may all stand in quotes
    is_listed = (
        not is_tight and sign in ",;" and (len(names) < len(cells) or cells[0][0] > 0 or any([" " in name for name in names]))
    )
    if is_listed and not (sign == ";" and len(cells) >= FEWEST_COLUMNS):  # words of a sentence, or of code
        return []
    found = enumerate(cells)
    return [(sign, at, kind, start, len(cells)) for at, (start, _, name) in found for kind in [announces(name)] if kind]
