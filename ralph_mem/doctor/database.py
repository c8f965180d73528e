"""The databases: a project's, and that of all projects: whether they are ours, whole, and of this release."""

import contextlib
import shlex
import sqlite3
from collections.abc import Iterator

from ralph_mem import glance
from ralph_mem.core import blueprint, schema, store
from ralph_mem.core import project as projects
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, problem, warning

# Of each index: the check, which is spelled as an INSERT; the rows that belong into it; the rows that it knows.
INDEXES = {
    "memory_fts": (
        "INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')",
        "SELECT id FROM memories",
        "SELECT id FROM memory_fts_docsize",
    ),
    "observations_fts": (
        "INSERT INTO observations_fts (observations_fts) VALUES ('integrity-check')",
        "SELECT id FROM observations EXCEPT SELECT observation_id FROM memories",
        "SELECT id FROM observations_fts_docsize",
    ),
}
REPAIR = "`ralph-mem doctor --repair` shows what can be saved, and --confirm saves it"
# What a copy in memory may take; a hundred thousand turns are some 200 MB.
LARGEST_COPY = 1_000_000_000
FACTS = """
SELECT application_id, user_version, journal_mode, page_count * page_size, (SELECT count(*) FROM sqlite_master)
FROM pragma_application_id, pragma_user_version, pragma_journal_mode, pragma_page_count, pragma_page_size"""


def databases(project: Project) -> Iterator[Finding]:
    """Look at the database of a project, and at that of all projects where there is one."""
    everywhere = projects.everywhere()
    places = [("", project.folder)] + ([("global ", everywhere.folder)] if everywhere else [])
    for prefix, folder in places:
        if glance.is_gone(folder + "/memory.db"):
            yield from [] if prefix else [ok("database", "none yet: the next session start makes it")]
            continue
        try:
            with contextlib.closing(glance.connect(folder)) as db:
                yield from _examine(prefix, folder, db)
        except glance.FAILURES as error:
            yield _unreadable(prefix + "database", folder, error)


def _unreadable(check: str, folder: str, error: BaseException) -> Finding:
    state = glance.why(error)
    if state == glance.LOCKED:
        return warning(check, f"{folder}/memory.db is locked by another program", "close what has it open, then look again")
    if state == glance.UNREADABLE:
        return problem(check, f"{folder}/memory.db cannot be read: {error}", "is it yours? see the permissions above")
    return problem(check, f"{folder}/memory.db is damaged: {error}", REPAIR)


def _examine(prefix: str, folder: str, db: sqlite3.Connection) -> Iterator[Finding]:
    application, version, journal, size, tables = db.execute(FACTS).fetchone()
    if not tables:
        yield warning(prefix + "database", f"{folder}/memory.db is empty", "the next session start fills it")
        return
    yield _identity(prefix + "database", folder, application, version, f"schema {version}, {journal}, {glance.amount(size)}")
    yield _whole(prefix + "integrity", db)
    if application == schema.APPLICATION_ID and version <= store.SCHEMA_VERSION:
        gone = blueprint.missing(db, version)
        if gone:
            yield problem(prefix + "schema", f"{glance.count(len(gone), 'part')} of schema {version} missing: {gone[0]}", REPAIR)
        yield _indexed(prefix + "search index", db, size)


def _identity(check: str, folder: str, application: int, version: int, seen: str) -> Finding:
    """Say whether it is a database of ours and of this release."""
    if application != schema.APPLICATION_ID:
        return problem(check, f"{folder}/memory.db is not ours", "move it away; the next session start makes a new one")
    if version > store.SCHEMA_VERSION:
        return problem(check, f"{seen}; this release knows schema {store.SCHEMA_VERSION}", "update ralph-mem")
    if ", wal," not in seen:
        return warning(
            check, f"{seen}: not in WAL mode", f"sqlite3 {shlex.quote(folder + '/memory.db')} 'PRAGMA journal_mode = WAL'"
        )
    older = "" if version == store.SCHEMA_VERSION else f"; the next session start makes it schema {store.SCHEMA_VERSION}"
    return ok(check, f"{folder}/memory.db: {seen}{older}")


def _whole(check: str, db: sqlite3.Connection) -> Finding:
    faults = [fault for (fault,) in db.execute("PRAGMA quick_check(20)") if fault != "ok"]
    if faults:
        return problem(check, f"{len(faults)} faults, the first: {' '.join(faults[0].split())}", REPAIR)
    return ok(check, "every page is in order")


def _indexed(check: str, db: sqlite3.Connection, size: int) -> Finding:
    """Look at the indexes in a copy in memory: FTS5's own check counts as writing, which would keep sessions waiting."""
    if size > LARGEST_COPY:
        return ok(check, f"not looked at: larger than {glance.amount(LARGEST_COPY)}")
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        db.backup(copy)
        faults = [fault for index in INDEXES for fault in _faults(copy, index)]
    if faults:
        return problem(check, "; ".join(faults), f"the rows are whole, a search may miss them; {REPAIR}")
    return ok(check, "both indexes are in order")


def _faults(db: sqlite3.Connection, index: str) -> Iterator[str]:
    """Say what is wrong with an index; the check of one without contents does not see that a row is missing."""
    check, wanted, known = INDEXES[index]
    try:
        db.execute(check)
        astray = {*db.execute(wanted)} ^ {*db.execute(known)}
    except glance.FAILURES as error:
        yield f"{index} is damaged: {str(error) or type(error).__name__}"
        return
    if astray:
        yield f"{index} and its rows differ in {glance.count(len(astray), 'place')}"
