"""Keep apart what `stat` said of each tree whose snapshots one store holds.

The rows that are present have the keys of one tree, the person's or a room's. Those of another, as far as its files were the
same, are kept beside them.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.snapshot.store import Snapshots

LOOKED = "looked_ns"  # the property that says when the last snapshot began
OF = "tree"  # the property that says of which tree the keys are that are present
TABLE = """CREATE TABLE IF NOT EXISTS keys (tree BLOB NOT NULL, path BLOB NOT NULL, first INTEGER NOT NULL, key BLOB NOT NULL,
    PRIMARY KEY (tree, path)) WITHOUT ROWID"""
KEEP = "INSERT OR REPLACE INTO keys SELECT ?, path, first, key FROM present"
# The same path in the same row: what it held when that tree was looked at is what the row says.
TAKE = """UPDATE present SET key = coalesce(
    (SELECT key FROM keys WHERE tree = ? AND keys.path = present.path AND keys.first = present.first), x'')"""
NOTE = "INSERT OR REPLACE INTO keys SELECT ?, path, first, ? FROM present WHERE path = ?"
DROP = "DELETE FROM keys WHERE tree = ?"


def turn(snapshots: "Snapshots") -> None:
    """Have the rows that are present hold the keys of the tree that is looked at now, as part of the transaction that runs."""
    here = os.path.realpath(snapshots.top)
    before = snapshots.property(OF)
    if before == here:
        return
    if before is not None:
        snapshots.query(TABLE)
        snapshots.query(DROP, (before,))
        if os.path.isdir(before):
            snapshots.query(KEEP, (before,))
            snapshots.set_property(LOOKED + os.fsdecode(before), snapshots.property(LOOKED))
        snapshots.query(TAKE, (here,))
        snapshots.set_property(LOOKED, snapshots.property(LOOKED + os.fsdecode(here)) or 0)
    snapshots.set_property(OF, here)


def is_of(snapshots: "Snapshots", top: bytes) -> bool:
    """Say whether the keys that are present are those of this tree."""
    return bool(snapshots.property(OF) == os.path.realpath(top))


def note(snapshots: "Snapshots", top: bytes, keys: "Iterable[tuple[bytes, bytes]]", looked_ns: int) -> None:
    """Keep the keys of a tree that was filled with what is present, as `(path, key)`, for the first look at it."""
    here = os.path.realpath(top)
    with snapshots.transaction() as db:
        db.execute(TABLE)
        db.executemany(NOTE, [(here, key, path) for path, key in keys])
        snapshots.set_property(LOOKED + os.fsdecode(here), looked_ns)


def forget(snapshots: "Snapshots", top: bytes) -> None:
    """Let go of what is known of a tree that is no more."""
    here = os.path.realpath(top)
    with snapshots.transaction() as db:
        db.execute(TABLE)
        db.execute(DROP, (here,))
        db.execute("DELETE FROM properties WHERE key = ?", (LOOKED + os.fsdecode(here),))
