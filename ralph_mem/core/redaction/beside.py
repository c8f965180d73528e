"""Find secrets that look like none but a secret, on a line or below one that speaks of one, whatever stands between."""

from ralph_mem.core.redaction.names import DIGITS, LETTERS, SYMBOLS, is_called_so, is_filler, is_hexed, is_plain
from ralph_mem.core.redaction.passwords import is_generated, is_jumbled, is_passphrase
from ralph_mem.core.redaction.vocabulary import CODES, SPOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

PARTING = "\"'`“”„‘’«»‹›()[]{}<>,;| \t\r│"
BLANKS = {ord(char): " " for char in PARTING}
LONGEST_LINE, LONGEST_BELOW = 600, 80
SEALED = 60  # characters; so begins what is sealed for everybody to read
FEWEST_TOLD = 6
LINKS = frozenset("is now still was remains lautet ist bleibt est es é è wird : => -> → / mit".split())
HEX = frozenset(DIGITS + "abcdefABCDEF")
HEX_SIZES = (32, 40, 48, 56, 64, 96, 128)
# What a line says of hexadecimal digits that are no secret.
OPEN = (
    "sha", "md5", "hash", "digest", "checksum", "commit", "public", "fingerprint", "uuid", "guid", "etag", "integrity", "rev",
    "index", "blob", "tree", "merge", "version", "nonce", "trace", "span", "request", "session-id", "cache", "image", "layer",
)  # fmt: skip


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans: list[Span] = []
    for start, end, named in _lines(text, folded):
        if end - start <= LONGEST_LINE:
            spans += [(start + at, start + stop, "secret") for at, stop in _in_line(text[start:end], folded[start:end], named - start)]
    return spans


def _lines(text: str, folded: str) -> "list[tuple[int, int, int]]":
    """Return where the lines begin and end that speak of a secret, each once, and where the first such word is over."""
    found: dict[int, tuple[int, int]] = {}
    for word in SPOKEN:
        at = folded.find(word)
        while at >= 0:
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            start = text.rfind("\n", 0, at) + 1
            if start not in found or found[start][1] > at + len(word):
                found[start] = (end, at + len(word))
            at = folded.find(word, end)
    return sorted([(start, end, named) for start, (end, named) in found.items()])


def _in_line(line: str, folded: str, named: int) -> "list[tuple[int, int]]":
    spans, at, before = [], 0, ""
    if ' d="' in line or "[-" in line:  # a drawing, or how a program is called
        return []
    is_open = any([word in folded for word in OPEN])
    words = folded.translate(BLANKS).split()
    is_code = not CODES.isdisjoint(words)
    for word in line.translate(BLANKS).split():
        at = line.index(word, at)
        value = _assigned(word.rstrip(".!?")) or word.rstrip(".:!?")
        where = line.index(value, at)
        is_named = before.endswith((":", "=")) and not speaks(before) or (value != word and not speaks(word[: word.find(value)]))
        is_below = where >= named and not is_named
        if is_below and before.strip("*_").lower() in LINKS and _is_told(value):
            spans.append((where, where + len(value)))
        if (is_below and (tells(value) or (not is_open and _is_hexed(value)))) or (is_code and _is_code(value)):
            spans.append((where, where + len(value)))
        at, before = at + len(word), word if word not in "=:" else before + word
    return spans


def speaks(name: str) -> bool:
    """Say whether a name speaks of a secret."""
    return any([word in name.lower() for word in SPOKEN])


def _assigned(word: str) -> str:
    """Return what stands behind a name and a sign: `name=value`, `name:value`."""
    ends = [word.find(sign) for sign in "=:" if 0 < word.find(sign) < len(word) - 1]
    return word[min(ends) + 1 :] if ends and word[: min(ends)].replace("_", "a").replace("-", "a").replace(".", "a").isalnum() else ""


def tells(value: str) -> bool:
    """Say whether a value looks like none but a password or a token: no word, name, number, place or expression does."""
    if value[:2] == "Ag" and len(value) > SEALED:
        return False
    if len(value) < 8 or is_filler(value) or is_plain(value) or value[0] in "$%@&*-/#" or any([sign in value for sign in "/\\=:"]):
        return is_generated(value, 16) and not any([sign in value for sign in ".:\\"]) if value else False
    if is_called_so(value) or "." in value.strip("."):
        return False
    if any([char in value for char in SYMBOLS]):
        return any([char in DIGITS for char in value]) and bool(value.strip(DIGITS + SYMBOLS + "_-")) and value[0] in LETTERS + DIGITS
    return is_generated(value)


def _is_told(value: str) -> bool:
    """Say whether a word is a password where a sentence says that it is: letters with digits or signs among them."""
    if len(value) < FEWEST_TOLD or is_filler(value) or is_plain(value) or is_called_so(value) or not value[0].isalnum():
        return False
    inner = value.strip("!?")
    is_mixed = inner.rstrip(DIGITS) != inner.rstrip(DIGITS).rstrip(LETTERS + "-_äöüÄÖÜß") or value[-3:].isdigit()
    return is_passphrase(value) or (is_mixed and not any([sign in value for sign in "./\\:=_"]) and bool(value.strip(LETTERS + "-")))


def _is_hexed(value: str) -> bool:
    return (len(value) in HEX_SIZES and HEX.issuperset(value) and len(set(value)) > 6) or is_hexed(value)


def _is_code(value: str) -> bool:
    return value.isdigit() and 4 <= len(value) <= 8 and len(set(value)) > 2 and value[:2] not in ("19", "20")
