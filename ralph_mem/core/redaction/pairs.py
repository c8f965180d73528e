"""Find unquoted secrets in lines that are no program, such as connection strings, fields of logs and settings."""

from ralph_mem.core.redaction.issued import is_code, stands_alone
from ralph_mem.core.redaction.names import is_secret, kind_of_label, stems_in
from ralph_mem.core.redaction.passwords import OF_FORMS, is_odd, is_said, is_spaced, is_unheard
from ralph_mem.core.redaction.values import DIGITS, LETTERS, PLAIN, SECRET_FLOOR, is_called_so, is_filler, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]
    Pair = tuple[int, int, int, int]  # where a name and its value begin and end in a line

NAME = LETTERS + DIGITS + "_-."
BEFORE = " \t,;{[(&\"'|:?"  # a name
PARTING = " \t,;&"
OPENING = {"{": "}", "[": "]", "(": ")"}
# Names of connection strings, without their blanks: beside one of them, parted by `;`, any value of a password is one.
CONNECTING = frozenset(
    "server datasource host hostname user userid username uid database initialcatalog dbname port endpoint driver dsn".split()
)
# How words end that a log says of a password: `password=unchanged`.
SAYING = ("ed", "ing", "ent", "ect", "able", "ible", "ous", "ary", "ory", "ive")
FEWEST, FEWEST_DIGITS, LONGEST = 4, 5, 2048
REFERRING = ("$", "<", "%(", "@{", "{{", "/", "./", "~/", "../", "\\", "0x", "'", '"', "`")  # what a value begins with that is none


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of unquoted values in lists of NAME=VALUE, and of one that is its line's only one."""
    spans: list[Span] = []
    at, stems = 0, stems_in(text, folded)
    for line, said in zip(text.split("\n"), folded.split("\n")):
        if len(line) <= LONGEST and any([stem in said for stem in stems]):
            found = _of_line(line) if line.count("=") > 1 else []
            spans += [(at + start, at + end, kind) for start, end, kind in found or _of_setting(line)]
        at += len(line) + 1
    return spans


def _of_line(line: str) -> "list[Span]":
    pairs = _pairs(line)
    pairs = pairs[1:] if pairs and pairs[0][2] >= pairs[0][3] else pairs  # `connect = host=x user=y`
    names = ["".join(line[start:end].lower().split()) for start, end, _, _ in pairs]
    is_connecting = ";" in line and not CONNECTING.isdisjoint(names)
    if len(pairs) < 2 or not (is_connecting or _is_data(line, pairs)):
        return []
    found = []
    for start, end, first, last in pairs:
        kind = kind_of_label(line[start:end])
        if kind and _is_given(line[first:last], kind, is_connecting):
            found.append((first, last, kind))
    return found


def _of_setting(line: str) -> "list[Span]":
    """Return the password of a line that is nothing but a name and a value, of signs that would end it in code."""
    at = min([place for place in (line.find(": "), line.find("=")) if place > 0], default=0)
    name, value = line[:at].rstrip().rpartition(" ")[2].rpartition("\t")[2].strip("\"'"), line[at + 1 :].strip()
    if line[at : at + 1] == "=" and name == line[:at].strip() and " " in value and kind_of_label(name) == "password":
        is_phrase = (is_unheard(value) or is_spaced(value)) and not is_filler(value)  # of words
        return [(line.index(value, at), line.index(value, at) + len(value), "password")] if is_phrase else []
    if not at or not value or " " in value or kind_of_label(name) != "password" or not is_odd(value) or is_filler(value):
        return []
    start = line.index(value, at)
    return [(start, start + len(value), "password")]


def _pairs(line: str) -> "list[Pair]":
    """Return the pairs of a line in their order; a value ends before the sign that parts it from the next name."""
    starts = []
    at = line.find("=")
    while at >= 0:
        end = at - (line[at - 1 : at + 2] == " = ")  # of a record
        bare = line[:end].rstrip(NAME)
        start = len(bare)
        if bare[-1:] == " " and ";" in bare and not bare.rpartition(";")[2].strip(LETTERS + " "):  # `;User ID=`
            start = bare.rindex(";") + 1
        is_name = start < end and line[start] in LETTERS and (not bare or line[start - 1] in BEFORE)
        if is_name and line[at + 1 : at + 2] not in ("=", ">") and line[at + 1 : at + 3].strip() != "~":
            starts.append((start, end))
        at = line.find("=", at + 1)
    ends = [start for start, _ in starts[1:]] + [len(line)]
    places = [(start, end, line.index("=", end) + 1) for start, end in starts]
    places = [(start, end, at + (line[end] == " ")) for start, end, at in places]
    return [(start, end, at, _end(line, start, at, last)) for (start, end, at), last in zip(places, ends)]


def _end(line: str, name: int, at: int, following: int) -> int:
    """Return where the value at a place ends: before the blanks and the sign in front of the next name, or at a blank, a quote."""
    value = line[at:following]
    sign = value.rstrip(" \t")[-1:] if following < len(line) else ""
    if sign in (";", ","):
        value = value.rstrip(" \t")[:-1]
    for stop in (" ", "\t", '"', "'", "</", *([";"] if ";" in line[:name] or line[name - 1 : name] in ("&", "?") else [])):
        value = value.partition(stop)[0] if stop not in " \t" or sign != ";" else value
    close = next((OPENING[char] for char in reversed(line[:name]) if char in OPENING), "")
    if close and close in value:
        value = value[: value.rindex(close)]
    return at + len(value.rstrip(PARTING))


def _is_data(line: str, pairs: "list[Pair]") -> bool:
    """Say whether the pairs of a line are no arguments of a call, no attributes of markup and no statements."""
    before = line[: pairs[0][0]]
    is_markup = "<" in before and not before.rpartition("<")[2].rstrip("[{").isalnum()  # `<MailConfig[` is shown by a test
    if before.rstrip()[-1:] in ("{", "[") and not is_markup:
        return not line.rstrip().endswith((";", "{")) and "new " not in before
    if "<" in before or line.rstrip().endswith((";", "{", "(", "\\", ")", ":")):
        return any(["://" in line[first:last] for _, _, first, last in pairs]) and before[-1:] == "("
    is_call = "(" in before
    return not is_call and all([line[first : first + 1] not in ("", " ", "(", "[", "{") for _, _, first, _ in pairs])


def _is_given(value: str, kind: str, is_connecting: bool) -> bool:
    """Say whether a value beside the name of a secret is one, where no expression can stand."""
    if (
        len(value) < FEWEST
        or value.startswith(REFERRING)
        or is_filler(value.rstrip(")]}:,;") or "x")
        or "://" in value
        or "()" in value
    ):
        return False
    if kind != "password":
        is_odd = is_secret(value, kind, "quoted") or stands_alone(value)
        return len(value) >= SECRET_FLOOR and is_odd and not is_code(value.lstrip("!*"))
    if is_connecting:
        return value.lower() not in PLAIN and not is_called_so(value)
    if value.isdigit():
        return len(value) >= FEWEST_DIGITS
    if value.isalpha() and len(value) >= SECRET_FLOOR:
        is_state = value.lower() in OF_FORMS or (value.islower() and value.endswith(SAYING))
        return not is_state and not is_called_so(value)
    is_state = value.islower() and value.count("_") + value.count("-") > 1 and is_said(value)
    return not (
        is_state or value.isalpha() or is_plain(value) or (is_code(value.lstrip("!*")) and value.islower()) or is_called_so(value)
    )
