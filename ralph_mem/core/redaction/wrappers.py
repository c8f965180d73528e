"""Find secrets that stand inside of a call, such as `SecretStr("...")` or `x ?? "..."`."""

from ralph_mem.core.redaction.names import is_secret, kind_of_name
from ralph_mem.core.redaction.passwords import METHODS, is_coined, is_of_words, is_spaced, is_strange, is_unknown
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_called_so, is_plain

NAME = LETTERS + DIGITS + "_-."
STEMS = ("pass", "pwd", "secret", "token", "key", "cred", "jwt", "salt")
OPERATORS = ("=>", ":=", "<-", "=", ":")
# Calls that take what they are given for the value itself; so does whatever begins like a class.
TAKING = frozenset(
    "of from new some just ok wrap unsafe str string bytes encode expose secret text literal fixed make sensitive ref signal pure"
    " fromstring"
    " strdup tochararray into b64encode unsecure observable optional to_owned parse value nonce buffer mask unwrap plain".split()
)
# What is said for want of another value.
DIRECT = ("|| ", "?? ", "or ", "by lazy {")  # which may follow a name at once
INFIX = ("%||%", "??", "||", " or ", "?:")
NO_CALLS = ("in", "is", "and", "or", "not", "like", "if", "else", "for", "as", "then", "must", "of", "from", "to", "with")
ELSE = ("||", "??", " or ", "env", "fetch", "default", "?:", "unwrap_or", "orelse")
FETCHING = ("get(", "input(", "prompt", "getpass", "request", "config(", "find(", "query", "select", "argv")
BLANKS = " \t"
LONGEST_CALL = 200
NO_VALUE = METHODS.union(("password", "passphrase", "api key", "enter", "your"))


