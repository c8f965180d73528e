"""The quota: what all snapshots of a tree may take on the disk; the oldest runs go first, never the one that goes on."""

import sqlite3
from collections import namedtuple

from ralph_mem.snapshot import blobs, store, tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.snapshot.store import Snapshots

Room = namedtuple("Room", "bytes quota removed holds")
Room.__doc__ = (
    """What the snapshots of a tree take, what they may, the runs that were removed for it, and whether that was enough."""
)

# A blob is named by a row of a path; a row holds from one snapshot to another, and goes when none of those is left.
REMOVE = """
DELETE FROM past WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE number BETWEEN past.first AND past.last);
DELETE FROM present WHERE first > coalesce((SELECT max(number) FROM snapshots), 0);
DELETE FROM blobs WHERE digest NOT IN (SELECT digest FROM present UNION SELECT digest FROM past);
"""


def delete_run(snapshots: "Snapshots", run: str) -> None:
    """Delete the snapshots of a run; what others share stays. Raises SnapshotError, and then all of them are as they were."""
    try:
        snapshots.db.execute("BEGIN IMMEDIATE")
        remove(snapshots, run)
        tally.recount(snapshots)
        snapshots.db.execute("COMMIT")
    except sqlite3.Error as error:
        raise store.failure(snapshots.folder, error) from error
    finally:
        if snapshots.db.in_transaction:
            snapshots.db.execute("ROLLBACK")
    give_back(snapshots)


def enforce_quota(snapshots: "Snapshots", current_run: str, quota_bytes: int) -> Room:
    """Delete runs, the oldest first, until the rest is within the quota.

    The current one stays, whatever it takes; `holds` says whether that is within the quota.
    """
    removed = []
    while blobs.bytes_on_disk(snapshots) > quota_bytes:
        others = _others(snapshots, current_run)
        if not others:
            break
        delete_run(snapshots, others[0])
        removed.append(others[0])
    size = blobs.bytes_on_disk(snapshots)
    return Room(size, quota_bytes, removed, size <= quota_bytes)


def make_room(snapshots: "Snapshots", current_run: str, quota_bytes: int) -> Room:
    """Do the same within the transaction that runs; `give_back` is to be called after it."""
    removed = []
    for run in _others(snapshots, current_run):
        if blobs.bytes_on_disk(snapshots) <= quota_bytes:
            break
        remove(snapshots, run)
        removed.append(run)
    size = blobs.bytes_on_disk(snapshots)
    return Room(size, quota_bytes, removed, size <= quota_bytes)


def _others(snapshots: "Snapshots", current_run: str) -> "list[str]":
    sql = "SELECT run FROM snapshots WHERE run != ? GROUP BY run ORDER BY max(number)"
    return [row[0] for row in snapshots.query(sql, (current_run,))]


def remove(snapshots: "Snapshots", run: str) -> None:
    """Delete the rows of a run as part of the transaction that runs. Rows that are present count in the tally, if they went."""
    snapshots.query("DELETE FROM snapshots WHERE run = ?", (run,))
    for statement in REMOVE.strip().splitlines():
        snapshots.query(statement)


def give_back(snapshots: "Snapshots") -> None:
    """Give what was deleted back to the disk. A reader keeps the pages that it reads; the next deletion gives them back."""
    try:  # a script: `execute` takes one step of it, which is one page
        snapshots.db.executescript("PRAGMA incremental_vacuum")
    except sqlite3.Error as error:
        raise store.failure(snapshots.folder, error) from error
    snapshots.query("PRAGMA wal_checkpoint(TRUNCATE)")
    blobs.sweep(snapshots)
