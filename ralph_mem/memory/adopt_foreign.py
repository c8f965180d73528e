"""Make a database that was set aside the memory of its project, because a person says so."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from ralph_mem.core.errors import StoreError
from ralph_mem.core.format import when
from ralph_mem.core.project import Project
from ralph_mem.memory.ownership import foreign as strangers
from ralph_mem.memory.ownership import restore_own, seals
from ralph_mem.memory.store import connection, schema
from ralph_mem.memory.store.locks import Quiet

WAIT_MS = 5000
# A whole database is looked through: some ten seconds for a gigabyte.
STEPS, LOOKS = 1_000_000, 5_000
DAMAGED = "damaged: "
# What a release says of a column changes; a comment within quotes is none.
QUOTED_OR_COMMENT = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`|\[[^]]*\]|/\*(?:.|\n)*?\*/)|--[^\n]*""")
ON_OUR_SIDE = ("sqlite_",)  # what SQLite adds itself


def reclaim(project: Project, path: str) -> str:
    """Put a database that was set aside back in place; returns where the other is now. Raises StoreError for a strange one."""
    found = foreign(path)
    if found.startswith(DAMAGED):
        raise StoreError(f"{path} is {found}", "it stays where it is: `ralph-mem restore --list` shows whether there is a backup")
    if found:
        raise StoreError(f"{path} holds what is not ours: {found}", "it cannot be the memory of this project")
    target, replaced = project.folder + "/memory.db", ""
    try:
        if Path(target).exists():
            connection.connect(project.folder, WAIT_MS).close()  # empties its log, so that it is one file
        with Quiet(project.folder):
            ours = restore_own.apart(project, path)
            if Path(target).exists():
                replaced = strangers.put_aside(project)
            restore_own.put_in_place(project, ours)
            if ours != path:
                restore_own.remove(path)
        opened = connection.connect(project.folder, WAIT_MS)
        seals.put(opened)
        opened.drop(connection.STANDING)  # its lines are made anew, from its rows
        opened.close()
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be put in place: {error}") from error
    return replaced


def foreign(path: str) -> str:
    """Say what of a database was never made by a release of ours, or what is wrong with it; nothing for one that is in order."""
    looks = iter(range(LOOKS))
    try:
        with closing(sqlite3.connect(connection.address_of(path, "mode=ro"), uri=True, timeout=1)) as db:
            db.set_progress_handler(lambda: next(looks, None) is None, STEPS)
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA cell_size_check = ON")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if not 0 < version <= connection.SCHEMA_VERSION:
                return f"schema {version}"
            strange = sorted(_objects(db) - _expected(version))
            if strange:
                return " ".join(strange[0][:2])
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            return "" if verdict == "ok" else DAMAGED + " ".join(str(verdict).split())
    except sqlite3.Error as error:
        return DAMAGED * ("malformed" in str(error)) + str(error)


def _expected(version: int) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as db:
        for statements in schema.MIGRATIONS[:version]:
            for statement in statements:
                db.execute(statement)
        for statement in schema.ON_DEMAND.values():
            db.execute(statement)
        return _objects(db)


def _objects(db: sqlite3.Connection) -> set[tuple[str, str, str]]:
    rows = db.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master").fetchall()
    return {(kind, name, _bare(sql)) for kind, name, sql in rows if not name.startswith(ON_OUR_SIDE) or kind != "index"}


def _bare(sql: str) -> str:
    """Return a statement without comments, in one line."""
    return " ".join(QUOTED_OR_COMMENT.sub(lambda found: found[1] or "", sql).split())


def told(path: str, size: int, at: int) -> str:
    """Return the line that shows a database which was set aside."""
    return f"{path} ({size} bytes, set aside {when(at)})"
