"""Compare a database's tables, columns and indexes with those of its schema version, where SQLite says that it has changed."""

from ralph_mem.core import fast
from ralph_mem.core.errors import StoreError
from ralph_mem.memory.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

sqlite = fast.load_sqlite()

CHECKED = "checked_schema"  # the property of a database that says which state of its schema was found to be whole
COLUMNS = """
SELECT m.name || '.' || c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"""
# Made only when they are needed; from then on a property of the same name tells readers that they are there.
PROMISED = """
SELECT key FROM properties WHERE key = 'facts' AND value AND NOT EXISTS (
    SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = key)"""
INDEXES = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"


def check(opened: "Store") -> None:
    """Look whether the schema of this release is there as a whole, and remember that. Raises StoreError."""
    gone = missing(opened.db, schema.VERSION)
    if gone:
        what = f"{opened.folder}/memory.db has only a part of schema {schema.VERSION}: {_named(gone)} missing"
        raise StoreError(what, "`ralph-mem doctor --repair` shows what can be done")
    try:
        opened.set_property(CHECKED, opened.one("PRAGMA schema_version")[0])
    except sqlite.Error:  # somebody writes just now: looked at once more by the next one
        opened.properties.clear()


def missing(db: "Any", version: int) -> "list[str]":
    """Return what of a schema version a database lacks, as `table.column` or an index's name; more than that is no fault.

    A table that is made when it is needed is lacking where the database says that it has one, and is named alone.
    """
    gone = sorted(_wanted(version) - _parts(db))
    return gone or [name for (name,) in db.execute(PROMISED).fetchall()]


def added_since(version: int) -> "list[str]":
    """Return what this release's schema has and an earlier one has not."""
    return sorted(_wanted(schema.VERSION) - _wanted(version))


def _wanted(version: int) -> "set[str]":
    made = sqlite.connect(":memory:", isolation_level=None)
    try:
        for statements in schema.MIGRATIONS[:version]:
            for statement in statements:
                made.execute(statement)
        return _parts(made)
    finally:
        made.close()


def _parts(db: "Any") -> "set[str]":
    return {name for (name,) in db.execute(COLUMNS).fetchall() + db.execute(INDEXES).fetchall()}


def _named(gone: "list[str]") -> str:
    return f"{gone[0]} is" if len(gone) == 1 else f"{gone[0]} and {len(gone) - 1} more are"
