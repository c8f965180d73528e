"""Find secrets that a sentence, a line of configuration or the element of a document names, with no sign between."""

from ralph_mem.core.redaction import logins
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import OPEN_KEYS, is_secret, kind_of_label, kind_of_name
from ralph_mem.core.redaction.open_forms import is_list
from ralph_mem.core.redaction.passwords import is_odd, is_passphrase, is_spaced, is_strange, is_unheard
from ralph_mem.core.redaction.values import looks_random

FAR = 160  # characters behind a name that are looked at
LONGEST_NAME = 80
# What says in a sentence that the word behind it is the secret, and how far behind its name it may say so.
LINKS = frozenset(
    "is now was to = := => -> → ist lautet luidt är auf est es é wird jetzt nun ahora agora adesso maintenant nu teraz nyní"
    " c'est".split()
)
# What joins a name to what it names where no blank stands between words.
JOINTS = "はがをの是为為은는이가을를: 「『“\"'`"
MARKS = {"'": "'", '"': '"', "`": "`", "**": "**", "«": "»", "„": "“", "“": "”", "\u2018": "\u2019"}
MOST_WORDS = 10
OF_METHODS = frozenset("hash hashing digest algorithm encryption encoding format policy scheme method plugin type".split())
# Whose a lone `pass` is, where it is no word about tests.
OWNERS = frozenset(
    "admin root wifi wlan guest user login db database mail smtp ftp sftp ssh sudo vpn router master staging".split()
)
DIRECTING = frozenset("set define #define let const env export user proxy_set_header add_header option param variable".split())


def in_markup(text: str, name_start: int, name_end: int) -> int:
    """Return where the text of an element stands by the name of which, or of whose `key`, a value is secret; -1 if none."""
    if text[name_start - 1 : name_start] not in ("<", ">", ":", '"', "'"):
        return -1
    if text[max(0, name_start - 80) : name_start].rpartition("\n")[2].lstrip(" +-#\t").startswith(("include <", "import <")):
        return -1
    window = text[name_end : name_end + FAR]
    if not window.startswith((" ", "</", ">", '"', "'")) or ">" not in window.partition("\n")[0]:
        return -1
    at = window.index(">") + 1
    while window[at : at + 1].isspace() or window.startswith("<", at):
        if window.startswith("<![CDATA[", at):
            return name_end + at + 9
        close = window.find(">", at) if window[at] == "<" else at
        if close < 0 or window.startswith("</", at):
            return -1
        at = close + 1
    return name_end + at if at < len(window) else -1


def announced(text: str, name: str, name_end: int) -> "list[tuple[int, int, str]]":
    """Find what a sentence says that a secret is: "the password is now x", "Password for bob: x", also on the next line."""
    line, below = _behind(text, name_end)
    if (line[:1] not in (" ", "\t", "(") and not line[:1] > "\u2fff") or "." in name:
        return []
    is_open = text[max(0, name_end - 16) : name_end].lower() == "public key token"  # of an assembly
    owner = text[max(0, name_end - len(name) - 24) : name_end - len(name)].rstrip().rpartition(" ")[2].lower()
    kind = "password" if name.lower() == "pass" else "" if is_open else kind_of_name(name.rstrip("s"))
    joined = _joined(line) if kind and name[-1] > "\u2fff" else ""
    if joined:
        start = text.index(joined, name_end)
        return [(start, start + len(joined), kind)]
    words = line.split(" ") if kind else []
    first = "".join(words[1:2]).rstrip(".,;")
    user, colon, password = first.partition(":")
    if colon and user.isalnum() and name.lower().startswith("cred") and is_secret(password or "x", "password", "quoted"):
        return [(name_end + 2 + len(user), name_end + 1 + len(first), "password")]
    if _is_right_behind(first, kind):
        return [(name_end + 1, name_end + 1 + len(first), kind)]
    for number in _links(words, line):
        value = _said(words, number, name, kind, below, owner)
        if value:
            start = text.find(value, name_end + len(" ".join(words[: number + 1])))
            return [(start, start + len(value), kind)] if start >= 0 else []
    return []


def _joined(line: str) -> str:
    """Return the password behind a name of Japanese, Chinese or Korean, with no blank around it: `パスワードはxです`."""
    rest = line.lstrip(JOINTS) if line[:1] > "\u2fff" else ""
    value = rest[: next((number for number, char in enumerate(rest) if not "!" <= char <= "~"), len(rest))].rstrip("\"'`.,;")
    return value if len(value) > 5 and is_secret(value, "password", "quoted") else ""


def _behind(text: str, name_end: int) -> "tuple[str, str]":
    """Return the rest of the line behind a name, and what is below; of a test that shows an expression they are one."""
    line, _, below = text[name_end : name_end + FAR].partition("\n")
    line = line.partition("')")[0].partition('")')[0]  # of a text that a call is given
    below = below.lstrip("\r\n")
    if not line.strip("()\"' ") and " is: " in below.partition("\n")[0]:
        return line + " " + below.partition("\n")[0], ""
    return line, below


def _links(words: "list[str]", line: str) -> "list[int]":
    """Return which words say that what follows is the secret: `is`, `lautet`, one with a colon, the last one of a heading."""
    found: list[int] = []
    for number, word in enumerate(words[: MOST_WORDS + 1]):
        if word.endswith((".", ";", "{", "(", ",")):
            return found
        is_other = word[-1:] == ":" != word and not word[:-1].strip("()`").islower() and number > 0  # a label by itself
        is_heading = number < 3 and ":" not in line and not "".join(words[number + 1 :])  # `# password (hex)`
        found += [number] * (not is_other if _is_link(word) else is_heading)
    return found


