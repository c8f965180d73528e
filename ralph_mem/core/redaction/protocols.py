"""Find passwords in what programs send each other, such as queries of addresses and lines of Redis."""

import binascii

from ralph_mem.core.redaction.by_hand import is_thought_up
from ralph_mem.core.redaction.passwords import is_generated
from ralph_mem.core.redaction.values import BASE64, DIGITS, is_filler, looks_random, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

# How a query names a password, and how it names who has one.
NAMED = frozenset("p pw pass pwd psw passwd password passphrase".split())
USERS = ("u=", "user=", "username=", "login=", "account=", "usr=", "uid=", "uname=")
# What stands for a session or for a password once, and what may stand between that and its number.
TICKETS = ("ticket=", "?code=", "&code=")
SHORTEST_TICKET = 14
ONE_TIME = (
    "otp", "one-time code", "one-time password", "verification code", "security code", "confirmation code",
    "authentication code", "login code", "sign-in code", "inlogcode", "2fa code", "mfa code", "código de verificación",
    "codigo de verificacion", "código de seguridad", "bestätigungscode", "sicherheitscode", "code de vérification",
    "code de sécurité", "codice di verifica", "código de verificação", "mtan",
)  # fmt: skip
LINKING = frozenset("is es ist est è é e code code: número nr. no. :".split())
DIGITS_OF_CODE = (6, 8)
# Of a record, whose value has a password called `p` beside it, and how far before.
OF_ACCOUNTS = frozenset("u user usr uname username login mail email account acct n name s ssid".split())
FAR_ACCOUNT = 90
# Commands of modems that are handed a PIN or a password among other texts.
MODEM = ("AT+CPIN=", "AT+CPWD=", "AT+CLCK=", "AT+CGAUTH=", "AT+CWJAP", "AT+CWSAP", "AT+CSTT=", "AT+QICSGP=", "AT+QWIFI", "AT+WSCN")
ENDS = " \t\n\r\"'<>`\\)}],;"
FEWEST = 4
LONGEST, FAR_EXCHANGE = 400, 700
ASKED = ("VXNlcm5hbWU6", "UGFzc3dvcmQ6", "VXNlciBOYW1lAA==", "UGFzc3dvcmQA")  # for a user and a password
DOTS = "...."

OUTCOMES = frozenset("failed failure rejected denied refused error timeout attempt 401 403 ok".split())  # what logs say of a LOGIN


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    found = _of_queries(text, folded) + _of_redis(text) + _of_realms(text, folded) + _behind_dots(text, folded)
    return found + _exchanged(text, folded) + _tickets(text, folded) + _one_time(text, folded) + [*_of_accounts(text), *_sent(text)]


def _of_queries(text: str, folded: str) -> "list[Span]":
    """Find the value of a field that a query names so: `?u=bob&p=x`, `user=bob&pass=x`; a lone p only beside a user."""
    spans = []
    for at in places(text, "="):
        before = folded[max(0, at - LONGEST) : at]
        for sign in ENDS:
            before = before.rpartition(sign)[2]
        name = before.rpartition("&")[2].rpartition("?")[2]
        if name not in NAMED or len(name) == len(before):
            continue
        end = _end(text, at + 1, ENDS + "&")
        value, query = text[at + 1 : end], before + folded[end : _end(text, end, ENDS)]
        has_user = any([sign in query.replace("?", "&").split("&")[0] or "&" + sign in query.replace("?", "&") for sign in USERS])
        if len(value) >= FEWEST and not value.isdigit() and (has_user or len(name) > 1) and _is_value(value):
            spans.append((at + 1, end, "password"))
    return spans


