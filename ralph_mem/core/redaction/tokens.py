"""Find secrets by their own shape, such as marks in their middle, web hooks and passwords in URLs. The providers publish these."""

from ralph_mem.core.redaction import marks
from ralph_mem.core.redaction.marks import run_before
from ralph_mem.core.redaction.names import kind_of_name
from ralph_mem.core.redaction.passwords import is_generated, is_jumbled
from ralph_mem.core.redaction.values import (
    ALNUM,
    DASH,
    DIGITS,
    DOT,
    HEX,
    LONG,
    is_filler,
    is_plain,
    looks_random,
    places,
    run_of,
)

SHORTEST_PASSWORD = 4  # in an address; shorter ones are those of manuals

# Web hooks are passwords in the shape of an address; what follows the path is the secret.
MOST_PIECES = 6
SHORTEST_OF_HOOK = 6
SHORTEST_OPENER, SHORTEST_ISSUED = 8, 12  # characters of what a parameter holds, and of what one word announces
PARAMETERS = frozenset(
    "sig signature key auth token sid ticket access secret pw pass hmac code otp invite apikey appid hapikey appkey st jwt".split()
)
OPENERS = (
    " t reset reset-password password-reset verify confirm invite invitation magic magic-link activate activation unlock signup"
    " join code token login-link set-password verify-email"
    " confirm-email accept otp recover recovery share-token bot key auth ticket passwordless "
)
PASSWORD_FILLERS = ("password", "pass", "passwd", "pwd", "secret", "token", "pw", "user", "username", "x-oauth-basic")


def find(text: str, folded: str, starts: "set[str]", is_dotted: bool) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of secrets; `folded` is the text in lower case, character by character, and
    `starts` the first two and three characters of those of its long words that may be tokens; `is_dotted` says that a long word
    holds a dot.
    """
    shapes = marks.find(text)
    if is_dotted:
        shapes += _dotted(text, folded)
    if starts:
        from ralph_mem.core.redaction import prefixes  # lazy: only for a word that begins as an issued token does

        shapes += prefixes.find(text, starts)
    return shapes + _near_aws_keys(text) + _webhooks(text) + _url_passwords(text)


def _dotted(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find tokens known by where their dots stand: Discord, Airtable, old Vault."""
    spans = []
    has_vault = "vault" in folded
    at = text.find(".")
    while at >= 0:
        start = at - run_before(text, at, DASH)
        end = run_of(text, at, DOT)
        kind = _kind_of_dotted(text[start : min(end, start + LONG)], has_vault) if end - start >= 26 else ""
        if kind:
            spans.append((start, end, kind))
        at = text.find(".", end)
    return spans


def _kind_of_dotted(word: str, has_vault: bool) -> str:
    head, _, tail = word.partition(".")
    middle, _, last = tail.partition(".")
    if 23 <= len(head) <= 28 and 5 <= len(middle) <= 7 and len(last) >= 27 and looks_random(head + last) and looks_random(last):
        return "discord-token"
    if len(head) == 17 and head.startswith("pat") and len(middle) == 64:
        return "api-key"
    is_of_vault = head == "s" and len(middle) == 24 and not last and looks_random(middle) and middle.isalnum()
    digits = sum(map(middle.count, DIGITS))
    return "vault-token" if is_of_vault and (has_vault or digits) else ""


def _near_aws_keys(text: str) -> "list[tuple[int, int, str]]":
    """Find the secret half of an AWS key, the 40-character word that often stands beside the id."""
    spans = []
    for prefix in ("AKIA", "ASIA"):
        at = text.find(prefix)
        while at >= 0:
            start = at + 20
            while start < at + 200 and start < len(text):
                end = run_of(text, start, ALNUM + "+/")
                if end - start == 40 and looks_random(text[start:end]):
                    spans.append((start, end, "aws-secret"))
                start = end + 1
            at = text.find(prefix, start)
    return spans


def _webhooks(text: str) -> "list[tuple[int, int, str]]":
    """Find addresses that open something by themselves: of a hook all of it, or else what of path and query is secret."""
    spans = []
    for at in places(text, "://"):
        end = _end_of_url(text, at + 3)
        begin = at - run_before(text, at, DASH)
        if text[begin:at].lower() == "otpauth":
            spans.append((begin, end, "webhook"))
            continue
        address = text[at + 3 : end].partition(".svg?")[0]  # a badge is for all to see
        for sign in "?&#=;":
            address = address.replace(sign, "/")
        start, left, name = at + 3, 0, ""  # how many pieces behind such a word may be the secret, and the word before
        found = []
        is_hooked = False
        for piece in address.split("/"):
            value = piece.rstrip(".,;)")
            is_parameter = text[start - 1 : start] == "="
            if _is_opener(value, left, name if is_parameter else "") and (start > at + 3 or left):
                found.append((start, start + len(value), "webhook"))
            name = piece.lower()
            is_hook = ("hook" in name and "." not in name[4:-4]) or (start == at + 3 and "hook" in name)
            is_hooked = is_hooked or is_hook
            left = MOST_PIECES if is_hook else 2 if name and f" {name.replace('_', '-')} " in OPENERS else max(0, left - 1)
            start += len(piece) + 1
        spans += [(begin, max([stop for _, stop, _ in found]), "webhook")] if found and is_hooked else found
    return spans


