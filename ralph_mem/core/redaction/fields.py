"""Find secrets whose name stands in another field of the same object, or above the section in which they stand."""

from ralph_mem.core.redaction.issued import is_code, stands_alone
from ralph_mem.core.redaction.names import NAME, TAKEN_BACK, is_secret, kind_of_name, words_of
from ralph_mem.core.redaction.passwords import is_of_class
from ralph_mem.core.redaction.values import DIGITS, is_called_so, looks_random, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

# How the field is called that holds a name, and the one that holds its value, by their last word in lower case.
NAMING = (
    "name",
    "key",
    "id",
    "field",
    "option",
    "variable",
    "var",
    "env",
    "label",
    "property",
    "title",
    "param",
    "header",
    "setting",
)
HOLDING = ("value", "val", "default", "example", "content", "data", "current", "wert", "valeur", "valor", "setting")
# Fields of a section that hold who or where, not a secret.
OTHERWISE = frozenset(
    "user username login email host server region account tenant scope realm issuer audience kind ref from hash resolved license"
    " encrypted sealed".split()
)
TELLING_OTHERWISE = frozenset(TAKEN_BACK.split()) - {"value", "id"}
OPENING, CLOSING = "{[(", "}])"
CLOSERS = "\"'`\\])*_ \t"
WINDOW, FARTHEST = 240, 4096
MOST_LINES = 40


def find(text: str, start: int, end: int) -> "list[Span]":
    """Find what belongs to the name between two places as the value of another field, or as what stands below it."""
    name = text[start:end].strip("-.")
    if _is_held(text, start):
        kind = kind_of_name(name)
        return _beside(text, start, end, kind) if kind else []
    rest = text[end : end + 80]
    bare = rest.lstrip(CLOSERS)
    is_heading = text[start - 1 : start] == "[" and rest[:1] == "]"
    sign = next((sign for sign in ("=>", ":=", ":", "=") if bare.startswith(sign)), "")
    if not sign and ")" in rest[: len(rest) - len(bare)]:  # `if (name) {`
        return []
    behind = bare[len(sign) :].lstrip(" \t").removeprefix("new ").lstrip(" \t") if sign or bare[:1] == "{" else "x"
    if not (is_heading or behind[:1] in ("{", "[", "\n", "|")):
        return []
    kind = "" if "." in name else _kind(name)  # the name of a package
    if not kind:
        return []
    at = end + len(rest) - len(bare) + bare.find(behind[:1], len(sign))
    return _inside(text, at + 1, kind) if behind[:1] in OPENING and not is_heading else _under(text, start, at, kind, is_heading)


def _kind(name: str) -> str:
    """Return what a section announces: a plural does too, `tokens` less than the others."""
    one = name[:-1] if name[-1:] in "sS" else name
    kind = kind_of_name(name) or kind_of_name(one)
    return "key" if one.lower() in ("token", "auth") else "secret" if one.lower() == "credential" else kind


def _is_held(text: str, start: int) -> bool:
    """Say whether a name stands as the value of a field that holds names: `"key": "`, `name=`, `- name: `."""
    before = text[max(0, start - 80) : start].rstrip(NAME + "/").rstrip("\"'`\\ \t")
    field = before.rstrip(":=> \t").rstrip("\"'`\\ \t")
    if text[start - 1 : start] in ("'", '"') and before.endswith(("variable", "output", "parameter")):  # `variable "x" {`
        return True
    return before[-1:] in (":", "=", ">") and field[-20:].lower().endswith(NAMING)


def _beside(text: str, start: int, end: int, kind: str) -> "list[Span]":
    """Return the value of the field that holds one, in the object or the item of a list around a name."""
    behind = text[end : end + WINDOW]
    stops = [behind.find(stop) for stop in ("}", "\n\n", "/>", "\n- ", "\n  - ", "name:", '"key"', '"name"')]
    found = _held(text, end, end + min([each for each in stops if each >= 0], default=len(behind)), kind)
    opening = text.rfind("{", max(0, start - WINDOW), start)
    return found if found or opening < 0 or "}" in text[opening:start] else _held(text, opening, start, kind)


