"""Restoring: a backup takes the place of a memory, whole or not at all. What was forgotten since it was made stays forgotten:
it is taken out first, of the backup as well.
"""

import posix
import shutil
import time
from collections import namedtuple

from ralph_mem import access, backups, quarantine, unfinished
from ralph_mem.core import adoption, forgotten, paths, seals, store, tombstones
from ralph_mem.core.errors import StoreError
from ralph_mem.core.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.backups import Backup

# In the folder of the memory, so that it can be put in its place at once; what a kill left there goes with the next one.
DRAFT = "/restored"
REPLACED = "replaced-"

# Where what was there is kept, nothing where there was none; how many rows were left out, since they were forgotten.
Restored = namedtuple("Restored", "kept forgotten")


def restore(project: Project, backup: "Backup", tell: "Callable[[str], Any]" = len) -> Restored:
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
        backups.with_db(f"file://{backups.quoted(backup.path)}?immutable=1", lambda db: backups.copy(db, draft + "/memory.db"))
        gone = _without_forgotten(project, draft, backup)
        draft_address = f"file://{backups.quoted(draft)}/memory.db?mode=rw"
        backups.with_db(draft_address, lambda db: db.execute("PRAGMA journal_mode = WAL").fetchone())
        tell("keeping what is there")
        kept = _put_away(project)
        posix.rename(draft + "/memory.db", project.folder + "/memory.db")
        seals.note(project.folder)
        adoption.forget_mark(backup.number)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        posix.close(lock)
    return Restored(kept, gone)


def _without_forgotten(project: Project, draft: str, backup: "Backup") -> int:
    """Take out of a draft what is marked as forgotten, and write it and the backup anew where that is anything."""
    if tombstones.is_empty():
        return 0
    place = Project(project.root)
    place.folder = draft
    before = set(backups.files())
    opened = adoption.open_ready(place, 0)  # of an older release: brought up to date, or its rows could not be told
    try:
        gone = take_out_forgotten(project, opened)
        if gone:
            backups.copy(opened.db, backup.path)
            for path in set(backups.files()) - before:  # what was brought up to date was backed up first, text and all
                paths.remove(path)
    finally:
        opened.close()
    return gone


def take_out_forgotten(project: Project, opened: "store.Store") -> int:
    """Delete what is marked as forgotten from a memory that came back; returns how many rows went.

    A forget that is not finished is gone on with at the next session start.
    """
    with access.Change(opened):
        gone = tombstones.sweep(opened, _scope_of(project))
        if unfinished.waits(project):
            opened.set_property(forgotten.UNFINISHED, 1)
    if gone:
        access.rewrite(opened)
    return gone


def _scope_of(project: Project) -> str:
    """Return the name of a memory for marks of texts."""
    return "everywhere" if project.folder == paths.config_home() else paths.key_of(project.root)


def _put_away(project: Project) -> str:
    """Keep the present memory: as a backup where it is whole, else as it is."""
    path = project.folder + "/memory.db"
    if not paths.exists(path) or not posix.stat(path).st_size:
        quarantine.remove_log(project.folder)
        return ""
    try:
        address = f"file://{backups.quoted(path)}?mode=rw"
        kept = str(backups.with_db(address, _as_replaced)) if store.is_known(project.folder) else ""
    except (StoreError, store.sqlite.Error):
        kept = ""
    if not kept:  # damaged, or a stranger's, which is not read
        kept = quarantine.copy(project.folder)
        quarantine.finish(kept)
        kept = quarantine.finished(kept)
    quarantine.remove_log(project.folder)
    return kept


def _as_replaced(db: "Any") -> str:
    opened = store.Store("", db, -1)
    opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    name = f"{opened.property('project_id')}-{REPLACED}{time.strftime('%Y-%m-%dT%H%M%S', time.gmtime())}"
    path = f"{paths.data_home()}/backups/{name}.db"
    paths.make_folder(paths.data_home() + "/backups")
    backups.copy(db, path)
    backups.prune(opened.property("project_id"), REPLACED, name)
    return path
