"""What repeats a secret that was found in a text, as it is, encoded, or decoded."""

import binascii

from ralph_mem.core.redaction.names import REPEATED_FLOOR
from ralph_mem.core.redaction.passwords import is_coined, is_of_class
from ralph_mem.core.redaction.values import DIGITS, LETTERS, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST = 200  # characters of what is looked for
UNRESERVED = LETTERS + DIGITS + "-_.~"  # what an address holds as it is
WORDLIKE = "-_./: "  # what joins words and numbers in names, versions and paths


def finder(values: "list[str]", text: str) -> "Callable[[str], list[tuple[int, int, str]]]":
    """Return what finds the spans, in a piece of a text, of what repeats one of its values, in any of some five spellings.

    The values have `REPEATED_FLOOR` characters or more.
    """
    forms = [form for value in values if is_telling(value) for form in _forms(value)]
    forms = [form for form in dict.fromkeys(forms) if form in text]
    return lambda piece: [(at, at + len(form), "secret") for form in forms for at in places(piece, form)]


def is_telling(value: str) -> bool:
    """Say whether a value is a secret wherever it stands: a word, a number, a name or a path would go from all that is said."""
    if (value.isalnum() and is_of_class(value)) or (value[:1] == "#" and value[1:].isidentifier() and value.strip("#").isalpha()):
        return False  # names of classes and of what they keep
    is_mixed = any([char.isdigit() or not (char.isalnum() or char in WORDLIKE) for char in value])
    is_mixed = is_mixed or is_coined(value)
    return len(value) <= LONGEST and value.isprintable() and any([char.isalpha() for char in value]) and is_mixed


def _forms(value: str) -> "list[str]":
    raw = value.encode("utf-8", "surrogatepass")
    percent = "".join([chr(byte) if chr(byte) in UNRESERVED else f"%{byte:02X}" for byte in raw])
    lined = binascii.b2a_base64(raw + b"\n", newline=False).decode().rstrip("=")  # as `echo` hands it on
    encoded = [lined, raw.hex(" "), binascii.b2a_base64(raw, newline=False).decode().rstrip("="), raw.hex(), percent]
    decoded = [text for text in (_from(bytes.fromhex, value), _from(_base64, value)) if text]
    passwords = [text.partition(":")[2] for text in decoded]
    return [value, *encoded, *decoded, *[password for password in passwords if len(password) >= REPEATED_FLOOR]]


def _base64(value: str) -> bytes:
    bare = value.rstrip("=")
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _from(decode: "Callable[[str], bytes]", value: str) -> str:
    """Return what a value says when it is decoded, where that is a text of one line."""
    try:
        text = decode(value).decode("ascii")
    except ValueError:
        return ""
    return text if len(text) >= REPEATED_FLOOR and text.isprintable() else ""


def matches(text: str, patterns: "Sequence[str]") -> "list[tuple[int, int, str]]":
    """Return where a person's own patterns match; one that is no pattern matches nothing."""
    import re  # lazy: only for text in which a secret may be; a quick look at the characters comes first

    spans = []
    for pattern in patterns:
        try:
            spans += [(*match.span(), "pattern") for match in re.finditer(pattern, text) if match[0]]
        except (re.error, OverflowError, RecursionError):
            continue  # the settings say so; here a bad pattern must not cost the observation
    return spans
