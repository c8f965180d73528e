"""Find tokens that are told by signs which stand at their place in the middle or at the end."""

from ralph_mem.core.redaction.values import BASE64, DASH, DIGITS, DOT, HEX, WORD, looks_random, places, run_of

# A sign, what may stand before it and at least how much of that, and the same of what follows it.
MARKS = (
    (":AA", DIGITS, 8, DASH, 27),  # Telegram
    (".atlasv1.", WORD, 8, DASH + "=", 31),  # Terraform
    (":APA91", WORD, 8, DASH, 94),  # Firebase
    ("T3BlbkFJ", DASH, 20, DASH, 20),  # OpenAI, in all that it ever issued
    (".acc_", DOT, 9, BASE64 + ".", 40),  # Authress
    (".acc-", DOT, 9, BASE64 + ".", 40),
    ("hooks.slack.com/", "", 0, BASE64, 40),  # without a scheme
)
LONGEST_BEFORE = 200
# Facebook's app: its number, a bar, also percent-encoded, and its secret.
OF_APP, SECRETS_OF_APPS = (15, 16), range(27, 43)
OF_DATACENTRE = 32  # of Mailchimp and Mailgun, before the first dash
OF_USER, OF_X = 8, 40  # Twitter: at least so many digits of a user, a dash, and so many characters
OF_MAXMIND = 40
PARTED = 42  # characters of tokens of Okta, `00...`, and keys of ClickHouse, `4b1d...`
_WORDS = bytes([code if chr(code) in DASH else 32 for code in range(256)])


def find(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind)."""
    return _around_marks(text) + _of_apps(text) + _words(text)


def run_before(text: str, at: int, alphabet: str) -> int:
    """Return how many characters of an alphabet stand before a place."""
    window = text[max(0, at - LONGEST_BEFORE) : at]
    return len(window) - len(window.rstrip(alphabet))


def _around_marks(text: str) -> "list[tuple[int, int, str]]":
    spans = []
    for mark, before, fewest, behind, least in MARKS:
        last = 0
        for at in places(text, mark):
            if at < last:
                continue
            start, last = at - run_before(text, at, before), run_of(text, at + len(mark), behind)
            is_hook = "/" in mark
            is_long = last - at - len(mark) >= least and at - start >= fewest
            if is_long and (not is_hook or looks_random(text[at:last].rpartition("/")[2])):
                spans.append((start, last, "webhook" if is_hook else "api-key"))
    return spans


def _of_apps(text: str) -> "list[tuple[int, int, str]]":
    spans = []
    for at in places(text, "|") + places(text, "%"):
        count = run_before(text, at, DIGITS)
        end = run_of(text, at + 1, DASH) if count in OF_APP else at
        if end - at - 1 in SECRETS_OF_APPS and looks_random(text[at + 1 : end]):
            spans.append((at - count, end, "api-key"))
    return spans


def _words(text: str) -> "list[tuple[int, int, str]]":
    spans, at = [], 0
    for word in text.encode("latin-1", "replace").translate(_WORDS).split():
        if len(word) > OF_DATACENTRE:
            token = word.decode("latin-1")
            at = text.find(token, at)
            spans += [(at, at + len(token), "api-key")] * _is_formed(token)
            at += len(token)
    return spans


def _is_formed(token: str) -> bool:
    head, _, tail = token.partition("-")
    if len(head) == OF_DATACENTRE and head.isalnum() and tail:
        return _is_behind_key(tail) and looks_random(head)
    if len(head) >= OF_USER and head.isdigit() and len(tail) == OF_X:
        return _is_mixed(tail)
    if len(token) == OF_MAXMIND and token.endswith("_mmk"):
        return token[6] == "_" and looks_random(token)
    return len(token) == PARTED and (token.startswith("00") or (token.startswith("4b1d") and token.isalnum())) and _is_mixed(token)


def _is_behind_key(tail: str) -> bool:
    """Say whether what stands behind 32 characters is what Mailchimp ends its keys with, or Mailgun."""
    number = tail.removeprefix("us")
    is_of_mailgun = len(tail) == 17 and tail[8] == "-" and not tail.strip(HEX + "-")
    return is_of_mailgun or (number != tail and number.isdigit() and len(number) < 3)


def _is_mixed(token: str) -> bool:
    return looks_random(token) and not token.islower() and not token.isupper()
