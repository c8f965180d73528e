"""Redacts: nothing secret passes. Loaded by every hook, so it only looks whether there may be something to do;
the modules that do it are loaded then. Standard library only, and next to none of it.
"""

import posix

RULES_VERSION = 1  # stored with every row, so that a later rule finds the rows it never saw
MARK = "[REDACTED:"

FILE_NAMES = (".envrc", ".npmrc", ".netrc", ".pypirc", ".pgpass")
SAMPLES = ("example", "sample", "template", "dist")
TELLING_NAMES = (b"KEY", b"TOKEN", b"SECRET", b"PASS", b"_PWD", b"CRED", b"AUTH", b"JWT", b"SAS")

# The gate. Issued tokens are told by their first three characters, those of `secret_rules.PREFIXES` (a test holds the
# two together): one set lookup for each long word costs a tenth of searching the text for a hundred prefixes.
HEADS = frozenset(
    (
        b"ABI ACC AGE AIz AKI ASI ATA ATB ATC CCI EAA EZA EZT FLW GOC LTA NRA NRI NRJ PMA SG. SK0 SK1 SK2 SK3 "
        b"SK4 SK5 SK6 SK7 SK8 SK9 SKA SKB SKC SKD SKE SKF SKa SKb SKc SKd SKe SKf amz api bku cio csk dap dck "
        b"doo dop dor dp. dt0 eyJ fig fm1 fm2 fo1 fw_ gho ghp ghr ghs ghu git gla glc gld glf gli glo glp glr "
        b"gls gsk hf_ hvb hvr hvs jin key lin nfp npm ntn nva ops pcs phx pnu ppl psc pul pyp r8_ re_ rk_ rub "
        b"rzp sb_ sbp sec shi shp sk- sk_ snt sq0 tgp tsk v1. whs xai xap xox ya2 "
    ).split()
)
ISSUED_FLOOR = 20
TOKEN_BYTES = bytes([code if chr(code).isalnum() or chr(code) in "_-." else 32 for code in range(128)]) + b" " * 128
LOWER_BYTES = b"abcdefghijklmnopqrstuvwxyz_-."
# Named secrets are told by a stem of the name and a value with a digit or a symbol behind it.
LABELS = ("passw", "passp", "_pass", "pwd", "secret", "token", "key", "auth", "credential", "cookie", "bearer")
NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-."
BETWEEN = " \t\"'`\\=:>)]|,"
UNTELLING = "abcdefghijklmnopqrstuvwxyz_-.,;:()[]{}<>'\"`\\/|=+$*&%\t "
COMMANDS = (("curl", "-u"), ("mysql", " -p"), ("mariadb", " -p"), ("sshpass", " -p"), ("docker login", " -p"), ("redis-cli", " -a"))


def clean(text: str) -> str:
    """Strip terminal sequences and invisible characters, which could split a secret; the rest fits UTF-8."""
    # some invisible characters count as printable, none of them is ASCII
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    from ralph_mem.core import terminal  # most texts are plain

    return terminal.plain(text)


def drop_blocks(text: str) -> "tuple[str, dict[str, int]]":
    """Replace <private> passages and private keys. Needs the whole text: a cut one hides where they begin or end."""
    folded = _fold(text)
    if "private" not in folded:
        return text, {}
    from ralph_mem.core import secret_blocks  # the word is rare

    text, passages = secret_blocks.cut_private(text, folded)
    text, keys = secret_blocks.cut_keys(text)
    return text, {kind: count for kind, count in (("private", passages), ("private-key", keys)) if count}


def known_values(environ: "dict[bytes, bytes]", folders: "list[str]") -> "list[str]":
    """Return the exact values to mask, longest first: of secret-named variables and of .env-like files in the folders.

    Files are read anew at each call; the values live in this process only.
    """
    telling = {name: value for name, value in environ.items() if _may_tell(name.upper(), value)}
    paths = [path for folder in folders for path in _secret_files(folder)]
    if not telling and not paths:
        return []
    from ralph_mem.core import known_secrets  # many projects have none

    secrets = known_secrets.of_environment(telling)
    for path in paths:
        secrets += known_secrets.of_file(path)
    return known_secrets.forms(secrets)


def redact(text: str, known: "list[str] | tuple[()]" = (), patterns: "list[str] | tuple[()]" = ()) -> "tuple[str, dict[str, int]]":
    """Replace known values, what matches the user's patterns, and all that the rules find; return counts by kind too.

    Redacting twice changes nothing: what a round has marked is never looked at again, and rounds go on until one
    finds nothing.
    """
    counts: dict[str, int] = {}
    found = True
    while found:
        text, found = _round(text, known, patterns, counts)
    return text, counts


def trips(text: str) -> bool:
    """Say whether a text holds anything that could be a secret, so that the rules are worth loading."""
    return any([_looks_issued(word) for word in _long_words(text)]) or _holds_url(text) or _holds_label(text)


def _long_words(text: str) -> "list[bytes]":
    raw = text.encode("utf-8", "surrogatepass")
    if b"\\" in raw:
        # a spelled-out line end would stick to the word behind it
        raw = raw.replace(b"\\n", b"  ").replace(b"\\t", b"  ").replace(b"\\r", b"  ")
    return [word.lstrip(b"-._") for word in raw.translate(TOKEN_BYTES).split() if len(word) >= ISSUED_FLOOR]


def _looks_issued(word: bytes) -> bool:
    if not word.strip(LOWER_BYTES) and len(word.replace(b"-", b"_").rpartition(b"_")[2]) < 16:
        return False
    # besides the prefixes: Telegram's second half, and the tokens that are told by their dots
    return word[:3] in HEADS or (word[:2] == b"AA" and len(word) == 35) or (len(word) > 57 and b"." in word)


