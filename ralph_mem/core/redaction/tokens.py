"""Find secrets by their own shape, such as marks in their middle, web hooks and passwords in URLs. The providers publish these."""

from ralph_mem.core.redaction.names import ALNUM, DASH, DIGITS, DOT, HEX, LONG, WORD, is_filler, looks_random, places, run_of

SHORTEST_PASSWORD = 4  # in an address; shorter ones are those of manuals

# Web hooks are passwords in the shape of an address; what follows the path is the secret.
MOST_PIECES = 6
OPENERS = (
    " reset reset-password password-reset verify confirm invite invitation magic magic-link activate activation unlock signup join"
    " code token login-link accept otp recover recovery share-token bot key auth ticket passwordless "
)
PASSWORD_FILLERS = ("password", "pass", "passwd", "pwd", "secret", "token", "pw", "user", "username", "x-oauth-basic")


def find(text: str, folded: str, starts: "set[str]", is_dotted: bool) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of secrets; `folded` is the text in lower case, character by character, and
    `starts` the first two and three characters of those of its long words that may be tokens; `is_dotted` says that a long word
    holds a dot.
    """
    shapes = _marked(text)
    if is_dotted:
        shapes += _dotted(text, folded)
    if starts:
        from ralph_mem.core.redaction import prefixes  # lazy: only for a word that begins as an issued token does

        shapes += prefixes.find(text, starts)
    return shapes + _near_aws_keys(text) + _webhooks(text) + _url_passwords(text)


def _marked(text: str) -> "list[tuple[int, int, str]]":
    """Find tokens known by a mark in their middle: Telegram (id:AA...), Terraform, Firebase (id:APA91...)."""
    spans = []
    for mark, least in ((":AA", 30), (".atlasv1.", 40), (":APA91", 100)):
        at = text.find(mark)
        while at >= 0:
            start = at - _run_before(text, at, WORD)
            start += 3 * text.startswith("bot", start)  # of an address
            end = run_of(text, at + len(mark), DASH)
            if end - at >= least and at - start >= 8 and (mark != ":AA" or text[start:at].isdigit()):
                spans.append((start, end, "api-key"))
            at = text.find(mark, end)
    return spans


def _dotted(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find tokens known by where their dots stand: Discord, Airtable, old Vault."""
    spans = []
    has_vault = "vault" in folded
    at = text.find(".")
    while at >= 0:
        start = at - _run_before(text, at, DASH)
        end = run_of(text, at, DOT)
        kind = _kind_of_dotted(text[start : min(end, start + LONG)], has_vault) if end - start >= 26 else ""
        if kind:
            spans.append((start, end, kind))
        at = text.find(".", end)
    return spans


def _kind_of_dotted(word: str, has_vault: bool) -> str:
    head, _, tail = word.partition(".")
    middle, _, last = tail.partition(".")
    if 23 <= len(head) <= 28 and 5 <= len(middle) <= 7 and len(last) >= 27 and looks_random(head + last):
        return "discord-token"
    if len(head) == 17 and head.startswith("pat") and len(middle) == 64:
        return "api-key"
    return "vault-token" if has_vault and head == "s" and len(middle) == 24 and looks_random(middle) else ""


def _run_before(text: str, at: int, alphabet: str) -> int:
    window = text[max(0, at - 80) : at]
    return len(window) - len(window.rstrip(alphabet))


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
    """Find what follows in an address the word that says that it opens something: a hook, an invitation, a reset, a code."""
    spans = []
    for at in places(text, "://"):
        end = _end_of_url(text, at + 3)
        address = text[at + 3 : end].replace("?", "/").replace("&", "/").replace("#", "/").replace("=", "/")
        start, left = at + 3, 0  # how many pieces behind such a word may be the secret
        for piece in address.split("/"):
            value = piece.rstrip(".,;)")
            is_issued = left and len(value) > 19 and looks_random(value) and not value.endswith((".js", ".html", ".git"))
            if is_issued and (left > 1 or value.strip(HEX)):
                spans.append((start, start + len(value), "webhook"))
            name = piece.lower()
            if name.startswith("private-") and looks_random(value):
                spans.append((start, start + len(value), "webhook"))
            is_hook = "hook" in name or (start == at + 3 and name.startswith("hooks."))
            left = MOST_PIECES if is_hook else 2 if name and f" {name} " in OPENERS else max(0, left - 1)
            start += len(piece) + 1
    return spans


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
    if colon and looks_random(user) and user.strip(DIGITS):  # a token in the place of a name
        return (start, start + len(userinfo), "url-password")
    if not colon:
        return (start, start + len(user), "url-password") if looks_random(user) else None
    if len(password) < SHORTEST_PASSWORD or password.lower() in PASSWORD_FILLERS or (len(password) > 3 and _stands_in(password)):
        return None
    return start + len(user) + 1, start + len(userinfo), "url-password"


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
