"""Find secrets in Authorization and Cookie headers, and behind short flags of a few commands."""

from ralph_mem.core.redaction.assignments import value_bounds, value_position
from ralph_mem.core.redaction.issued import is_code
from ralph_mem.core.redaction.names import BLANKS, NAME, skip
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_filler, looks_random

SCHEMES = ("bearer ", "basic ", "token ", "apikey ", "bot ", "digest ")
FLAGS = (
    ("curl", " -u"), ("curl", " --user"), ("curl", " --proxy-user"), ("mysql", " -p"), ("mariadb", " -p"),
    ("sshpass", " -p"), ("docker login", " -p"), ("redis-cli", " -a"),
)  # fmt: skip
TOKEN = LETTERS + DIGITS + "-._~+/="
LONGEST = 4096
ATTRIBUTES = ("expires", "max-age", "path", "domain", "samesite", "priority", "version", "comment")  # of a cookie


def find(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of secrets; `folded` is the text in lower case, character by character."""
    return _authorizations(text, folded) + _cookies(text, folded) + _flags(text, folded)


def _authorizations(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find credentials behind Authorization and behind a bare Bearer."""
    spans = []
    at = folded.find("authorization")
    while at >= 0:
        name_end = at + len("authorization")
        spans += _credentials(text, folded, value_position(text, name_end))
        at = folded.find("authorization", name_end)
    at = folded.find("bearer ")
    while at >= 0:
        start = at + 7
        end = _token_end(text, start)
        if end - start >= 16 and looks_random(text[start:end]):
            spans.append((start, end, "authorization"))
        at = folded.find("bearer ", end)
    return spans


def _credentials(text: str, folded: str, at: int) -> "list[tuple[int, int, str]]":
    if at < 0:
        return []
    start, end, quoted = value_bounds(text, at)
    if not quoted:
        end = _end_of_header(text, at)
    scheme = next((scheme for scheme in SCHEMES if folded.startswith(scheme, start)), "")
    start = skip(text, start + len(scheme), BLANKS) if scheme else start
    value = text[start:end]
    word = value.partition(" ")[0]
    is_word = word.isalpha() and (word.islower() or word.istitle())
    is_expression = not quoted and ("(" in value or is_code(value) or not (scheme or _is_generated(value)))
    is_name = value.lower().endswith("authorization")  # in a list of headers
    if len(value) < 6 or is_word or is_name or is_filler(value) or is_expression or value.startswith(("$", "{", "<", "realm")):
        return []
    return [(start, end, "authorization")]


def _end_of_header(text: str, at: int) -> int:
    window = text[at : at + LONGEST]
    ends = [window.find(stop) for stop in ("\n", '"', "'", "`", "\\")]
    return at + min((end for end in ends if end >= 0), default=len(window))


def _cookies(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    at = folded.find("cookie")
    while at >= 0:
        name_end = at + len("cookie")
        start = value_position(text, name_end)
        if start >= 0:
            start, end, quoted = value_bounds(text, start)
            end = end if quoted else _end_of_header(text, start)
            is_set = folded.startswith("set-", max(0, at - 4))
            spans += _cookie_values(text, start, end, is_set)
        at = folded.find("cookie", name_end)
    return spans


def _cookie_values(text: str, start: int, end: int, is_set: bool) -> "list[tuple[int, int, str]]":
    """Find the values of `a=x; b=y`; of Set-Cookie only the first, the rest are attributes."""
    spans = []
    for pair in text[start:end].split(";"):
        name, equals, value = pair.partition("=")
        value_start = start + len(name) + 1
        is_name = bool(name.strip()) and not name.strip().strip(NAME)
        is_expression = "(" in value or value.startswith((" ", "="))
        is_name = is_name and name.strip().lower() not in ATTRIBUTES
        if equals and is_name and len(value) >= 8 and not is_expression and not is_filler(value) and _is_generated(value):
            spans.append((value_start, value_start + len(value), "cookie"))
        start += len(pair) + 1
        if is_set:
            break
    return spans


def _is_generated(value: str) -> bool:
    is_worded = all([part.isalpha() or part.isdigit() for part in value.split("_")]) and "_" in value  # PART_NUMBER_0001
    return (any(digit in value for digit in DIGITS) and not is_worded) or looks_random(value)


def _flags(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find passwords behind the short flags of a few well-known commands."""
    spans = []
    for command, flag in FLAGS:
        at = folded.find(command)
        while at >= 0:
            line_end = text.find("\n", at, at + LONGEST)
            where = text.find(flag, at, line_end if line_end >= 0 else at + LONGEST)
            if where >= 0:
                spans += _flag_value(text, where + len(flag), command == "curl")
            at = folded.find(command, max(where, at + len(command)))
    return spans


def _flag_value(text: str, at: int, has_user: bool) -> "list[tuple[int, int, str]]":
    start, end, quoted = value_bounds(text, skip(text, at, BLANKS + "="))
    if not quoted:
        end = min((end for end in (text.find(stop, start, start + 200) for stop in " \t\n\"'") if end >= 0), default=start + 200)
    if has_user:
        user, colon, _ = text[start:end].partition(":")
        is_drive = len(user) == 1 and text[start + 2 : start + 3] in ("/", "\\")
        start += len(user) + 1 if colon and not is_drive else end - start
    value = text[start:end]
    is_word = not has_user and not quoted and value.isalpha() and value.islower()
    if len(value) < 6 or is_word or is_filler(value) or value.startswith(("$", "-")):
        return []
    return [(start, start + len(value), "password")]


def _token_end(text: str, at: int) -> int:
    window = text[at : at + LONGEST]
    return at + len(window) - len(window.lstrip(TOKEN))
