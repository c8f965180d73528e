"""Compute the text of a row as the indexes see it. An entry is removed by giving the same text again."""

TYPE_CHECKING = False

INDEX_VERSION = 1
REDACTED = "[REDACTED"
MARKS = "\u0301\u0308\u0300\u0302\u0303\u0306\u0307\u030a\u030b\u030c\u0327\u0328"  # on letters of Latin, Greek and Cyrillic
# Letters with a mark that the index has without it, as the tokenizer has it, each line behind the bare letter.
ACCENTED = (
    *("aáàâäãåāăą", "cçćĉċč", "dď", "eéèêëēĕėęě", "gĝğġģ", "hĥ", "iíìîïĩīĭį", "jĵ", "kķ", "lĺļľ", "nñńņň", "oóòôöõōŏőơ"),
    *("rŕŗř", "sśŝşšș", "tţťț", "uúùûüũūŭůűųư", "wŵ", "yýÿŷ", "zźżž"),
)
KIND = "abcdefghijklmnopqrstuvwxyz:-"
# Neither indexed nor asked for: a fifth of the index, and no help in finding anything.
STOPWORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by can"
    " could did do does doing done down during each either else even ever every few for from further get gets getting give"
    " given go goes going gone got had has have having he her here hers him his how i if im in into is it its itself ive just"
    " know let lets like ll made make makes making many may me might more most much must my need needs no nor not now of off"
    " ok okay on once one only onto or other our ours out over own please put quite rather re really same say see seem she"
    " should shall since so some something still such take than thank thanks that the their them then there these they thing"
    " things this those through to too under until up upon us use used uses using ve very via want wants was way we well were"
    " what whats when where whether which while who whom whose why will with within without would yes yep yeah nope you your"
    " yours don doesn didn isn aren wasn won couldn shouldn already instead actually always never though another per etc around"
    " anything everything nothing something seems says means enough maybe probably hi hello hey sure continue proceed ahead"
    " right cool great nice perfect good fine next again stop wait back"
    # the same for languages whose words stand alone
    " der die das und ist nicht ein eine mit für auf wie was le la les et est pas une des pour que qui el los las es un por"
    " con como para и в не на что как это по".split()
)


def of(text: str) -> str:
    """Return the text to index: words that say something, the parts of identifiers, and pairs of CJK characters."""
    if REDACTED in text:
        text = without_marks(text)
    kept = [word for word in text.split() if word.lower() not in STOPWORDS]
    added = identifier_parts(kept)
    if not text.isascii():
        added += pairs(text)
    return " ".join(kept + added)


def without_marks(text: str) -> str:
    """Return a text without the marks of what was redacted."""
    kept = []
    while True:
        before, mark, rest = text.partition(REDACTED)
        kept.append(before)
        if not mark:
            return " ".join(kept)
        # a mark that was cut off has no bracket; it hides itself and not what follows
        text = rest.lstrip(KIND).removeprefix("]")


def split(text: str) -> list[str]:
    """Split into words the way unicode61 does: whatever is neither letter nor digit parts them, but for a mark on a letter."""
    text = composed(text)
    return "".join([char if char.isalnum() else " " for char in text]).split()


def composed(text: str) -> str:
    """Return a text with each letter and the mark upon it as one character, as nearly all texts have them."""
    if text.isascii() or not any([mark in text for mark in MARKS]):
        return text
    from unicodedata import normalize  # lazy: only for a letter that is written in two characters

    return normalize("NFC", text)


def plain(text: str) -> str:
    """Return a text in lower case and without accents, as the index compares it."""
    text = composed(text).lower()
    if not text.isascii():
        # one look for each letter costs a twentieth of one for each character of a text
        for letters in ACCENTED:
            for letter in letters[1:]:
                if letter in text:
                    text = text.replace(letter, letters[0])
    return text


def identifier_parts(words: "list[str]") -> list[str]:
    """Return the parts of camelCase and HTTPServer2 words; snake_case and paths are split by the tokenizer."""
    parts: list[str] = []
    for word in words:
        # one look at a word is enough for nearly all
        if len(word) > 64 or word.islower() or not _has_inner_capital(word):
            continue
        for name in [word] if word.isalnum() else split(word):
            pieces = _pieces(name) if _has_inner_capital(name) else []
            if len(pieces) > 1:
                parts += pieces
    return parts


def _has_inner_capital(word: str) -> bool:
    """Say whether a word may have several parts; one in capitals has none."""
    inner = word[1:]
    return inner != inner.lower() and not word.isupper()


def _pieces(name: str) -> list[str]:
    """Split at a capital after a small letter, and before the last capital of a row of them."""
    pieces, start = [], 0
    for at in range(1, len(name)):
        before, here = name[at - 1], name[at]
        after = name[at + 1 : at + 2]
        if here.isupper() and (before.islower() or (before.isupper() and after.islower())):
            pieces.append(name[start:at])
            start = at
    return [piece for piece in [*pieces, name[start:]] if len(piece) > 1]


def pairs(text: str) -> list[str]:
    """Return each pair of neighbouring CJK characters, so that a word inside an unspaced run is found."""
    return [text[at : at + 2] for at in range(len(text) - 1) if is_cjk(text[at]) and is_cjk(text[at + 1])]


def is_cjk(char: str) -> bool:
    """Say whether a character is kana, a CJK ideograph with those of extension A and beyond the basic plane, or Hangul."""
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7a3"
        or "\U00020000" <= char <= "\U0003134f"
    )
