"""Needles: what of a deleted text is looked for in raw files: pieces of its lines, middles of its words, ids.

Standard library only: the skill uses it.
"""

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph_mem.recall import Row

# Long enough that no binary data has it by chance. The pages of a database cut a long line up: each holds some pieces.
PIECE_CHARACTERS = 12
PIECE_LENGTH, STRIDE = 48, 240
# A file that is not ours may hold a short line for reasons of its own.
LONG_PIECE = 24
# A query that is shorter than a piece is looked for in sentences alone: raw bytes, names and keys may hold it for other reasons.
QUERY_CHARACTERS = 3
# What one pass looks for, some of each row: four thousand pieces in ten megabytes take some ten seconds.
MOST_PIECES = 4000
# An index stores a word without the letters that it shares with the one before it, and without its ending.
WORD_CHARACTERS = 12
MIDDLES = (slice(3, 9), slice(6, 12), slice(9, 15), slice(12, 18))  # the later ones only of words that are two letters longer
MOST_WORDS = 400


class Needles:
    """What to look for: `pieces` of text, `words` as an index would hold them, `names` (ids); `query` is what a person typed."""

    __slots__ = ("names", "pieces", "query", "words")

    def __init__(self, pieces: "Sequence[str]", words: "Sequence[str]", names: "Sequence[str]", query: str = "") -> None:
        self.pieces, self.words, self.names, self.query = list(pieces), list(words), list(names), query

    def long_pieces(self) -> "list[str]":
        """Return the pieces that tell a text from any other, in whatever file."""
        return [piece for piece in self.pieces if len(piece) >= LONG_PIECE or piece == self.query]

    def typed(self) -> "list[str]":
        """Return the query, where it is too short to be a piece and long enough to mean something."""
        return [self.query] if QUERY_CHARACTERS <= len(self.query) < PIECE_CHARACTERS else []

    def told_by(self, text: str) -> bool:
        """Say whether a text tells of it: a piece, an id, or a sentence with the words of a short query."""
        return self.find_in(text) or (" " in text and any([word in lower(text) for word in self.typed()]))

    def find_in(self, text: str) -> bool:
        """Say whether a text holds one of the pieces, or an id."""
        small = lower(text)
        return any([piece in small for piece in self.pieces]) or any([name in small for name in self.names])


def of(rows: "Iterable[Row]", names: "Sequence[str]" = (), query: str = "") -> Needles:
    """Return the needles of rows that go, with further ids, and with the query that chose them where it is long enough."""
    kept = list(rows)
    chosen = lower(query.strip())
    own = [chosen] if len(chosen) >= PIECE_CHARACTERS else []
    return Needles([*own, *pieces(kept)], words(kept), [*[row.public_id for row in kept], *names], chosen)


def pieces(gone: "Iterable[Row]") -> "list[str]":
    """Return pieces of the lines of texts, with small ASCII letters, as `lower` in SQL makes them; some of each row first."""
    ranked: list[list[str]] = []
    for row in gone:
        lines = {lower(line.strip()) for text in (row.asked, row.said, row.lines) for line in text.splitlines()}
        cut = {line[at : at + PIECE_LENGTH] for line in lines for at in range(0, len(line), STRIDE)}
        telling = [piece for piece in cut if len(piece) >= PIECE_CHARACTERS and any(map(str.isalnum, piece))]
        ranked.append(sorted(telling, key=lambda piece: (-len(piece), piece)))
    return _dealt(ranked, MOST_PIECES)


def words(gone: "Iterable[Row]") -> "list[str]":
    """Return the middles of the longest words of texts, as an index would hold them; some of each row first."""
    ranked = []
    for row in gone:
        text = _folded(f"{row.asked} {row.said} {row.files} {row.lines}")
        split = "".join([char if char.isalnum() else " " for char in text]).split()
        long = {word for word in split if len(word) >= WORD_CHARACTERS and word.isascii()}
        longest = sorted(long, key=lambda word: (-len(word), word))
        ranked.append([word[middle] for word in longest for middle in MIDDLES if len(word) >= middle.stop + 2])
    return _dealt(ranked, MOST_WORDS)


def _dealt(ranked: "list[list[str]]", most: int) -> "list[str]":
    """Take the first of each list, then the second of each, until there are enough."""
    found: dict[str, None] = {}
    for place in range(max(map(len, ranked), default=0)):
        found.update(dict.fromkeys([each[place] for each in ranked if len(each) > place]))
        if len(found) >= most:
            break
    return list(found)[:most]


def lower(text: str) -> str:
    """Return a text with small ASCII letters and all others as they are."""
    return text.encode("utf-8", "replace").lower().decode("utf-8", "replace")


def _folded(text: str) -> str:
    """Return a text as the tokenizer of the index sees it: in small letters, without accents."""
    if text.isascii():
        return text.lower()
    return "".join([char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char)])
