"""Find secrets in documents that say of a part that it is secret, such as manifests of Kubernetes."""

from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.passwords import is_generated
from ralph_mem.core.redaction.values import is_filler, places

# What says in an object of JSON that its value is one, in lower case and without blanks and quotes.
MARKS = (
    "issecret:true", "is_secret:true", "sensitive:true", "type:concealed", "type:securestring", "type:secret", "secret:true",
    "ishidden:true",
)  # fmt: skip
JWK = ("d", "p", "q", "dp", "dq", "qi", "k")
FARTHEST = 4096
SHORTEST = 4


def find(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans = _manifests(text) if "kind: secret" in folded else []
    spans += _users(text, folded) if "chpasswd:" in folded else []
    spans += _made(text) if "random_password" in folded else []
    if "{" not in text:
        return spans
    tight = folded.replace(" ", "")
    if '"kind":"secret"' in tight:
        spans += _json_manifests(text, folded)
    if any([mark in tight.replace('"', "") for mark in MARKS]):
        spans += _marked(text, folded)
    if '"random_password"' in folded or "randompassword" in folded:
        spans += [span for at in places(folded, '"result"') for span in _strings(text, at + 8, len(text), True)]
    if '"kty"' in folded:
        spans += _keys(text, folded)
    return spans


def _made(text: str) -> "list[tuple[int, int, str]]":
    """Find a generated word in quotes on a line of its own, in a text that speaks of what makes passwords: as jq prints one."""
    spans, at = [], 0
    for line in text.split("\n"):
        said = line.strip()
        value = said.strip('"')
        made = said.partition('= "')[2].removesuffix('"') if said.startswith("result ") else ""  # of a plan
        if made:
            spans.append((at + line.rindex(made), at + line.rindex(made) + len(made), "secret"))
        elif len(value) + 2 == len(line.strip()) and " " not in value and (is_generated(value) or stands_alone(value)):
            spans.append((at + line.index(value), at + line.index(value) + len(value), "secret"))
        at += len(line) + 1
    return spans


def _indent(line: str) -> int:
    """Return how deep a line stands; what begins an item of a list is as deep as its name."""
    bare = line.lstrip(" +")
    depth = len(line) - len(bare)
    while bare.startswith("- "):
        bare, depth = bare[2:], depth + 2
    return depth


def _manifests(text: str) -> "list[tuple[int, int, str]]":
    lines, starts, at = text.split("\n"), [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    spans = []
    for number, line in enumerate(lines):
        name = line.strip(" -+\r").rstrip()
        if not name.startswith(("data:", "stringData:")) or not _is_of_secret(lines, number):
            continue
        spans += _flow(line, starts[number]) if "{" in line else []
        for below in range(number + 1, len(lines)):
            if lines[below].strip() and _indent(lines[below]) <= _indent(line):
                break
            spans += _value(lines[below], starts[below])
    return spans


def _flow(line: str, start: int) -> "list[tuple[int, int, str]]":
    """Return the values of `data: {name: value}`."""
    spans = []
    for pair in line.partition("{")[2].partition("}")[0].split(","):
        value = pair.partition(":")[2].strip().strip("\"'")
        if len(value) >= SHORTEST and not is_filler(value):
            spans.append((start + line.index(value), start + line.index(value) + len(value), "secret"))
    return spans


def _is_of_secret(lines: "list[str]", number: int) -> bool:
    """Say whether the nearest `kind:` as deep as a line says Secret."""
    depth = _indent(lines[number])
    kinds = [
        (abs(at - number), lines[at])
        for at in range(max(0, number - 400), min(len(lines), number + 400))
        if lines[at].strip(" -+").startswith("kind:") and _indent(lines[at]) == depth
    ]
    return bool(kinds) and min(kinds)[1].partition(":")[2].strip().strip("\"'").lower() == "secret"


def _users(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the passwords of a list of `user:password` below `chpasswd:`."""
    spans, at = [], folded.find("chpasswd:")
    for line in text[at : at + FARTHEST].split("\n"):
        user, colon, password = line.strip(" -\r").partition(":")
        if colon and user not in ("list", "expire", "chpasswd") and password and " " not in password and not is_filler(password):
            begin = at + line.index(":" + password) + 1
            spans.append((begin, begin + len(password), "password"))
        at += len(line) + 1
        if line.strip() and line[:1] not in " -" and "chpasswd" not in line:
            break
    return spans


def _value(line: str, start: int) -> "list[tuple[int, int, str]]":
    _, colon, value = line.partition(": ")
    bare = (value if colon else line).strip().strip("\"'")
    if not colon and line.rstrip().endswith(":"):
        return []
    if len(bare) < SHORTEST or is_filler(bare) or bare in ("|-", ">-"):
        return []
    at = start + line.rfind(bare)
    return [(at, at + len(bare), "secret")]


def _object(text: str, at: int) -> "tuple[int, int]":
    """Return where the object of JSON around a place begins and ends."""
    start, depth = at, 0
    while start > max(0, at - FARTHEST):
        start -= 1
        depth += (text[start] == "}") - (text[start] == "{")
        if depth < 0:
            break
    end, depth = at, 0
    while end < min(len(text), at + FARTHEST):
        depth += (text[end] == "{") - (text[end] == "}")
        if depth < 0:
            break
        end += 1
    return start, end


def _marked(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for name in ("sensitive", "type", "secret", "ishidden", "issecret", "is_secret"):
        for at in places(folded, name):
            said = folded[at : at + 60].replace(" ", "").replace("\n", "").replace('"', "")
            if said.startswith(MARKS):
                start, end = _object(text, at)
                for key in places(folded[start:end], "value"):
                    close = start + key + 5
                    if text[close : close + 2].lstrip('"')[:1] == ":":
                        spans += _strings(text, close + (text[close] == '"'), end, True)
    return spans


def _json_manifests(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for at in places(folded, '"kind"'):
        if folded[at : at + 40].replace(" ", "").startswith('"kind":"secret"'):
            start, end = _object(text, at)
            for name in ('"data"', '"stringdata"'):
                for key in places(folded[start:end], name):
                    opening = text.find("{", start + key)
                    _, closing = _object(text, opening + 1)
                    spans += _strings(text, opening, closing, False)
    return spans


def _keys(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for at in places(folded, '"kty"'):
        start, end = _object(text, at)
        for name in JWK:
            for key in places(text[start:end], f'"{name}"'):
                spans += _strings(text, start + key + len(name) + 2, end, True)
    return spans


def _strings(text: str, at: int, end: int, is_one: bool) -> "list[tuple[int, int, str]]":
    """Return the texts that are values between two places, all of them or the first; also those of an object that is the value."""
    if is_one:
        bare = text[at:end].lstrip(" \n\t:")
        at = end - len(bare)
        if bare[:1] in "{[":
            close = text.find("}" if bare[0] == "{" else "]", at)
            return _strings(text, at, close if close >= 0 else end, False)
        if bare[:1] != '"':
            return []
        close = _close(text, at + 1, end)
        return [(at + 1, close, "secret")] if close - at > SHORTEST and not is_filler(text[at + 1 : close]) else []
    spans = []
    while 0 <= at < end:
        at = text.find('"', at, end)
        if at < 0:
            break
        close = _close(text, at + 1, end)
        is_name = text[close + 1 : close + 8].lstrip()[:1] == ":"
        if not is_name and close - at > SHORTEST and not is_filler(text[at + 1 : close]):
            spans.append((at + 1, close, "secret"))
        at = close + 1
    return spans


def _close(text: str, at: int, end: int) -> int:
    while at < end and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return min(at, end)
