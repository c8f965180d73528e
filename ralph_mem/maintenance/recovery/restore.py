"""Put a backup in the place of a memory, whole or not at all. What was forgotten since it was made stays forgotten."""

import posix
import shutil
import time
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.core.errors import StoreError
from ralph_mem.core.project import Project
from ralph_mem.maintenance.forget import pending
from ralph_mem.maintenance.recovery import backups, damage
from ralph_mem.memory import access, opening
from ralph_mem.memory.ownership import foreign, seals
from ralph_mem.memory.rows import tombstones
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


# In the folder of the memory, so that it can be put in its place at once; what a kill left there goes with the next one.
DRAFT = f"/{paths.RESTORED}"
REPLACED = "replaced-"

# Where what was there is kept, nothing where there was none; how many rows were left out, since they were forgotten.
Restored = namedtuple("Restored", "kept forgotten")


def restore(project: Project, backup: "backups.Backup", tell: "Callable[[str], Any]" = len) -> Restored:
    """Put a backup in the place of a memory.

    Whoever is at work there makes it fail with a StoreError, and so does a backup that is damaged.
    """
    paths.make_folder(project.folder)
    draft = project.folder + DRAFT
    lock = backups.alone(project.folder)
    try:
        shutil.rmtree(draft, ignore_errors=True)
        paths.make_folder(draft)
        tell("checking the backup")
        check(backup)
        backups.with_db(backup.path, "immutable=1", lambda db: backups.copy(db, draft + "/memory.db"))
        gone = _without_forgotten(project, draft, backup)
        backups.with_db(draft + "/memory.db", "mode=rw", lambda db: db.execute("PRAGMA journal_mode = WAL").fetchone())
        tell("keeping what is there")
        kept = _put_away(project)
        posix.rename(draft + "/memory.db", project.folder + "/memory.db")
        seals.note(project.folder)
        set_marks(project)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        posix.close(lock)
    return Restored(kept, gone)


def check(backup: "backups.Backup") -> None:
    """Read every page of a backup. Raises StoreError for one that is damaged."""
    try:
        (fault,) = backups.with_db(backup.path, "immutable=1", lambda db: db.execute("PRAGMA quick_check(1)").fetchone())
    except connection.sqlite.Error as error:
        fault = str(error)
    if fault != "ok":
        hint = "`ralph-mem restore --list` shows all that are there: name another by its day or path"
        raise StoreError(f"the backup {backup.path} is damaged: {' '.join(fault.split())}", hint)


def _without_forgotten(project: Project, draft: str, backup: "backups.Backup") -> int:
    """Take out of a draft what is marked as forgotten, and write it and the backup anew where that is anything."""
    if tombstones.is_empty():
        return 0
    place = Project(project.root)
    place.folder = draft
    before = set(backups.files())
    opened = opening.open_ready(place, 0)  # of an older release: brought up to date, or its rows could not be told
    try:
        gone = take_out_forgotten(project, opened)
        if gone:
            backups.copy(opened.db, backup.path)
            for path in set(backups.files()) - before:  # what was brought up to date was backed up first, text and all
                paths.remove(path)
    finally:
        opened.close()
    return gone


def take_out_forgotten(project: Project, opened: "connection.Store") -> int:
    """Delete what is marked as forgotten from a memory that came back; returns how many rows went.

    A forget that is not finished is gone on with at the next session start.
    """
    with access.Change(opened):
        gone = tombstones.sweep(opened, tombstones.scope_of(project.folder))
        if pending.waits(project):
            opened.set_property(connection.UNFINISHED, 1)
    if gone:
        access.rewrite(opened)
    return gone


def _put_away(project: Project) -> str:
    """Keep the present memory: as a backup where it is whole, else as it is."""
    path = project.folder + "/memory.db"
    if not paths.exists(path) or not posix.stat(path).st_size:
        damage.remove_log(project.folder)
        return ""
    try:
        kept = str(backups.with_db(path, "mode=rw", _as_replaced)) if not foreign.judged(project, starting=False) else ""
    except (StoreError, connection.sqlite.Error):
        kept = ""
    if not kept:  # damaged, or a stranger's, which is not read
        kept = damage.copy(project.folder)
        damage.finish(kept)
        kept = damage.finished(kept)
    damage.remove_log(project.folder)
    return kept


def _as_replaced(db: "Any") -> str:
    opened = connection.Store("", db, -1)
    opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    name = f"{opened.property('project_id')}-{REPLACED}{time.strftime('%Y-%m-%dT%H%M%S', time.gmtime())}"
    path = f"{paths.data_home()}/{paths.BACKUPS}/{name}.db"
    paths.make_folder(f"{paths.data_home()}/{paths.BACKUPS}")
    backups.copy(db, path)
    backups.prune(opened.property("project_id"), REPLACED, name)
    return path


def set_marks(project: Project) -> None:
    """Let the memory that was just put in a place be the one that was used last there, until when it knows itself.

    Until when all was stored there before is forgotten: an older state has taken its place, and somebody was told.
    """
    number, at = backups.with_db(project.folder + "/memory.db", "immutable=1", _last_stop)
    for each in {number, *backups.memories_of(project)}:
        try:
            opening.mark(f"{paths.data_home()}/{paths.PROJECTS}/{each}.json", at if each == number else 0)
        except OSError:  # not registered yet
            pass


def _last_stop(db: "Any") -> "tuple[str, int]":
    opened = connection.Store("", db, -1)
    return opened.property("project_id"), opened.property(connection.STOPPED_AT) or 0
