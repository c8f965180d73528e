"""Take a snapshot by a walk over the tree, written in one transaction or not at all."""

import os
import sqlite3
import sys
import time
from collections import namedtuple
from contextlib import closing

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import FILE, Entry, Taken, blobs, contents, database, ignoring, links, listing, others, trees
from ralph_mem.ralph.snapshot.contents import WORTH_THREADS, Reader, Writer, unstored
from ralph_mem.ralph.snapshot.listing import Listing
from ralph_mem.ralph.snapshot.walk import Known, Walk, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.ralph.snapshot.store import Snapshots


Room = namedtuple("Room", "bytes quota removed holds")
Room.__doc__ = """What the snapshots of a tree take, what they may, the runs removed for it, and whether that was enough."""

# A blob is named by a row of a path; a row holds from one snapshot to another, and goes when none of those is left.
REMOVE = """
DELETE FROM past WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE number BETWEEN past.first AND past.last);
DELETE FROM present WHERE first > coalesce((SELECT max(number) FROM snapshots), 0);
DELETE FROM blobs WHERE digest NOT IN (SELECT digest FROM present UNION SELECT digest FROM past);
"""


def delete_run(snapshots: "Snapshots", run: str) -> None:
    """Delete the snapshots of a run; what others share stays. Raises SnapshotError, and then all of them are as they were."""
    with snapshots.transaction():
        remove(snapshots, run)
        contents.recount(snapshots)
    give_back(snapshots)


def make_room(snapshots: "Snapshots", current_run: str, quota_bytes: int) -> Room:
    """Delete runs, the oldest first, until the rest is within the quota; `give_back` is to be called after the transaction.

    The current one stays, whatever it takes; `holds` says whether that is within the quota.
    """
    removed = []
    others = "SELECT run FROM snapshots WHERE run != ? GROUP BY run ORDER BY max(number)"
    for (run,) in snapshots.query(others, (current_run,)):
        if blobs.bytes_on_disk(snapshots) <= quota_bytes:
            break
        remove(snapshots, run)
        removed.append(run)
    size = blobs.bytes_on_disk(snapshots)
    return Room(size, quota_bytes, removed, size <= quota_bytes)


def remove(snapshots: "Snapshots", run: str) -> None:
    """Delete the rows of a run as part of the transaction that runs. Rows that are present count in the tally, if they went."""
    snapshots.query("DELETE FROM snapshots WHERE run = ?", (run,))
    ignoring.forget(snapshots, run)
    others.forget(snapshots, run)
    for statement in REMOVE.strip().splitlines():
        snapshots.query(statement)
    links.sweep(snapshots)


def give_back(snapshots: "Snapshots") -> None:
    """Give what was deleted back to the disk. A reader keeps the pages that it reads; the next deletion gives them back."""
    try:  # a script: `execute` takes one step of it, which is one page
        snapshots.db.executescript("PRAGMA incremental_vacuum")
    except sqlite3.Error as error:
        raise database.failure(snapshots.folder, error) from error
    snapshots.query("PRAGMA wal_checkpoint(TRUNCATE)")
    blobs.sweep(snapshots)


FILLED = "where it was deleted, make it anew: a rollback with --force fills it"
# Progress is told once for so many files.
TOLD_EVERY = 256
NEW = "INSERT INTO snapshots (label, run, tree, files, bytes, seconds, began_ns) VALUES (?, ?, '', 0, 0, 0, ?)"
DONE = "UPDATE snapshots SET tree = ?, files = ?, bytes = ?, seconds = ? WHERE number = ?"


def take(
    snapshots: "Snapshots",
    label: str,
    run: str = "",
    scope: "listing.Scope" = listing.DEFAULT,
    told: "Callable[[int, int], Any] | None" = None,
) -> Taken:
    """Take a snapshot of the tree as it is. Raises SnapshotError, and then the store is as it was.

    The first snapshot of a run looks at the scope anew. In later ones of that run a path that was in scope stays in it, one that
    was ignored stays out, and new ones are judged by the ignore rules of the first, whatever becomes of `.gitignore`. `told`
    hears how many of the files that changed are read. Runs that are over go, the oldest first, where the quota wants it; a run
    whose first snapshot cannot keep within it gets none.
    """
    top = os.fsdecode(snapshots.top)
    listing.refuse(top, scope)
    if not os.path.isdir(snapshots.top):
        again = "`ralph-mem ralph resume` makes the room anew" if snapshots.is_room else FILLED
        raise SnapshotError(f"{top} is not a folder", again)
    taking = _Taking(snapshots, scope, told)
    try:
        number = taking.write(label, run)
    except (sqlite3.Error, OSError) as error:
        raise database.failure(snapshots.folder, error) from error
    finally:
        taking.end()
    return snapshots.find(number)


def write_down(
    snapshots: "Snapshots", label: str, run: str, wanted: "dict[bytes, Entry | None]", content: "list[blobs.Blob]"
) -> int:
    """Write a snapshot of what the tree is going to be: as the newest has it, but for these paths. Returns its number.

    `content` are bytes that are not in the store yet. Raises SnapshotError.
    """
    with snapshots.transaction() as db:
        trees.turn(snapshots)
        number = int(db.execute(NEW, (label, run, time.time_ns())).lastrowid)
        blobs.add(snapshots, content)
        writer = Writer(snapshots, number, wanted)
        for path, entry in wanted.items():
            if entry is None:
                writer.drop(path)
            else:
                writer.put(contents.Read(path, entry, b"", "", None))
        writer.flush()
        links.write_wanted(snapshots, number, wanted)
        writer.tally.keep(snapshots)
        db.execute(DONE, (writer.tally.tree(), writer.tally.files, writer.tally.bytes, 0.0, number))
    return number


