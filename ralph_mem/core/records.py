"""Records: what an event leaves to be stored, as plain values, so that the spool can hold what the database could not
take and both are written by the same functions.
"""

from ralph_mem.core import quick, spool
from ralph_mem.core.errors import StoreError, UnknownSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

sqlite = quick.load_sqlite()
# What a record that nobody could ever store raises; a locked database or a full disk is another matter.
BAD = (
    *(StoreError, ValueError, LookupError, TypeError, AttributeError, OverflowError),
    *(sqlite.IntegrityError, sqlite.InterfaceError, sqlite.ProgrammingError, sqlite.DataError),
)

# The module is loaded when its verb is met: a tool event must not pay for turns and sessions.
VERBS = {
    "session": ("sessions", "start"),
    "end": ("sessions", "end"),
    "turn": ("turns", "start"),
    "close": ("closing", "close"),
    "keep": ("finishing", "keep"),
    "observation": ("observations", "add"),
    "files": ("finishing", "note_files"),
    "memory": ("notes", "add"),
}


def apply(store: "Store", record: "dict[str, Any]") -> None:
    """Write one record; one that is already stored changes nothing. The caller holds the transaction."""
    try:
        _function(record["verb"])(store, record)
    except UnknownSession:
        _function("session")(store, {"source": "unknown", "project": store.folder.rpartition("/")[0], **record})
        _function(record["verb"])(store, record)


def _function(verb: str) -> "Any":
    module, name = VERBS[verb]
    return getattr(__import__("ralph_mem.core." + module, None, None, (name,)), name)


def drain(store: "Store", project: str) -> "list[str]":
    """Write what the spool holds for a project; returns the files, to be removed once the transaction is committed."""
    files = spool.pending(project)
    if not files:
        return []
    from ralph_mem.core import draining

    return draining.drain(store, files, apply, BAD)
