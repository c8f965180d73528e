"""Compute the text of a row as the indexes see it. An entry is removed by giving the same text again."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

INDEX_VERSION = 1
REDACTED = "[REDACTED"
KIND = "abcdefghijklmnopqrstuvwxyz:-"
QUERY_CHARACTERS = 1000
MOST_TERMS = 32
LAST_ASKED: "dict[str, list[str]]" = {}  # the last query with its words, for which a prompt asks four times
FEWEST_INFLECTED = 5  # letters: a shorter word, cut, would stand for too many others
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
    added = _identifier_parts(kept)
    if not text.isascii():
        added += _pairs(text)
    return " ".join(kept + added)


def terms(query: str) -> "list[str]":
    """Return the words of a query that carry meaning, of a long one the beginning and the end."""
    if len(query) > QUERY_CHARACTERS:
        query = query[: QUERY_CHARACTERS // 2] + " " + query[-QUERY_CHARACTERS // 2 :]
    return [word for word in words(query) if len(word) > 1 and word not in STOPWORDS][:MOST_TERMS]


def words(text: str) -> list[str]:
    """Return the words of a query in lower case, in order, each once: as written, then the parts of identifiers."""
    found = LAST_ASKED.get(text)
    if found is None:
        LAST_ASKED.clear()
        found = LAST_ASKED[text] = _words(text)
    return list(found)


def _words(text: str) -> list[str]:
    if REDACTED in text:
        text = without_marks(text)
    found = [word.lower() for word in split(text)] + [part.lower() for part in _identifier_parts(text.split())]
    if not text.isascii():
        pairs = _pairs(text)
        covered = set("".join(pairs))
        found = [word for word in found if word.isascii() or not covered.issuperset(word)] + pairs
    return list(dict.fromkeys(found))


def quoted(term: str) -> str:
    """Return a term as FTS5 asks for it, whatever is in it; in other alphabets, without what inflection adds at the end."""
    stem = stem_of(term)
    return '"' + stem.replace('"', '""').replace("\0", " ") + ('"' if stem == term else '" *')


def stem_of(term: str) -> str:
    """Return what all forms of a word begin with in an alphabet of which the index knows no endings, else the term."""
    if min(term) < "\x80" or len(term) < FEWEST_INFLECTED or not term.isalpha() or _is_cjk(term[0]):
        return term
    return term[: -1 if len(term) == FEWEST_INFLECTED else -2]


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
    """Split into words the way unicode61 does: whatever is neither letter nor digit stands between them."""
    return "".join([char if char.isalnum() else " " for char in text]).split()


def _identifier_parts(words: "list[str]") -> list[str]:
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


# What `load` returns: number, public id, session, seq, created_at, tainted, the texts of the index's columns, what a
# person said about it: pinned, and how often it misled; who said it, where that is neither the user nor the agent; the
# origin of its first text, nothing where it is not to be trusted; and the checksum of its texts.
CREATED_AT, FILES, PINNED, MISLED, SPEAKER = 4, 9, 11, 12, 13
INDEXED, MARKS = slice(6, 11), slice(11, 13)
WAS_PINNED = "pinned"  # the property of a database in which something was pinned once
TURN = """
SELECT m.id, t.public_id, t.session_id, t.seq, t.created_at, t.tainted, t.prompt, t.response, t.context, t.files, t.lines,
    t.pinned, t.misled, NULL, CASE WHEN t.tainted THEN '' ELSE 'user' END, t.checksum
FROM turns AS t JOIN memories AS m ON m.turn_id = t.id"""
OBSERVATION = """
SELECT m.id, o.public_id, o.session_id, o.seq, o.created_at, o.tainted, o.title, o.content, o.context, o.files, o.lines,
    o.pinned, o.misled, o.speaker, CASE WHEN o.tainted THEN '' ELSE o.origin END, o.checksum
FROM observations AS o JOIN memories AS m ON m.observation_id = o.id"""


def load_rows(store: "Store", numbers: "list[str]", has_turns: bool = True) -> "list[tuple[Any, ...]]":
    """Return the rows of memories by number, in that order; `has_turns` is whether any may be a turn."""
    listed = ",".join(numbers)
    rows = store.execute(f"{TURN} WHERE m.id IN ({listed})").fetchall() if has_turns else []
    if len(rows) < len(numbers):  # mostly they are turns, and preparing the other question costs as much again
        rows += store.execute(f"{OBSERVATION} WHERE m.id IN ({listed})").fetchall()
    found = {str(values[0]): values for values in rows}
    return [found[number] for number in numbers if number in found]
