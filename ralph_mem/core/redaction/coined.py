"""Say whether a test's report or an interpreter's answer holds a word such as people make passwords of."""

PARTING = "\"'`()[]{}<>,;:=|"
SIGNS = "-+&~*#@_!"  # which join words in passwords; dots join them in code too
JOINING = ".-+&~*/#@$"
FEWEST, MOST, LONG = 8, 64, 16


def stands_in(text: str) -> bool:
    """Say whether a word has capitals, small letters and a sign, or words with capitals joined by dots."""
    for sign in PARTING:
        text = text.replace(sign, " ")
    words = [word for word in text.split() if FEWEST <= len(word) <= MOST and "/" not in word]
    return any([_is_signed(word) or _is_dotted(word) or _is_mixed(word) for word in words])


def is_joined(word: str) -> bool:
    """Say whether signs join words that begin with a capital, as in passwords that people make up: `Copper-Kite`."""
    return any([one in JOINING and two.isupper() and after.islower() for one, two, after in zip(word, word[1:], word[2:])])


def are_letters(word: str) -> bool:
    """Say whether letters may be a password: with two capitals side by side, or a word with a capital that no code has."""
    if any([one.isupper() and two.isupper() for one, two in zip(word, word[1:])]):
        return True
    from ralph_mem.core.redaction import vocabulary  # lazy: only for a word with a capital

    return word[0].isupper() and vocabulary.are_others(word)


def may_be_words(said: str, after: str) -> bool:
    """Say whether what is assigned may be words that people make a password of: with capitals, or beside other assignments."""
    if len(said) < 8 or "pass" in said.lower() or not said.replace("-", "a").replace("_", "a").isalnum():
        return False
    if any([(one.islower() or one in "-_") and two.isupper() for one, two in zip(said, said[1:])]):
        return True
    if after[:1] == "=" and said.isalpha() and "=" in after[1:].partition("\n")[0]:
        return True
    return not said.isupper() and said.isalpha() and are_letters(said)


def _is_mixed(word: str) -> bool:
    """Say whether a word is long enough to be generated, and of capitals, small letters and more than one digit."""
    return len(word) >= LONG and word.lower() != word != word.upper() and sum([char.isdigit() for char in word]) > 1


def _is_signed(word: str) -> bool:
    return (
        word.lower() != word != word.upper()
        and any([sign in word.rstrip("!") for sign in SIGNS])
        and (any([char.isdigit() for char in word]) or any([one in SIGNS and two.isupper() for one, two in zip(word, word[1:])]))
    )


def _is_dotted(word: str) -> bool:
    first, *rest = word.split(".")
    return bool(rest) and all([part[:1].isupper() and part[1:].islower() for part in (first, *rest)])
