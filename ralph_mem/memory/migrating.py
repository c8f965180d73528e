"""Give a database the form that this release works with."""

import time

from ralph_mem.core import paths
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.rows import row
from ralph_mem.memory.store import connection, schema


def migrate(opened: connection.Store) -> None:
    """Run the migrations that are missing, all or none, with a backup before the first that changes data."""
    opened.execute("PRAGMA journal_mode = WAL").fetchone()
    version = opened.one("PRAGMA user_version")[0]
    if version:
        _back_up(opened, version)
    opened.begin(durable=True)
    try:
        version = opened.one("PRAGMA user_version")[0]
        for statements in schema.MIGRATIONS[version:]:
            for statement in statements:
                opened.execute(statement)
        if not version:
            opened.set_property("project_id", row.public_id("project"))
            seals.put(opened)
            opened.set_property("backed_up_at", time.time_ns() // 1_000_000)  # the first backup is made a day later
            opened.set_property(connection.STOPPED_AT, 0)
        opened.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        opened.execute(f"PRAGMA user_version = {schema.VERSION}")
        if not version:
            opened.set_property("checked_schema", opened.one("PRAGMA schema_version")[0])
        opened.commit()
    finally:
        opened.roll_back()
    opened.checkpoint()  # or each event would read all of it in the log


def _back_up(opened: connection.Store, version: int) -> None:
    home = paths.data_home()
    if home:
        paths.make_folder(f"{home}/{paths.BACKUPS}")
        name = f"{home}/{paths.BACKUPS}/{opened.property('project_id')}-schema-{version}.db"
        paths.write(name, "")  # empty and for the owner alone, before SQLite fills it
        opened.execute("VACUUM INTO ?", (name,))
