"""Find secrets in what routers, telephones and terminals show, such as keys of lines and codes of Wi-Fi."""

from ralph_mem.core.redaction.names import kind_of_name
from ralph_mem.core.redaction.values import DIGITS, is_called_so, is_filler, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

# What names a key in a line of a router, in lower case, and the words that may stand between that and the key.
KEYED = ("shared-key", "shared-secret", "digest-key", "option key", "option psk", "option password", "isakmp key")
BETWEEN = frozenset(
    "md5 sha sha1 sha256 hmac-sha-1 hmac-sha-256 ascii ascii-text hex hexadecimal local remote plain cleartext".split()
)
KEYS_OF_WLAN = ("pwd=", "pass=", "password=", "psk=", "key=", "pwd:", "pass:", "password:", "psk:")
NAMES_OF_WLAN = ("ssid", "wifi", "wlan", "pwd", "psk", ".")  # in what is rather a name in code
ANSWERS = (('sending "', '"'), ("send (", ")"))  # as expect and chat tell what they type
ANSWERING_LINES = 4  # below a prompt
PAIRING = ("debugger pin", "setup pin", "setup code", "pairing pin", "pairing code", "homekit code", "pairing-code", "setup-code")
SERVERS = ("tacacs server ", "radius server ")
FEWEST, LONGEST, FAR = 5, 200, 40


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    return [
        *_keyed(text, folded),
        *_of_codes(text),
        *_beside_network(folded),
        *_typed(text),
        *_paired(text, folded),
        *_of_junos(text),
        *_of_servers(text),
    ]


def _keyed(text: str, folded: str) -> "list[Span]":
    """Find the key of a line: `ikev1 pre-shared-key x`, `digest-key 1 md5 x`, `wpa2-pre-shared-key=x`, `option key 'x y'`."""
    spans = []
    for sign in KEYED:
        for at in places(folded, sign):
            end = at + len(sign)
            line = text[end : end + LONGEST].partition("\n")[0]
            if line[:1] not in (" ", "=", "\t"):
                continue
            rest = line[1:].lstrip()
            is_told = line[0] == "=" or sign.startswith("option")
            while rest.split() and (rest.split()[0].lower() in BETWEEN or rest.split()[0].isdigit()) and len(rest.split()) > 1:
                is_told = is_told or rest.split()[0].lower() in BETWEEN
                rest = rest[len(rest.split()[0]) :].lstrip()
            quote = rest[:1] if rest[:1] in ("'", '"') else ""
            value = rest[1:].partition(quote)[0] if quote else (rest.split() or [""])[0].rstrip(";,")
            if _is_key(value, is_told or bool(quote)):
                begin = end + len(line) - len(rest) + len(quote)
                spans.append((begin, begin + len(value), "key"))
    return spans


def _is_key(value: str, is_told: bool) -> bool:
    """Say whether a word is a key: any where a sign or its kind stands before it, else none of letters alone, and no address."""
    if len(value) < FEWEST or is_filler(value) or value[0] in "$<{[(%*-" or kind_of_name(value):
        return False
    return is_told or not (value.replace("-", "").isalpha() or not value.strip(DIGITS + ".:/"))


def _of_codes(text: str) -> "list[Span]":
    """Find the password of a code that telephones read: `WIFI:T:WPA;S:name;P:x;;`."""
    spans = []
    for at in places(text, "WIFI:"):
        code = text[at : at + LONGEST].partition("\n")[0]
        start = code.find(";P:") if ";P:" in code else code.find(":P:")
        end = start + 3
        while start > 0 and end < len(code) and code[end] != ";":
            end += 2 if code[end] == "\\" else 1
        if start > 0 and code[end : end + 1] == ";" and not is_filler(code[start + 3 : end] or "x"):
            spans.append((at + start + 3, at + end, "password"))
    return spans


def _beside_network(folded: str) -> "list[Span]":
    """Find what stands beside the name of a network in a log: `ssid=home pwd=two_words`; code has brackets there."""
    spans = []
    for at in places(folded, "ssid"):
        line = folded[at : at + LONGEST].partition("\n")[0]
        before = folded[max(0, at - 1) : at]
        sign = next((sign for sign in KEYS_OF_WLAN if sign in line), "")
        start = line.find(sign) + len(sign)
        value = (line[start:].lstrip().split() or [""])[0].strip("'\"").rstrip(",;")
        is_code = line[4:5] not in (":", "=") or not sign or any([char in before + line for char in "(){}[]%$<"])
        is_name = is_called_so(value) or any([word in value for word in NAMES_OF_WLAN])
        if not is_code and not is_name and len(value) > FEWEST + 2 and not is_filler(value):
            begin = at + line.index(value, start)
            spans.append((begin, begin + len(value), "password"))
    return spans


def _typed(text: str) -> "list[Span]":
    """Find what a program that types for somebody answers to a prompt for a password: `send: sending "x"`, `send (x^M)`."""
    spans, at, left = [], 0, 0  # lines in which an answer may stand
    for line in text.split("\n"):
        for sign, close in ANSWERS if left else ():
            before, found, rest = line.partition(sign)
            value = rest.partition(close)[0].removesuffix("\\n").removesuffix("\\r").removesuffix("^M")
            if found and len(value) >= FEWEST and not is_filler(value) and value[0] != "$":
                begin = at + len(before) + len(sign)
                spans.append((begin, begin + len(value), "password"))
                left = 0
        left = ANSWERING_LINES if _asks(line) else max(0, left - 1)
        at += len(line) + 1
    return spans


def _asks(line: str) -> bool:
    """Say whether a line holds a prompt for a password in quotes or brackets, maybe without its first letter: `(assword:)`."""
    return any(
        [f"{word}:{blank}{close}" in line.lower() for word in ("assword", "assphrase") for blank in ("", " ") for close in '")']
    )


def _paired(text: str, folded: str) -> "list[Span]":
    """Find the number, in groups, that lets a device or a browser in: `Debugger PIN: 118-402-973`, `Setup code: 031-45-154`."""
    spans = []
    for sign in PAIRING:
        for at in places(folded, sign):
            line = text[at + len(sign) : at + len(sign) + FAR].partition("\n")[0]
            value = next((word.strip("\"'`.,:") for word in line.split() if word.strip("\"'`.,:")), "")
            if value.replace("-", "").isdigit() and 8 <= len(value.replace("-", "")) <= 11 and len({*value}) > 3:
                begin = text.index(value, at + len(sign))
                spans.append((begin, begin + len(value), "code"))
    return spans


def _of_servers(text: str) -> "list[Span]":
    """Find the key in the lines below the name of a server that signs people in: ` key x` below `tacacs server a`."""
    spans, at, section = [], 0, ""
    for line in text.split("\n"):
        words = line.split()
        section = section if line[:1] == " " else line
        if words[:1] == ["key"] and line[:1] == " " and section.startswith(SERVERS) and _is_key(words[-1], True):
            begin = at + line.rindex(words[-1])
            spans.append((begin, begin + len(words[-1]), "key"))
        at += len(line) + 1
    return spans


def _of_junos(text: str) -> "list[Span]":
    """Find what Junos keeps in a way that anybody can read: `secret "$9$..."`."""
    spans = []
    for sign in (*[quote + level for quote in "\"' " for level in ("$9$", "$8$")],):
        for at in places(text, sign):
            value = text[at + 1 : at + LONGEST].partition("\n")[0].partition(sign[0])[0].rstrip(";")
            if len(value) > len(sign) + FEWEST and value[3:].strip(DIGITS + "$") and "," not in value and "{" not in value:
                spans.append((at + 1, at + 1 + len(value), "password"))
    return spans
