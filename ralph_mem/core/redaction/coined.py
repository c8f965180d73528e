"""Say whether a test's report or an interpreter's answer holds a word such as people make passwords of."""

PARTING = "\"'`()[]{}<>,;:=|"
SIGNS = "-+&~*#@_!"  # which join words in passwords; dots join them in code too
JOINING = ".-+&~*/#@$"
FEWEST, MOST = 8, 64


def stands_in(text: str) -> bool:
    """Say whether a word has capitals, small letters and a sign, or words with capitals joined by dots."""
    for sign in PARTING:
        text = text.replace(sign, " ")
    return any([_is_signed(word) or _is_dotted(word) for word in text.split() if FEWEST <= len(word) <= MOST and "/" not in word])


def is_joined(word: str) -> bool:
    """Say whether signs join words that begin with a capital, as in passwords that people make up: `Copper-Kite`."""
    return any([one in JOINING and two.isupper() and after.islower() for one, two, after in zip(word, word[1:], word[2:])])


def _is_signed(word: str) -> bool:
    return (
        word.lower() != word != word.upper()
        and any([sign in word.rstrip("!") for sign in SIGNS])
        and (any([char.isdigit() for char in word]) or any([one in SIGNS and two.isupper() for one, two in zip(word, word[1:])]))
    )


def _is_dotted(word: str) -> bool:
    first, *rest = word.split(".")
    return bool(rest) and all([part[:1].isupper() and part[1:].islower() for part in (first, *rest)])
