"""Find values that a test or a debugger shows, where the test's name or the expression speaks of a secret."""

from ralph_mem.core.redaction import vocabulary
from ralph_mem.core.redaction.by_hand import is_made_by_hand
from ralph_mem.core.redaction.names import is_secret, kind_of_name
from ralph_mem.core.redaction.passwords import is_of_words, is_passphrase, is_spaced, is_strange
from ralph_mem.core.redaction.values import DIGITS, HEX, LETTERS, PLAIN, is_called_so, is_filler, is_plain, looks_random, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

# How lines begin, or what they hold in lower case, in which tests say what was expected and what came instead.
SAYING = (
    "expected", "received", "actual", "got ", "got:", "want", "left:", "right:", "assert", " to be ", "to eq", "but was", "found:",
    "plaintext", "expect(", "which is:", "evaluated:", '" == "',
)  # fmt: skip
MASKING, LONGEST_MASK = "*\u2022\u25cf", 32
MASKS = frozenset("redacted masked hidden filtered removed sensitive censored private secret oculto versteckt masqué".split())
NOTHING = (
    "''",
    '""',
    "'changeme'",
    '"changeme"',
    "null",
    "nil",
    "None",
    "undefined",
)  # with which a test compares what should be there
UNEQUAL = ("!=", "not_to", "not to", "NotEqual", "not equal")
FILLING, FAR_FIELD = ('fill("', "fill('", '" with "'), 320  # characters before what is filled in
SIGNING_IN, FEWEST_TYPED = ("log in as ", "logged in as ", "sign in as ", "signed in as ", 'joining "'), 5
FAR_MASK, FAR_REPORT = 3, 8  # lines between a mask and what came instead, and of what says that they are compared
KEEPING = ("keychain", "keystore", "vault", "credential", "login")
NO_SIDE = PLAIN.union("expected actual received assert true false none error equal".split())
DIFFERENCE = ("E  ", "-", "+")
NAMING_LINES, ANSWER_LINES = 12, 4  # above what a test shows, below what a debugger is asked
LONGEST_LINE = 600
NAME = LETTERS + DIGITS + "_"
NOT_NAME = {code: " " for code in range(128) if chr(code) not in NAME}
PROMPTS = ("> ", "$ ", ") ", "]: ", "* ")  # with which an interpreter asks, not far from where the line begins
FAR_PROMPT = 40
LEADING = "=>$1234567890abcdefxABCDEF[]()*:char constuned_ \t"  # what a debugger writes before a value: `$1 = 0x55d0 "x"`


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of what is shown."""
    spans: list[Span] = _beside_masks(text) + _beside_nothing(text) + _filled_in(text)
    above: list[tuple[int, str]] = []
    at, tested, asked, kind = 0, 0, 0, ""
    for line in text.split("\n"):
        if len(line) <= LONGEST_LINE:
            if asked:
                spans += [(at + start, at + end, "secret") for start, end in _answered(line, kind)]
            if tested or _speaks(line):
                spans += [(at + start, at + end, "secret") for start, end in _compared(line, tested >= NAMING_LINES - ANSWER_LINES)]
            named = _asks(line)
            asked, kind = (ANSWER_LINES, named) if named else (max(0, asked - 1), kind)
            if not tested and _speaks(line):  # which may follow what is compared
                spans += [(before + start, before + end, "secret") for before, said in above for start, end in _compared(said)]
            tested = NAMING_LINES if _speaks(line) else max(0, tested - 1)
            above = [*above[1 - NAMING_LINES :], (at, line)]
        at += len(line) + 1
    return spans


def _beside_masks(text: str) -> "list[Span]":
    """Find what a test compares with a mask: what stands on the other side is what was to be masked."""
    lines, starts, at = text.split("\n"), [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    reports = [number for number, line in enumerate(lines) if len(line) <= LONGEST_LINE and _compares(line)]
    sides = {number: _sides(line, number, reports) for number, line in enumerate(lines) if len(line) <= LONGEST_LINE}
    masked = [number for number, values in sides.items() if any(map(_is_mask, values))]
    spans = []
    for number in masked:
        here = [value for value in sides[number] if _is_side(value)]
        near = [number] if here else range(number - FAR_MASK, number + FAR_MASK + 1)
        for each in near:
            for value in [value for value in sides.get(each, []) if _is_side(value)]:
                place = starts[each] + lines[each].rindex(value)
                spans.append((place, place + len(value), "secret"))
    return spans


def _beside_nothing(text: str) -> "list[Span]":
    """Find what a test that speaks of a password, or of a PIN, compares with nothing, or with itself: `-'x'` above `+''`."""
    spans, at, kinds = [], 0, dict.fromkeys(("password", "code", "secret", "key"), -NAMING_LINES)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if len(line) <= LONGEST_LINE:
            names = {kind_of_name(name) for name in _names(line)}
            kinds.update({kind: number for kind in kinds if kind in names})
            near = "\n".join(lines[max(0, number - FAR_MASK) : number + FAR_MASK + 1])
            is_compared = number - max(kinds.values()) < NAMING_LINES and any([each in near for each in NOTHING + UNEQUAL])
            for value in _sides(line, number, [number] if is_compared and (_compares(line) or line[:1] in "-+") else []):
                is_code = number - kinds["code"] < NAMING_LINES and value.isdigit() and is_secret(value, "code", "quoted")
                is_key = number - max(kinds["secret"], kinds["key"]) < NAMING_LINES and _is_quoted_key(line, value)
                if is_key or (is_code and len(value) > 5) or (number - kinds["password"] < NAMING_LINES and _is_kept(value)):
                    place = at + line.rindex(value)
                    spans.append((place, place + len(value), "secret"))
        at += len(line) + 1
    return spans


def _filled_in(text: str) -> "list[Span]":
    """Find what a test fills in a field that is named on its line or a little above: `fill("x")`, `"Password" with "x"`."""
    spans = []
    for sign in FILLING:
        for at in places(text, sign):
            start = at + len(sign)
            value = text[start : start + LONGEST_LINE].partition("\n")[0].partition(sign[-1])[0]
            near = text[max(0, at - FAR_FIELD) : at].split("\n")[-FAR_MASK - 1 :]
            is_named = any([kind_of_name(name) == "password" for line in near for name in _names(line)])
            signs_in = any([words in near[-1] for words in SIGNING_IN]) and not _is_open(value) and not is_filler(value)
            if (is_named and (_is_reported(value) or is_made_by_hand(value))) or (signs_in and len(value) > FEWEST_TYPED):
                spans.append((start, start + len(value), "secret"))
    return spans


def _is_quoted_key(line: str, value: str) -> bool:
    return (f"'{value}'" in line or f'"{value}"' in line) and looks_random(value)


def _is_kept(value: str) -> bool:
    """Say whether a text is a password that is compared with nothing: words that signs join, with capitals or four of them."""
    is_mixed = value.lower() != value != value.upper() and any(
        [not char.isalnum() or char in DIGITS for char in value.strip(".!?")]
    )
    return (
        len(value) > 7
        and _is_side(value)
        and (is_mixed or is_passphrase(value))
        and not any([sign in value for sign in "/\\:;,(){}[]<>$"])
        and not is_called_so(value)
        and not is_filler(value)
        and not is_plain(value)
        and not value.isidentifier()
    )


def _compares(line: str) -> bool:
    return line.startswith("E  ") or any([sign in line.lower() for sign in SAYING])


def _sides(line: str, number: int, reports: "list[int]") -> "list[str]":
    """Return what a line compares: texts in quotes or angles, what follows a label, or all of a line of a difference."""
    bare = line.removeprefix("E ").strip()
    is_difference = bare[:1] in ("-", "+") and len(bare.split()) < 3
    if number not in reports and not (is_difference and any([abs(number - each) <= FAR_REPORT for each in reports])):
        return []
    values = [piece for quote in "'\"" for piece in line.split(quote)[1:-1]]
    values += [piece.partition(">")[0] for piece in line.split("<")[1:] if ">" in piece]
    values.append(bare[1:].strip("-+ '\"") if is_difference else bare.rpartition(":")[2].strip(" '\""))
    return [value for value in dict.fromkeys(values) if value]


def _is_mask(value: str) -> bool:
    bare = value.strip("<>[](){}*").lower()
    return len(value) <= LONGEST_MASK and (
        (len(value) > 2 and 2 * sum(map(value.count, MASKING)) > len(value) and value.count(value[0]) > 2)
        or (bare in MASKS and bare != value.lower())
    )


def _is_side(value: str) -> bool:
    """Say whether what stands beside a mask is a value: one word of four characters or more, or a few of a password."""
    is_one = not any([sign in value for sign in " ()=,"]) or (is_spaced(value) and value[-1] in DIGITS)
    bare = value.strip("<>[](){}*")
    return (
        is_one
        and len(bare) > 3
        and not _is_mask(value)
        and bare.lower() not in NO_SIDE | MASKS
        and any([char.isalnum() for char in bare])
    )


def _is_shown(value: str, said: str) -> bool:
    """Say whether a text in quotes that came instead of another is a password, whatever signs it holds."""
    shapes = [any([char in value for char in each]) for each in (LETTERS[:26], LETTERS[26:], DIGITS)]
    is_said = said[:2] in ("-'", "+'", '-"', '+"') or any(
        [sign in said for sign in ("but was", "received", "actual", "got", "found")]
    )
    is_text = any([sign in value for sign in (" ", "://", '":', "(", "=>", "/")])
    return is_said and all(shapes) and not is_text and is_secret(value, "password", "quoted")


def _is_open(value: str) -> bool:
    """Say whether what looks generated is an address, an expression, or digits in hex, such as commits are named by."""
    return (
        any([sign in value for sign in (" ", "://", "(", ".", ":", "=", "\\", "$")])
        or not value.strip(HEX + "-")
        or value.startswith("sha")
    )


def _is_reported(value: str) -> bool:
    """Say whether a text in quotes on a line that names a password is one: letters with digits or signs, or joined words."""
    is_text = any([sign in value for sign in (" ", "/", "(", "=", "$", "\\")]) or not value.strip(HEX)
    is_one = (
        is_of_words(value)
        or is_passphrase(value)
        or is_strange(value)
        or (value.lower() != value and not value.isalnum() and not value.isidentifier())
    )
    return len(value) > 7 and not is_text and is_one and not (is_called_so(value) or is_filler(value) or is_plain(value))


def _names(line: str) -> "list[str]":
    """Return the names in a line; what follows `from` in one says where something comes from."""
    return [word.partition("From")[0].partition("_from")[0] for word in line.translate(NOT_NAME).split()]


def _speaks(line: str) -> bool:
    names = _names(line)
    is_kept = "est" in line and any([word in name.lower() for name in names for word in KEEPING])  # in the name of a test
    return "plaintext:" in line or is_kept or any([kind_of_name(name) in ("password", "secret") for name in names])


def _asks(line: str) -> str:
    """Return the kind of secret for which an interpreter or a debugger is asked on a line."""
    names = _names(line.rstrip(" \r;)]\"'"))
    if not any([sign in line[:FAR_PROMPT] for sign in PROMPTS]):
        names = names[-1:]
    return next((kind for kind in map(kind_of_name, names) if kind), "")


def _answered(line: str, kind: str) -> "list[tuple[int, int]]":
    """Return the one quoted text of which a line consists, behind what a debugger writes before it."""
    bare = line.rstrip(" \r\0").lstrip(LEADING)
    value, before = bare[1:-1], line[: len(line.rstrip(" \r\0")) - len(bare)]
    if (
        len(bare) < 3
        or (before and before[-1] != " ")
        or line[:3] == "   "
        or bare[0] not in "'\""
        or bare[-1] != bare[0]
        or bare[0] in value
        or is_filler(value)
    ):
        return []
    if not (is_secret(value, kind, "quoted") or is_made_by_hand(value)):
        return []
    start = line.rindex(bare) + 1
    return [(start, start + len(value))]


def _compared(line: str, is_near: bool = False) -> "list[tuple[int, int]]":
    """Return the values that a line of a test's report compares: within quotes or angles, or all that follows its sign.

    Near the name of what is compared a few words are one too.
    """
    bare = line.removeprefix("E ").strip()
    said = bare.lower()
    is_difference = line.startswith(DIFFERENCE) and bare[:1] in ("-", "+") and len(bare.split()) < 3
    if not is_difference and not any([sign in said for sign in SAYING]):
        return []
    values = [piece for quote in "'\"" for piece in line.split(quote)[1:-1]]
    pieces = line.split("<")
    values += [piece.partition(">")[0] for before, piece in zip(pieces, pieces[1:]) if not before[-1:].isalnum()]  # no `List<T>`
    label, _, behind = bare.rpartition(": ")
    values.append(bare.lstrip("-+ ").strip("'\"") if is_difference else "" if label.endswith("type") else behind)
    named = {kind_of_name(name) for name in _names(line)}
    found = [
        value
        for value in dict.fromkeys(values)
        if (
            is_made_by_hand(value)
            or (not is_difference and looks_random(value) and not _is_open(value))
            or ("password" in named and _is_reported(value))
            or (is_near and value and (is_spaced(value) or _is_shown(value, said)))
            or (not is_difference and not _is_open(value) and not is_called_so(value) and vocabulary.stands_out(value))
        )
        and f'["{value}"]' not in line
    ]
    return [(line.index(value), line.index(value) + len(value)) for value in found]
