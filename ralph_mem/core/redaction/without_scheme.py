"""Find passwords in addresses without a scheme, such as `user:password@host`, and in lines of the same parts."""

from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import is_secret
from ralph_mem.core.redaction.statements import is_value
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_filler, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

WORD = LETTERS + DIGITS + "_-.$"
SCHEMES = ("mailto", "sip", "acct", "npm", "git", "xmpp", "link", "workspace")  # and what else comes before an address
LONGEST = 200


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    return _oracle(text, folded) + _of_driver(text) + _of_host(text) + _pgpass(text)


def _oracle(text: str, folded: str) -> "list[Span]":
    spans = []
    for sign in ("jdbc:oracle:thin:", "jdbc:oracle:oci:", "jdbc:oracle:oci8:"):
        for at in places(folded, sign):
            address = text[at + len(sign) : at + len(sign) + LONGEST].partition(" ")[0].partition("\n")[0]
            user, slash, rest = address.partition("/")
            password = rest.rpartition("@")[0]
            if slash and user and "@" not in user and password:
                begin = at + len(sign) + len(user) + 1
                spans.append((begin, begin + len(password), "url-password"))
    return spans


def _of_driver(text: str) -> "list[Span]":
    """Find the password of `user:password@tcp(host)`, of an address without a scheme."""
    spans = []
    for sign in ("@tcp(", "@unix("):
        for at in places(text, sign):
            user, colon, password = _last_word(text[max(0, at - LONGEST) : at]).partition(":")
            if colon and user and not is_filler(password or "x") and password[:1] not in "$%{":
                spans.append((at - len(password), at, "url-password"))
    return spans


def _of_host(text: str) -> "list[Span]":
    """Find the password of `user:password@host.name` that has no scheme: as scp and its like take it."""
    spans, at = [], text.find("@")
    while at >= 0:
        user, _, password = _last_word(text[max(0, at - 64) : at]).rpartition(":")
        user = user.rpartition(":")[2].rpartition("/")[2].rpartition("\\")[2].rpartition("#")[2]  # `curlftpfs#user:x@host`
        host = text[at + 1 : at + 64].split("\n", 1)[0].split(" ", 1)[0].partition(":")[0].partition("/")[0].rstrip("'\",;")
        is_version = host.count(".") < 3 and host.replace(".", "").isdigit()
        is_host = "." in host and not is_version and host.replace(".", "a").replace("-", "a").isalnum()
        if (
            is_host
            and user.replace("-", "a").replace("_", "a").isalnum()
            and user not in SCHEMES
            and password[:2] != "//"
            and is_secret(password or "x", "password", "bare")
        ):
            spans.append((at - len(password), at, "url-password"))
        behind = text[at + 1 + len(host) : at + 64]
        value = behind[1:].split("\n", 1)[0].split(" ", 1)[0].strip("'\",;") if is_host and behind[:1] == ":" else ""
        if value and user.strip(WORD) == "" and stands_alone(value):  # `info@host.name:x`
            spans.append((at + 2 + len(host), at + 2 + len(host) + len(value), "password"))
        at = text.find("@", at + 1)
    return spans


def _last_word(text: str) -> str:
    for stop in " \t\n\"'`=":
        text = text.rpartition(stop)[2]
    return text


def _pgpass(text: str) -> "list[Span]":
    """Find the last of the five fields of a line `host:port:database:user:password`."""
    spans, at = [], 0
    for line in text.split("\n"):
        fields = line.strip().split(":", 4)
        is_line = len(fields) == 5 and " " not in line.strip() and fields[1] in ("*", "5432", "5433", "6432", "5439", "26257")
        if is_line and is_value(fields[4]):
            spans.append((at + line.rfind(fields[4]), at + line.rfind(fields[4]) + len(fields[4]), "password"))
        at += len(line) + 1
    return spans
