"""Redacts: nothing secret passes. Loaded by every hook, so it only looks whether there may be something to do;
the modules that do it are loaded then. Standard library only, and next to none of it.
"""

import posix

RULES_VERSION = 2  # stored with every row, so that a later rule finds the rows it never saw

FILE_NAMES = (".envrc", ".npmrc", ".netrc", ".pypirc", ".pgpass")
SAMPLES = ("example", "sample", "template", "dist")
TELLING_NAMES = (b"KEY", b"TOKEN", b"SECRET", b"PASS", b"_PWD", b"CRED", b"AUTH", b"JWT", b"SAS")

# The gate. Issued tokens are told by their first three characters, those of `secret_rules.PREFIXES` (a test holds the
# two together): looking up each long word costs a tenth of searching the text for two hundred prefixes. A set would be
# quicker in a long text, and costs every event what it takes to make it.
HEADS = (
    b"ABI ACC AGE AIz AKC AKI API APP AQV ASI ATA ATB ATC BSA CCI CFP EAA EZA EZT FLW GOC HRK KEY LTA NRA NRI "
    b"NRJ PMA SG. SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKA SKB SKC SKD SKE SKF SKa SKb SKc SKd SKe SKf WPL "
    b"acc amz api bb_ bkc bku cio csk dap dck ddo ddp dnk doo dop dor dp. dt0 duf e2b ese eyJ fc- fig fio fm1 "
    b"fm2 fo1 fw_ gho ghp ghr ghs ghu git gla glc gld glf gli glo glp glr gls gsk hf_ hvb hvr hvs ico jin key "
    b"lin lsv nap nfp npm ntn nva ops oy2 p8e pat pcs pdl per phs phx pk_ pnu pol ppl psc pul pyp r8_ rdm re_ "
    b"rk_ rnd roo rub rzp sb_ sbp sdk sec sgp shi shp sk- sk_ sl. sm_ snt sq0 sqa sqp squ tfp tgp tk- tr_ tsk "
    b"tvl v1. vtw wak wan whs xai xap xke xnd xox xsm ya2 zpk "
)
ISSUED_FLOOR = 20
# spelled out, since every event would pay for making it
TOKEN_BYTES = b" " * 45 + b"-. 0123456789       ABCDEFGHIJKLMNOPQRSTUVWXYZ    _ abcdefghijklmnopqrstuvwxyz     " + b" " * 128
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
    folded = fold(text)
    if "private" not in folded and "1b[" not in folded:
        return text, {}
    from ralph_mem.core import secret_blocks  # the word is rare

    if "1b[" in folded:
        text = secret_blocks.without_colours(text)
        folded = fold(text)
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
    # the last two are colours, spelled out
    if not (patterns or any([value in text for value in known]) or trips(text) or "1b[" in text or "33[" in text):
        return text, {}
    from ralph_mem.core import secret_spans  # most texts trip nothing

    return secret_spans.redact(text, known, patterns, by_rules)


def by_rules(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of what the rules tell."""
    if not trips(text):
        return []
    from ralph_mem.core import secret_assignments, secret_headers, secret_rules  # a known value does without

    folded = fold(text)
    starts = {word[:width].decode() for word in long_words(text) for width in (2, 3)}
    spans = secret_rules.find(text, folded, starts) + secret_headers.find(text, folded)
    return spans + secret_assignments.find(text, folded)


def may_hide(text: str) -> bool:
    """Say whether a text holds a word of the kind that only the long list in `secret_neighbours` can judge."""
    words = text.encode("utf-8", "surrogatepass").translate(TOKEN_BYTES).split()
    # a plus cuts a word in two; our own ids have 15 characters
    return "%3" in text or "%2" in text or any([len(word) > 15 and word.translate(None, b"0123456789") != word for word in words])


def trips(text: str) -> bool:
    """Say whether a text holds anything that could be a secret, so that the rules are worth loading."""
    return any([_looks_issued(word) for word in long_words(text)]) or _holds_url(text) or _holds_label(text)


def long_words(text: str) -> "list[bytes]":
    """Return the words that are long enough to be a token."""
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
    folded = fold(text)
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
    if is_upper and after[:1] == "=":
        return after[1:7].isprintable() and len(after) > 6
    if is_upper and "value" in after:
        return True
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


def fold(text: str) -> str:
    """Lower a text without changing any character's width, as str.lower does: positions hold in both texts."""
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
