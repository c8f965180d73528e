"""Name the signs by which `likely` judges a word, of its looks and of what stands around it."""

import re

from ralph_mem.core.redaction import letters, values, vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = re.compile(r"[^\s\"'`]+")
NAME = re.compile(r"[A-Za-z_$%@.-][\w.$-]*\??")  # what a sign of JOINING may stand behind
JOINING = ("=>", "=", ":", "(")
OPENING, CLOSING = "([{<,;:|*=>«„“”。、\uff1a「」", ")]}>,;:|*.«»“”\\。、」"
ESCAPED = ("\\n", "\\r", "\\t")
FEWEST_LETTERS, FEWEST, MOST, LONGEST_PIECE = 6, 5, 64, 200
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zà-ÿ]+|[^\W\d_]+|\d+")  # the words of `userPin_2`
LENGTHS = (5, 6, 7, 8, 10, 13, 17, 24, 40, 64)  # up to
OF_HEX = (7, 8, 10, 12, 16, 20, 24, 32, 36, 40, 56, 64)
HEX = frozenset("0123456789abcdefABCDEF")
SIGNS = frozenset("-_./:+@#!$%&*?=~^")
LONGEST_SHAPE = 7
FORMS = {
    "year": re.compile(r"(?:19|20)\d\d\D?$"),
    "leet": re.compile(r"[a-zA-Z][0134579@$][a-zA-Z]"),
    "version": re.compile(r"v?\d+(?:\.\d+)+"),
    "time": re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d"),
    "ending": re.compile(r"\.\w{1,5}$"),
    "host": re.compile(r"[a-z]+\.[a-z]+(?::\d+)?$"),
    "mail": re.compile(r".@.+\.."),
}
LAST_DIGITS = re.compile(r"\d+$")
BEFORE, AFTER, ABOVE = 160, 100, 300  # characters that are looked at
CALL = re.compile(r"([\w.]+)\s*\([^()]*$")
NO_WORD, ALL_SIGNS, BLANK = re.compile(r"\W*$"), re.compile(r"\W*"), re.compile(r"\s")
COLUMNS = "|│\t,;"
LONGEST_TABLE = 1500
RULE = frozenset("+-=| ─┼├┤┌┬┐└┴┘:")  # between rows
CELL, GAP = re.compile(r"\S+(?: \S+)*"), re.compile(r"\S {2,}\S")
MOST_TIMES = 4


def candidates(text: str) -> "Iterator[tuple[int, int]]":
    """Yield start and end of what may be a secret, in order: a word without the signs and the name that it stands behind."""
    for piece in PIECE.finditer(text):
        yield from _within(text, *piece.span())


def _within(text: str, start: int, end: int) -> "Iterator[tuple[int, int]]":
    while start < end and text[start] in OPENING:
        start += 1
    while start < end and text[end - 1] in CLOSING:
        end -= 1
    start += 2 * text.startswith(ESCAPED, start, end)
    end -= 2 * text.endswith(ESCAPED, start, end)
    word = text[start:end]
    if not FEWEST <= len(word) <= LONGEST_PIECE or "://" in word:
        return
    for sign in JOINING:
        at = word.find(sign)
        if 0 < at < len(word) - len(sign) and NAME.fullmatch(word[:at]) and word[at:].strip("="):
            yield from _within(text, start + at + len(sign), end)
            return
    if len(word) <= MOST and (len(word) >= FEWEST_LETTERS or not word.isalpha()):
        yield start, end
    user, slash, rest = word.partition("/")
    if user.strip(".") and slash and "/" not in rest and len(rest) >= FEWEST_LETTERS:
        yield end - len(rest), end


def of(text: str, start: int, end: int) -> "set[str]":
    """Return the signs of a word at a place of a text, and of what stands around it."""
    word = text[start:end]
    return of_word(word) | often(text, word) | around(text, start, end)


def often(text: str, word: str) -> "set[str]":
    """Return the sign of how often a word stands in a text."""
    return {f"times:{min(text.count(word), MOST_TIMES)}"}


def words(text: str) -> "list[str]":
    """Return the words of a text in small letters, those of names each by itself; a number is a 0."""
    return ["0" if word.isdigit() else word.lower() for word in PARTS.findall(text)]


def of_word(word: str) -> "set[str]":
    """Return the signs of a word by itself."""
    found = {f"length:{next((most for most in LENGTHS if len(word) <= most), 99)}"} | _of_characters(word)
    found |= {name for name, form in FORMS.items() if (form.match if name in ("version", "time", "mail") else form.search)(word)}
    digits = LAST_DIGITS.search(word)
    found |= {f"digits:{min(len(digits.group()), 6)}"} if digits else set()
    if "ending" in found:
        found.add("ending:" + word.rpartition(".")[2].lower())
    if HEX.issuperset(word.replace("-", "")):
        found |= {"hex", f"hex:{len(word) if len(word) in OF_HEX else 0}", *["number"] * word.isdigit()}
    judged = {"random": values.looks_random, "plain": values.is_plain, "filler": values.is_filler}
    found |= {name for name, judge in judged.items() if judge(word)}
    return found | _of_parts(word)


