"""Residue: what raw files still hold of texts that were deleted. A search that finds nothing proves nothing: deleted
bytes stay in free pages, in the log, and in an index that has not been rewritten.
"""

import os

from ralph_mem import needles as sought
from ralph_mem import verifier
from ralph_mem.core import paths, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store
    from ralph_mem.needles import Needles
    from ralph_mem.recall import Row

NO_ID = "''"
# How a group of needles is called for the verifier.
PIECES, WORDS, NAMES = "pieces", "words", "names"
DATABASE = b"SQLite format 3\0"

# Everything that is stored as text, our own schema too; the indexes are left out, they are what is looked into.
TABLES = """
SELECT m.name, group_concat('coalesce(' || c.name || ", '')", ' || '), max(c.name = 'public_id')
FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE '%_fts%' GROUP BY m.name"""


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


def look(project: "Project", stores: "list[Store]", gone: "list[Row]") -> Residue:
    """Read every file of a project that may hold what was deleted."""
    return verify(stores, files(project, stores), sought.of(gone))


def verify(stores: "list[Store]", places: "Sequence[str]", needles: "Needles") -> Residue:
    """Have a separate process read files for needles; what a row still says is no residue."""
    found = Residue()
    found.looked = list(places)
    found.needles = len(needles.pieces) + len(needles.words) + len(needles.names)
    databases = [path for path in places if is_database(path)]
    others = [path for path in places if path not in set(databases)]
    for group, chosen in ((databases, [PIECES, WORDS, NAMES]), (others, [PIECES, NAMES])):
        _verify(found, stores, group, {name: getattr(needles, name) for name in chosen})
    return found


def _verify(found: Residue, stores: "list[Store]", places: "list[str]", groups: "dict[str, list[str]]") -> None:
    if not places:
        return
    try:
        told = verifier.ask(places, groups)
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
        told = verifier.ask(places, groups) if places else {"held": {}}
    except verifier.Unverified:
        return {}
    return {path: {text for texts in held.values() for text in texts} for path, held in told["held"].items()}


def rows_that_say(stores: "list[Store]", needle: str) -> "list[str]":
    """Return the ids of the rows that hold a text; an empty one stands for what has no id, such as our own schema."""
    names = []
    for store in stores:
        for table, text, has_id in store.execute(TABLES).fetchall():
            sql = f"SELECT {'public_id' if has_id else NO_ID} FROM {table} WHERE instr(lower({text}), ?) LIMIT 3"
            names += [name for (name,) in store.execute(sql, (needle,))]
        names += [name for (name,) in store.execute("SELECT '' FROM sqlite_master WHERE instr(lower(sql), ?) LIMIT 1", (needle,))]
    return names


def is_database(path: str) -> bool:
    """Say whether a file is one of SQLite or the log of one, by its name: a live one must not be opened here."""
    name = path.rpartition("/")[2]
    return ".db" in name


def files(project: "Project", stores: "list[Store]") -> "list[str]":
    """Return every file of a project that we may have written a text to, but for snapshots."""
    home = paths.data_home()
    folders = [*[store.folder for store in stores], *spool.folders(project.root)]
    found = [path for folder in dict.fromkeys(folders) for path in inside(folder)]
    key = paths.key_of(project.root)
    near = (f"{home}/trouble/{key}", f"{home}/settings/{key}.json")
    return list(dict.fromkeys(found)) + [path for path in near if home and paths.exists(path)]


def inside(folder: str) -> "list[str]":
    """Return every file below a folder, links left out."""
    found = [f"{at}/{name}" for at, _, names in os.walk(folder) for name in names]
    return sorted([path for path in found if not os.path.islink(path)])
