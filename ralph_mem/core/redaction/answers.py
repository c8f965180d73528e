"""Find what is answered to a prompt, or shown by an interpreter, a debugger or a log, of a sign-in."""

from ralph_mem.core.redaction.by_hand import is_thought_up
from ralph_mem.core.redaction.gate import fold
from ralph_mem.core.redaction.names import is_secret, kind_of_name, words_of
from ralph_mem.core.redaction.values import DIGITS, HEX, LETTERS, is_called_so, is_filler, looks_random, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

ASKING = ("enter ", "paste ", "type ", "choose ", "repeat", "confirm", "new ", "provide ", "input ", "(", "? ")
ANSWERED = (": ", " .. ", ".. ", "\u203a ", "> ")  # between a prompt and its answer
LONGEST, LONGEST_PROMPT, LONGEST_ANSWER = 300, 160, 80
# Characters of an answer that is looked for elsewhere, as where it is repeated, and how many are: each look is through all.
FEWEST_AGAIN, MOST_AGAIN = 8, 32
HEX_KEYS = (32, 40, 64)
# Words of a function that is given what somebody signs in with, and how its other arguments are called.
SIGNING = frozenset("auth authenticate login logon signin chap pap unlock passwd password credential credentials bind sasl".split())
OTHERWISE = frozenset(
    "user username who name host hostname server url uri path file realm dn id mail email addr address title mech mechanism msg"
    " message method mode scheme service type prompt fmt format login account domain query stmt sql".split()
)
SHOWN_NAMES = ("phrase", "secret", "word")  # of a variable, alone
CALLS = ("signin(", "sign_in(", "login(", "log_in(", "authenticate(", "logon(")
# What a log says of signing in, and what stands before what it was done with.
OF_ACCESS = ("keystore", "keyring", "sftp", "ftp", "login", "log in", "logging in", "signing in", "auth", "unlock", "trying", "ssh")
WITH = ('using "', "using '", 'with "', "with '")
NAME = LETTERS + DIGITS + "_-.@"


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind)."""
    spans: list[Span] = []
    at, names = 0, [""]
    for line in text.split("\n"):
        if len(line) <= LONGEST:
            found = _answer(line) + _arguments(line) + _of_calls(line) + _told(line) + _of_tuple(line, names)
            spans += [(at + start, at + end, kind) for start, end, kind in found]
        names = _asked(line) if len(line) <= LONGEST else [""]
        at += len(line) + 1
    again = {text[start:end]: kind for start, end, kind in spans if end - start >= FEWEST_AGAIN}
    again_some = [*again.items()][:MOST_AGAIN]
    return spans + [(at, at + len(value), kind) for value, kind in again_some for at in places(text, value)]


def _answer(line: str) -> "list[Span]":
    """Find what stands behind a prompt that asks for a secret, at the end of its line: `Enter passkey (6 digits): 350918`."""
    cut = max([line.rfind(sign) + len(sign) for sign in ANSWERED if sign in line], default=0)
    prompt, value = line[:cut], line[cut:].strip()
    if value[:1] == "(" and ") " in value:  # `Passphrase: (it is shown) x`
        cut += line[cut:].index(") ") + 2
        prompt, value = line[:cut], line[cut:].strip()
    if not value or not 4 <= len(prompt) <= LONGEST_PROMPT or len(value) > LONGEST_ANSWER:
        return []
    is_call = "(" in prompt and prompt[prompt.index("(") - 1].isalnum()
    if is_call or not any([sign in prompt.lower() for sign in ASKING]) or '"' in line or "'" in value or "=" in prompt:
        return []
    words = words_of(prompt)
    kinds = {kind_of_name(f"{one} {two}") for one, two in zip(["", *words], words)} - {""}
    start = line.rindex(value)
    kind = next((kind for kind in ("password", "code", "secret", "key") if kind in kinds and _is_answer(value, kind)), "")
    return [(start, start + len(value), kind)] if kind else []


def _is_answer(value: str, kind: str) -> bool:
    if is_filler(value) or is_called_so(value):
        return False
    if kind == "password":
        return value[-1] not in ".:,)" and (is_thought_up(value) or (value.isdigit() and is_secret(value, "code", "quoted")))
    if kind == "code":
        return is_secret(value, "code", "quoted")
    return looks_random(value) or (len(value) in HEX_KEYS and not value.strip(HEX))


def _arguments(line: str) -> "list[Span]":
    """Find texts that a debugger shows where they are: `auth (who=0x1c "x", resp=0x2d "y")`, `(char *) phrase = 0x1c "x"`."""
    spans = []
    opening = line.find(" (")
    signs_in = not SIGNING.isdisjoint(words_of(line[:opening].rpartition(" ")[2])) if opening > 0 else False
    for at in places(line, "0x"):
        name = line[:at].rstrip("= ")
        name = name[len(name.rstrip(NAME)) :]
        rest = line[at:].lstrip("0x" + HEX)
        mark = next((mark for mark in (' @"', ' "') if rest.startswith(mark)), "")
        value = rest[len(mark) :].partition('"')[0]
        is_one = name in SHOWN_NAMES or (signs_in and OTHERWISE.isdisjoint(words_of(name)))
        if mark and name and value and is_one and is_thought_up(value):
            start = len(line) - len(rest) + len(mark)
            spans.append((start, start + len(value), "password"))
    return spans


def _of_calls(line: str) -> "list[Span]":
    """Find the password in a call that a test reports without quotes: `signIn(ana, Nube!22)`, `login(eq(ana), eq(Nube!22))`."""
    spans, folded = [], fold(line)
    for at in [at + len(sign) for sign in CALLS for at in places(folded, sign)]:
        given = line[at:].split(", ")[:2]
        value = given[1].removeprefix("eq(").partition(")")[0] if len(given) > 1 else ""
        if value and "=" not in given[0] and not any([sign in value for sign in "\"'(:=."]) and is_thought_up(value):
            start = line.index(value, at + len(given[0]))
            spans.append((start, start + len(value), "password"))
    return spans


def _told(line: str) -> "list[Span]":
    """Find what a log says that somebody signs in or opens something with: `opening keystore a.jks using "x"`."""
    folded = line.lower()
    if not any([word in folded for word in OF_ACCESS]):
        return []
    spans = []
    for sign in WITH:
        for at in places(line, sign):
            value = line[at + len(sign) :].partition(sign[-1])[0]
            if value and is_thought_up(value) and not any([char in value for char in "/(){}[]<>%$"]):
                spans.append((at + len(sign), at + len(sign) + len(value), "password"))
    return spans


def _asked(line: str) -> "list[str]":
    """Return the kinds of the expressions, parted by commas, that an interpreter is asked for, as far as they have a name each."""
    prompt = next((sign for sign in (">>> ", "]: ", "> ") if sign in line[:12]), "")
    asked = line.partition(prompt)[2].strip("()[] \r").removeprefix("p ").removeprefix("print(") if prompt else ""
    if "," not in asked or "(" in asked or "=" in asked:
        return [""]
    return [kind_of_name(each.strip().rpartition(".")[2].strip("\"'")) for each in asked.split(",")]


def _of_tuple(line: str, kinds: "list[str]") -> "list[Span]":
    """Find what stands in the place of a secret in a line of several texts in brackets, below what was asked for."""
    if not any(kinds):
        return []
    body = line.partition(": ")[2] if line.startswith("Out[") else line.removeprefix("=> ")
    parts = body.strip()[1:-1].split(", ") if body.strip()[:1] in ("(", "[") else []
    spans = []
    for kind, part in zip(kinds, parts) if len(parts) == len(kinds) else ():
        value = part.strip("\"'")
        if kind and len(value) > 3 and value != part and not is_filler(value):
            start = line.rindex(part) + 1
            spans.append((start, start + len(value), kind))
    return spans
