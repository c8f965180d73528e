"""The databases: whether they are ours, whole and of this release, and whether a lost or damaged one would come back."""

import contextlib
import shlex
import sqlite3
from collections.abc import Iterator

from ralph_mem.core import project as projects
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.format import amount, count, when
from ralph_mem.core.project import Project
from ralph_mem.maintenance.recovery import backups, keep_damaged, repair
from ralph_mem.memory import inspect
from ralph_mem.memory.ownership import foreign
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection, schema, schema_check

REPAIR = "`ralph-mem doctor --repair` shows what can be saved, and --confirm saves it"
# What a copy in memory may take; a hundred thousand turns are some 200 MB.
LARGEST_COPY = 1_000_000_000
FACTS = """
SELECT application_id, user_version, journal_mode, page_count * page_size, (SELECT count(*) FROM sqlite_master)
FROM pragma_application_id, pragma_user_version, pragma_journal_mode, pragma_page_count, pragma_page_size"""
LOOK = "`ralph-mem doctor --repair` shows what can be done"
SHARE = "`ralph-mem trust` shows each; to share one memory with a container, give both homes the same XDG_DATA_HOME folder"


def databases(project: Project) -> Iterator[Finding]:
    """Look at the database of a project, and at that of all projects where there is one."""
    everywhere = projects.everywhere()
    places = [("", project.folder)] + ([("global ", everywhere.folder)] if everywhere else [])
    for prefix, folder in places:
        if inspect.is_gone(folder + "/memory.db"):
            yield from [] if prefix else [ok("database", "none yet: the next session start makes it")]
            continue
        try:
            with contextlib.closing(inspect.connect(folder)) as db:
                yield from _examine(prefix, folder, db)
        except inspect.FAILURES as error:
            yield _unreadable(prefix + "database", folder, error)


def _unreadable(check: str, folder: str, error: BaseException) -> Finding:
    state = inspect.why(error)
    if state == inspect.LOCKED:
        return warning(check, f"{folder}/memory.db is locked by another program", "close what has it open, then look again")
    if state == inspect.UNREADABLE:
        return problem(check, f"{folder}/memory.db cannot be read: {error}", "is it yours? see the permissions above")
    return problem(check, f"{folder}/memory.db is damaged: {error}", REPAIR)


def _examine(prefix: str, folder: str, db: sqlite3.Connection) -> Iterator[Finding]:
    application, version, journal, size, tables = db.execute(FACTS).fetchone()
    if not tables:
        yield warning(prefix + "database", f"{folder}/memory.db is empty", "the next session start fills it")
        return
    yield _identity(prefix + "database", folder, application, version, f"schema {version}, {journal}, {amount(size)}")
    yield _whole(prefix + "integrity", db)
    if application == schema.APPLICATION_ID and version <= connection.SCHEMA_VERSION:
        gone = schema_check.missing(db, version)
        if gone:
            yield problem(prefix + "schema", f"{count(len(gone), 'part')} of schema {version} missing: {gone[0]}", REPAIR)
        yield _indexed(prefix + "search index", db, size)


def _identity(check: str, folder: str, application: int, version: int, seen: str) -> Finding:
    """Say whether it is a database of ours and of this release."""
    if application != schema.APPLICATION_ID:
        return problem(check, f"{folder}/memory.db is not ours", "move it away; the next session start makes a new one")
    if version > connection.SCHEMA_VERSION:
        return problem(check, f"{seen}; this release knows schema {connection.SCHEMA_VERSION}", "update ralph-mem")
    if ", wal," not in seen:
        return warning(
            check, f"{seen}: not in WAL mode", f"sqlite3 {shlex.quote(folder + '/memory.db')} 'PRAGMA journal_mode = WAL'"
        )
    older = "" if version == connection.SCHEMA_VERSION else f"; the next session start makes it schema {connection.SCHEMA_VERSION}"
    return ok(check, f"{folder}/memory.db: {seen}{older}")


