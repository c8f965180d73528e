"""Say whether what stands behind a label may be its value."""

NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-."
BETWEEN = " \t\"'`\\=:>)]|,"
UNTELLING = "abcdefghijklmnopqrstuvwxyz_-.,;:()[]{}<>'\"`\\/|=+$*&%\t "
CLOSING = ",;)]}'\"`\\"
NUMBERS = "0123456789_-./:+="
SHORTEST_LETTERS, LONGEST_WORD = 10, 18  # `letters.FEWEST`, and of words
# Behind these a value may stand without a sign: in prose, behind a scheme.
WITHOUT_SIGN = ("pass", "_pass", "pwd", "pw", "bearer")


def is_value(text: str, folded: str, start: int, at: int, after: str, is_password: bool) -> bool:
    """Say whether a value may follow a label, which begins at `start` and ends `at`; `after` is, in lower case, what is behind it
    and the rest of its name. `is_password` says what it announces.
    """
    if after[:1] == "(":
        is_call = text[at - 1].isupper() and folded[start] == "p"
        return is_call and _stands_out(after[1:].partition(")")[0].strip("'"), False)
    if is_password and _quotes(folded[at : at + 64]):
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
    tells = [len(word) >= 6 and (_stands_out(word, numbers_tell) or is_long_letters(word)) for word in words]
    return any(tells) or _is_coined(said) or (is_password and len(said) > 6 and _is_assigned(after) and _is_worded(said, after))


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


def _is_worded(said: str, after: str) -> bool:
    from ralph_mem.core.redaction import coined, names  # lazy: only for a word that is assigned to a password

    is_one = (said.isalpha() or "-" in said or "_" in said) and coined.may_be_words(said, after)
    return is_one or names.is_secret(said, "password", "bare")


def is_worded(word: str) -> bool:
    """Say whether signs join words that neither code nor documentation has, as in passwords."""
    bare = word.strip("'\"")
    if not ("-" in bare or "_" in bare or "=" in bare) or not bare.replace("-", "a").replace("_", "a").replace("=", "a").isalpha():
        return False
    from ralph_mem.core.redaction import names  # lazy: only for words that are joined, behind a label

    return names.is_worded(bare)


def may_be_value(word: str, is_password: bool) -> bool:
    """Say whether a word of a table or a call is no path, name or number; a password may be capitals among small letters."""
    word = word.strip("'\"")
    if is_password and word.isalpha() and not word.isupper() and len(word) > 7:
        if word.islower():
            return False
        from ralph_mem.core.redaction import coined  # lazy: only for letters with a capital, behind a label

        return coined.are_letters(word)
    is_numbered = word[:1].isupper() and word.rstrip(CLOSING)[-2:].isdigit()
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


def _quotes(after: str) -> bool:
    """Say whether a quoted word is assigned: of a password that alone tells."""
    operator, _, value = after.lstrip(NAME + "\"'`\\])").replace("'", '"').partition('"')
    return operator.strip(" =:>\\") == "" and operator.strip() != "" and len(value.partition('"')[0]) >= 6


def _stands_out(word: str, numbers_tell: bool) -> bool:
    """Say whether a word holds more than letters and, but for where they are enough, numbers."""
    return bool(word.strip(UNTELLING)) and (numbers_tell or bool(word.rstrip(CLOSING).strip(NUMBERS)))


def is_long_letters(word: str) -> bool:
    """Say whether a word is a generated value without a digit: rare, but no word is that long."""
    word = word.partition("\\n")[0].strip(BETWEEN + ";.}").rpartition("=")[2].replace("+", "").replace("/", "")
    if len(word) < SHORTEST_LETTERS or not word.isalpha():
        return False
    from ralph_mem.core.redaction import letters  # lazy: only for a long word behind a label

    return len(word) >= LONGEST_WORD or letters.are_random(word) or letters.are_mixed(word)
