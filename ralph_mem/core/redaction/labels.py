"""Find the words that may name a secret, and say whether what stands behind one may be its value."""

PASSWORD_LABELS = ("passw", "passp", "pass", "pwd", "pw", "credential")
LINKS = (": ", " is ", " now ", " to ", " was ", " auf ", "> ")  # between a name and what it names, in a sentence or a line
NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-."
BETWEEN = " \t\"'`\\=:>)]|,"
UNTELLING = "abcdefghijklmnopqrstuvwxyz_-.,;:()[]{}<>'\"`\\/|=+$*&%\t "
PARTING = "\"'`()|│║{}<>,;"  # between words of tables and calls
CLOSING = ",;)]}'\"`\\"
NUMBERS = "0123456789_-./:+="
SHORTEST_LETTERS, LONGEST_WORD = 10, 18  # `letters.FEWEST`, and of words
# These go on: their first letters are labels, as are those of words that announce nothing.
LONGER = (
    "authorization", "credentials", "passw", "passp", "passe ", "passe:", "passe=", "passe'", 'passe"', "contrase", "sessionid",
)  # fmt: skip
# Behind these a value may stand without a sign: in prose, behind a scheme.
WITHOUT_SIGN = ("pass", "_pass", "pwd", "pw", "bearer")


def places(text: str, folded: str, labels: "list[str]") -> "list[tuple[str, int, int]]":
    """Return each place of one of the labels that ends a name: which it is, where it begins and where it ends."""
    found = []
    for label in labels:
        at = folded.find(label)
        while at >= 0:
            end = at + len(label)
            if not folded.startswith("ed", end) and _is_name(text, folded, at, end):  # not `passed`
                found.append((label, at, end))
            at = folded.find(label, end)
    return found


def announce(text: str, folded: str, named: "list[tuple[str, int, int]]") -> bool:
    """Say whether behind one of the places of labels stands what may be a secret; `folded` is the text in lower case."""
    for label, start, at in named:
        if _tells(text, folded, start, at) or (label[0] == "p" and _quotes(folded[at : at + 64])):
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
    if not (is_head or is_quoted or (after[:1] == " " and after.count(" ") == 1) if in_class else link >= 0 or is_told):
        return False
    least = 6 if is_password else 8 if label in ("secret", "token") else 16
    near = after[:128] if in_class or link < 0 or is_quoted else " ".join(after[link + 2 : link + 90].split(" ", 3)[:3])
    near += "\n".join(below.split("\n", 4)[:4]) if is_head or is_told else ""
    for sign in PARTING:
        near = near.replace(sign, " ")
    return any([len(word) >= least and (may_be_value(word, is_password) or _is_long_letters(word)) for word in near.split()])


def may_be_value(word: str, is_password: bool) -> bool:
    """Say whether a word of a table or a call is no path, name or number; a password may be capitals among small letters."""
    word = word.strip("'\"")
    if is_password and word.isalpha() and not word.isupper() and len(word) > 7:
        if word.islower():
            return False
        from ralph_mem.core.redaction import coined  # lazy: only for letters with a capital, behind a label

        return coined.are_letters(word)
    is_numbered = is_password and word[:1].isupper() and word.rstrip(CLOSING)[-2:].isdigit()
    is_plain = ("." in word.rstrip(CLOSING + ".") and not is_numbered) or ("/" in word and len(word) <= 32)
    is_plain = is_plain or word.count(":") > 2 or word[:3] in ("SHA", "sha")
    bare = word.replace("_", "-")
    if is_password and bare.count("-") > 2 and len(bare) > 15 and bare.islower() and bare.replace("-", "").isalpha():
        return all([len(part) > 2 for part in bare.split("-")])
    return (is_password and _is_coined(word)) or (len(word) > 5 and not is_plain and _stands_out(word.lower(), False))


