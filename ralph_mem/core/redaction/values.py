"""Tell what a value looks like, by the characters that values are made of."""

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
SYMBOLS = "!@#$%^&*+~?"
ALNUM = LETTERS + DIGITS
WORD = ALNUM + "_"
DASH = WORD + "-"
DOT = DASH + "."
BASE64 = WORD + "-+/="
HEX = DIGITS + "abcdefABCDEF"
UPPER = LETTERS[26:] + DIGITS
LONG = 512  # characters that are looked at at once

FILLERS = tuple(
    "example changeme change-me change_me your- your_ yourp yours yourt yourapi <your placeholder redacted xxxx **** .... "
    "required| nullable| dummy replace insert notset not-set goes-here goes_here -here _here %s %d".split()
)
TEMPLATES = ("#{", "*.", "data:image", "data:font", "varchar(", "nvarchar(", "char(", "binary(", "varbinary(")  # and types of SQL
TYPES = ("String", "Token", "Password", "Secret", "Key", "Input", "Type", "ID")  # how those of GraphQL end
OF_PATTERNS = ("(?:", "^(", "[a-z", "[A-Z", "[0-9", "[^", "\\d+", "\\w+")  # of regular expressions
PLAIN = frozenset(
    "pflichtfeld erforderlich mindestens mínimo máximo obligatorio obligatoire requis requerido vereist wymagane обязательно "
    "true false null none nil undefined yes no on off empty required optional string secret password passwd pass token"
    " default hidden masked test enabled disabled inherit pwd user username production development staging testing local"
    " invalid incorrect confirm current new-password current-password one-time-code boolean integer number object bearer"
    " basic forgot confirmed passwort sample base64 base64url utf8 utf-8 through passthrough scram-sha-256 scram-sha-1 md5".split()
)
SECRET_FLOOR = 8
RANDOM_FLOOR = 16
OF_ACCOUNT = 42  # characters of an address of Ethereum
RANDOM_LETTERS = 10  # of one case, `letters.FEWEST`
_NOTHING_BUT = dict.fromkeys(map(ord, "_-./:+= "), None)
_CLASSES = {
    **dict.fromkeys(map(ord, LETTERS[:26]), "a"),
    **dict.fromkeys(map(ord, LETTERS[26:]), "A"),
    **dict.fromkeys(map(ord, DIGITS), "0"),
    **_NOTHING_BUT,
}


def is_called_so(value: str) -> bool:
    """Say whether a value speaks itself of what it would be."""
    return any([word in value.lower() for word in ("secret", "pass", "token", "key", "credential")])


def is_filler(value: str) -> bool:
    """Recognise what stands where a secret should: a reference, a template, a mask, "changeme"."""
    lowered = value.lower()
    if lowered in PLAIN or len(set(value)) < 4 or "EXAMPLE" in value or lowered.startswith(("fake", "mock")):
        return True
    if (value[0] in "<{[%" and value[-1] in ">}]%") or "{{" in value or "${" in value or value.startswith("$("):
        return True
    if any([sign in value for sign in OF_PATTERNS]) or lowered.startswith(TEMPLATES) or _is_typed(value):
        return True
    if value[:2] == "0x" and len(value) == OF_ACCOUNT and not value[2:].strip(HEX):  # which everybody may know
        return True
    if value.startswith("ENC[") or (value[:2] == "Ag" and len(value) > 200):  # encrypted by sops or kubeseal, to be read by all
        return True
    of_environment = value.partition("env.")[2].rstrip("!?,;)")  # as in `process.env.X!`
    is_variable = (
        of_environment.isidentifier()
        or (value[0] == "$" and value[1:].rstrip("\"'`\\),;]").isidentifier())
        or (value[0] == "%" and not value.strip(UPPER + "%_:-"))
    )
    if "+" in value[1:-1] and value[0].isalpha():
        from ralph_mem.core.redaction import keyboard  # lazy: only for what a plus joins

        is_variable = keyboard.is_chord(value)
    return (is_variable or any(filler in lowered for filler in FILLERS)) and not looks_random(value)


