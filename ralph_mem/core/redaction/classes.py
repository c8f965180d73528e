"""Find secrets by the class of what they stand in, such as command lines and tables."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]
    Redact = Callable[[str], tuple[str, dict[str, int]]]

# What stands in a text that holds a secret of a class, in lower case.
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
    "authtok", "connect ", "conn ", " replace ", "cookie", "community ", " secret ", "key-string", "ascii-text", "psk", "setuser",
    " on >", " chap", " where ", "loginmodule", ": rsa ", ": eap ", "pragma ",
)  # fmt: skip
WITHOUT_SCHEME = ("@", "jdbc:oracle", ":*:", ":5432:", ":5433:", ":6432:", ":5439:", ":26257:")
# Of commands that encode and decode, of queries and protocols, of what tests and debuggers show.
CALLS = (
    "nect(", "nection(", "construct(", "pdo(", "login", ".begin(", "_user(", "client(", "auth", "sign", "credential", "crypt",
    "passw", "bind", "superuser(", "logon", "hmac", "sql('", "godb('", "pw_set(", "wallet", "verify(", "secret(", "masked(",
    "account(", "accounts(", "usuario(", "benutzer(", "konto(", "compte(",
    "user(", "users(", "open(", "target(", "unlock(", "session(", "uploader(", "triple(", "create(",
    "enroll(", "register(", "mount(", "relay(", "attach(", "hasher.hash(", "setpin(", "unseal(", "mechanism(", "compare(",
    "environ.get(", "getenv(", "env.fetch(", "e_digest(", "safeequal(", "sh_equals(", "timeequals(", "basic(",
)  # fmt: skip
ENCODERS = (
    "base64", "base32", "b64", "ncode", "decode", "quote(", "quote_plus", "escape", "atob", "btoa", "xxd", "hex", "od -", "@uri",
    "-enc ", "-ec ",
)  # fmt: skip
PROTOCOLS = (
    "icket=", "code", "OTP", "otp", "digo ", "codice",
    "&p", "?p", "&P", '"p"', "'p'", " p:", " p=", "\np=", '(p, "', '"AUTH"', "LOGIN ", "AUTH LOGIN", "AT+",
    "Basic ", "AUTH\\r", "AUTH\r", 'assword "', "assword....",
)  # fmt: skip
BELOW = (
    "(\n", "word\n", "wd\n", "pass\n", "auth\n", "secret\n", "token\n", "key\n", '",\n', "value", "valor", "wert", "valeur",
    "=>\n", "raw",
)  # fmt: skip
OCTETS = ("int8", "u8;", "byte", "buffer.from", "0x", ": [", "= [", "<<")
DEVICES = (
    "$9$", "$8$", "shared-", "digest-key", "option ", "ssid", "wifi:", 'sending "', "send (", "er pin", "ing pin", "ing code",
    "setup ", "isakmp key", "tacacs server ", "radius server ",
)  # fmt: skip
OF_SETTINGS = ("value", "valor", "wert", "valeur", "inhalt", ",val", "val,", "|val", "content")  # heads of their columns
PHRASES = ("phrase", "frase", "mnemonic", "satz")
DUMPS = ("00000", "0010: ", "0010 ")  # the places of the first rows
ACCOUNTS = (
    "user", "usr", "login", "account", "host", "ssid", "mail", "konto", "benutzer", "compte", "usuari", "cuenta", "utente", "u=",
    '"u"', "u:", "{n:", "auth",
)  # fmt: skip
LOGINS = (
    " / ", " // ", "->", "\u2192", "log", "get in", "gets in", "got in", "sign in", "signed in", "ssh ", "user", "account",
    "cred", "admin", "unlock", "open", "anmeld", "meld", "rein", "gibt", "kommst", "tipp", "konto", "zugang", "benutzer", "compte",
    "rentre", "tape", "saisi", "connecte", "entr", "acced", "usuari", "cuenta", "conta", "utente", "wpisz", "dost", "safe", "code",
    "cadenas", "door", "t\u00fcr", "\u30ed\u30b0", "\u30e6",
)  # fmt: skip
SHOWN = (
    "expected", "received", " got ", "got:", 'got "', "left:", "assert", "0x", "pdb", "> ", "=> ", "plaintext", "to be ",
    " want ", "evaluated:", '" == "', 'fill("', "fill('", '" with "',
)  # fmt: skip
TYPED = (
    "type", "typing", "key", "fill", "inputtext", "input text", "input password", "entertext", "enter text", "enter_text",
    "setvalue", "set_value", "send ", "sending", "replacetext", "settext", "set_text",
    "login ", "log in ", "sign in ", ".send(", "sendline(",
    "enter", ".write(",
)  # fmt: skip
ANSWERS = (
    "enter ", "paste ", "type ", "choose ", "repeat", "confirm", "new ", "(input", "? ", "=0x", "= 0x", ">>> ", "]: ", "signin(",
    "sign_in(", "login(", "log_in(", "authenticate(", "logon(", 'using "', "using '", 'with "', "with '",
)  # fmt: skip
PROMPTS = ("$ ", "\u276f ", "\u279c ")
# Of each class the module that knows it, and what a text holds, in lower case or as it is written, that is looked at for it.
FOLDED: "dict[str, tuple[str, ...]]" = {
    "documents": DOCUMENTS, "statements": STATEMENTS, "without_scheme": WITHOUT_SCHEME, "calls": CALLS, "encoders": ENCODERS,
    "shown": SHOWN, "below": BELOW, "octets": OCTETS, "phrases": PHRASES, "named_values": OF_SETTINGS, "devices": DEVICES,
    "dumps": DUMPS, "accounts": ACCOUNTS, "logins": LOGINS, "typed": TYPED, "answers": ANSWERS,
}  # fmt: skip
WRITTEN = {"protocols": PROTOCOLS, "printing": PROMPTS}
ALWAYS = ("shell", "tables", "frames", "wrappers", "assignments", "beside", "formats")


def find(text: str, folded: str, redact: "Redact") -> "list[Span]":
    """Find the spans (start, end, kind) of all classes; `redact` looks into what was decoded."""
    spans: list[Span] = []
    for name in _named(text, folded):
        module = __import__(f"ralph_mem.core.redaction.{name}", None, None, ("find",))  # lazy: a text has the signs of a few
        spans += module.find(text, folded)
    return [span for span in spans + _encodings(text, redact) if span[1] > span[0]]


def _named(text: str, folded: str) -> "list[str]":
    """Return the names of the classes whose signs a text has."""
    found = list(ALWAYS)
    for where, classes in ((folded, FOLDED), (text, WRITTEN)):
        found += [name for name, signs in classes.items() if any([sign in where for sign in signs])]
    return found


def _encodings(text: str, redact: "Redact") -> "list[Span]":
    from ralph_mem.core.redaction import encodings  # lazy: only for a word that reads as text when it is decoded

    return encodings.find(text, redact)
