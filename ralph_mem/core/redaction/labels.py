"""Find the words that may name a secret, and say whether one announces a value."""

PASSWORDS = ("pass", "pwd", "pw", "kennwort", "clave", "mdp", "senha", "geheim", "wachtwoord", "psk")
PASSWORD_LABELS = ("passw", "passp", "credential", *PASSWORDS)
PARTS = {"pass": ("passw", "passp", "pass"), "pw": ("pwd", "pw")}  # of a label in `gate`
LINKS = (
    ": ",
    " is ",
    " now ",
    " to ",
    " was ",
    " auf ",
    " ist ",
    " lautet ",
    " luidt ",
    " är ",
    " es ",
    " est ",
    " è ",
    "> ",
)  # between a name and what it names, in a sentence or a line
NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-."
PARTING = "\"'`()|│║{}<>,;"  # between words of tables and calls
# These go on: their first letters are labels, as are those of words that announce nothing.
LONGER = (
    "authorization", "credentials", "geheimnis", "geheimwort",
    "passw", "passp", "passe ", "passe:", "passe=", "passe'", 'passe"', "contrase", "sessionid",
)  # fmt: skip


def places(text: str, folded: str, labels: "list[str]") -> "list[tuple[str, int, int]]":
    """Return each place of one of the labels that ends a name: which it is, where it begins and where it ends."""
    found = []
    for label in [part for stem in labels for part in PARTS.get(stem, (stem,))]:
        at = folded.find(label)
        while at >= 0:
            end = at + len(label)
            if not folded.startswith("ed", end) and _is_name(text, folded, at, end):  # not `passed`
                found.append((label, at, end))
            at = folded.find(label, end)
    return found


def announce(text: str, folded: str, named: "list[tuple[str, int, int]]") -> bool:
    """Say whether behind one of the places of labels stands what may be a secret; `folded` is the text in lower case."""
    for _, start, at in named:  # most announce something, and none behind it has to be looked at
        if _tells(text, folded, start, at):
            return True
    return any([_announces(label, ahead, False) for label, ahead in _ahead(text, named)])


def announce_in_class(text: str, named: "list[tuple[str, int, int]]") -> bool:
    """Say whether in a table or a call behind one of the places of labels stands what may be a secret."""
    return any([_announces(label, ahead, True) for label, ahead in _ahead(text, named)])


def _ahead(text: str, named: "list[tuple[str, int, int]]") -> "set[tuple[str, str]]":
    """Return each label with what stands behind it, once where that is repeated thousands of times."""
    return {(label, text[at : at + 512]) for label, _, at in named}


def _announces(label: str, ahead: str, in_class: bool) -> bool:
    """Say whether in reach of a name stands what may be its value: in a table or a call, or else in a sentence or below."""
    line, end, below = ahead.lstrip(NAME + NAME.upper()).partition("\n")
    after = line.lstrip("\"'`\\]?*:)") + end
    is_head = after[:1] in ("\n", ",", "\t", ";") or after[:2] == "  " or (after.lstrip(" ")[:1] or " ") in "|│║┃┐─┬"
    if after[:1] == " " and not is_head:  # of two words, or the last but one above numbered rows
        sign = after[1:].lstrip(NAME)[:1]
        is_head = sign in (";", "|", "\t") or (sign == "\n" and below[:1].isdigit())
    is_open = not after.strip(" \n=|>+-<\"'\\") or after[:2] == "</"
    link = min([each for each in [after.find("=", 0, 4), *map(after[:80].find, LINKS)] if each >= 0], default=-1)
    is_told = is_open or after.endswith((":\n", "(\n"))
    is_quoted = '"' in after or "'" in after
    is_password = label in PASSWORD_LABELS
    if in_class and is_password and (after[:2] in (' "', " '") or after.lstrip(" ")[:1] in ("=", ":", "|", "│", "║", "┃")):
        said = after.lstrip(" =:|│║┃\"'")  # a few words may be one
        if said[:1] not in ("", *"($<{[*\n") and (" " in said.rstrip() or is_quoted):
            return True
    if after.endswith("(\n"):  # of a call that goes on below
        return in_class and below.lstrip()[:1] in ("'", '"', "b")
    # by a word, in a sentence, or at once: `use password x to log in`
    is_said = in_class and not is_head and (after[link] == " " if link >= 0 else is_password and after[:1] == " ")
    if not (is_head or is_quoted or is_said or (after[:1] == " " and after.count(" ") == 1) if in_class else link >= 0 or is_told):
        return False
    least = 6 if is_password else 8 if label in ("secret", "token") else 16
    near = (
        after[:128]
        if is_quoted or (not is_said and (in_class or link < 0))
        else " ".join(after[link + 2 : link + 90].split(" ", 3)[:3])
    )
    near += " " + after[1:].partition(" ")[0] if is_said else ""
    near += "\n".join(below.split("\n", 4)[:4]) if is_head or is_told else ""
    for sign in PARTING:
        near = near.replace(sign, " ")
    words = [word for word in near.split() if len(word) >= least]
    if not words:
        return False
    from ralph_mem.core.redaction import labelled  # lazy: only where a value may be in reach

    tells = [labelled.may_be_value(word, is_password) or labelled.is_long_letters(word) for word in words]
    return any(tells) or (is_password and any(map(labelled.is_worded, words)))


def _is_name(text: str, folded: str, start: int, at: int) -> bool:
    """Say whether a word of a name ends with a label: `tokens` and `author` announce nothing, nor does a lone `key`."""
    after = text[at : at + 1]
    if (
        after == "s"
        and (folded[start:at] != "key" or folded[start - 1 : start] in "_-")
        and text[at + 1 : at + 2] in ('"', "'", ":", "]", "=")
    ):
        return True
    if after.isalnum() and not (after.isupper() and text[at - 1].islower()) and not folded.startswith(LONGER, start):
        return False
    if folded[start:at] == "pass" and (folded[start - 1 : start] not in NAME or not start):
        line = text[text.rfind("\n", 0, start) + 1 : start]  # a word of Python, a test that passes
        if not line.strip() if after in ("\n", "") else text[start:at] == "PASS" and after == ":":
            return False
    if folded[start:at] != "key" or folded[start - 1 : start] in NAME or folded[at : at + 1] in NAME:
        return True
    before = text[max(0, start - 24) : start].rstrip(" \t-")
    return before[-1:] in ("\n", "") or before.rpartition(" ")[2].isalpha()  # "API key: ...", or of a section


def _tells(text: str, folded: str, start: int, at: int) -> bool:
    """Say whether what stands behind a label may be a value; `start` is where the label begins, `at` where it ends."""
    after = folded[at : at + 128].lstrip(NAME)
    if text[at - 1].isupper() and after[:1] != "(":
        if after[:1] == "=" or (after[:2] == ": " and after[2:3].isalpha() and "." in after.partition("\n")[0]):
            return after[1:7].isprintable() and len(after) > 6
        if "value" in after:
            return True
    from ralph_mem.core.redaction import labelled  # lazy: only for what no name in capitals is assigned

    return labelled.is_value(text, folded, start, at, after, folded.startswith(PASSWORDS, start))