def _of_accounts(text: str) -> "list[Span]":
    """Find the value of a lone `p` behind a user's or a network's in the same record: `{"u":"x","p":"y"}`, `u=x`, `p=y` below."""
    spans = []
    for at in [place for sign in ("p=", "p:", 'p"', "p'", "p, ", "p ") for place in places(text, sign)]:
        before = text[max(0, at - FAR_ACCOUNT) : at]
        rest = text[at + 1 : at + LONGEST].partition("\n")[0]
        value = rest.lstrip("\"'\\ ").lstrip(":=,>").lstrip(" ")
        if not before or before[-1] not in "\"' ,{(\n&" or value[:1] == "=" or len(value) == len(rest.lstrip("\"'\\ ")):
            continue
        quote = next((quote for quote in ('\\"', '"', "'") if value.startswith(quote)), "")
        start = at + 1 + len(rest) - len(value) + len(quote)
        value = text[start : start + LONGEST].partition("\n")[0]
        value = value.partition(quote)[0] if quote else value[: _end(value, 0, ENDS)]
        record = before.rpartition("}")[2].rpartition(";")[2]
        for sign in "\"'\\{([,;=:>\n&":
            record = record.replace(sign, " ")
        is_beside = not OF_ACCOUNTS.isdisjoint(record.lower().split()) and "(" not in value
        if is_beside and value and is_thought_up(value):
            spans.append((start, start + len(value), "password"))
    return spans


def _sent(text: str) -> "list[Span]":
    """Find what is sent behind a user's name, to a modem, or in base64 with it: `LOGIN ana "a b"`, `AT+CPIN="0427"`."""
    spans = _exchange(text) + [each for sign in MODEM for at in places(text, sign) for each in _of_modem(text, at)]
    for sign in ("LOGIN ", '"AUTH" '):
        for at in places(text, sign):
            line = _line(text, at + len(sign))
            user, *rest = line.split(' "')
            value = rest[0][:-1] if rest else ""
            is_one = line[-1:] == '"' and len(rest) == 1 and bool(user) and " " not in user and len(value) >= FEWEST
            if is_one and not is_filler(value) and user.lower() not in OUTCOMES:
                end = at + len(sign) + len(line) - 1
                spans.append((end - len(value), end, "password"))
    for at in places(text, "Basic "):
        end = _end(text, at + 6, ENDS)
        spans += [(at + 6, end, "authorization")] if _is_pair(text[at + 6 : end]) else []
    return spans


def _of_modem(text: str, at: int) -> "list[Span]":
    line = _line(text, at)
    spans, behind = [], line.find("=") + 1
    for part in line.partition("=")[2].partition(";")[0].split(","):
        begin, behind = behind, behind + len(part) + 1
        value = part.strip('"\\').partition('"')[0]
        is_pin = value.isdigit() and 4 <= len(value) <= 8
        if is_pin or (value and is_thought_up(value) and "." not in value):
            start = at + line.index(value, begin)
            spans.append((start, start + len(value), "code" if is_pin else "password"))
    return spans


def _exchange(text: str) -> "list[Span]":
    """Find the password that follows a user behind `AUTH LOGIN`, each a text in base64."""
    spans = []
    for at in places(text, "AUTH LOGIN"):
        said = text[at + 10 : at + FAR_EXCHANGE]
        for sign in "\"'\\:,<>":
            said = said.replace(sign, " ")
        pieces = [word for word in said.split() if len(word) > 7 and _is_text(word) and word not in ASKED]
        for piece in pieces[1:2]:
            start = text.index(piece, at + 10)
            spans.append((start, start + len(piece), "password"))
    return spans


def _line(text: str, at: int) -> str:
    return text[at : at + LONGEST].partition("\n")[0].rstrip("\r")


def _is_text(word: str) -> bool:
    """Say whether a word is a text in base64."""
    try:
        return not (len(word) % 4 or word.strip(BASE64)) and binascii.a2b_base64(word).decode("ascii").isprintable()
    except ValueError:
        return False


def _is_pair(word: str) -> bool:
    """Say whether a word is a user and a password in base64."""
    try:
        pair = binascii.a2b_base64(word + "=" * (-len(word) % 4)).decode() if len(word) > 7 else ""
    except ValueError:
        return False
    user, colon, password = pair.partition(":")
    return pair.isprintable() and bool(user and colon) and len(password) >= FEWEST and not is_filler(password)


def _of_redis(text: str) -> "list[Span]":
    """Find what is sent behind AUTH, whether line ends are spelled out or not: a name, a password, each behind its length."""
    spans = []
    for end_of_line in ("\\r\\n", "\r\n"):
        for at in places(text, "AUTH" + end_of_line + "$"):
            start = at + 4 + len(end_of_line)
            for piece in text[start : start + LONGEST].split(end_of_line)[:4]:
                if piece[:1] not in ("$", "*", "") and '"' not in piece:
                    spans.append((start, start + len(piece), "password"))
                start += len(piece) + len(end_of_line)
    return spans