def _is_link(word: str) -> bool:
    return word.strip("\"'`*").lower() in LINKS or word.endswith((":", "\uff1a", "は"))


def _said(words: "list[str]", number: int, name: str, kind: str, below: str, owner: str) -> str:
    """Return the secret that a sentence says behind one of its words, or on the line below; nothing where it says another thing."""
    is_link, is_weak = _is_link(words[number]), _is_weak(name, owner)
    rest = " ".join(words[number + 1 :]).rstrip(".\r")
    rest = rest or below.partition("\n")[0].strip()
    if kind == "password" and not is_weak and is_link:
        whole = _marked(rest) or (rest if rest[-1:].isdigit() and is_spaced(rest) else "")
        if whole:
            return whole
    value = "".join(words[number + 1 : number + 2]) or (rest.partition(" ")[0] if is_link else rest)
    if words[number + 2 : number + 3] == ["/"]:  # `credentials: admin / x`
        value = " ".join(words[number + 3 :])
    bare = value.strip("\"'`*,()").rstrip(".;")
    if kind == "password":
        whole = value.strip("\"'`*") if number == len(words) - 2 else ""
        bare = whole if whole and not is_weak and (is_odd(whole) or is_passphrase(whole)) else bare
        tells = bool(bare) and _tells_password(bare, words[:number], name, number, is_link, is_weak)
    else:
        tells = looks_random(bare) and not _is_code(bare) and "(" not in bare
    is_one = tells and not any([sign in bare for sign in " \t\\"]) and (is_link or looks_random(bare))
    return bare if is_one else ""


def _is_weak(name: str, owner: str) -> bool:
    return name.lower() == "pass" and owner not in OWNERS  # a word of sentences about tests


def _tells_password(value: str, before: "list[str]", name: str, number: int, is_link: bool, is_weak: bool) -> bool:
    """Say whether a value is a password where a sentence says so; `before` stands between it and the name of one."""
    is_of_method = not OF_METHODS.isdisjoint(before)
    if is_odd(value) and is_link and not is_of_method:
        return True
    if is_weak:
        return False
    is_near = number < 3 and not is_of_method and len(value) > 7 and name[-1:] not in "sS"
    is_near = is_near and (is_secret(value, "secret", "bare") or is_strange(value))
    return stands_alone(value) or is_near or is_odd(value) or is_passphrase(value)


def _is_right_behind(value: str, kind: str) -> bool:
    """Say whether the first word behind a name is its value, with nothing that says so: `mit dem Kennwort xG4)mT.w9Ls an`."""
    if kind == "password" and value[:1].isalpha() and logins.strength(value) > 1:
        return True
    if kind == "password":
        return is_odd(value) and not any([sign in value for sign in "=\"'"])
    return kind == "secret" and looks_random(value) and value.isalnum()


def _marked(rest: str) -> str:
    """Return what stands between marks of a sentence, where that is a password: "is `mango-tram-falcon`, and ask ..."."""
    sign = next((sign for sign in MARKS if rest.startswith(sign)), "")
    said, close, _ = rest[len(sign) :].partition(MARKS[sign]) if sign else ("", "", "")
    return said if close and said and (is_secret(said, "password", "quoted") or is_unheard(said)) else ""


def _is_code(value: str) -> bool:
    """Say whether what looks generated is rather a place or a call."""
    return "://" in value or "(" in value or value.count("/") > 2


def _is_open(owner: str) -> bool:
    """Say whether a word before `key` says that it is none of a lock: of a map, of a pair that everybody may know."""
    return f" {owner.lower()} " in OPEN_KEYS or owner.lower() in (
        "the",
        "a",
        "an",
        "this",
        "host",
        "ssh",
        "new",
        "missing",
        "invalid",
        "no",
    )


def directed(text: str, name: str, name_start: int, name_end: int) -> "list[tuple[int, int, str]]":
    """Find the value of a line of configuration, behind its name and nothing but a blank: `psk x`, `set $token "x"`."""
    line = text[name_end : name_end + FAR].partition("\n")[0].partition("\\n")[0]
    value = line.strip(" \t\r;,)}]").removeprefix(". ").removeprefix("=> ")
    bare = value.strip("\"'`")
    if (
        line[:1] not in (" ", "\t", '"', "'")
        or not bare
        or bare.startswith(name)
        or (" " in bare and name != "key")
        or bare[0] in "{$<%[-"
        or (line[:2] == "  " and is_list(bare))  # in the column behind a name
    ):
        return []
    before = text[max(0, name_start - LONGEST_NAME) : name_start].rpartition("\n")[2].rpartition("\\n")[2].rstrip("\\")
    kind = kind_of_label(name)
    is_short = name_start - len(before) == 0 or text[name_start - len(before) - 1] == "\n"
    if (
        name == "key"
        and is_short
        and len(line) < FAR
        and before.split()
        and before.split()[0].replace("-", "a").isalpha()
        and not _is_open(before.split()[-1])
    ):
        kind, bare = "key", value.split(" ")[0]  # `crypto isakmp key x address y`
        return [(name_end + 1, name_end + 1 + len(bare), kind)] if line[1:].startswith(bare) and stands_alone(bare) else []
    is_quoted = len(bare) + 2 == len(value)
    is_first = not before.strip(" \t+-#>|:(\"'$") or before.split()[-1].lower() in DIRECTING
    if not kind or not (is_quoted or is_first) or (is_quoted and kind == "password" and not is_secret(bare, kind, "quoted")):
        return []
    tells = is_secret(bare, kind, "quoted") if is_quoted else stands_alone(bare) or (is_first and is_secret(bare, kind, "listed"))
    if not tells or bare.endswith((":", "(", ".")) or "(" in bare:
        return []
    start = name_end + line.index(bare)
    return [(start, start + len(bare), kind)]
