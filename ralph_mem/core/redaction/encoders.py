"""Find what commands are told to encode or to decode, where that is a password."""

import binascii

from ralph_mem.core.redaction.by_hand import is_made_by_hand
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import kind_of_label, kind_of_name
from ralph_mem.core.redaction.passwords import is_generated
from ralph_mem.core.redaction.shell_words import commands
from ralph_mem.core.redaction.values import HEX, LETTERS, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]

# What a line holds that encodes or decodes, in lower case: names of programs, of functions and of forms.
SIGNS = (
    "base64", "base32", "b64", "b32", "encode", "decode", "quote", "escape", "atob(", "btoa(", "xxd", "hexdump", "hexlify",
    "fromhex", "'hex'", '"hex"', "openssl enc", "od -", "@uri", "basenc", "uuencode", "rot13", ".hex()", "urlenc", "urldec",
)  # fmt: skip
PROGRAMS = frozenset(
    "echo printf base64 base32 basenc xxd od hexdump openssl python node php ruby perl jq yq pwsh powershell java jshell deno bun"
    " lua gawk awk uuencode xargs b".split()
)
PARTING = {ord(sign): " " for sign in "'\"`<>|;,() "}
QUOTES = "'\""
OF_POWERSHELL = ("-encodedcommand ", "-enc ", "-ec ", "-encodedcommand:")
ZEROS = ("\\0", "\\x00", "\\u0000", "%00", "\0")
ODD = " &!#$%@+-_/*?.,~^'"  # in a password, beside letters and digits
LONG = 20  # characters of what is generated, behind a colon
LONGEST_LINE = 2048
FAR_CONTENT = 7  # lines between the name of a file and what is written to it
FEWEST = 8  # characters of what is encoded, of which a password has six at least


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans: list[Span] = _of_powershell(text, folded) + _of_files(text)
    at = 0
    for line, said in zip(text.split("\n"), folded.split("\n")):
        if len(line) <= LONGEST_LINE and any([sign in said for sign in SIGNS]) and _is_command(line):
            values = [*_quoted(line), *_piped(line)]
            is_told = "passw" in said or "pwd" in said
            for value in dict.fromkeys(values):
                found = password_of(value) or (value if is_told and _is_odd(value) else "")
                spans += [(at + place, at + place + len(found), "password") for place in places(line, found)] if found else []
            for word in dict.fromkeys(line.translate(PARTING).split()):
                plain = next((each for each in _decoded(word) if password_of(each)), "")
                if plain:
                    spans += [(at + place, at + place + len(word), "encoded") for place in places(line, word)]
                    spans += [(place, place + len(plain), "password") for place in places(text, plain)]
        at += len(line) + 1
    return spans


def _of_powershell(text: str, folded: str) -> "list[Span]":
    """Find the encoded commands of PowerShell that hold a password in quotes."""
    spans = []
    for sign in OF_POWERSHELL:
        for at in places(folded, sign):
            start = at + len(sign)
            word = text[start : start + LONGEST_LINE].lstrip(" \"'").split(" ")[0].split("\n")[0].strip("\"',")
            plain = _read(_from_utf16, word) if len(word) > LONG else ""
            if any([password_of(piece) or stands_alone(piece) for piece in _quoted(plain)]):
                begin = text.index(word, start)
                spans.append((begin, begin + len(word), "encoded"))
    return spans


def _of_files(text: str) -> "list[Span]":
    """Find what is written, encoded, to a file whose name says that it holds a secret: `path: /etc/x.pass`, `content: UkBq...`."""
    spans, at, named = [], 0, 0  # lines in which the content may follow
    for line in text.split("\n"):
        label, _, value = line.strip(' -\t",').partition(":")
        value = value.strip(" \t\"',")
        if label.strip('"') == "path":
            last = value.rpartition("/")[2]
            named = (
                FAR_CONTENT
                if last.endswith(".key") or kind_of_label(last.rpartition(".")[2]) or kind_of_name(last.partition(".")[0])
                else 0
            )
        is_content = named and label.strip('"') in ("content", "contents", "source") and len(value) >= FEWEST
        if is_content and _decodes(value.rpartition(",")[2]):
            spans.append((at + line.rindex(value), at + line.rindex(value) + len(value), "encoded"))
        named, at = max(0, named - 1), at + len(line) + 1
    return spans


