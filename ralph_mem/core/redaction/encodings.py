"""Find base64 that stands for a text with a secret, such as a name with its password."""

import binascii

from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_filler, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FEWEST, MOST = 16, 65_536
# What an account's file of keys holds besides the key.
ACCOUNTS = ("service_account", "private_key", "client_secret", "refresh_token", '"auth"', "password", "secret", "token")
OF_PEM, BEGUN = b"LS0tLS1CRUdJTi", 48  # "-----BEGIN ", and as many characters as say what of
ENCODED = LETTERS + DIGITS + "+/-_="


def find(text: str, redact: "Callable[[str], tuple[str, dict[str, int]]]") -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of what is encoded and holds a secret, as `redact` says of what was decoded."""
    spans = []
    masked = text.encode("latin-1", "replace").translate(_TABLE)
    marks, long = masked.translate(_MARKS), b"x" * FEWEST
    start = marks.find(long)
    while start >= 0:
        end = marks.find(b" ", start)
        end = end if end >= 0 else len(marks)
        word = masked[start:end].rstrip(b"=").rpartition(b"=")[2]  # NAME=d29yZA==
        at = masked.find(word, start)
        if FEWEST <= len(word) <= MOST and _hides(_decoded(word), redact):
            spans.append((at, at + len(word), "encoded"))
        start = marks.find(long, end)
    return spans


_TABLE = bytes([code if chr(code) in ENCODED else 32 for code in range(256)])
_MARKS = bytes([120 if chr(code) in ENCODED else 32 for code in range(256)])


def _decoded(word: bytes) -> str:
    word = word.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    word = word[:BEGUN] if word.startswith(OF_PEM) else word  # of a key the rest may be cut
    if len(word) % 4 == 1 or b"=" in word:
        return ""
    try:
        raw = binascii.a2b_base64(word + b"=" * (-len(word) % 4))
        # PowerShell encodes what has two bytes to a character; in SASL a zero parts a name from its password
        text = raw.decode("utf-16-le" if len(raw) > 7 and not any(raw[1::2]) else "utf-8").replace("\0", ":").lstrip(":")
    except ValueError:
        return ""
    return text if text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else ""


def _hides(text: str, redact: "Callable[[str], tuple[str, dict[str, int]]]") -> bool:
    if not text:
        return False
    user, colon, password = text.strip().partition(":")
    is_user = 2 < len(user) < 64 and user.replace(".", "a").replace("_", "a").replace("-", "a").replace("@", "a").isalnum()
    if colon and is_user and len(password) > 5 and " " not in password and password[:2] != "//" and "\n" not in password:
        return not is_plain(password) and not is_filler(password)
    if text.endswith(("AdministratorPassword", "Password")) and len(text) > len(
        "AdministratorPassword"
    ):  # as Windows writes one down
        return True
    if "PRIVATE KEY-----" in text or "PRIVATE KEY" in text[:36]:
        return True
    if text.lstrip()[:1] == "{" and any([name in text for name in ACCOUNTS]):
        return True
    return bool(redact(text)[1])
