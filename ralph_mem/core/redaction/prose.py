"""Find secrets that a sentence, a line of configuration or the element of a document names, with no sign between."""

from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import OPEN_KEYS, is_secret, kind_of_label, kind_of_name
from ralph_mem.core.redaction.passwords import is_odd, is_passphrase, is_spaced
from ralph_mem.core.redaction.values import looks_random

FAR = 160  # characters behind a name that are looked at
LONGEST_NAME = 80
# What says in a sentence that the word behind it is the secret, and how far behind its name it may say so.
LINKS = frozenset("is now was to = := => -> → ist lautet luidt är auf est es é wird".split())
MOST_WORDS = 10
OF_METHODS = frozenset("hash hashing digest algorithm encryption encoding format policy scheme method plugin type".split())
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
    line, _, below = text[name_end : name_end + FAR].partition("\n")
    below = below.lstrip("\r\n")
    if not line.strip("()\"' ") and " is: " in below.partition("\n")[0]:  # of a test that shows what an expression is
        line, below = line + " " + below.partition("\n")[0], ""
    if line[:1] not in (" ", "\t", "(") and not line[:1] > "\u2fff":
        return []
    is_open = text[max(0, name_end - 16) : name_end].lower() == "public key token"  # of an assembly
    kind, at = "" if is_open else kind_of_name(name.rstrip("s")), name_end
    words = line.split(" ")
    for number, (word, after) in enumerate(zip(words, [*words[1:], ""])):
        at += len(word) + 1
        is_last = number == len(words) - 1 or not "".join(words[number + 1 :])
        if not kind or "." in name or number > MOST_WORDS or word.endswith((".", ";", "{", "(", ",")):
            return []
        is_heading = is_last and number < 3 and ":" not in line  # `# password (hex)`
        is_other = word[-1:] == ":" != word and not word[:-1].strip("()`").islower() and number > 0  # a label by itself
        is_link = word.strip("\"'`*").lower() in LINKS or word.endswith((":", "\uff1a", "は"))
        if is_heading or (is_link and not is_other):
            value = below.partition("\n")[0].strip() if is_last else after
            rest = " ".join(words[number + 1 :]).rstrip(".\r")
            if kind == "password" and rest[-1:].isdigit() and is_spaced(rest):
                return [(name_end + line.index(rest), name_end + line.index(rest) + len(rest), kind)]
            if words[number + 2 : number + 3] == ["/"]:  # `credentials: admin / x`
                value = " ".join(words[number + 3 :])
            bare = value.strip("\"'`*,()").rstrip(".;")
            tells = looks_random(bare) and not _is_code(bare)
            if kind == "password":
                is_near = (
                    number < 3
                    and OF_METHODS.isdisjoint(words[:number])
                    and len(bare) > 7
                    and name[-1:] not in "sS"
                    and is_secret(bare, "secret", "bare")
                )
                whole = value.strip("\"'`*") if number == len(words) - 2 else ""
                is_whole = bool(whole) and (is_odd(whole) or is_passphrase(whole))
                bare = whole if is_whole else bare
                tells = stands_alone(bare) or is_near or is_whole
            if (
                bare
                and tells
                and not any([sign in bare for sign in " \t\\"])
                and ("(" not in bare or kind == "password")
                and (not is_heading or looks_random(bare))
            ):
                start = text.find(bare, at - 1)
                return [(start, start + len(bare), kind)]
    return []


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