def _decodes(word: str) -> bool:
    return bool(word.strip("=")) and not word.strip(LETTERS + "0123456789+/=") and len(word) % 4 == 0


def _is_command(line: str) -> bool:
    """Say whether a line calls a program that runs code, hands text on or encodes by itself: code and prose do that too seldom."""
    names = [words[0][2].rpartition("/")[2].lower() for _, words in commands(line.lstrip("$%># ")) if words]
    return any(
        [
            name in PROGRAMS or name.rstrip("0123456789.") in PROGRAMS or (name.isalpha() and name.endswith(("encode", "decode")))
            for name in names
        ]
    )


def password_of(value: str) -> str:
    """Return what of a value is a password: all of it, or what stands behind a user and a colon; nothing for another text."""
    for zero in ZEROS:  # as SASL parts them
        value = value.replace(zero, ":")
    user, colon, password = (
        value.lstrip(":").partition(":") if value[:1] == ":" != value[-1:] and value.count(":") > 1 else value.partition(":")
    )
    if colon and ("a" + user).replace("-", "a").replace("_", "a").replace(".", "a").isalnum() and _is_one(password):
        return password
    return value if is_made_by_hand(value) else ""


def _is_odd(value: str) -> bool:
    """Say whether blanks part words, digits and signs that no code holds."""
    signs = [char for char in value if not char.isalnum()]
    return (
        FEWEST <= len(value) <= 40
        and " " in signs
        and len({*signs}) > 1
        and any(map(str.isdigit, value))
        and not {*signs} - set(ODD)
    )


def _is_one(password: str) -> bool:
    return is_made_by_hand(password) or is_generated(password, LONG)


def _quoted(line: str) -> "list[str]":
    """Return what stands in quotes on a line, in others as well: `-c "quote('x')"`."""
    return [piece for quote in QUOTES for piece in line.split(quote)[1:-1]]


def _piped(line: str) -> "list[str]":
    """Return what is handed on without quotes: `echo x | base64`, `base64 <<< x`."""
    before, pipe, _ = line.partition("|")
    words = before.split()
    names = [at for at, word in enumerate(words) if word in ("echo", "printf")]
    found = words[-1:] if pipe and names and len(words) > names[-1] + 1 else []
    return found + line.partition("<<<")[2].split()[:1]


def _decoded(word: str) -> "list[str]":
    """Return what a word says when it is decoded from each form in which it may be."""
    if len(word) < FEWEST:
        return []
    forms: list[Callable[[str], bytes]] = []
    if not word.strip(HEX) and len(word) > 15:
        forms.append(bytes.fromhex)
    if not word.strip(LETTERS[26:] + "234567="):
        forms.append(_from_base32)
    if not word.strip(LETTERS + "0123456789+/-_="):
        forms.append(_from_base64)
    if "%" in word:
        forms.append(_from_percent)
    return [text for text in [_read(form, word) for form in forms] if text]


def _read(form: "Callable[[str], bytes]", word: str) -> str:
    try:
        text = form(word).decode("ascii").rstrip("\n")
    except ValueError:
        return ""
    return text if text.isprintable() else ""


def _from_base64(word: str) -> bytes:
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _from_utf16(word: str) -> bytes:
    text = _from_base64(word).decode("utf-16-le")
    return text.replace("\r", "").replace("\n", ";").replace("\t", " ").encode("ascii", "replace")


def _from_base32(word: str) -> bytes:
    import base64  # lazy: only for a line that encodes or decodes

    bare = word.rstrip("=")
    return base64.b32decode(bare + "=" * (-len(bare) % 8))


def _from_percent(word: str) -> bytes:
    first, *rest = word.split("%")
    return first.encode() + b"".join([bytes.fromhex(part[:2]) + part[2:].encode() for part in rest])