def _is_coined(word: str) -> bool:
    if len(word) < 7 or not word[0].isupper() or word.isalpha():
        return False
    from ralph_mem.core.redaction import coined  # lazy: only for a word that begins with a capital, behind a label

    return coined.is_joined(word)


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
    is_upper = text[at - 1].isupper()
    after = folded[at : at + 128].lstrip(NAME)
    if after[:1] == "(":
        return is_upper and folded[start] == "p" and _stands_out(after[1:].partition(")")[0].strip("'"), False)
    if is_upper and (after[:1] == "=" or (after[:2] == ": " and after[2:3].isalpha() and "." in after.partition("\n")[0])):
        return after[1:7].isprintable() and len(after) > 6
    if is_upper and "value" in after:
        return True
    if not (_is_assigned(after) or folded.startswith(WITHOUT_SIGN, start) or _comes_before_value(folded[:start][-80:])):
        return False
    line = after.lstrip(BETWEEN)[:64].partition("\n")[0]
    # the second word where a type, a flag or "is" comes first
    words = (line.partition(" = ")[2] or line).split(" ", 2)[:2]
    if words[0] in ("basic", "bearer") and len(words) > 1:
        return len(words[1]) >= 6 and words[1][0] not in "<${"
    numbers_tell = folded.startswith(("auth", "cookie"), start)
    said = text[at : at + 128].lstrip(NAME + NAME.upper()).lstrip(BETWEEN)[:64].partition("\n")[0].partition(" ")[0].rstrip(CLOSING)
    tells = [len(word) >= 6 and (_stands_out(word, numbers_tell) or _is_long_letters(word)) for word in words]
    return any(tells) or _is_coined(said) or (folded[start] == "p" and len(said) > 7 and _is_worded(said, after))


def _is_worded(said: str, after: str) -> bool:
    if not _is_assigned(after) or not (said.isalpha() or "-" in said or "_" in said):
        return False
    from ralph_mem.core.redaction import coined  # lazy: only for a word that is assigned to a password

    return coined.may_be_words(said, after)


def _is_assigned(after: str) -> bool:
    """Say whether a sign between a name and its value follows: nothing else makes a value of what comes behind most names."""
    rest = after.lstrip("\"'`\\]) \t")
    is_listed = rest[:1] == "," and after[:1] in ("'", '"')
    return rest[:1] in ("=", ":", ">", "!") or rest[:3] == "%3d" or is_listed or "value" in after[:64]


def _comes_before_value(before: str) -> bool:
    """Say whether a name stands where a blank is enough: `--token x`, `set TOKEN x`."""
    outside = before.rstrip(NAME)
    return before.startswith("-", len(outside)) or outside.endswith(
        ("set ", "setx ", "-x ", "-gx ", "env ", "config ", "--global ", "--local ", "--system ", "-ux ")
    )


def _stands_out(word: str, numbers_tell: bool) -> bool:
    """Say whether a word holds more than letters and, but for where they are enough, numbers."""
    return bool(word.strip(UNTELLING)) and (numbers_tell or bool(word.rstrip(CLOSING).strip(NUMBERS)))


def _quotes(after: str) -> bool:
    """Say whether a quoted word is assigned: of a password that alone tells."""
    operator, _, value = after.lstrip(NAME + "\"'`\\])").replace("'", '"').partition('"')
    return operator.strip(" =:>\\") == "" and operator.strip() != "" and len(value.partition('"')[0]) >= 6


def _is_long_letters(word: str) -> bool:
    # a generated value without a digit: rare, but no word is that long
    word = word.partition("\\n")[0].strip(BETWEEN + ";.}").rpartition("=")[2].replace("+", "").replace("/", "")
    if len(word) < SHORTEST_LETTERS or not word.isalpha():
        return False
    from ralph_mem.core.redaction import letters  # lazy: only for a long word behind a label

    return len(word) >= LONGEST_WORD or letters.are_random(word) or letters.are_mixed(word)
