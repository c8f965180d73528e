"""The text of a row as the indexes see it: a pure function with a version, because an index entry can only be
removed by giving the same text again.
"""

INDEX_VERSION = 1
REDACTED = "[REDACTED"
KIND = "abcdefghijklmnopqrstuvwxyz:-"


def of(text: str) -> str:
    """Return the text to index: words, the parts of identifiers, and pairs of CJK characters; no redaction marks."""
    if REDACTED in text:
        text = _without_marks(text)
    added = _identifier_parts(text)
    if not text.isascii():
        added += _pairs(text)
    return text + "\n" + " ".join(added) if added else text


def words(text: str) -> list[str]:
    """Return the words of a query in lower case, in order, each once: as written, then the parts of identifiers."""
    if REDACTED in text:
        text = _without_marks(text)
    found = [word.lower() for word in _split(text)] + [part.lower() for part in _identifier_parts(text)]
    if not text.isascii():
        pairs = _pairs(text)
        covered = set("".join(pairs))
        found = [word for word in found if word.isascii() or not covered.issuperset(word)] + pairs
    return list(dict.fromkeys(found))


def _without_marks(text: str) -> str:
    kept = []
    while True:
        before, mark, rest = text.partition(REDACTED)
        kept.append(before)
        if not mark:
            return " ".join(kept)
        # a mark that was cut off has no bracket; it hides itself and not what follows
        text = rest.lstrip(KIND).removeprefix("]")


def _split(text: str) -> list[str]:
    """Split into words the way unicode61 does: whatever is neither letter nor digit stands between them."""
    return "".join([char if char.isalnum() else " " for char in text]).split()


def _identifier_parts(text: str) -> list[str]:
    """Return the parts of camelCase and HTTPServer2 words; snake_case and paths are split by the tokenizer."""
    parts: list[str] = []
    for word in text.split():
        # one look at a word is enough for nearly all: an inner capital makes it neither lower nor capitalised
        if len(word) > 64 or word.islower() or word[1:].islower() or word.isupper():
            continue
        for name in _split(word):
            pieces = _pieces(name)
            if len(pieces) > 1:
                parts += pieces
    return parts


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


def _pairs(text: str) -> list[str]:
    """Return each pair of neighbouring CJK characters, so that a word inside an unspaced run is found."""
    return [text[at : at + 2] for at in range(len(text) - 1) if _is_cjk(text[at]) and _is_cjk(text[at + 1])]


def _is_cjk(char: str) -> bool:
    # kana, CJK ideographs with extension A, Hangul syllables, ideographs beyond the basic plane
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7a3"
        or "\U00020000" <= char <= "\U0003134f"
    )