class _Taking:
    """One snapshot in the making."""

    def __init__(self, snapshots: "Snapshots", scope: "listing.Scope", told: "Callable[[int, int], Any] | None") -> None:
        self._snapshots = snapshots
        self._scope = scope
        self._told = told
        self._began_ns = time.time_ns()
        self._listing: Listing | None = None
        self._rules: ignoring.Rules | None = None
        self._room: Room | None = None
        self._done = False

    def write(self, label: str, run: str) -> int:
        """Write it all in one transaction; returns its number."""
        started, db = time.monotonic(), self._snapshots.db
        db.execute("BEGIN IMMEDIATE")
        is_first = not self._snapshots.query("SELECT 1 FROM snapshots WHERE run = ? LIMIT 1", (run,))
        is_fresh = is_first and (bool(run) or not self._snapshots.query("SELECT 1 FROM snapshots LIMIT 1"))
        self._snapshots.see_place(run, is_first)
        trees.turn(self._snapshots)
        number = int(db.execute(NEW, (label, run, self._began_ns)).lastrowid)
        most = sys.maxsize if self._scope.forced else self._scope.most_paths
        self._listing = Listing(self._snapshots.top, most, strict=is_fresh)
        walk = Walk(self._snapshots.top, self._scope, self._known(is_fresh))
        self._rules = None if is_fresh else ignoring.of_run(self._snapshots, run)
        walk.go(self._listing, is_fresh, self._rules)
        tally = self._write_entries(number, walk)
        links.write(self._snapshots, number, walk.twins())
        self._write_ignored(walk, is_fresh)
        if is_fresh:
            ignoring.keep(self._snapshots, run, self._listing.repositories())
        self._room = make_room(self._snapshots, run, self._scope.quota_bytes)
        if is_first and not self._room.holds:
            told = (
                f"the snapshot takes {self._room.bytes // listing.MIB:,} MiB, the quota is {self._room.quota // listing.MIB:,} MiB"
            )
            raise SnapshotError(told, "raise snapshot.quota_mb, or ignore what need not be put back in .gitignore")
        db.execute(DONE, (tally.tree(), tally.files, tally.bytes, time.monotonic() - started, number))
        db.execute("COMMIT")
        self._done = True
        return number

    def end(self) -> None:
        """Leave everything as it was, unless it was written; give back what runs took that were deleted for it."""
        for each in (self._listing, self._rules):
            if each:
                each.close()
        if self._snapshots.db.in_transaction:
            self._snapshots.db.execute("ROLLBACK")
        if not self._done:
            blobs.sweep(self._snapshots)
        elif self._room and self._room.removed:
            give_back(self._snapshots)

    def _known(self, is_fresh: bool) -> Known:
        keys = dict(self._snapshots.db.execute("SELECT path, key FROM present"))
        folders = self._snapshots.query("SELECT path FROM present WHERE kind = 'folder'")
        ignored = [] if is_fresh else self._snapshots.query("SELECT path FROM ignored")
        return Known(keys, {row[0] for row in folders}, {row[0] for row in ignored}, self._snapshots.property(trees.LOOKED) or 0)

    def _write_entries(self, number: int, walk: Walk) -> "Any":
        writer = Writer(self._snapshots, number, [*walk.changed, *walk.gone, *walk.unseen])
        chosen = {path: st for path, st in walk.changed.items() if path not in walk.unseen}
        self._check(writer, chosen, len(walk.unseen.keys() - walk.changed.keys() - writer.old.keys()))
        for path, why in walk.unseen.items():
            writer.put(unstored(path, walk.changed.get(path), why))
        held = self._held(len(chosen))
        reader = Reader(self._snapshots, self._scope.most_file_bytes, held)
        vanished, total = set(chosen), len(chosen)
        with closing(reader.read(chosen)) as reads:  # whatever happens, no thread of it writes any more
            for read in reads:
                writer.put(read)
                vanished.discard(read.path)
                if self._told and not len(vanished) % TOLD_EVERY:
                    self._told(total - len(vanished), total)
        for path in walk.gone | vanished:
            writer.drop(path)
        writer.flush()
        writer.tally.keep(self._snapshots)
        self._snapshots.set_property(trees.LOOKED, self._began_ns)
        return writer.tally

    def _check(self, writer: Writer, chosen: "dict[bytes, os.stat_result]", unseen: int) -> None:
        """Raise SnapshotError for a tree that is too large, before a byte of it is read."""
        most, old = self._scope.most_file_bytes, writer.old
        sizes = [st.st_size for st in chosen.values() if kind_of(st) == FILE and st.st_size <= most]
        before = sum([old[path].size for path in chosen if path in old and old[path].stored and old[path].kind == FILE])
        count = writer.tally.files + unseen + len(chosen.keys() - old.keys())
        listing.refuse(os.fsdecode(self._snapshots.top), self._scope, count, writer.tally.bytes + sum(sizes) - before)

    def _held(self, count: int) -> "Callable[[bytes], bool]":
        """Return what says whether the store has a digest: a set for threads, which may not use the database."""
        if count >= WORTH_THREADS:
            return {row[0] for row in self._snapshots.query("SELECT digest FROM blobs")}.__contains__
        return lambda digest: bool(self._snapshots.query("SELECT 1 FROM blobs WHERE digest = ?", (digest,)))

    def _write_ignored(self, walk: Walk, is_fresh: bool) -> None:
        if is_fresh:
            self._snapshots.query("DELETE FROM ignored")
        self._snapshots.db.executemany("INSERT OR IGNORE INTO ignored VALUES (?)", [(path,) for path in walk.ignored])