def _is_opener(value: str, left: int, name: str) -> bool:
    """Say whether a piece of an address is what opens it: by chance letters of any kind, or what a word before it announces."""
    if (
        len(value) < (SHORTEST_OF_HOOK if left > 2 else SHORTEST_OPENER)
        or value.endswith((".js", ".html", ".git", ".css", ".png"))
        or is_filler(value)
    ):
        return False
    file, at, _ = value.partition(":")
    is_line = at and file.rpartition(".")[2].isalpha() and file[:1].isalpha()  # of a file: `TokenStore.kt:28:31`
    if is_line or value.startswith("http") or name == "code_challenge":  # where to go on, what everybody may see
        return False
    if name and (name in PARAMETERS or kind_of_name(name) or "code" in name):
        return (
            is_generated(value, SHORTEST_OPENER)
            or looks_random(value)
            or is_jumbled(value)
            or (kind_of_name(name) == "password" and not is_plain(value))
        )
    if left:
        if left <= 2 and len(value) < SHORTEST_ISSUED:
            return False
        is_issued = is_generated(value, SHORTEST_OF_HOOK) or looks_random(value) or (left > 2 and value.count("-") == 4)
        return is_issued and (left > 1 or bool(value.strip(HEX)))
    return value.startswith("private-") and looks_random(value.removeprefix("private-"))


def _url_passwords(text: str) -> "list[tuple[int, int, str]]":
    spans = []
    for at in places(text, "://"):
        span = _userinfo_password(text, at + 3, _end_of_url(text, at + 3))
        spans += [span] if span else []
    return spans


def _end_of_url(text: str, start: int) -> int:
    window = text[start : start + LONG]
    # a backslash ends it where it spells something; behind a domain stands a user
    ends = [
        window.find(stop) for stop in (" ", "\n", "\t", '"', "'", "`", "<", ">", "\\n", "\\t", "\\r", '\\"', "\\\\", "\\u", "://")
    ]
    return start + min((end for end in ends if end >= 0), default=len(window))


def _userinfo_password(text: str, start: int, end: int) -> "tuple[int, int, str] | None":
    authority = text[start:end]
    last = _last_at(authority)
    userinfo, at, _ = (authority[:last], "@", "") if last > 0 else authority.partition("/")[0].rpartition("@")
    if not at:
        # Base64 passwords hold slashes, which a strict reader takes for the end of the host.
        userinfo, at, _ = authority.partition("?")[0].rpartition("@")
        port = userinfo.partition(":")[2].partition("/")[0]
        if not at or not port or port.isdigit():
            return None
    user, colon, password = userinfo.partition(":")
    if len(userinfo) == 17 and user[8:] == password[8:] == "" and not userinfo.strip(HEX + ":"):  # of a shop of gems: two halves
        return (start, start + len(userinfo), "url-password")
    if colon and looks_random(user) and user.strip(DIGITS):  # a token in the place of a name
        return (start, start + len(userinfo), "url-password")
    if not colon:
        is_token = looks_random(user) or is_generated(user)
        return (start, start + len(user), "url-password") if is_token else None
    if len(password) < SHORTEST_PASSWORD or password.lower() in PASSWORD_FILLERS or (len(password) > 3 and _stands_in(password)):
        return None
    is_of_bot = user.isdigit() and looks_random(password)  # the number belongs to its token: `telegram://7104882203:x@telegram`
    return start + (0 if is_of_bot else len(user) + 1), start + len(userinfo), "url-password"


def _last_at(authority: str) -> int:
    """Return where the sign stands behind which the host begins: a password may hold the same, a slash, a question mark too.

    -1 where a strict reader finds it, or none.
    """
    first = authority.find("@")
    user, colon, _ = authority[: max(first, 0)].partition(":")
    if first < 0 or not colon or "/" in user or authority[len(user) + 1 : first].partition("/")[0].isdigit():
        return -1
    last = first
    for at in range(first + 1, len(authority)):
        is_host = authority[at] == "@" and authority[at + 1 : at + 2].isalnum() and authority[at - 1] != "/"
        last = at if is_host and not any([sign in authority[first:at] for sign in "=&"]) else last
    return last


def _stands_in(value: str) -> bool:
    if value[0] == "$" and value[1:].isidentifier() and not (value.isupper() or value.islower()):
        # the name of a variable, in camel case: of words, with a number behind the last one at most
        words = "".join([" " + char if char.isupper() else char for char in value[1:].rstrip(DIGITS)]).split()
        return all([len(word) > 2 and word.isalpha() for word in words[1:]]) and words[0].isalpha()
    return value[0] in "$<{%*[" and is_filler(value)
