"""Census: which rows a table of a damaged database had, by everything else in the file that names them.

A table lies apart from its own indexes, and from the tables that refer to it: where its pages are gone, these still know how
many rows were on them.
"""

from ralph_mem.core import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

FAILURES = (store.sqlite.Error, MemoryError, OverflowError, ValueError)
# Table -> an index of each of its unique columns: scanned alone it is read without the table, and names every row.
UNIQUE = {
    "sessions": (
        "SELECT id, public_id FROM sessions INDEXED BY sqlite_autoindex_sessions_1 ORDER BY public_id",
        "SELECT id, client_session FROM sessions INDEXED BY sqlite_autoindex_sessions_2 ORDER BY client_session",
    ),
    "turns": (
        "SELECT id, public_id FROM turns INDEXED BY sqlite_autoindex_turns_1 ORDER BY public_id",
        "SELECT id, event_id FROM turns INDEXED BY sqlite_autoindex_turns_2 ORDER BY event_id",
    ),
    "observations": (
        "SELECT id, public_id FROM observations INDEXED BY sqlite_autoindex_observations_1 ORDER BY public_id",
        "SELECT id, event_id FROM observations INDEXED BY sqlite_autoindex_observations_2 ORDER BY event_id",
    ),
}
NUMBERS = {
    "sessions": "SELECT id FROM sessions",
    "turns": "SELECT id FROM turns",
    "observations": "SELECT id FROM observations",
}
DOCSIZE = "SELECT id, 'key' FROM observations_fts_docsize ORDER BY id"
# Table -> who else names some of its rows.
OTHERS = {
    "sessions": (
        "SELECT session_id, public_id FROM turns ORDER BY id",
        "SELECT session_id, public_id FROM observations ORDER BY id",
        "SELECT session_id, event FROM receipts ORDER BY id",
    ),
    "turns": (
        "SELECT turn_id, 'row' FROM memories ORDER BY id",
        "SELECT turn_id, 'index' FROM memories INDEXED BY sqlite_autoindex_memories_1 ORDER BY turn_id",
        "SELECT turn_id, public_id FROM observations ORDER BY id",
        "SELECT turn_id, event FROM receipts ORDER BY id",
    ),
    "observations": (
        "SELECT observation_id, 'row' FROM memories ORDER BY id",
        "SELECT observation_id, 'index' FROM memories INDEXED BY sqlite_autoindex_memories_2 ORDER BY observation_id",
        DOCSIZE,
        DOCSIZE,  # twice: its own keys, which SQLite finds in order or not at all, need no second witness
    ),
}


class Losses:
    """What of a damaged database could not be read: after `count` `least` rows, and at `most` as many; None where nobody knows."""

    def __init__(self) -> None:
        self.least = 0
        self.most: int | None = 0
        self.known: dict[str, set[int]] = {}  # table -> the numbers of rows that were there
        self.gaps: dict[str, list[range]] = {}  # table -> between which rows others may have been, where not all are known

    def look(self, db: "Any", table: str, read: "set[int]", gaps: "list[range] | None") -> None:
        """Note which rows a table had. `read` are those that could be read, `gaps` is None where its end was not found."""
        self.known[table], are_all = of(db, table, read)
        if are_all:
            return
        if gaps is None:
            self.most = None
        elif gaps:
            self.gaps[table] = gaps
        else:  # no index is sound, but the table is
            self.known[table] = read

    def count(self, target: "Store", altered: "list[tuple[str, Any]]") -> None:
        """Count what is not in the new database, and is not told of as altered."""
        for table, known in self.known.items():
            there = {number for (number,) in target.execute(NUMBERS[table])}
            there.update([number for which, number in altered if which == table])
            missing, seen = len(known - there), known | there
            others = sum([number not in seen for gap in self.gaps.get(table, ()) for number in gap])
            self.least += missing
            self.most = None if self.most is None else self.most + missing + others


def of(db: "Any", table: str, read: "set[int]") -> "tuple[set[int], bool]":
    """Return the row numbers of one of these tables, and whether they are all; otherwise there may have been others.

    `read` are those that could be read: an index that lacks one of them is not believed.
    """
    named: dict[int, int] = {}
    for sql in UNIQUE[table]:
        numbers, whole = _numbers(db, sql)
        if whole and read <= numbers:
            return numbers, True
        _witness(named, numbers)
    for sql in OTHERS[table]:
        _witness(named, _numbers(db, sql)[0])
    # one alone may be a bit that was flipped, or half of a page
    return {number for number, witnesses in named.items() if witnesses > 1} | read, False


def _witness(named: "dict[int, int]", numbers: "set[int]") -> None:
    for number in numbers:
        named[number] = named.get(number, 0) + 1


def _numbers(db: "Any", sql: str) -> "tuple[set[int], bool]":
    """Return what a query names up to what is damaged, from its beginning and from its end, and whether all of it is sound."""
    found: set[int] = set()
    for query in (sql, sql + " DESC"):
        count, sound = 0, True
        try:
            for number, text in db.execute(query):
                if isinstance(number, int) and number > 0 and isinstance(text, str) and text and "\0" not in text:
                    found.add(number)
                    count += 1
                else:
                    sound = sound and number is None
        except FAILURES:
            continue
        return found, sound and count == len(found)
    return found, False
