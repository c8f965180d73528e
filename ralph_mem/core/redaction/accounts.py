"""Find what a weak name such as `phrase` holds beside the name of a user."""

from ralph_mem.core.redaction import logins
from ralph_mem.core.redaction.names import PHRASES_OF_SENTENCES, kind_of_label, words_of
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_filler, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]
    Pair = tuple[int, str, int, int, bool]  # number of its line, last word of its name, where its value is, whether in quotes

NAME = LETTERS + DIGITS + "_-."
SIGNS = ":=|│>"
USERS = frozenset(
    "user username u usr uid login account acct host ssid mail email benutzer konto anmeldename compte identifiant utilisateur"
    " usuario cuenta utente nutzer gebruiker uzytkownik signin net".split()
)
SHORT = frozenset("u s n m user login host name ssid".split())  # beside a lone letter
WEAK = frozenset(
    "phrase word unlock pswd cred creds credential kennung zugang sesame answer secretanswer sec kw clear entry auth"
    " pw pass".split()
)
LETTER = frozenset("p w".split())
OF_LISTS = (["auth"], ["login"], ["credentials"], ["creds"], ["account"])
NEAR, LONGEST_LINE, MOST_PAIRS = 3, 600, 40  # lines between both; what is longer is no record


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of passwords that stand beside the name of a user."""
    spans: list[Span] = []
    recent: list[Pair] = []
    waiting: list[Pair] = []
    at = 0
    for number, line in enumerate(text.split("\n")):
        pairs = _pairs(line, number, at) if len(line) <= LONGEST_LINE else []
        if not line.strip():
            recent, waiting = [], []
        recent = [pair for pair in recent if number - pair[0] <= NEAR] + [
            pair for pair in pairs if pair[1] in USERS or pair[1] in SHORT
        ]
        waiting = [pair for pair in waiting if number - pair[0] <= NEAR] + [pair for pair in pairs if _is_weak(pair[1])]
        told = [pair for pair in waiting if any([_are_beside(user, pair) for user in recent])]
        spans += [
            (start, end, "password") for _, name, start, end, is_quoted in told if _is_given(text[start:end], name, is_quoted)
        ]
        waiting = [pair for pair in waiting if pair not in told]
        spans += _listed(line, at) if "[" in line and len(line) <= LONGEST_LINE else []
        at += len(line) + 1
    return spans


def _listed(line: str, at: int) -> "list[Span]":
    """Return the second of two texts that a list of how to sign in holds: `"auth": ["bob", "x"]`."""
    for place in places(line, "["):
        name = line[:place].rstrip(" \t\"':=>")
        inside, close, _ = line[place + 1 :].partition("]")
        texts = inside.split('"' if '"' in inside else "'")
        is_one = close and len(texts) == 5 and not texts[0] + texts[4] and texts[2].strip() == ","
        if is_one and words_of(name)[-1:] in OF_LISTS and logins.strength(texts[3]):
            start = at + place + 1 + inside.rindex(texts[3])
            return [(start, start + len(texts[3]), "password")]
    return []


def _is_weak(name: str) -> bool:
    return name in WEAK or name in LETTER or kind_of_label(name) == "password"


def _are_beside(user: "Pair", weak: "Pair") -> bool:
    """Say whether a user stands close enough to a weak name: to a lone letter, in the same line or the next."""
    if weak[1] in LETTER:
        return user[1] in SHORT and abs(user[0] - weak[0]) <= 1
    return user[1] in USERS


def _is_given(value: str, name: str, is_quoted: bool) -> bool:
    if is_filler(value or "x") or (name == "auth" and value.isalpha()):
        return False
    degree = logins.strength(value)
    return degree > (0 if is_quoted or degree != 1 or name not in LETTER else 1)


def _pairs(line: str, number: int, at: int) -> "list[Pair]":
    """Return the pairs of a line whose name may be a user's or a weak one, and what they hold."""
    found: list[Pair] = []
    for place in sorted([place for sign in SIGNS if sign in line for place in places(line, sign)])[:MOST_PAIRS]:
        before = line[:place].rstrip(" \t\"'`=")
        name = before[len(before.rstrip(NAME)) :]
        last = words_of(name)[-1:] if name else []
        owner = "".join(words_of(name)[-2:-1])
        if last == ["phrase"] and f" {owner} " in PHRASES_OF_SENTENCES:
            continue
        if not last or not (last[0] in USERS or last[0] in SHORT or _is_weak(last[0])):
            continue
        value = _value(line, place + 1)
        if value:
            found.append((number, last[0], at + value[0], at + value[1], value[2]))
    return found


def _value(line: str, at: int) -> "tuple[int, int, bool] | None":
    """Return where what stands behind a sign begins and ends: in quotes, up to the end of a cell or a list, or the whole line."""
    while line[at : at + 1] in tuple(" \t>=@"):
        at += 1
    quote = line[at : at + 1]
    if quote in ("'", '"') and quote:
        close = line.find(quote, at + 1)
        return (at + 1, close, True) if close > at + 1 else None
    rest = line[at:]
    for stop in ("│", "|", ", ", " #", "\t", "  ", "}", ";", "&"):
        rest = rest.partition(stop)[0]
    bare = rest.rstrip(" ,\r")
    is_code = bare[-1:] in "({[:" or (line.rstrip()[-1:] in (";", "{", "(", ")") and not bare.isalnum())
    return (at, at + len(bare), False) if bare and not is_code else None
