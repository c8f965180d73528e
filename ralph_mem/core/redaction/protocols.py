"""Find passwords in what programs send each other, such as queries of addresses and lines of Redis."""

from ralph_mem.core.redaction.names import is_filler, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

# How a query names a password, and how it names who has one.
NAMED = frozenset("p pw pass pwd psw passwd password passphrase".split())
USERS = ("u=", "user=", "username=", "login=", "account=", "usr=", "uid=", "uname=")
ENDS = " \t\n\r\"'<>`\\)}],;"
FEWEST = 4
LONGEST = 400
DOTS = "...."


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    return _of_queries(text, folded) + _of_redis(text) + _of_realms(text, folded) + _behind_dots(text, folded)


def _of_queries(text: str, folded: str) -> "list[Span]":
    """Find the value of a field that a query names so: `?u=bob&p=x`, `user=bob&pass=x`; a lone p only beside a user."""
    spans = []
    for at in places(text, "="):
        before = folded[max(0, at - LONGEST) : at]
        for sign in ENDS:
            before = before.rpartition(sign)[2]
        name = before.rpartition("&")[2].rpartition("?")[2]
        if name not in NAMED or len(name) == len(before):
            continue
        end = _end(text, at + 1, ENDS + "&")
        value, query = text[at + 1 : end], before + folded[end : _end(text, end, ENDS)]
        has_user = any([sign in query.replace("?", "&").split("&")[0] or "&" + sign in query.replace("?", "&") for sign in USERS])
        if len(value) >= FEWEST and not value.isdigit() and (has_user or len(name) > 1) and _is_value(value):
            spans.append((at + 1, end, "password"))
    return spans


def _of_redis(text: str) -> "list[Span]":
    """Find what is sent behind AUTH, whether line ends are spelled out or not: a name, a password, each behind its length."""
    spans = []
    for end_of_line in ("\\r\\n", "\r\n"):
        for at in places(text, "AUTH" + end_of_line + "$"):
            start = at + 4 + len(end_of_line)
            for piece in text[start : start + LONGEST].split(end_of_line)[:4]:
                if piece[:1] not in ("$", "*", "") and '"' not in piece:
                    spans.append((start, start + len(piece), "password"))
                start += len(piece) + len(end_of_line)
    return spans


def _of_realms(text: str, folded: str) -> "list[Span]":
    """Find the second of two quoted words behind a label: the first says of what the second is the password."""
    spans = []
    for at in places(folded, 'password "'):
        realm, close, rest = text[at + 10 : at + LONGEST].partition("\n")[0].partition('"')
        value = rest[2:].partition('"')[0]
        if close and realm.replace(" ", "").isalnum() and rest[:2] == ' "' and len(value) >= FEWEST and _is_value(value):
            start = at + 10 + len(realm) + 3
            spans.append((start, start + len(value), "password"))
    return spans


def _behind_dots(text: str, folded: str) -> "list[Span]":
    """Find a value that dots lead to from its name: `password.........x`."""
    spans = []
    for at in places(folded, "password" + DOTS):
        start = at + 8 + len(text[at + 8 : at + 120]) - len(text[at + 8 : at + 120].lstrip(". "))
        end = _end(text, start, " \t\n\r")
        if end - start >= FEWEST and _is_value(text[start:end]):
            spans.append((start, end, "password"))
    return spans


def _is_value(value: str) -> bool:
    return not is_filler(value) and value[0] not in "$<{[*"


def _end(text: str, at: int, signs: str) -> int:
    window = text[at : at + LONGEST]
    return at + min([place for place in map(window.find, signs) if place >= 0], default=len(window))