def _held(text: str, start: int, end: int, kind: str) -> "list[Span]":
    folded = text[start:end].lower()
    for word in HOLDING:
        for at in places(folded, word):
            close = start + at + len(word)
            bare = text[close : end + 4].lstrip(CLOSERS)
            is_within = text[start + at - 1].isalpha() and text[start + at].islower()  # `interval`
            if not bare[:1] or bare[0] not in ":=>" or is_within:
                continue
            begin = close + len(text[close : end + 4]) - len(bare) + 1
            value = _value(text, begin)
            if value and is_secret(text[value[0] : value[1]], kind, "quoted" if text[value[0] - 1] in "\"'" else "bare"):
                return [(*value, kind)]
    return []


def _value(text: str, at: int) -> "tuple[int, int] | None":
    """Return where a value on a line begins and ends, without its quotes."""
    window = text[at : at + 512].partition("\n")[0]
    bare = window.lstrip(" \t\\")
    at += len(window) - len(bare)
    if bare[:1] in ("'", '"'):
        end = bare.find(bare[0], 1)
        return (at + 1, at + end) if end > 1 else None
    word = bare.split(" #")[0].rstrip(" \t\r,;}]")
    return (at, at + len(word)) if word and " " not in word else None


def _inside(text: str, at: int, kind: str) -> "list[Span]":
    """Return the values between a bracket and the one that closes it."""
    depth, end = 1, at
    while end < min(len(text), at + FARTHEST) and depth:
        depth += (text[end] in OPENING) - (text[end] in CLOSING)
        end += 1
    spans, start = [], at
    for piece in text[at : end - 1].replace("\n", ",").split(","):
        spans += _child(text, start, start + len(piece), kind)
        start += len(piece) + 1
    return spans


def _under(text: str, start: int, at: int, kind: str, is_heading: bool) -> "list[Span]":
    """Return the values of the lines below a name that stand deeper, or up to the next heading."""
    depth = start - text.rfind("\n", 0, start) - 1
    line = text.find("\n", at)
    spans: list[Span] = []
    for _ in range(MOST_LINES):
        if line < 0:
            break
        end = text.find("\n", line + 1)
        end = end if end >= 0 else len(text)
        said = text[line + 1 : end]
        bare = said.lstrip(" \t+-'\"|")
        is_out = said.lstrip()[:1] == "[" if is_heading else len(said) - len(bare) <= depth
        if not bare or is_out:
            break
        spans += _child(text, line + 1, end, kind)
        line = end if end < len(text) else -1
    return spans


def _child(text: str, start: int, end: int, kind: str) -> "list[Span]":
    """Return the value of `name: value`, or of a lone text, where nothing but a secret looks so."""
    piece = text[start:end]
    if piece.rstrip()[-1:] in (";", "{"):  # code
        return []
    signs = [at for sign in (": ", '":', "=", " ") for at in [piece.find(sign, len(piece) - len(piece.lstrip()))] if at > 0]
    at = min(signs, default=-1)
    name = piece[:at].strip(" \t\"'+-{[(*") if at > 0 else ""
    words = set(words_of(name))
    if (name.strip(NAME) and at > 0) or words & TELLING_OTHERWISE or words & OTHERWISE:
        return []
    value = _value(text, start + at + 1 + (piece[at + 1 : at + 2] in (":", ">"))) if at > 0 else _value(text, start)
    said = text[value[0] : value[1]].strip("\"'") if value else ""
    is_bare = value is not None and text[value[0] - 1] not in "\"'"
    if is_bare and ((at < 0 and "(" in said) or said.partition("<")[0].isidentifier() != said.isidentifier()):  # a call, a type
        return []
    if not value or len(said) < 6 or is_called_so(said) or "://" in said or ("@" in said and "." in said.rpartition("@")[2]):
        return []
    tells = stands_alone(said) or (kind != "key" and is_secret(said, kind, "listed") and any([char in DIGITS for char in said]))
    return (
        [(*value, kind)] if (tells if kind != "key" else looks_random(said) and not is_code(said) and not is_of_class(said)) else []
    )
