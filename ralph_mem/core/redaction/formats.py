"""Find secrets that are told by how they are written, such as hashes of passwords and codes."""

from ralph_mem.core.redaction.names import is_secret
from ralph_mem.core.redaction.passwords import is_base32
from ralph_mem.core.redaction.values import DIGITS, LETTERS, looks_random, places

ALNUM = LETTERS + DIGITS
UPPER_HEX = DIGITS + "ABCDEF"
HASHED = ALNUM + "./+=$,-_:*"
# How hashes of passwords begin, and how long one is at least with that.
HASHES = (
    ("$1$", 20), ("$2a$", 40), ("$2b$", 40), ("$2y$", 30), ("$5$", 30), ("$6$", 40), ("$y$", 30), ("$7$", 30), ("$8$", 40),
    ("$9$", 40), ("$apr1$", 18),
    ("$argon2i$", 40), ("$argon2d$", 40), ("$argon2id$", 40), ("$pbkdf2", 40), ("pbkdf2_sha256$", 40), ("pbkdf2_sha1$", 40),
    ("pbkdf2:sha", 40), ("scrypt:", 40), ("$scrypt$", 40), ("$s0$", 40), ("bcrypt_sha256$", 40), ("argon2$argon2", 40),
    ("{ssha}", 24), ("{ssha512}", 40), ("{ssha256}", 40), ("{sha}", 28), ("{smd5}", 24), ("{crypt}", 16), ("{pbkdf2", 40),
    ('"md5', 36), ("scram-sha-256$", 40), ("scram-sha-1$", 40),
    ("$krb5", 40), ("$ntlm", 30), ("$s$", 50), ("$mysql$", 40), ("$p$", 30), ("$h$", 30), ("$netntlm", 30),
)  # fmt: skip
NO_HASH = "aad3b435b51404eeaad3b435b51404ee:"  # of an empty LM password: the other half follows
CODES = ("recovery code", "backup code", "scratch code", "emergency code", "one-time code", "rescue code", "2fa code")
PHRASES = (
    "seed phrase",
    "mnemonic",
    "recovery phrase",
    "secret phrase",
    "seed words",
    "backup phrase",
    "recovery seed",
    "wallet seed",
)
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
OF_BASE64 = frozenset("+/=0OIl")  # what a word of base64 goes on with, where one of base58 would be over
EXTENDED = ("xprv", "yprv", "zprv", "tprv", "uprv", "vprv")
FEWEST_WORDS = 12
MOST_CODES = 24
WORDS_OF_A_PHRASE = (12, 15, 18, 21, 24)
SENTENCES = frozenset(
    "the and for not with are was you all this that from into has have can will its der die das und les des los".split()
)


