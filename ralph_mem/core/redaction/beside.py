"""Find secrets that look like none but a secret on a line that speaks of one."""

from ralph_mem.core.redaction.letters import are_hexed
from ralph_mem.core.redaction.names import NAME, PASSWORDS, SECRETS, TAKEN_BACK, is_secret, kind_of_name, words_of
from ralph_mem.core.redaction.open_forms import is_dated
from ralph_mem.core.redaction.passwords import UNTELLING_WORDS, is_coined, is_generated, is_jumbled, is_passphrase
from ralph_mem.core.redaction.values import DIGITS, LETTERS, SYMBOLS, is_called_so, is_filler, is_plain, places

# A line with one of these speaks of a secret; pieces of words, so that one stands for many.
SPOKEN = (
    "passw", "passp", "passc", "passor", "as the pass", "as pass", '"pass ', "-> pass ", "quote pass ", "npass ",
    "passk", "pwd", " pw ", "secret", "log in ", "sign in ", "einloggen", "anmelden", "hasł", "klucz", "llave", "chiave", "token",
    "credential", "api key", "api_key", "apikey", "login",
    "auth", "unlock", "clave", "clé ", "schlüssel", "schluessel", "sleutel", " pin", "pin ", "otp", "mot de passe", "d'ordine",
    " puk", "licence key", "license key", "psk", " priv ", "shared-key", "shared key", "-secret", "kode", "unseal", "http-basic",
    "private key", "wpa", "appkey", "access key", "access-key", "access_key", "anmeldung", "zugang", *PASSWORDS, *SECRETS,
)  # fmt: skip
# Of these a line may speak without one, so that digits in hex beside them are something else.
WEAK = frozenset("login|log in |sign in |einloggen|anmelden|auth|anmeldung|zugang|token|unlock| pin|pin |otp| puk".split("|"))
PINS = frozenset((" pin", "pin ", " puk"))  # which a row has too: of these alone only digits are told
CODES = frozenset(("pin", "puk", "passcode", "kodeord", "einmalcode", "pin-code", "zugangscode", "pincode"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

TAKING_BACK = frozenset(TAKEN_BACK.split())
PARTING = "\"'`“”„\u2018\u2019«»\u2039\u203a()[]{}<>,;| \t\r│"
BLANKS = {ord(char): " " for char in PARTING}
LONGEST_LINE, LONGEST_BELOW, LONGEST_NAME = 600, 80, 40
SEALED = 60  # characters; so begins what is sealed for everybody to read
SHORT_WORD, LONGEST_ODD = 5, 40
LONGEST_POINTER = 18  # characters of `0x` and the eight bytes that a debugger or a trace names a place by
FEWEST_TOLD, NEAR, NEAR_HEX = 6, 24, 48
# Words of protocols before a password; programs that read one; fields that hold what another field names.
SAID = ("PASS", "AUTH")
LABELS = (*PASSWORDS, "pw", "pwd")
ASKING = ("sudo", "gpg", "openssl", "passw", "passphrase", "login", "secret", "token", "crypt")
HOLDING = frozenset("clear-text cleartext plaintext plain value text data new old content currentvalue current val".split())
LINKS = frozenset("is now still was remains lautet luidt är ist bleibt est es é è wird : => -> → / mit".split())
WEAK_LINKS = frozenset("to type use with donc siendo als avec con und".split())  # behind which a word has to look made up
HEX = frozenset(DIGITS + "abcdefABCDEF")
PUBLIC = ("AAAAC3Nza", "AAAAB3Nza", "AAAAE2Vj")  # so begin public keys of SSH
HEX_SIZES = (32, 40, 48, 56, 64, 96, 128)
# What a line says of hexadecimal digits that are no secret.
OPEN = (
    "sha", "md5", "hash", "digest", "checksum", "commit", "public", "fingerprint", "uuid", "guid", "etag", "integrity", "rev",
    "index", "blob", "tree", "merge", "version", "nonce", "trace", "span", "request", "session-id", "cache", "image", "layer",
)  # fmt: skip
METHODS = frozenset(
    "sha md aes rsa des utf argon blake chacha poly salsa ripemd whirlpool bcrypt scrypt pbkdf kdf".split()
)  # to hash and to encrypt
CIPHERS = ("PBKDF2", "SHA1", "SHA2", "SHA3", "SHA5", "AES", "HMAC", "RSA", "MD5")  # in what a suite of methods is called
SHOWS = ("=>", "= ", "$1")  # what a console writes before a value


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans: list[Span] = _of_users(text) + _shown(text)
    for start, end, named in _lines(text, folded):
        if end - start <= LONGEST_LINE:
            spans += [
                (start + at, start + stop, "secret") for at, stop in _in_line(text[start:end], folded[start:end], named - start)
            ]
    return spans


def _of_users(text: str) -> "list[Span]":
    """Find what stands behind a user and a slash: `admin / x`."""
    spans = []
    for at in places(text, " / "):
        word = text[at + 3 : at + LONGEST_BELOW].split("\n", 1)[0].split(" ", 1)[0]
        user = text[max(0, at - 40) : at].rpartition(" ")[2]
        word = word.rstrip(".,;)")
        is_user = user.replace("-", "a").replace("_", "a").isalnum() and not user.isdigit()
        if is_user and (is_generated(word) or _is_odd(word) or _is_signed(word)):
            spans.append((at + 3, at + 3 + len(word), "password"))
    return spans


def _shown(text: str) -> "list[Span]":
    """Find what a console or a debugger shows of an expression: a quoted value below the name of a secret."""
    spans, at, before = [], 0, ""
    for line in text.split("\n"):
        said = line.rstrip("\r")
        bare = said.partition("> " if said[1] == ">" else "= ")[2] if said[:2] in SHOWS else said
        kind = _kind_at_end(before) if bare[:1] in ("'", '"') and bare[-1:] == bare[:1] else ""
        if kind and len(bare) < LONGEST_BELOW * 2 and is_secret(bare[1:-1] or "x", kind, "quoted"):
            spans.append((at + len(said) - len(bare) + 1, at + len(said) - 1, "secret"))
        at, before = at + len(line) + 1, line[-LONGEST_BELOW:]
    return spans


def _kind_at_end(line: str) -> str:
    """Return what the name announces that an expression ends with: `p settings.SECRET_KEY`, `get("db.password")`."""
    bare = line.rstrip(" \r;)]\"'")
    name = bare[len(bare.rstrip(NAME)) :]
    return kind_of_name(name) if len(name) < len(bare) else ""


def _lines(text: str, folded: str) -> "list[tuple[int, int, int]]":
    """Return where the lines begin and end that speak of a secret, each once, and where the first such word is over."""
    found: dict[int, tuple[int, int]] = {}
    for word in SPOKEN:
        at = folded.find(word)
        while at >= 0:
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            is_within = len(word) < SHORT_WORD and at and word[0] != " " and text[at - 1].isalnum()  # another word, by chance
            is_within = is_within or (folded.startswith("author", at) and folded[at + 6 : at + 8] not in ("iz", "is"))
            name = text[max(0, at - LONGEST_NAME) : at].rpartition(" ")[2] + text[at : at + LONGEST_NAME].partition(" ")[0]
            if is_within or text[at + len(word) : at + len(word) + 1] == "/" or is_dated(name):  # or a folder, an index
                at = folded.find(word, at + 1)
                continue
            start = text.rfind("\n", 0, at) + 1
            if start not in found or found[start][1] > at + len(word):
                found[start] = (end, at + len(word))
            at = folded.find(word, end)
    return sorted([(start, end, named) for start, (end, named) in found.items()])


def _in_line(line: str, folded: str, named: int) -> "list[tuple[int, int]]":
    spans, at, before = [], 0, ""
    code = line.lstrip("> \t*#")
    is_import = code.startswith(("import ", "class ")) or (code.startswith("from ") and " import " in code)
    # a drawing, how a program is called, what everybody may know of an assembly
    if ' d="' in line or "[-" in line or is_import or "public key token" in folded:
        return []
    is_open = any([word in folded for word in OPEN])
    words = [word.strip(".:!?*") for word in folded.translate(BLANKS).split()]
    is_code, is_of_pins = not CODES.isdisjoint(words), not speaks(folded, PINS)
    for word in line.translate(BLANKS).split():
        at = line.index(word, at)
        value = _assigned(word.rstrip(".!?")) or word.rstrip(".:!?")
        where = line.index(value, at)
        if (value[:2] == "Ag" and len(value) > SEALED) or value.startswith(PUBLIC):
            break
        if value[:2] == "0x" and (len(value) <= LONGEST_POINTER or is_filler(value)):
            at, before = at + len(word), word
            continue
        is_code_here = is_code and _is_code(value) and not (where < named and _is_in_column(line, where))
        if is_of_pins:
            spans += [(where, where + len(value))] * is_code_here
            at, before = at + len(word), word
            continue
        if (
            before.endswith(SAID)
            and not before[-5:-4].isupper()
            and not (before.endswith("AUTH") and value.upper() == value)  # the name of a method
            and (_is_told(_of_protocol(value)) or (("-> PASS " in line or '"PASS ' in line) and not is_filler(value)))
        ):
            spans.append((where, where + len(_of_protocol(value))))
        if before.lower() in OPEN or folded.startswith("queued as ", where - 10):
            at, before = at + len(word), word
            continue
        is_named = (before.endswith((":", "=")) and not speaks(before)) or (
            value != word and not speaks(word[: word.find(value)] + before[-10:])
        )
        is_below = (where >= named or _is_odd(value)) and (not is_named or before.strip(":=").lower() in HOLDING)
        is_object = value.count("-") > 1 and is_called_so(value)  # which holds it: `smtp-credentials-7h4kd9fm2t`
        is_random = (is_generated(value, 8) and not is_object) or (is_jumbled(value) and not speaks(value))
        is_near = -NEAR < named - where <= 0 and is_random
        is_told = (
            before.strip("*_").lower() in LINKS
            or (before[:3] == "..." and not before.strip("."))
            or (before[:-1].replace("-", "a").isalnum() and before.rstrip(":" + DIGITS).lower().endswith(LABELS))
        )
        is_made_up = before.strip("*_").lower() in WEAK_LINKS and _stands_out(value)
        if is_below and (
            (is_told and ((_is_told(value) and not _is_numbered(value)) or _stands_out(value))) or is_made_up or is_near
        ):
            spans.append((where, where + len(value)))
        if (
            is_below and (tells(value) or (not is_open and _speaks_of(line[max(0, where - NEAR_HEX) : where]) and _is_hexed(value)))
        ) or is_code_here:
            spans.append((where, where + len(value)))
        at, before = at + len(word), word if word not in "=:" else before + word
    return spans + _worded(line, folded) + _handed(line, folded)


def _worded(line: str, folded: str) -> "list[tuple[int, int]]":
    """Return a passphrase of words with blanks between: `Passphrase: velvet kitten vacant`."""
    at = folded.find("passphrase")
    said = line[at + 10 :].lstrip("\"' ")
    value = said[1:].strip(" \"',;\r") if at >= 0 and said[:1] in ":=" else ""
    words = value.split(" ")
    if len(words) < 3 or not UNTELLING_WORDS.isdisjoint(words) or not all([each.isalpha() and each.islower() for each in words]):
        return []
    return [(line.rindex(value), line.rindex(value) + len(value))] if all([2 < len(each) < 10 for each in words]) else []


def _handed(line: str, folded: str) -> "list[tuple[int, int]]":
    """Return what code hands a program that asks for a secret: `run(["sudo", "-S"], input="x")`."""
    at = line.find("input=")
    value = line[at + 6 :].lstrip("brf")
    if at < 0 or value[:1] not in ("'", '"') or not any([word in folded for word in ASKING]):
        return []
    start = len(line) - len(value) + 1
    value = value[1:].partition(value[0])[0].partition("\\n")[0]
    return [(start, start + len(value))] if len(value) >= FEWEST_TOLD and value.isprintable() and "{" not in value else []


def _of_protocol(value: str) -> str:
    return value.partition("\\")[0]


def speaks(name: str, weak: "frozenset[str]" = frozenset()) -> bool:
    """Say whether a name speaks of a secret, by another word than one of the weak."""
    return any([word in name.lower() for word in SPOKEN if word not in weak])


def _speaks_of(before: str) -> bool:
    """Say whether a word speaks of a secret and not of what handles one: `password-filter`."""
    said = [word for word in before.split() if speaks(word, WEAK)]
    return any([TAKING_BACK.isdisjoint(words_of(word)[-1:]) for word in said]) or (not said and speaks(before, WEAK))


def _assigned(word: str) -> str:
    """Return what stands behind a name and a sign: `name=value`, `name:value`."""
    ends = [word.find(sign) for sign in "=:" if 0 < word.find(sign) < len(word) - 1]
    return (
        word[min(ends) + 1 :] if ends and word[: min(ends)].replace("_", "a").replace("-", "a").replace(".", "a").isalnum() else ""
    )


def tells(value: str) -> bool:
    """Say whether a value looks like none but a password or a token: no word, name, number, place or expression does."""
    if value[:2] == "Ag" and len(value) > SEALED:
        return False
    if len(value) < 8 or is_filler(value) or is_plain(value) or value[0] in "$%@&*-/#" or any([sign in value for sign in "/\\=:"]):
        return is_generated(value, 16) and not any([sign in value for sign in ".:\\"]) if value else False
    if is_called_so(value) or "." in value.strip(".") or (value.isupper() and any([each in value for each in CIPHERS])):
        return False
    return _is_odd(value) or is_generated(value) or (is_coined(value) and value[-1] in DIGITS)


def _is_odd(value: str) -> bool:
    """Say whether letters stand beside digits and signs as in no name, address or sum."""
    user, sign, host = value.partition("@")
    if sign and user.isalpha() and not host.strip("!?#$").isdigit() and not any([char in user for char in DIGITS + SYMBOLS]):
        return False
    if "#" in value and value.rpartition("#")[2].isdigit() and len(value.rpartition("#")[2]) != 2:
        return False  # a ticket
    is_sum = "+" in value and (value.rpartition("+")[2].isdigit() or value.count("+") > 1)
    is_sum |= (
        value.partition("^")[2].isdigit()
        or value.startswith("return!")
        or "**" in value
        or ("*" in value and "_" in value and value.islower())
    )
    if not 8 <= len(value) < LONGEST_ODD or is_sum or any([sign in value for sign in "/\\=:()[]{}<>|,;"]) or is_called_so(value):
        return False
    if any([char in value for char in SYMBOLS]):
        return (
            any([char in DIGITS for char in value]) and bool(value.strip(DIGITS + SYMBOLS + "_-")) and value[0] in LETTERS + DIGITS
        )
    return False


def _is_signed(value: str) -> bool:
    """Say whether a sign that no name has joins words with capitals: `Mozzarella%Bufala`."""
    sign = next((sign for sign in "%&*#+!" if sign in value), "")
    words = value.split(sign) if sign else []
    return len(words) == 2 and all([len(word) > 2 and word.isalpha() and word.istitle() for word in words])


def _is_told(value: str) -> bool:
    """Say whether a word is a password where a sentence says that it is: letters with digits or signs among them."""
    if len(value) < FEWEST_TOLD or is_filler(value) or is_plain(value) or is_called_so(value) or not value[0].isalnum():
        return False
    inner = value.strip("!?")
    if is_coined(value) and value[-1] in DIGITS:
        return True
    if "." in value and not (value[0].isupper() and value[-2:].isdigit()):
        return False
    if "_" in value and not any([before.isdigit() and after.isalpha() for before, after in zip(value, value[1:])]):
        return False
    is_mixed = inner.rstrip(DIGITS) != inner.rstrip(DIGITS).rstrip(LETTERS + "-_äöüÄÖÜß") or value[-3:].isdigit()
    return is_passphrase(value) or (is_mixed and not any([sign in value for sign in "/\\:="]) and bool(value.strip(LETTERS + "-")))


def _is_numbered(value: str) -> bool:
    """Say whether a word is one of code or documentation with a number: `sha256`, `argon2id`, `base64-encoded`."""
    if sum(map(value.count, DIGITS)) > 3 or value.lower() != value or not value.replace("-", "a").isalnum():
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for a word that a sentence may tell

    words = "".join([char if char.isalpha() else " " for char in value]).split()
    known = [word for word in words if word in METHODS or (len(word) > vocabulary.SHORTEST and not vocabulary.hold_other([word]))]
    return bool(known) and all([word in known or len(word) < vocabulary.SHORTEST for word in words])


def _stands_out(value: str) -> bool:
    """Say whether a word holds another word than code and documentation do, and a sign or a digit that is no dot."""
    if value.replace(".", "a").isalpha() or is_called_so(value) or is_filler(value) or is_plain(value):
        return False
    name = value.rstrip(DIGITS + ".")
    if "." in value[len(name) + 1 :] and value[len(name)] != "." and name.rstrip("-").isalnum():  # and a version: `Ubuntu-22.04`
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for a word that a sentence may tell

    return vocabulary.stands_out(value)


def _is_hexed(value: str) -> bool:
    return (len(value) in HEX_SIZES and HEX.issuperset(value) and len(set(value)) > 6) or are_hexed(value)


def _is_in_column(line: str, at: int) -> bool:
    """Say whether a number stands in columns, as those of processes in a log do: behind several blanks, or another number."""
    before = line[:at].rstrip()
    return bool(before) and (len(before) < at - 1 or before[-1] in DIGITS)


def _is_code(value: str) -> bool:
    return value.isdigit() and 4 <= len(value) <= 8 and len(set(value)) > 2 and value[:2] not in ("19", "20")