def _is_typed(value: str) -> bool:
    """Recognise a type that must be given, the code of an error, the sides of an array, and what a value made later is called."""
    bare, (rows, times, columns) = value.rstrip("!]), "), value.partition("x")
    if value.isupper() and not value.isalnum():
        from ralph_mem.core.redaction import error_codes  # lazy: only for capitals with signs

        if error_codes.is_code_of_error(value):
            return True
    is_type = bare != value and bare.isalpha() and bare.endswith(TYPES) and "!" in value and bare[:1].isupper()
    return is_type or bool(times and rows.isdigit() and columns.isdigit()) or value[:2] == value[-2:] == "__"


def is_plain(value: str) -> bool:
    """Recognise words, numbers, paths, hosts and addresses: values too ordinary to mask wherever they appear."""
    if value.isalpha() and len(value) < 20 and (value.islower() or value.isupper() or value.istitle()):
        return not are_random_letters(value)
    if not value.translate(_NOTHING_BUT).strip(DIGITS):
        return True
    if value[4:5] == "-" and value[7:8] == "-" and value[:4].isdigit():  # a date
        return True
    if "." in value and any([mark in value for mark in ("+deb", "+dfsg", "ubuntu")]):  # a version of a package
        return True
    return _is_path(value) or _is_host(value) or value.startswith("arn:") or ("://" in value and "@" not in value)


def looks_random(value: str) -> bool:
    """Tell a generated value from words: long, letters and digits, and changing between them often."""
    classes = value[:256].translate(_CLASSES)
    if len(value) < RANDOM_FLOOR or not classes.strip("0") or len(set(value)) < 8:
        return False
    if not classes.strip("a") or not classes.strip("A"):
        return are_random_letters(value)
    if "0" not in classes and classes.count("AA") < 2:
        return False  # camel humps; one base62 secret of 32 in 300 has no digit either, but capitals side by side
    changes = sum(classes.count(pair) for pair in ("a0", "0a", "A0", "0A", "aA", "Aa"))
    # Random hex changes at every second character, base62 more often, names with a version number twice or so.
    return changes * (6 if "0" in classes else 5) >= len(classes)


def are_random_letters(value: str) -> bool:
    """Say whether a value is a row of random letters, RANDOM_LETTERS at least: no word."""
    if len(value) < RANDOM_LETTERS:
        return False
    from ralph_mem.core.redaction import letters  # lazy: only for long words

    return letters.are_random(value)


def _is_path(value: str) -> bool:
    if (
        value[1:3] == ":\\"
        or (":/" in value and value[: value.index(":/")].replace("-", "a").isalpha())
        or ("/" in value and value.rstrip(DIGITS + ":").rpartition("/")[2].partition(".")[2].isalpha())
    ):
        return True
    # One base64 secret in 64 starts with a slash.
    is_base64 = len(value) >= 32 and "." not in value and looks_random(value)
    return value.startswith(("/", "./", "../", "~/")) and not is_base64


def _is_host(value: str) -> bool:
    host, _, port = value.partition(":")
    labels = host.split(".")
    if port.strip(DIGITS) or not host.islower() or not all(label.replace("-", "a").isalnum() for label in labels):
        return False
    return (len(labels) > 1 or bool(port)) and labels[-1].isalpha() and not looks_random(host)


def places(text: str, sign: str) -> "list[int]":
    """Return where in a text a sign stands, overlapping ones too."""
    found, at = [], text.find(sign)
    while at >= 0:
        found.append(at)
        at = text.find(sign, at + 1)
    return found


def run_of(text: str, at: int, alphabet: str) -> int:
    """Return the end of the run of characters of an alphabet."""
    while True:
        window = text[at : at + LONG]
        rest = len(window.lstrip(alphabet))
        at += len(window) - rest
        if rest or not window:
            return at