def _holds_url(text: str) -> bool:
    at = text.find("://")
    while at >= 0:
        url = text[at + 3 : at + 515].partition(" ")[0].partition("\n")[0]
        userinfo, sign, _ = url.rpartition("@")
        if (sign and ("/" not in userinfo or ":" in userinfo)) or "hook" in url or "sig=" in url:
            return True
        at = text.find("://", at + 3)
    return False


def _holds_label(text: str) -> bool:
    folded = _fold(text)
    for label in LABELS:
        at = folded.find(label)
        while at >= 0:
            at += len(label)
            if _tells(folded[at : at + 128], text[at - 1].isupper()) or (label[0] == "p" and _quotes(folded[at : at + 64])):
                return True
            at = folded.find(label, at)
    return " -" in text and any([command in folded and flag in text for command, flag in COMMANDS])


def _tells(after: str, is_upper: bool) -> bool:
    after = after.lstrip(NAME)
    if after[:1] == "(":
        return False
    if is_upper and (after[:1] == "=" or "value" in after):
        return after[1:7].isprintable() and len(after) > 6
    line = after.lstrip(BETWEEN)[:64].partition("\n")[0]
    # the second word where a type, a flag or "is" comes first
    words = (line.partition(" = ")[2] or line).split(" ", 2)[:2]
    if words[0] in ("basic", "bearer") and len(words) > 1:
        return len(words[1]) >= 6
    return any([len(word) >= 6 and (word.strip(UNTELLING) or _is_long_letters(word)) for word in words])


def _quotes(after: str) -> bool:
    """Say whether a quoted word is assigned: of a password that alone tells."""
    operator, _, value = after.lstrip(NAME + "\"'`\\])").replace("'", '"').partition('"')
    return operator.strip(" =:>\\") == "" and operator.strip() != "" and len(value.partition('"')[0]) >= 6


def _is_long_letters(word: str) -> bool:
    # a generated value without a digit: rare, but no word is that long
    word = word.partition("\\n")[0].strip(BETWEEN + ";.}").rpartition("=")[2].replace("+", "").replace("/", "")
    return len(word) >= 18 and word.isalpha()


def _fold(text: str) -> str:
    # Unlike str.lower this changes no character's width, so positions hold in both texts.
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _may_tell(name: bytes, value: bytes) -> bool:
    is_named = any([word in name for word in TELLING_NAMES]) and not name.endswith((b"_SOCK", b"XAUTHORITY"))
    return len(value) >= 8 and (is_named or (b"://" in value and b"@" in value))


def _secret_files(folder: str) -> "list[str]":
    try:
        names = posix.listdir(folder)
    except (OSError, ValueError):
        return []
    dotted = [name for name in names if name.startswith(".")]
    return [f"{folder}/{name}" for name in dotted if name in FILE_NAMES or _is_dot_env(name)]


def _is_dot_env(name: str) -> bool:
    return name == ".env" or (name.startswith(".env.") and not name.endswith(SAMPLES))


def _round(
    text: str, known: "list[str] | tuple[()]", patterns: "list[str] | tuple[()]", counts: "dict[str, int]"
) -> "tuple[str, bool]":
    pieces = []
    found = False
    for index, piece in enumerate(_between_marks(text)):
        spans = [] if index % 2 else _spans(piece, known, patterns)
        found = found or bool(spans)
        pieces.append(_replace(piece, spans, counts) if spans else piece)
    return "".join(pieces), found


def _between_marks(text: str) -> "list[str]":
    """Cut a text at its marks; these are the second, the fourth and so on of the pieces."""
    first, *rest = text.split(MARK)
    pieces = [first]
    for part in rest:
        kind, bracket, after = part.partition("]")
        if bracket and kind.replace("-", "").isalpha() and kind.islower() and len(kind) < 24:
            pieces += [f"{MARK}{kind}]", after]
        else:
            pieces[-1] += MARK + part
    return pieces


def _spans(text: str, known: "list[str] | tuple[()]", patterns: "list[str] | tuple[()]") -> "list[tuple[int, int, str]]":
    spans = [(at, at + len(value), "known-value") for value in known if value in text for at in _places(text, value)]
    if patterns:
        spans += _matches(text, patterns)
    if trips(text):
        from ralph_mem.core import secret_assignments, secret_headers, secret_rules  # most texts trip nothing

        folded = _fold(text)
        starts = {word[:width].decode() for word in _long_words(text) for width in (2, 3)}
        spans += secret_rules.find(text, folded, starts) + secret_headers.find(text, folded)
        spans += secret_assignments.find(text, folded)
    return spans


def _places(text: str, value: str) -> "list[int]":
    places = []
    at = text.find(value)
    while at >= 0:
        places.append(at)
        at = text.find(value, at + 1)
    return places


def _matches(text: str, patterns: "list[str] | tuple[()]") -> "list[tuple[int, int, str]]":
    import re  # costs as much as the interpreter's start, so only for who asks for it

    spans = []
    for pattern in patterns:
        try:
            spans += [(*match.span(), "pattern") for match in re.finditer(pattern, text) if match[0]]
        except (re.error, OverflowError, RecursionError):
            continue  # the settings say so; here a bad pattern must not cost the observation
    return spans


def _replace(text: str, spans: "list[tuple[int, int, str]]", counts: "dict[str, int]") -> str:
    kept = []
    end = 0
    for start, stop, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            kept += [text[end:start], MARK, kind, "]"]
            counts[kind] = counts.get(kind, 0) + 1
        end = max(end, stop)
    return "".join(kept) + text[end:]