def find(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    found = _hashes(text, folded) + _codes(text, folded) + _phrases(text, folded) + _wallets(text)
    return found + _assertions(text, folded) + _blocks(text, folded) + _parted(text)


def _run(text: str, at: int, alphabet: str) -> int:
    window = text[at : at + 512]
    return at + len(window) - len(window.lstrip(alphabet))


def _parted(text: str) -> "list[tuple[int, int, str]]":
    """Find tokens that a tilde parts: `sha256~...` of OpenShift, `abc8Q~...` of Azure."""
    spans = []
    for sign, before in (("sha256~", 0), ("Q~", 4)):
        for at in places(text, sign):
            end = _run(text, at + len(sign), ALNUM + "_-.~")
            is_whole = not before or (text[at - 1 : at].isdigit() and text[at - 4 : at - 1].replace("_", "a").isalnum())
            if is_whole and 31 <= end - at - len(sign) <= 60 and looks_random(text[at + len(sign) : end]):
                spans.append((at - before, end, "api-key"))
    return spans


def _hashes(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for sign, least in HASHES:
        for at in places(folded, sign):
            end = _run(text, at + len(sign), HASHED)
            colon = text.find(":", at + len(sign), end) if sign[0] == "$" else -1  # as of /etc/shadow
            end = colon if colon >= 0 else end
            if end - at >= least and any([char in DIGITS for char in text[at + len(sign) : end]]):
                spans.append((at, end, "password-hash"))
    ends = [at + len(NO_HASH) for at in places(folded, NO_HASH)]
    spans += [(at, _run(text, at, ALNUM), "password-hash") for at in ends]
    return spans + [(at, at + 41, "password-hash") for at in places(text, "*") if _is_of_mysql(text, at)]


def _is_of_mysql(text: str, at: int) -> bool:
    """Say whether a star and 40 hexadecimal digits in capitals stand at a place, as MySQL keeps a password."""
    return _run(text, at + 1, UPPER_HEX) == at + 41 and not text[at + 41 : at + 42].isalnum()


def _codes(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find what stands in the lines below a heading that speaks of codes, and behind it in its own."""
    spans = []
    for sign in CODES:
        for at in places(folded, sign):
            begin, count = text.find(":", at, at + 80) + 1 or text.find("\n", at) + 1 or len(text), 0
            for line in text[begin : begin + 2000].split("\n")[: MOST_CODES + 2]:
                codes = [word for word in _paired(line.replace(",", " ").split()) if _is_code(word)]
                if line.strip() and not codes and count:
                    break
                for word in codes:
                    where = text.find(word, begin)
                    spans.append((where, where + len(word), "recovery-code"))
                    begin, count = where + len(word), count + 1
                if line.strip() and not codes and line.strip()[-1] not in ":.":  # a sentence of advice
                    break
    return spans


def _paired(words: "list[str]") -> "list[str]":
    """Return words with two of four digits each, side by side, as one: `4821 0937`."""
    found: list[str] = []
    for word in words:
        is_half = len(word) == 4 and word.isdigit()
        if is_half and found and len(found[-1]) == 4 and found[-1].isdigit():
            found[-1] += " " + word
        else:
            found.append(word)
    return found


def _is_code(word: str) -> bool:
    bare = word.strip("`*|'\"").replace("-", "").replace(" ", "")
    if word.count("-") > 1 and bare.isalpha() and bare.islower() and all([2 < len(part) < 10 for part in word.split("-")]):
        return True
    if not (6 <= len(bare) <= 40 and bare.isalnum()):
        return False
    return any([char in DIGITS for char in bare]) and (not bare.isdigit() or len(bare) in (6, 8, 10, 12))


def _phrases(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for sign in PHRASES:
        for at in places(folded, sign):
            start = at + len(sign)
            start += _announcement(text[start : start + 60])
            end, words = start, 0
            for word in text[start : start + 400].replace(",", " ").split(" "):
                bare = word.strip("\"'`.\n\\")
                if not (bare.isalpha() and bare.islower() and 3 <= len(bare) <= 8) or "\n" in word.strip():
                    bare = word.partition("\n")[0].strip("\"'`.\\")
                    words += bare.isalpha() and bare.islower()
                    end += len(bare)
                    break
                words += 1
                end += len(word) + 1
            if words >= FEWEST_WORDS:
                spans.append((start, min(end, len(text)), "seed-phrase"))
    return spans + _worded(text)


def _worded(text: str) -> "list[tuple[int, int, str]]":
    """Find lines, and what stands behind a colon, of as many short words as a seed phrase has, none of them one of sentences."""
    spans, at = [], 0
    for line in text.split("\n"):
        said = line.rpartition(": ")[2].strip(" \t\"'`,\r")
        words = said.split()
        is_short = len(words) in WORDS_OF_A_PHRASE and all(
            [word.isalpha() and word.islower() and 2 < len(word) < 9 for word in words]
        )
        if is_short and SENTENCES.isdisjoint(words) and len(set(words)) > len(words) - 2:
            start = at + line.rindex(said)
            spans.append((start, start + len(said), "seed-phrase"))
        at += len(line) + 1
    return spans


def _announcement(text: str) -> int:
    """Return where what a heading announces begins: behind its colon, or the blanks and signs that follow it."""
    colon = text.partition("\n")[0].find(":")
    start = colon + 1 if colon >= 0 else 0
    return start + len(text[start:]) - len(text[start:].lstrip(" \t\r\n\"'`:=(is-\\>"))


def _wallets(text: str) -> "list[tuple[int, int, str]]":
    spans = []
    masked = "".join([char if char in BASE58 + "IO" else " " for char in text])
    at = 0
    for word in masked.split():
        at = masked.find(word, at)
        is_wif = (len(word) == 56 and word[0] == "S" and is_base32(word)) or (len(word) == 29 and word[0] == "s")
        is_wif = is_wif or (len(word) in (51, 52, 53) and word[0] in "5KLc9") or (len(word) > 100 and word.startswith(EXTENDED))
        beside = text[max(0, at - 1) : at] + text[at + len(word) : at + len(word) + 1]
        if is_wif and not OF_BASE64.intersection(beside) and (looks_random(word) or is_base32(word)):
            spans.append((at, at + len(word), "wallet-key"))
        at += len(word)
    return spans


def _assertions(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for sign in ("samlresponse=", 'samlresponse" value="', "samlassertion=", "saml_response="):
        for at in places(folded, sign):
            end = at + len(sign)
            while end < len(text) and text[end] not in " \t\r\n\"'<>&":
                end += 1
            spans.append((at + len(sign), end, "assertion"))
    for at in places(folded, ":assertion "):
        end = folded.find(":assertion>", at)
        begin = text.find(">", at)
        if 0 <= begin < end:
            spans.append((begin + 1, text.rfind("<", begin, end), "assertion"))
    spans += [(at, _run_all(text, at), "assertion") for at in places(text, "PHNhbWw")]
    return spans


def _run_all(text: str, at: int) -> int:
    while at < len(text) and (text[at] in ALNUM or text[at] in "+/=-_%"):
        at += 1
    return at


def _blocks(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the bodies of files of keys that are no PEM, and passwords that a dialogue or a block types."""
    spans = []
    for at in places(folded, "private-lines:"):
        begin, end = text.find("\n", at) + 1, folded.find("private-mac", at)
        if begin:
            spans.append((begin, end - 1 if end > begin else len(text), "private-key"))
    for at in places(folded, "<auth-user-pass>"):
        lines = text[at : at + 600].split("\n")
        if len(lines) > 2 and "</" not in lines[2]:
            start = at + len(lines[0]) + len(lines[1]) + 2
            spans.append((start, start + len(lines[2].rstrip()), "password"))
    for at in places(text, "UGFzc3dvcmQ6\n"):  # of SMTP: "Password:"
        line = text[at + 13 : at + 300].partition("\n")[0].rstrip()
        value = line.rpartition(" ")[2]
        spans.append((at + 13 + len(line) - len(value), at + 13 + len(line), "password"))
    for at in [*places(folded, 'send "'), *[each + 3 for each in places(folded, 'send -- "')]]:  # of expect, after what asks
        end = text.find('"', at + 6)
        value = text[at + 6 : end].removesuffix("\\r").removesuffix("\\n")
        is_asked = "assw" in text[max(0, at - 200) : at] or "assphrase" in text[max(0, at - 200) : at]
        is_one = len(value) > 3 and (is_secret(value, "password", "bare") or (is_asked and value[0] not in "$["))
        if end > 0 and is_one:
            spans.append((at + 6, at + 6 + len(value), "password"))
    return spans
