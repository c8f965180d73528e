"""Residue: what raw files still hold of texts that were deleted. A search that finds nothing proves nothing: deleted
bytes stay in free pages, in the log, and in an index that has not been rewritten.
"""

import os
from pathlib import Path

from ralph_mem.core import paths, quick, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store
    from ralph_mem.recall import Row

# Long enough that no binary data has it by chance. The pages of a database cut a long line up: each holds some pieces.
PIECE_CHARACTERS = 12
PIECE_LENGTH, STRIDE = 48, 240
MOST_PIECES = 120
# An index stores a word without the letters that it shares with the one before it, and without its ending.
WORD_CHARACTERS = 12
MIDDLE = slice(3, 9)
MOST_WORDS = 60
NO_ID = "''"

# Everything that is stored as text, our own schema too; the indexes are left out, they are what is looked into.
TABLES = """
SELECT m.name, group_concat('coalesce(' || c.name || ", '')", ' || '), max(c.name = 'public_id')
FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE '%_fts%' GROUP BY m.name"""


class Residue:
    """What is left: `files` that hold a deleted text which no row says, `rows` that say it too, `backups` that held it."""

    __slots__ = ("backups", "files", "rows")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.rows: list[str] = []
        self.backups: list[str] = []


def look(project: "Project", stores: "list[Store]", gone: "list[Row]") -> Residue:
    """Read every file that may hold what was deleted; a backup that does is removed, since it cannot be rewritten."""
    found = Residue()
    ids = [row.public_id for row in gone]
    for backup in _backups(stores):
        if _held(backup, ids + pieces(gone)):
            paths.remove(backup)
            found.backups.append(backup)
    for path in _files(project, stores):
        left = any([not _rows_that_say(stores, name) for name in _held(path, ids)])
        for needle in _held(path, pieces(gone)):
            rows = _rows_that_say(stores, needle)
            found.rows += [name for name in rows if name and name not in found.rows]
            left = left or not rows
        if left or any([not _rows_that_say(stores, word) for word in _held(path, words(gone))]):
            found.files.append(path)
    return found


def _rows_that_say(stores: "list[Store]", needle: str) -> "list[str]":
    """Return the ids of the rows that hold a text; an empty one stands for what has no id, such as our own schema."""
    names = []
    for store in stores:
        for table, text, has_id in store.execute(TABLES).fetchall():
            sql = f"SELECT {'public_id' if has_id else NO_ID} FROM {table} WHERE instr(lower({text}), ?) LIMIT 3"
            names += [name for (name,) in store.execute(sql, (needle,))]
        names += [name for (name,) in store.execute("SELECT '' FROM sqlite_master WHERE instr(lower(sql), ?) LIMIT 1", (needle,))]
    return names


def pieces(gone: "list[Row]") -> "list[str]":
    """Return pieces of the lines of deleted texts, with small ASCII letters, as `lower` in SQL makes them."""
    lines = {_lower(line.strip()) for row in gone for text in (row.asked, row.said, row.lines) for line in text.splitlines()}
    cut = {line[at : at + PIECE_LENGTH] for line in lines for at in range(0, len(line), STRIDE)}
    telling = [piece for piece in cut if len(piece) >= PIECE_CHARACTERS and any(map(str.isalnum, piece))]
    return sorted(telling, key=len, reverse=True)[:MOST_PIECES]


def words(gone: "list[Row]") -> "list[str]":
    """Return the middles of the longest words of deleted texts, as an index would hold them."""
    text = _lower(" ".join([part for row in gone for part in (row.asked, row.said, row.files, row.lines)]))
    split = "".join([char if char.isalnum() else " " for char in text]).split()
    long = sorted({word for word in split if len(word) >= WORD_CHARACTERS and word.isascii()}, key=len, reverse=True)
    return list(dict.fromkeys([word[MIDDLE] for word in long[:MOST_WORDS]]))


def _lower(text: str) -> str:
    return text.encode("utf-8", "replace").lower().decode("utf-8", "replace")


def _held(path: str, needles: "list[str]") -> "list[str]":
    """Return the needles that a file holds, in whatever case, as text or as it stands inside JSON."""
    try:
        data = Path(path).read_bytes().lower()
    except OSError:
        return []
    return [needle for needle in needles if any([form in data for form in _forms(needle)])]


def _forms(needle: str) -> "set[bytes]":
    """Return a needle as it stands in a row, and as it stands in a spooled record."""
    return {needle.encode(), quick.dumps(needle)[1:-1].encode()}


def _files(project: "Project", stores: "list[Store]") -> "list[str]":
    """Return every file that we may have written a text to."""
    home = paths.data_home()
    folders = [*[store.folder for store in stores], *spool.folders(project.root)]
    found = [path for folder in dict.fromkeys(folders) for path in _inside(folder)]
    key = paths.key_of(project.root)
    return list(dict.fromkeys(found)) + [
        path for path in (f"{home}/trouble/{key}", f"{home}/settings/{key}.json") if home and paths.exists(path)
    ]


def _inside(folder: str) -> "list[str]":
    return [f"{at}/{name}" for at, _, names in os.walk(folder) for name in names]


def _backups(stores: "list[Store]") -> "list[str]":
    folder = paths.data_home() + "/backups"
    ids = [str(store.property("project_id")) for store in stores]
    return [path for path in _inside(folder) if any([path.startswith(f"{folder}/{number}-") for number in ids])]
