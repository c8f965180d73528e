"""Say in which condition a memory's file is, and put it in a better one without keeping a session waiting."""

from collections import namedtuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import access
from ralph_mem.memory.rows import kinds, sessions
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# As many faults as fit on a screen; one is enough to change nothing.
MOST_FAULTS = 20
# Each step of a merge is a transaction of some milliseconds: a hook waits at most 150 for one.
MERGE_PAGES = 256
BYTES = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"
PAGES = "SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count"
OPEN = "SELECT public_id, client_pid FROM sessions WHERE ended_at IS NULL ORDER BY id DESC"

# Of a table or an index of words with what belongs to it; `bytes` is None where this SQLite does not tell.
Size = namedtuple("Size", "name rows bytes")
# `free` and `log` are what a rewriting gives back, in bytes; `at_work` are the sessions that would wait for it.
Condition = namedtuple("Condition", "sizes bytes free log faults at_work")


def of(opened: "Store") -> Condition:
    """Look at a memory; changes nothing."""
    page, pages, free = opened.one(PAGES)
    faults = [fault for (fault,) in opened.execute(f"PRAGMA integrity_check({MOST_FAULTS})") if fault != "ok"]
    faults += [f"{table} refers to a row that is gone" for table, *_ in opened.execute("PRAGMA foreign_key_check").fetchall()]
    return Condition(_sizes(opened), page * pages, page * free, opened.log_bytes(), faults[:MOST_FAULTS], _at_work(opened))


def improve(opened: "Store", tell: "Callable[[str], Any]" = len) -> bool:
    """Merge the indexes of words, and write the file anew unless a session is at work; says whether the file was.

    `tell` hears what is being done.

    Raises RalphMemError for one that is damaged: what copies it would copy the damage. Statistics (ANALYZE) are not gathered:
    what hooks cost is measured without them, and they change SQLite's plans.
    """
    if of(opened).faults:
        raise RalphMemError(
            "the memory is damaged, nothing was changed", "`ralph-mem restore` brings back a backup, or what is whole"
        )
    tell("merging its indexes")
    while kinds.merge(opened, MERGE_PAGES):
        pass
    tell("writing it anew")
    return not _at_work(opened) and access.rewrite(opened)


def _sizes(opened: "Store") -> "list[Size]":
    """Return the tables and indexes of words, the largest first, each with the indexes that are part of it."""
    try:
        pages = dict(opened.execute(BYTES).fetchall())
    except connection.sqlite.OperationalError:  # built without it
        pages = {}
    owner = dict(opened.execute("SELECT name, tbl_name FROM sqlite_master").fetchall())
    indexes, found = kinds.indexes(opened), []
    for table in [*[kind.table for kind in kinds.there(opened)], *indexes]:
        parts = [name for name in pages if owner.get(name) == table or (table in indexes and name.startswith(table + "_"))]
        rows = None if table in indexes else opened.one(f"SELECT count(*) FROM {table}")[0]
        found.append(Size(table, rows, sum([pages[name] for name in parts]) if pages else None))
    return sorted(found, key=lambda size: -(size.bytes or 0))


def _at_work(opened: "Store") -> "list[str]":
    """Return the sessions that have not ended, but for those whose client is known to be gone."""
    is_elsewhere = sessions.elsewhere(opened, "")
    found = opened.execute(OPEN).fetchall()
    return [name for name, pid in found if is_elsewhere or not pid or sessions.born(pid) is not None]