def _whole(check: str, db: sqlite3.Connection) -> Finding:
    faults = [fault for (fault,) in db.execute("PRAGMA quick_check(20)") if fault != "ok"]
    if faults:
        return problem(check, f"{len(faults)} faults, the first: {' '.join(faults[0].split())}", REPAIR)
    return ok(check, "every page is in order")


def _indexed(check: str, db: sqlite3.Connection, size: int) -> Finding:
    """Look at the indexes in a copy in memory: FTS5's own check counts as writing, which would keep sessions waiting."""
    if size > LARGEST_COPY:
        return ok(check, f"not looked at: larger than {amount(LARGEST_COPY)}")
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        db.backup(copy)
        faults = [fault for index, wanted in kinds.indexes(copy).items() for fault in _faults(copy, index, wanted)]
    if faults:
        return problem(check, "; ".join(faults), f"the rows are whole, a search may miss them; {REPAIR}")
    return ok(check, "both indexes are in order")


def _faults(db: sqlite3.Connection, index: str, wanted: str) -> Iterator[str]:
    """Say what is wrong with an index; the check of one without contents does not see that a row is missing."""
    try:
        db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")  # a check that is spelled as an INSERT
        astray = {*db.execute(wanted)} ^ {*db.execute(f"SELECT id FROM {index}_docsize")}
    except inspect.FAILURES as error:
        yield f"{index} is damaged: {str(error) or type(error).__name__}"
        return
    if astray:
        yield f"{index} and its rows differ in {count(len(astray), 'place')}"


def backup(project: Project) -> Iterator[Finding]:
    """Look at the backups of a memory; in the first day of one there is none."""
    found = backups.of_place(project)
    if inspect.is_gone(project.folder + "/memory.db"):
        if found:
            seen = f"the memory is gone, a backup of {when(found[0].at)} is there"
            yield warning("backup", seen, "`ralph-mem restore` brings it back")
        return
    fault, newest = _fault(project), when(found[0].at) if found else "none"
    if fault:
        yield warning("backup", f"the last one could not be made: {fault}; the newest is {newest}", "`ralph-mem backup` makes one")
    elif found:
        yield ok("backup", f"{len(found)}, the newest of {newest}, {amount(found[0].bytes)}")


def _fault(project: Project) -> str:
    try:
        with contextlib.closing(inspect.connect(project.folder)) as db:
            told = dict(db.execute("SELECT key, value FROM properties WHERE key IN (?, ?)", backups.STATE).fetchall())
    except inspect.FAILURES:  # the database has a line of its own
        return ""
    return str(told.get(backups.FAULT) or "")


def altered(project: Project) -> Iterator[Finding]:
    """Look for rows whose texts do not fit their checksum: SQLite does not notice a flipped bit inside a value."""
    if inspect.is_gone(project.folder + "/memory.db"):
        return
    try:
        with contextlib.closing(inspect.connect(project.folder)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != connection.SCHEMA_VERSION:
                return
            names = repair.altered_rows(db)
    except (sqlite3.Error, MemoryError, OverflowError):  # the database has a line of its own
        return
    if names:
        seen = f"{count(len(names), 'row')} not as they were written, such as {names[0]}"
        yield problem("rows", seen, LOOK)


def kept(project: Project) -> Iterator[Finding]:
    """Look at damaged files that were set aside; they hold what could not be read, and are never removed by us."""
    names = keep_damaged.kept(project.folder)
    if names:
        where = f"{project.folder}/{keep_damaged.FOLDER}"
        yield warning("set aside", f"{count(len(names), 'damaged file')} in {where}", "remove them once nothing is missed")


def set_aside(project: Project) -> Iterator[Finding]:
    """Look for databases that a session start set aside."""
    found = foreign.aside(project)
    if found:
        seen = f"{count(len(found), 'database')} beside the memory, of another home such as a container's, or not yours"
        yield warning("aside", f"{seen}: the latest is {found[0]}", SHARE)
