"""Collect the exact values to mask from the environment and from files that hold secrets; nothing of it is kept."""

import posix

from ralph_mem.core.redaction.names import kind_of_name
from ralph_mem.core.redaction.values import DIGITS, LETTERS, RANDOM_FLOOR, SECRET_FLOOR, is_filler, is_plain, looks_random

LARGEST_FILE = 64 * 1024
REGULAR_FILE, FILE_TYPE = 0o100000, 0o170000
UNRESERVED = (LETTERS + DIGITS + "-._~").encode()


def of_environment(environ: "dict[bytes, bytes]") -> "list[str]":
    """Return the secrets among the variables, each as it stands."""
    pairs = ((_text(name), _text(value)) for name, value in environ.items())
    return [secret for name, value in pairs for secret in _secrets(name, value, from_file=False)]


def of_file(path: str) -> "list[str]":
    """Return the secrets in a file of the .env family; none if it cannot be read at once."""
    text, name = _text(_content(path)), path.rpartition("/")[2]
    if name == ".netrc":
        words = text.split()
        return [word for before, word in zip(words, words[1:]) if before == "password" and _is_maskable(word)]
    if name == ".pgpass":
        fields = (line.replace("\\:", "\0").rpartition(":")[2].replace("\0", ":") for line in text.splitlines())
        return [field for field in fields if _is_maskable(field)]
    return [secret for line in text.splitlines() for secret in _of_line(line)]


def forms(secrets: "list[str]") -> "list[str]":
    """Return each secret with its base64, percent-encoded and JSON-escaped forms, longest first."""
    every: set[str] = set()
    for secret in secrets:
        raw = secret.encode("utf-8", "replace")
        percent_encoded = "".join(chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in raw)
        every.update((secret, _base64(raw), percent_encoded, secret.replace("\\", "\\\\").replace('"', '\\"')))
    return sorted(every, key=lambda form: (-len(form), form))


def _secrets(name: str, value: str, *, from_file: bool) -> "list[str]":
    if "://" in value and "@" in value:
        password = value.partition("://")[2].rpartition("@")[0].partition(":")[2]
        return [password] if _is_maskable(password) else []
    kind = kind_of_name(name)
    if not kind and not (from_file and looks_random(value) and not value.startswith("/")):
        return []
    if "\n" in value:
        return [line for line in value.splitlines() if len(line) >= RANDOM_FLOOR and _is_maskable(line)]
    return [value] if _is_maskable(value) and (kind != "key" or looks_random(value)) else []


def _is_maskable(value: str) -> bool:
    return len(value) >= SECRET_FLOOR and not is_filler(value) and not is_plain(value)


def _of_line(line: str) -> "list[str]":
    line = line.strip()
    name, equals, value = line.partition("=")
    if not equals or (":" in name.rstrip() and "/" not in name):
        name, equals, value = line.partition(":")
    if line.startswith(("#", ";")):
        return []
    if not equals:
        # A line inside a quoted multi-line value, a PEM body for one.
        return _secrets("", line.strip("\"'"), from_file=True)
    value = value.strip()
    is_quoted = value.startswith(("'", '"', "`"))
    value = value[1:].partition(value[0])[0] if is_quoted else value.partition(" #")[0].rstrip()
    return _secrets(name.replace("export ", ""), value, from_file=True)


def _content(path: str) -> bytes:
    try:
        # A FIFO would block an ordinary open until somebody writes.
        file = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        is_file = posix.fstat(file).st_mode & FILE_TYPE == REGULAR_FILE
        return posix.read(file, LARGEST_FILE) if is_file else b""
    except OSError:
        return b""
    finally:
        posix.close(file)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _base64(raw: bytes) -> str:
    import binascii  # lazy: only when there is a secret to look for

    return binascii.b2a_base64(raw, newline=False).decode("ascii").rstrip("=")
