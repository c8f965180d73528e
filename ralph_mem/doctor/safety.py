"""Safety: whether a lost or damaged memory would come back: its backups, rows that were altered, what is kept of damage."""

import contextlib
import sqlite3
from collections.abc import Iterator

from ralph_mem import backups, glance, quarantine, repair
from ralph_mem.core import store
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, problem, warning

REPAIR = "`ralph-mem doctor --repair` shows what can be done"


def backup(project: Project) -> Iterator[Finding]:
    """Look at the backups of a memory; in the first day of one there is none."""
    found = backups.of_place(project)
    if glance.is_gone(project.folder + "/memory.db"):
        if found:
            seen = f"the memory is gone, a backup of {glance.when(found[0].at)} is there"
            yield warning("backup", seen, "`ralph-mem restore` brings it back")
        return
    fault, newest = _fault(project), glance.when(found[0].at) if found else "none"
    if fault:
        yield warning("backup", f"the last one could not be made: {fault}; the newest is {newest}", "`ralph-mem backup` makes one")
    elif found:
        yield ok("backup", f"{len(found)}, the newest of {newest}, {glance.amount(found[0].bytes)}")


def _fault(project: Project) -> str:
    try:
        with contextlib.closing(glance.connect(project.folder)) as db:
            told = dict(db.execute("SELECT key, value FROM properties WHERE key IN (?, ?)", backups.STATE).fetchall())
    except glance.FAILURES:  # the database has a line of its own
        return ""
    return str(told.get(backups.FAULT) or "")


def altered(project: Project) -> Iterator[Finding]:
    """Look for rows whose texts do not fit their checksum: SQLite does not notice a flipped bit inside a value."""
    if glance.is_gone(project.folder + "/memory.db"):
        return
    try:
        with contextlib.closing(glance.connect(project.folder)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != store.SCHEMA_VERSION:
                return
            names = repair.altered_rows(db)
    except (sqlite3.Error, MemoryError, OverflowError):  # the database has a line of its own
        return
    if names:
        seen = f"{glance.count(len(names), 'row')} not as they were written, such as {names[0]}"
        yield problem("rows", seen, REPAIR)


def kept(project: Project) -> Iterator[Finding]:
    """Look at damaged files that were set aside; they hold what could not be read, and are never removed by us."""
    names = quarantine.kept(project.folder)
    if names:
        where = f"{project.folder}/{quarantine.FOLDER}"
        yield warning("set aside", f"{glance.count(len(names), 'damaged file')} in {where}", "remove them once nothing is missed")