def find(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans = []
    for stem in STEMS:
        at = folded.find(stem)
        while at >= 0:
            begin = at - len(text[max(0, at - 60) : at]) + len(text[max(0, at - 60) : at].rstrip(NAME))
            window = text[at : at + 80]
            end = at + len(window) - len(window.lstrip(NAME))
            spans += _behind(text, begin, end)
            at = folded.find(stem, end)
    return spans


def _behind(text: str, begin: int, end: int) -> "list[tuple[int, int, str]]":
    name = text[begin:end].strip("-.")
    line = text[end : end + LONGEST_CALL].partition("\n")[0]
    is_default = line[:2] == ", " and line[2:3] in ("'", '"') and text[begin - 1 : begin] == ":" and ")" in line
    if is_default:  # of what is looked up by that name
        return _quoted(end + 2, line[2:].partition(")")[0], _kind(name), "listed")
    if line[:1] == "(" or line[:2] in ("!(", "::"):  # a call by such a name
        return _of_class(name, end, line) or _of_setter(name, end, line)
    bare = _without_type(line.lstrip("\"'`\\]) \t?"))
    operator = next((sign for sign in (*OPERATORS, *DIRECT) if bare.startswith(sign)), "")
    kind = _kind(name)
    is_typed = bare[:1] == "=" and len(bare) < len(line.lstrip("\"'`\\]) \t?"))
    if not operator or not kind or bare[len(operator) : len(operator) + 1] == "=":
        return []
    at = len(line) - len(bare) + len(operator)
    rest = line[at:].lstrip(BLANKS)
    rest = _without_type(rest).removeprefix("= ") if operator == ":" else rest
    start = end + len(line) - len(rest)
    if name.lower() == "pass" and rest[:1] in ("'", '"'):
        return _quoted(start, rest[:1] + rest[1:].partition(rest[0])[0] + rest[0], kind, "quoted")
    return _of_value(rest, start, kind, is_typed or operator in DIRECT)


def _of_value(rest: str, start: int, kind: str, is_bare: bool) -> "list[tuple[int, int, str]]":
    """Return the secret in what stands behind a name of this kind and a sign; `is_bare` says that no other rule knows the sign."""
    call, opening, _ = rest.partition("(")
    is_call = opening and call and not call.strip(NAME + ":!<> *&@") and "  " not in call
    is_quoted = rest[:1] in ("'", '"')
    is_rule = is_call and rest.startswith("().", len(call)) and call.islower()  # `z.string().min(8, "x")`, of what is typed
    if is_call and takes(call) and not is_rule:
        return _quoted(start, rest, kind, "quoted") or _printed(start, rest, call, kind)
    infix = max([rest.rfind(sign) + len(sign) for sign in INFIX if sign in rest], default=0)
    behind = rest[infix:].lstrip(BLANKS)
    if infix and behind[:1] in ("'", '"'):
        return _quoted(start + len(rest) - len(behind), behind, kind, "quoted")
    if _is_applied(rest) or (is_bare and is_quoted):
        return _quoted(start, rest, kind, "quoted" if kind == "password" else "listed")
    if not is_quoted and any([sign in rest.lower() for sign in ELSE]):
        return _quoted(start, rest, kind, "listed" if kind != "password" else "quoted", least=1)
    return []


def _printed(start: int, rest: str, call: str, kind: str) -> "list[tuple[int, int, str]]":
    """Return what a printed record shows within the class of a secret, without quotes: `password = Secret(x)`."""
    value = rest[len(call) + 1 :].partition(")")[0]
    is_one = (kind_of_name(call) or call in ("Some", "Just")) and value.isalnum() and value[-1:].isdigit()
    at = start + len(call) + 1
    return [(at, at + len(value), kind)] if is_one and is_secret(value, kind, "flag") else []


def _without_type(line: str) -> str:
    """Drop a type that stands between a name and its value without a sign: `param adminPassword string = 'x'`."""
    kind, equals, _ = line.partition(" = ")
    return line[len(kind) + 1 :] if equals and kind and len(kind) < 24 and not kind.strip(NAME + "*[]") else line


def _is_applied(rest: str) -> bool:
    """Say whether a word stands before a text as a function does without brackets: `Just "x"`, `mkForce "x"`."""
    word, blank, text = rest.partition(" ")
    return (
        bool(blank)
        and text[:1] in ("'", '"')
        and word.lstrip("!").replace(".", "a").replace("_", "a").replace("-", "a").isalpha()
        and word.lower() not in NO_CALLS
    )


def _kind(name: str) -> str:
    if name.lower() == "pass":
        return "password"
    return kind_of_name(name)


def _of_setter(name: str, end: int, line: str) -> "list[tuple[int, int, str]]":
    """Return the one text that a method which sets a secret is given: `setPassword("x")`, `withToken("x")`."""
    last = name.rpartition(".")[2]
    verb = next((verb for verb in ("set", "with", "put", "add") if last.lower().startswith(verb)), "")
    kind = kind_of_name(last[len(verb) :]) if verb else ""
    return _quoted(end, line, kind, "quoted") if kind and "," not in line.partition(")")[0] else []


def _of_class(name: str, end: int, line: str) -> "list[tuple[int, int, str]]":
    """Return what a constructor of a secret is given: the last text, behind the name of a user."""
    last = name.rpartition(".")[2]
    method = (
        "of from new make just some wrap unsafe fromstring ofstring fromtext fromplaintext plaintext unsafeplaintext valueof"
        " parse fromvalue fromliteral literal"
    ).split()
    owner = name.rpartition(".")[0].rpartition(".")[2] if last.lower() in method else last
    if (
        not owner[:1].isupper()
        or owner.isupper()
        or not _is_of_secret(owner)
        or owner.endswith(("Error", "Exception", "Field", "Input"))
    ):
        return []
    is_lexed = owner == "Token" and line[1:2].isupper()  # of a lexer, `Token(IDENT, "x")`
    kind = "key" if is_lexed else "password" if "ass" in owner or "red" in owner else "secret"
    return _quoted(end, line, kind, "quoted")


def _is_of_secret(name: str) -> bool:
    for ending in ("Str", "String", "Bytes", "Value", "Credential", "Credentials", "Text", "Box"):
        name = name.removesuffix(ending) or name
        if name.lower().endswith(("credential", "credentials")):
            return True
    return kind_of_name(name) != "" or name in (
        "Network",
        "UsernamePassword",
        "PS",
        "Basic",
        "AwsBasic",
        "StaticCredentials",
        "PSCredential",
    )


def takes(call: str) -> bool:
    """Say whether a call is one that holds what it is given: a class, or one of a few names."""
    parts = [
        part for part in call.replace("::", ".").replace("!", "").replace("*", " ").replace("<", ".").split(".") if part.strip()
    ]
    words = " ".join(parts).split()
    if not words or any([sign.rstrip("(") in call.lower() for sign in FETCHING]):
        return False
    return words[-1].lower() in TAKING or (words[-1][:1].isupper() and not words[-1].isupper()) or words[-1] in ("b", "r", "u")


def _quoted(start: int, line: str, kind: str, style: str, least: int = 0) -> "list[tuple[int, int, str]]":
    """Return the last quoted text of a line, up to where its call ends, where it is a secret."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(line):
        if line[at] in ";\n" or (line[at] == "," and "(" not in line[:at] and found):
            break
        if line[at] in "'\"`":
            close = line.find(line[at], at + 1)
            if close < 0:
                break
            found.append((at + 1, close))
            at = close
        at += 1
    for begin, end in reversed(found):
        value = line[begin:end].rstrip("\\")
        if (len(found) > least or "(" not in line[:begin]) and is_value(value, kind, style):
            return [(start + begin, start + begin + len(value), kind)]
    return []


def _is_word(value: str) -> bool:
    return value.isalpha() and (len(value) > 9 or is_unknown(value))


def is_value(value: str, kind: str, style: str) -> bool:
    """Say whether a text that a call is given behind a name of a kind is a secret."""
    if kind == "password" and is_spaced(value):
        return True
    if not value.isprintable() or any([sign in value for sign in " ()"]) or value[:1] in "$%{<" or value.lower() in NO_VALUE:
        return False
    if (value.isupper() and "_" in value) or (is_plain(value) and not (kind == "password" and _is_word(value))):
        return False
    parts = value.replace("-", "_").replace(".", "_").split("_")
    if kind == "key" and len(parts) > 2 and is_called_so(value):  # of an object that holds it: `smtp-credentials-bk6d2h`
        return False
    is_joined = kind == "password" and (is_coined(value) or is_of_words(value) or is_strange(value))
    if len(parts) > 1 and all([part.isalpha() for part in parts]) and not is_joined:  # the name of something
        return False
    return is_secret(value, kind, style)
