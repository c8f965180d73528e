"""Find the passwords that calls are given which connect, sign in or encrypt."""

from ralph_mem.core.redaction.by_hand import is_made_by_hand, is_thought_up
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import is_secret, kind_of_name
from ralph_mem.core.redaction.passwords import METHODS, is_coined, is_dotted, is_passphrase
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_called_so, is_filler, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

NAME = LETTERS + DIGITS + "_-.:!"
# How calls end that take a password, and which of what they are given it is, from 0.
CONNECTING = (
    ("nect(", 2), ("nection(", 2), ("construct(", 2), ("PDO(", 2), ("ogin(", 1), (".begin(", 1), ("superuser(", 2),
    ("create_user(", 2), ("pw_set(", 2), ("eateHmac(", 1), ("hash_hmac(", 2), ("mac.new(", 0), ("mac.New(", 1),
    ("Client(", 2), ("Client(", 3), ("HMAC.hexdigest(", 1), ("HMAC.digest(", 1), ("SQL(", 4), ("goDB(", 4),
    (":auth(", 0), (".auth(", 0), (">auth(", 0), ("echanism(", 2),
)  # fmt: skip
# What the name of a call that takes a secret behind its first argument holds, in lower case.
CALLED = (
    "login", "auth", "signin", "sign_in", "credential", "crypt", "passw", "simple_bind", "connect(", "bind(", "verify(", "logon",
    "wallet",
)  # fmt: skip
PAIRED = ("credentials(", "credential(", "basicauth(", "basic_auth(", "plainauth(", "basic(")
# Calls that open, or make up an account, by a name and a password behind it; those that take a password alone.
OF_USERS = (
    "usuario(", "benutzer(", "konto(", "compte(",
    "account(", "accounts(", "user(", "users(", "open(", "connect(", "connection(", "unlock(", "session(", "client(",
    "uploader(", "triple(", "enroll(", "relay(", "login(", "credentials(",
)  # fmt: skip
OF_LOCKS = ("unlock(", "decrypt(", "hasher.hash(", "setpin(", "unseal(")
# Calls that compare in constant time, which nobody does with what is no secret.
COMPARING = ("cure_compare(", "compare_digest(", "imeCompare(", "SafeEqual(", "hash_equals(", "edTimeEquals(")
FETCHING = ("get", "load", "find", "fetch", "read", "check", "has", "is", "validate", "expect", "assert")  # do not make up any
RECORDS = ("Password(", "Passphrase(", "Secret(", "Masked(")
LONGEST_CALL = 240
NO_FIRST = "/.:%{$<-"  # how none begins


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans: list[Span] = []
    for sign, place in CONNECTING:
        at = text.find(sign)
        while at >= 0:
            given = [each for each in _given(text, at + len(sign)) if each[0] == place]
            spans += [(start, end, "password") for _, start, end in given if _is_password(text[start:end], "bare")]
            at = text.find(sign, at + 1)
    for stem in CALLED:
        at = folded.find(stem)
        while at >= 0:
            window = text[at : at + 40]
            opening = at + len(stem) - 1 if stem[-1] == "(" else at + len(window) - len(window.lstrip(NAME))
            if text.startswith("(", opening):
                given = _given(text, opening + 1)
                of_directory = stem == "bind(" and any([",dc=" in text[start:end].lower() for _, start, end in given[:1]])
                spans += [
                    (start, end, "password") for number, start, end in given
                    if number and _is_strong(text[start:end], "login" if of_directory else stem)
                ]  # fmt: skip
            at = folded.find(stem, at + 1)
    return spans + _of_pairs(text, folded) + _of_records(text) + _compared(text) + [
        *_of_users(text, folded), *_of_locks(text, folded), *_for_want(text, folded),
        *_of_lists(text, folded),
    ]  # fmt: skip


def _of_users(text: str, folded: str) -> "list[Span]":
    """Find what follows the name or the address of who signs in: `Account("ana@x.test", "Nube_Verde")`, `open("op", "x7Y")`."""
    spans = []
    for sign in OF_USERS:
        for at in places(folded, sign):
            given = _given(text, at + len(sign))
            for (number, start, end), (next_number, begin, close) in zip(given, given[1:]):
                is_next = (
                    next_number == number + 1 and not text[end + 1 : begin - 1].strip(", \nurbf@") and ", " not in text[begin:close]
                )
                if is_next and number < 2 and _is_user(text[start:end]) and _is_of_user(text[begin:close], sign):
                    spans.append((begin, close, "password"))
                    break
    return spans


def _of_locks(text: str, folded: str) -> "list[Span]":
    given = [each for sign in OF_LOCKS for at in places(folded, sign) for each in _given(text, at + len(sign))[:2]]
    return [(start, end, "password") for _, start, end in given if start < end and _is_thought_up(text[start:end])]


def _of_lists(text: str, folded: str) -> "list[Span]":
    """Find the second of two texts in a list or a pair that is called so: `"auth": ["ana", "Nube_Verde"]`."""
    spans = []
    for at in [at + len(name) for name in ("auth", "login", "creds", "credentials") for at in places(folded, name)]:
        rest = text[at : at + 24].lstrip("\"'s] ")
        bare = rest.lstrip(":=> ")
        given = (
            _given(text, at + len(text[at : at + 24]) - len(bare) + 1)
            if bare[:1] in ("[", "(", "{") and len(bare) < len(rest)
            else []
        )
        if [number for number, *_ in given[:2]] == [0, 1] and _is_user(text[given[0][1] : given[0][2]]):
            _, start, end = given[1]
            spans += [(start, end, "password")] if _is_thought_up(text[start:end]) else []
    return spans


