"""Unwritable: a memory that can only be read, on a read-only disk or in somebody else's folder, still answers.

Its database is copied into memory, where the event may write as it likes; what it leaves waits in the spool. Loaded only
where an event could not be stored.
"""

import posix

from ralph_mem.core import records as write
from ralph_mem.core import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

# What is copied within the 200 ms that a prompt may take.
LARGEST = 64_000_000
WAIT_S = 0.2


def answer(
    file: "ModuleType", records: "list[dict[str, Any]]", event: "Event", project: "Project", settings: "dict[str, Any]"
) -> "dict[str, Any]":
    """Return the answer to an event whose memory cannot be written, nothing where it can, or where there is no answer."""
    if (
        not hasattr(file, "answer")
        or posix.access(project.folder, posix.W_OK)
        or not store.exists(project.folder)
        or not store.is_known(project.folder)
    ):
        return {}
    db = read(project.folder)
    if db is None:
        return {}
    try:
        opened = store.Store(project.folder, db, -1)
        for record in records:
            write.apply(opened, record)
        found: dict[str, Any] = file.answer(opened, event, project, settings) or {}
    except Exception:  # noqa: BLE001 - a last try, whose failure is told by the first
        return {}
    finally:
        db.close()
    return found


def read(folder: str) -> "Any":
    """Return a copy in memory of a database that can only be read, or None.

    SQLite's way to read it depends on the log: with one it needs `mode=ro`, and without one only `immutable` will do, which
    passes over a log.
    """
    quoted = folder.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    ways = ["mode=ro"] if _has_log(folder) else ["mode=ro", "immutable=1"]
    for way in ways:
        copy = store.sqlite.connect(":memory:", isolation_level=None)
        try:
            db = store.sqlite.connect(f"file://{quoted}/memory.db?{way}", timeout=WAIT_S, uri=True, isolation_level=None)
            try:
                (size,) = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
                if size <= LARGEST:
                    db.backup(copy)
                    if copy.execute("PRAGMA user_version").fetchone()[0] == store.SCHEMA_VERSION:
                        return copy
            finally:
                db.close()
        except store.sqlite.Error:
            pass
        copy.close()
    return None


def _has_log(folder: str) -> bool:
    try:
        return posix.stat(folder + "/memory.db-wal").st_size > 0
    except OSError:
        return False