def _of_realms(text: str, folded: str) -> "list[Span]":
    """Find the second of two quoted words behind a label: the first says of what the second is the password."""
    spans = []
    for at in places(folded, 'password "'):
        realm, close, rest = text[at + 10 : at + LONGEST].partition("\n")[0].partition('"')
        value = rest[2:].partition('"')[0]
        if close and realm.replace(" ", "").isalnum() and rest[:2] == ' "' and len(value) >= FEWEST and _is_value(value):
            start = at + 10 + len(realm) + 3
            spans.append((start, start + len(value), "password"))
    return spans


def _behind_dots(text: str, folded: str) -> "list[Span]":
    """Find a value that dots lead to from its name: `password.........x`."""
    spans = []
    for at in places(folded, "password" + DOTS):
        start = at + 8 + len(text[at + 8 : at + 120]) - len(text[at + 8 : at + 120].lstrip(". "))
        end = _end(text, start, " \t\n\r")
        if end - start >= FEWEST and _is_value(text[start:end]):
            spans.append((start, end, "password"))
    return spans


def _tickets(text: str, folded: str) -> "list[Span]":
    """Find what lets somebody in who has signed in elsewhere, and the code that is turned into a token."""
    spans = []
    for sign in TICKETS:
        for at in places(folded, sign):
            start = at + len(sign)
            end = _end(text, start, ENDS + "&")
            value = text[start:end]
            is_one = len(value) >= SHORTEST_TICKET and (looks_random(value) or is_generated(value.replace("-", ""), 12))
            if is_one and not folded[at - 1 : at].isalnum() and not is_filler(value):
                spans.append((start, end, "token"))
    return spans


def _exchanged(text: str, folded: str) -> "list[Span]":
    """Find the code that is turned into a token, in an object that says so: `"grant_type":"authorization_code","code":"x"`."""
    spans = []
    for at in places(folded, "code"):
        window = text[at + 4 : at + LONGEST].partition("\n")[0].lstrip("\\")
        rest = window[1:].lstrip(" ")
        value = rest[1:].lstrip(" \\")[1:] if window[:1] in ("'", '"') and rest[:1] in (":", "=") else ""
        value = value[: _end(value, 0, ENDS)]
        near = folded[max(0, at - LONGEST) : at + LONGEST]
        is_one = len(value) >= SHORTEST_TICKET and (looks_random(value) or is_generated(value, 12)) and not is_filler(value)
        if is_one and ("grant_type" in near or "authorization_code" in near) and not folded[at - 1 : at].isalnum():
            start = text.index(value, at)
            spans.append((start, start + len(value), "token"))
    return spans


def _one_time(text: str, folded: str) -> "list[Span]":
    """Find the number that follows what names a code which is valid once: `OTP 749203`, `your verification code is 480 112`."""
    spans = []
    for sign in ONE_TIME:
        for at in places(folded, sign):
            start, line = at + len(sign), text[at + len(sign) : at + len(sign) + 40].partition("\n")[0]
            if folded[at - 1 : at].isalnum() or line[:1].isalnum():
                continue
            bare = line.lstrip(" :='\"`*")
            while bare.partition(" ")[0].lower() in LINKING and bare:
                bare = bare.partition(" ")[2].lstrip(" :='\"`*")
            value = bare[: len(bare) - len(bare.lstrip(DIGITS + " -"))].rstrip(" -")
            number = value.replace(" ", "").replace("-", "")
            after = bare[len(value) : len(value) + 1]
            if (
                len(number) in DIGITS_OF_CODE
                and len(set(number)) > 2
                and value.count(" ") < 2
                and not (after.isalpha() or (after and after in ":/"))
            ):
                spans.append((start + line.index(value), start + line.index(value) + len(value), "code"))
    return spans


def _is_value(value: str) -> bool:
    return not is_filler(value) and value[0] not in "$<{[*"


def _end(text: str, at: int, signs: str) -> int:
    window = text[at : at + LONGEST]
    return at + min([place for place in map(window.find, signs) if place >= 0], default=len(window))
