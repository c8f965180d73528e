"""Bring in what waits in the spool, but for what was forgotten meanwhile; loaded only where something waits."""

from ralph_mem.core import fast, spool
from ralph_mem.core.errors import StoreError
from ralph_mem.memory.rows import deletion, records, tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

sqlite = fast.load_sqlite()
# What a record that nobody could ever store raises; a locked database or a full disk is another matter.
BAD = (
    *(StoreError, ValueError, LookupError, TypeError, AttributeError, OverflowError),
    *(sqlite.IntegrityError, sqlite.InterfaceError, sqlite.ProgrammingError, sqlite.DataError),
)


def drain(store: "Store", project: str) -> "list[str]":
    """Write what the spool holds for a project; returns the files, to be removed once the transaction is committed.

    A file that cannot be understood is
    set aside under another name; it would come back for ever.
    """
    done = []
    for path in spool.pending(project):
        store.execute("SAVEPOINT spooled")
        try:
            for record in tombstones.left(fast.loads(spool.take(path))):
                (deletion.take if record["verb"] == deletion.VERB else records.apply)(store, record)
        except BAD:
            store.execute("ROLLBACK TO spooled")
            spool.set_aside(path)
        else:
            done.append(path)
        store.execute("RELEASE spooled")
    return done
