"""Find what a test or a script types into a field that is named as one of a password."""

from ralph_mem.core.redaction.by_hand import is_thought_up
from ralph_mem.core.redaction.gate import fold
from ralph_mem.core.redaction.names import is_secret, kind_of_name
from ralph_mem.core.redaction.values import is_called_so, is_filler

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

QUOTED = ("fill in", "fills in", "enter ", "enters ", "types ", "typed ", ".write( ")  # of any sentence, but where quotes follow
# What is said of typing, in lower case, by Selenium, Cypress, Playwright, Detox, Espresso, Maestro, Appium, Robot and expect.
TYPING = (
    ".type(", "type ", "type  ", "typetext", "type_text", "sendkeys", "send_keys", "fill(", "fill_in", "fillin", "inputtext",
    "input text", "input password", "entertext", "enter text", "setvalue", "set_value", 'send "', 'send \\"',
    'sending "', "replacetext", "clearandtype", "settext", "set_text", "presssequentially", "enter_text",
    "sendline(", ".send(", ".write(", *QUOTED,
)  # fmt: skip
SIGNING_IN = ("login", "loginas", "loginwith", "signin", "signinas", "signinwith", "authenticate", "loginuser")
FIELDS = frozenset("pw pass pwd psw passwort".split())
PROMPTS = ("word:", "word :", "word  :")  # without their first letters, as expect is told them
FAR_FIELD, LONGEST, MOST_CELLS = 2, 400, 6  # lines below the name of a field, characters of a line
KEYS = ("{enter}", "{tab}", "{return}", "\\r", "\\n", "\\t", "\\", "^M")  # which are typed behind it
NO_FIRST = "#.[{$%<@/*~>"


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of what is typed."""
    spans: list[Span] = []
    at, left, kind = 0, 0, ""
    for line in text.split("\n"):
        named = _field(line) if len(line) <= LONGEST else ""
        kind, left = (named, FAR_FIELD + 1) if named else (kind, left)
        verb = _typing(line) if left and len(line) <= LONGEST else -1
        if verb >= 0:
            value = next((each for each in reversed(_values(line, verb)) if _is_value(each, kind)), "")
            if value:
                start = at + line.rindex(value)
                spans.append((start, start + len(value), "password" if kind != "code" else "code"))
            left = FAR_FIELD + 1 if named and not value else 1
        spans += [(at + start, at + end, "password") for start, end in _of_keyword(line)]
        left = max(0, left - 1)
        at += len(line) + 1
    return spans


def _of_keyword(line: str) -> "list[tuple[int, int]]":
    """Return the last of three columns of which the first says that somebody signs in: `Log In With    ana    Nube_7`."""
    bare = line.partition("'")[2].partition("'")[0] if "Keyword '" in line else line
    cells = [cell.strip() for cell in bare.split("   ") if cell.strip()]
    if len(cells) != 3 or not cells[0].lower().replace(" ", "").endswith(SIGNING_IN) or not is_thought_up(cells[2]):
        return []
    start = line.rindex(cells[2])
    return [(start, start + len(cells[2]))]


def _field(line: str) -> str:
    """Return the kind of secret that a line names, by a word or by a prompt; "" if it names none."""
    words = "".join([char if char.isalnum() or char == "_" else " " for char in line]).split()
    for word in words:
        kind = "password" if word.lower() in FIELDS else kind_of_name(word)
        if kind in ("password", "secret", "code"):
            return kind
    if "ecureTextField" in line:
        return "password"
    return "password" if any([prompt in line.lower() for prompt in PROMPTS]) else ""


def _typing(line: str) -> int:
    """Return where behind the first word of typing a line goes on; -1 if it has none."""
    folded = fold(line)
    places = [(folded.find(sign), len(sign.rstrip("\\\"' "))) for sign in TYPING if sign in folded]
    return min([at + size for at, size in places if not _is_name(folded, at)], default=-1)


def _is_name(folded: str, at: int) -> bool:
    """Say whether `type` stands at the end of a name of code: `self.type == "x"`, `matrix_type = "x"`."""
    return folded.startswith("type ", at) and folded[max(0, at - 1) : at] in (".", "_", "$", "@")


def _values(line: str, verb: int) -> "list[str]":
    """Return what may be typed: texts in quotes, or the last cell of a line in columns, or all behind the verb."""
    rest = line[verb:]
    found = [piece for quote in "'\"" for piece in rest.split(quote)[1::2]]
    if not found and not (line[:verb] + " ").lower().endswith(QUOTED):
        cells = [cell for cell in line.strip().split("  ") if cell.strip()]
        is_step = len(line[:verb].split()) < 4 and "(" not in line and not line.rstrip().endswith((".", ":"))
        found = [cells[-1].strip()] if 2 < len(cells) < MOST_CELLS else [rest.strip()] * is_step
    return [_bare(value) for value in found]


def _bare(value: str) -> str:
    for _ in range(2):
        for key in KEYS:
            value = value.removesuffix(key)
    return value


def _is_value(value: str, kind: str) -> bool:
    if not value or value[0] in NO_FIRST or is_filler(value) or is_called_so(value) or _is_address(value):
        return False
    if kind == "code":
        return value.isdigit() and is_secret(value, "code", "quoted")
    is_one = len(value) > 5 and " " not in value and "=" not in value and is_secret(value, "password", "quoted")
    is_name = value.isidentifier() and (value.isalpha() or "_" in value)
    return is_thought_up(value) or (is_one and not is_name)


def _is_address(value: str) -> bool:
    return "://" in value or "." in value.rpartition("@")[2] * ("@" in value)
