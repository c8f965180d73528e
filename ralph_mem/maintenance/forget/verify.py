"""Choose what of deleted texts is looked for in raw files, and say what these still hold.

A search proves nothing: deleted bytes stay in free pages, in the log, and in an index that has not been rewritten.
"""

import os
import unicodedata

from ralph_mem.maintenance.forget import verifier
from ralph_mem.memory.ownership import foreign
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph_mem.memory.recall.lookup import Row

NO_ID = "''"
# How a group of needles is called for the verifier.
PIECES, WORDS, NAMES = "pieces", "words", "names"

# Everything that is stored as text, our own schema too; the indexes are left out, they are what is looked into.
TEXT = """
SELECT group_concat('coalesce(' || name || ", '')", ' || '), max(name = 'public_id') FROM pragma_table_info(?)"""
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


def needles_for(rows: "Iterable[Row]", names: "Sequence[str]" = (), query: str = "") -> Needles:
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


class Residue:
    """What is left: `files` that hold a deleted text which no row says, and `rows` that say it too.

    `looked` are the files that were read, `bytes` how much that was, `needles` how many texts were looked for, `unread` the
    files that could not be read, `failed` why the process that reads gave no answer.
    """

    __slots__ = ("bytes", "failed", "files", "looked", "needles", "rows", "unread")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.rows: list[str] = []
        self.unread: list[str] = []
        self.looked: list[str] = []
        self.bytes = self.needles = 0
        self.failed = ""


def verify(stores: "list[connection.Store]", places: "Sequence[str]", needles: "Needles") -> Residue:
    """Have a separate process read files for needles; what a row still says is no residue."""
    found = Residue()
    found.looked = list(places)
    found.needles = len(needles.pieces) + len(needles.words) + len(needles.names)
    databases = [path for path in places if is_database(path)]
    others = [path for path in places if path not in set(databases)]
    for group, chosen in ((databases, [PIECES, WORDS, NAMES]), (others, [PIECES, NAMES])):
        _verify(found, stores, group, {name: getattr(needles, name) for name in chosen})
    return found


def _verify(found: Residue, stores: "list[connection.Store]", places: "list[str]", groups: "dict[str, list[str]]") -> None:
    if not places:
        return
    try:
        told = verifier.ask(places, groups, _addresses(places))
    except verifier.Unverified as error:
        found.failed = str(error) or "no answer"
        return
    found.bytes += told["bytes"]
    found.unread += told["unread"]
    said: dict[str, list[str]] = {}
    for path, held in told["held"].items():
        left = False
        for group, texts in held.items():
            for text in texts:
                rows = said[text] = said[text] if text in said else rows_that_say(stores, text)
                found.rows += [name for name in rows if group == PIECES and name and name not in found.rows]
                left = left or not rows
        if left:
            found.files.append(path)


def holding(places: "Sequence[str]", groups: "dict[str, list[str]]") -> "dict[str, set[str]]":
    """Return which files hold which texts, whoever says them too. A failure of the process means that none was seen."""
    try:
        told = verifier.ask(places, groups, _addresses(places)) if places else {"held": {}}
    except verifier.Unverified:
        return {}
    return {path: {text for texts in held.values() for text in texts} for path, held in told["held"].items()}


def _addresses(places: "Sequence[str]") -> "dict[str, str]":
    """Return how to open what may be a database; a stranger's is never opened, its raw bytes alone are read."""
    return {path: connection.address_of(path, "mode=ro") for path in places if foreign.ASIDE not in path.rpartition("/")[2]}


def rows_that_say(stores: "list[connection.Store]", needle: str) -> "list[str]":
    """Return the ids of the rows that hold a text; an empty one stands for what has no id, such as our own schema."""
    names = []
    for store in stores:
        for (table,) in store.execute(kinds.TABLES).fetchall():
            ((text, has_id),) = store.execute(TEXT, (table,)).fetchall()
            sql = f"SELECT {'public_id' if has_id else NO_ID} FROM {table} WHERE instr(lower({text}), ?) LIMIT 3"
            names += [name for (name,) in store.execute(sql, (needle,))]
        names += [name for (name,) in store.execute("SELECT '' FROM sqlite_master WHERE instr(lower(sql), ?) LIMIT 1", (needle,))]
    return names


def is_database(path: str) -> bool:
    """Say whether a file is one of SQLite or the log of one, by its name: a live one must not be opened here."""
    name = path.rpartition("/")[2]
    return ".db" in name


def inside(folder: str) -> "list[str]":
    """Return every file below a folder, links left out."""
    found = [f"{at}/{name}" for at, _, names in os.walk(folder) for name in names]
    return sorted([path for path in found if not os.path.islink(path)])