def _of_characters(word: str) -> "set[str]":
    shape = ""
    for char in word:
        kind = "A" if char.isupper() else "a" if char.isalpha() else "0" if char.isdigit() else char if char in SIGNS else "x"
        shape += kind if kind != shape[-1:] else ""
    has = {"a": any(map(str.islower, word)), "A": any(map(str.isupper, word)), "0": any(map(str.isdigit, word))}
    kinds = "".join([kind for kind, is_there in has.items() if is_there]) + "!" * (not word.isalnum())
    found = {f"changes:{min(len(shape), 12)}", f"kinds:{kinds}", f"kinds:{kinds}/{min(len(word) // 4, 8)}"}
    found.add("shape:" + (shape if len(shape) <= LONGEST_SHAPE else shape[: LONGEST_SHAPE - 1] + "~"))
    found |= {f"sign:{char}" for char in word if char < "\x7f" and not char.isalnum()}
    found |= {f"last:{word[-1]}"} if word[-1] in "!?#$*" else set()
    return found | ({f"first:{word[0]}"} if word[0] in "/.~$%@-#" else set())


def _of_parts(word: str) -> "set[str]":
    parts = [part.lower() for part in PARTS.findall(word) if part.isalpha() and len(part) > 2]
    known = sum([vocabulary.is_known(part) for part in parts])
    which = "none" if not parts else "all" if known == len(parts) else "some" if known else "no"
    found = {f"parts:{min(len(parts), 5)}", f"known:{which}", *[f"says:{part}" for part in words(word) if len(part) > 2]}
    found |= {"strange"} if parts and not known and max(map(len, parts)) >= FEWEST else set()
    return found | ({"letters"} if word.isalpha() and len(word) >= values.RANDOM_LETTERS and letters.are_random(word) else set())


def around(text: str, start: int, end: int) -> "set[str]":
    """Return the signs of what stands before and behind a place on its line, on the line above, and at the head of its column."""
    line, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = text[max(line, start - BEFORE) : start], text[end : min(line_end, end + AFTER)]
    said, behind, above = words(before)[-12:], words(after)[:5], text[max(0, line - ABOVE) : line].rstrip("\n").rpartition("\n")[2]
    found = {
        *[f"near:{word}" for word in said[-8:]],
        *[f"line:{word}" for word in said],
        *[f"above:{word}" for word in words(above)[-12:]],
    }
    found |= {*[f"next:{word}" for word in said[-1:]], *[f"three:{word}" for word in said[-3:]]}
    found |= {*[f"then:{word}" for word in behind[:1]], *[f"behind:{word}" for word in behind]}
    return found | _signs_between(before, after) | _of_call(before) | _of_column(text, line, start, line_end)


def _signs_between(before: str, after: str) -> "set[str]":
    signs = NO_WORD.search(before).group()  # type: ignore[union-attr]
    between = BLANK.sub("_", signs) if signs.strip() else "_" * bool(signs)
    closing = BLANK.sub("_", ALL_SIGNS.match(after).group())  # type: ignore[union-attr]
    is_last = not after.strip(" .,;)\"'")
    place = ("alone" if not after.strip() else "begins") if not before.strip() else "ends" if is_last else "amid"
    return {f"between:{between[-4:]}", f"right:{between[-2:]}", f"closing:{closing[:2]}", place}


def _of_call(before: str) -> "set[str]":
    call = CALL.search(before)
    if not call:
        return set()
    number = min(before[call.end(1) :].count(","), 4)
    return {f"argument:{number}", *[f"call:{word}" for word in words(call.group(1))]}


def _of_column(text: str, line: int, start: int, end: int) -> "set[str]":
    """Return the words at the head of a column, of a table by signs or by gaps."""
    if end - line > LONGEST_TABLE:  # no row of a table, and each look would cost the whole line
        return set()
    row, above = text[line:end], text[max(0, line - LONGEST_TABLE) : line].split("\n")[:-1]
    sign = next((sign for sign in COLUMNS if sign in row), "")
    if sign:
        number = text.count(sign, line, start)
        heads = _rows_of(above, row.count(sign), sign)
        return {"table", *[f"head:{word}" for word in words(heads[-1].split(sign)[number])]} if heads else set()
    if not GAP.search(row):
        return set()
    heads = _rows_in_gaps(above)
    at = start - line
    cells = [cell for cell in CELL.finditer(heads[-1]) if cell.start() - 1 <= at <= cell.end()] if heads else []
    return {"gaps", *[f"head:{word}" for cell in cells for word in words(cell.group())]} if cells else set()


def _rows_of(above: "list[str]", number: int, sign: str) -> "list[str]":
    """Return the rows of a table above one, nearest first: those with as many signs, and the rules between them left out."""
    found = []
    for row in reversed(above):
        if row.count(sign) == number:
            found.append(row)
        elif not RULE.issuperset(row):
            break
    return found


def _rows_in_gaps(above: "list[str]") -> "list[str]":
    found = []
    for row in reversed(above[-12:]):
        if GAP.search(row):
            found.append(row)
        elif not RULE.issuperset(row):
            break
    return found
