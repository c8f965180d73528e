"""Draining: what waits in the spool comes in, but for what was forgotten meanwhile. Loaded only where something waits."""

from ralph_mem.core import forgotten, quick, spool, tombstones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.store import Store

    Apply = Callable[[Store, dict[str, Any]], None]


def drain(store: "Store", files: "list[str]", apply: "Apply", bad: "tuple[type[Exception], ...]") -> "list[str]":
    """Write what files of the spool hold; returns those that were taken, to be removed once the transaction is committed.

    `apply` writes one record, `bad` is what it raises for one that nobody could ever store. A file that cannot be understood is
    set aside under another name; it would come back for ever.
    """
    done = []
    for path in files:
        store.execute("SAVEPOINT spooled")
        try:
            for record in tombstones.left(quick.loads(spool.take(path))):
                (forgotten.take if record["verb"] == forgotten.VERB else apply)(store, record)
        except bad:
            store.execute("ROLLBACK TO spooled")
            spool.set_aside(path)
        else:
            done.append(path)
        store.execute("RELEASE spooled")
    return done