def _for_want(text: str, folded: str) -> "list[Span]":
    """Find what a variable of an environment is taken to be for want of a value: `os.environ.get("APP_AUTH", "Nube_Verde")`."""
    found = [_given(text, at + len(sign)) for sign in ("environ.get(", "getenv(", "env.fetch(") for at in places(folded, sign)]
    pairs = [given[:2] for given in found if [number for number, *_ in given[:2]] == [0, 1]]
    return [
        (start, end, "password") for (_, first, last), (_, start, end) in pairs
        if start < end and kind_of_name(text[first:last]) and _is_thought_up(text[start:end])
    ]  # fmt: skip


def _is_user(name: str) -> bool:
    bare = name.partition("@")[0].replace(".", "a").replace("-", "a").replace("_", "a")
    return 0 < len(name) < 48 and bare.isalnum() and ("@" in name or not any([sign in name for sign in ".:/ "]))


def _is_of_user(value: str, sign: str) -> bool:
    *zone, number = value.split("-")  # of a cloud: `eu-west-1`
    if len(zone) > 1 and number[:1].isdigit() and len(number) < 3 and len(zone[0]) == 2 and value.islower():
        return False
    return _is_thought_up(value) and (sign[:7] not in ("connect", "client(") or any([char in DIGITS for char in value]))


def _is_thought_up(value: str) -> bool:
    return len(value) > 5 and is_thought_up(value) and not any([sign in value for sign in "/<>(){}[]%="])


def _compared(text: str) -> "list[Span]":
    given = [each for sign in COMPARING for at in places(text, sign) for each in _given(text, at + len(sign))]
    return [(start, end, "password") for _, start, end in given if start < end and _is_compared(text[start:end])]


def _is_compared(value: str) -> bool:
    return value[0] not in NO_FIRST and value.lower() not in METHODS and is_secret(value, "password", "quoted")


def _of_pairs(text: str, folded: str) -> "list[Span]":
    """Find the second of two quoted texts that make up credentials: `setCredentials("user", "x_Y")`, `HTTPBasicAuth(...)`."""
    spans: list[Span] = []
    for sign in PAIRED:
        for at in places(folded, sign):
            name = folded[max(0, at - 24) : at]
            name = name[len(name.rstrip(NAME)) :].rpartition(".")[2]
            given = _given(text, at + len(sign))
            if [place for place, *_ in given] == [0, 1] and text[given[0][2] :][1:2] == "," and not name.startswith(FETCHING):
                _, start, end = given[1]
                spans += [(start, end, "password")] if _is_of_pair(text[start:end]) else []
    return spans


def _is_of_pair(value: str) -> bool:
    if is_passphrase(value) or (value.count(".") > 1 and is_dotted(value)):
        return True
    is_odd = value.lower() != value and any([not char.isalnum() or char in DIGITS for char in value])
    return (
        len(value) > 5
        and value.upper() != value
        and is_odd
        and value[0] not in NO_FIRST
        and not any([sign in value for sign in " /:<>{}()"])
        and not is_called_so(value)
        and not is_filler(value)
    )


def _of_records(text: str) -> "list[Span]":
    """Find what a printed record shows without quotes: `Config(etl,Password(Two_Words_42))`."""
    spans = []
    for sign in RECORDS:
        for at in places(text, sign):
            start = at + len(sign)
            value = text[start : start + 64].partition(")")[0]
            bare = value.rstrip(DIGITS).rstrip("-_.#!")
            is_one = value[-1:] in DIGITS or not value.isidentifier()
            is_one = is_one and value.isascii() and "." not in value and not is_called_so(value)
            if text[at - 1 : at] in ("(", ",", " ", "=") and is_one and (is_made_by_hand(value) or is_coined(bare or "x")):
                spans.append((start, start + len(value), "password"))
    return spans


def _given(text: str, at: int) -> "list[tuple[int, int, int]]":
    """Return the quoted texts that a call is given: which argument each is, from 0, where it begins and where it ends."""
    window = text[at : at + LONGEST_CALL]
    found: list[tuple[int, int, int]] = []
    here, place, depth = 0, 0, 1
    while True:
        opening = min([each for each in (window.find("'", here), window.find('"', here)) if each >= 0], default=-1)
        between = window[here : opening if opening >= 0 else len(window)]
        close = window.find(window[opening], opening + 1) if opening >= 0 else -1
        lowest = depth
        for char in between:
            depth += (char == "(") - (char == ")")
            lowest = min(lowest, depth)
        if close < 0 or lowest < 1 or ";" in between or (depth > 2 and between[-1:] != "("):
            return found
        place += between.count(",")
        found.append((place, at + opening + 1, at + close))
        here = close + 1


def _is_password(value: str, style: str) -> bool:
    return bool(value) and value[0] not in NO_FIRST and (is_secret(value, "password", style) or _is_dotted(value))


def _is_dotted(value: str) -> bool:
    return is_coined(value) and not is_called_so(value)


def _is_strong(value: str, stem: str) -> bool:
    """Say whether what a call is given behind its first argument is a password; who connects or binds is given other words too."""
    if not value or value[0] in NO_FIRST or ":" in value or is_called_so(value) or value.lower() in METHODS:
        return False
    if stem in ("connect(", "bind(", "verify("):
        return stands_alone(value) or (is_made_by_hand(value) and any([char in DIGITS for char in value]))
    return is_passphrase(value) or stands_alone(value) or is_secret(value, "password", "listed") or _is_dotted(value)
