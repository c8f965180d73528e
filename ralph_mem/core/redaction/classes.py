"""Find secrets by the class of what they stand in, such as command lines and tables."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]
    Find = Callable[[str, str], list[Span]]
    Redact = Callable[[str], tuple[str, dict[str, int]]]

# What stands in a text that holds a secret of a class, in lower case.
FORMATS = (
    "$2", "$1$", "$5$", "$6$", "$y$", "$7$", "$s$", "$mysql", "$apr1", "$argon2", "pbkdf2", "scrypt", "bcrypt_", "{ss", "{sha",
    "{smd5", "{crypt", "sha256~", "q~", "scram-sha", "$krb5", "$ntlm", "$p$", "$h$", "aad3b435", "codes", "phrase", "mnemonic",
    "seed words", "xprv", "saml", "prv", ":assertion", "phnhbww", "ugfzc3dvcmq6", "words", "stellar", "xrp", "ripple",
    "send --", "private-lines", "auth-user-pass", 'send "', "wallet", "dumpprivkey", "wif",
)  # fmt: skip
DOCUMENTS = (
    "secret",
    "sensitive",
    "concealed",
    '"kty"',
    '"ishidden',
    "service_account",
    "securestring",
    "chpasswd:",
    "random_password",
    "randompassword",
)
STATEMENTS = (
    "identified", "passw", "pwd", "securestring", "passphrase", "requirepass", "masterauth", "auth-pass", "bindpw", "rootpw",
    "authtok",
    "community ", " secret ", "key-string", "ascii-text", "psk", "setuser", " on >", "jdbc:oracle", ":5432:", ":5433:", ":6432:",
    ":*:", " chap", "@",
)  # fmt: skip
# Of commands that encode and decode, of queries and protocols, of what tests and debuggers show.
CALLS = (
    "nect(",
    "nection(",
    "construct(",
    "pdo(",
    "login",
    ".begin(",
    "_user(",
    "auth",
    "sign",
    "credential",
    "crypt",
    "passw",
    "bind",
    "superuser(",
    "logon",
    "verify(",
)
ENCODERS = (
    "base64",
    "base32",
    "b64",
    "ncode",
    "decode",
    "quote(",
    "quote_plus",
    "escape",
    "atob",
    "btoa",
    "xxd",
    "hex",
    "od -",
    "@uri",
)
PROTOCOLS = ("&p", "?p", "&P", "AUTH\\r", "AUTH\r", 'assword "', "assword....")
SHOWN = ("expected", "received", " got ", "got:", 'got "', "left:", "assert", "0x", "pdb", "> ", "=> ", "plaintext", "to be ")
PROMPTS = ("$ ", "\u276f ", "\u279c ")


def find(text: str, folded: str, redact: "Redact") -> "list[Span]":
    """Find the spans (start, end, kind) of all classes; `redact` looks into what was decoded."""
    spans: list[Span] = []
    for name in _named(text, folded):
        spans += FINDING[name](text, folded)
    return [span for span in spans + _encodings(text, redact) if span[1] > span[0]]


def _named(text: str, folded: str) -> "list[str]":
    """Return the names of the classes whose signs a text has."""
    found = ["shell", "tables", "wrappers", "assignments", "beside"]
    for name, signs in (
        ("formats", FORMATS),
        ("documents", DOCUMENTS),
        ("statements", STATEMENTS),
    ):
        found += [name] * any([sign in folded for sign in signs])
    for name, where, telling in (
        ("calls", folded, CALLS),
        ("encoders", folded, ENCODERS),
        ("protocols", text, PROTOCOLS),
        ("shown", folded, SHOWN),
    ):
        found += [name] * any([sign in where for sign in telling])
    return found + ["printing"] * any([sign in text for sign in PROMPTS])


def _shell(text: str, _folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import shell  # lazy: only for a text with a program that takes secrets

    return shell.find(text)


def _printing(text: str, _folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import printing  # lazy: only for what was copied from a terminal

    return printing.find(text)


def _tables(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import tables  # lazy: only for a text with columns and a label

    return tables.find(text, folded)


def _wrappers(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import wrappers  # lazy: only for a label before a call

    return wrappers.find(text, folded)


def _formats(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import formats  # lazy: only for a text with one of the signs

    return formats.find(text, folded)


def _documents(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import documents  # lazy: only for a text with one of the signs

    return documents.find(text, folded)


def _calls(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import calls  # lazy: only for a text with a call that may take a password

    return calls.find(text, folded) if "(" in text else []


def _encoders(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import encoders  # lazy: only for a text that encodes or decodes

    return encoders.find(text, folded)


def _protocols(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import protocols  # lazy: only for a text with one of the signs

    return protocols.find(text, folded)


def _shown(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import shown  # lazy: only for what a test or a debugger may show

    return shown.find(text, folded)


def _encodings(text: str, redact: "Redact") -> "list[Span]":
    from ralph_mem.core.redaction import encodings  # lazy: only for a word that reads as text when it is decoded

    return encodings.find(text, redact)


def _statements(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import statements  # lazy: only for a text with one of the signs

    return statements.find(text, folded)


def _assignments(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import assignments  # lazy: only for a text that may hold one of a class

    return assignments.find(text, folded)


def _beside(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import beside  # lazy: only for a text that may hold one of a class

    return beside.find(text, folded)


FINDING: "dict[str, Find]" = {
    "shell": _shell, "printing": _printing, "tables": _tables, "wrappers": _wrappers, "formats": _formats, "documents": _documents,
    "statements": _statements, "assignments": _assignments, "beside": _beside, "calls": _calls, "encoders": _encoders,
    "protocols": _protocols, "shown": _shown,
}  # fmt: skip
