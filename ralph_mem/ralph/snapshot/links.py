"""Keep which paths of a snapshot are names of one file."""

from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph_mem.ralph.snapshot import Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

DIGEST_BYTES = 16
# Stores of earlier releases lack it: their snapshots know no links.
TABLE = """CREATE TABLE IF NOT EXISTS links (path BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER, twins BLOB NOT NULL,
    PRIMARY KEY (path, first)) WITHOUT ROWID"""
IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'links'"
AT = "SELECT path, twins FROM links WHERE first <= :at AND (last IS NULL OR last >= :at)"
NOW = "SELECT path, twins FROM links WHERE last IS NULL"
TOUCHED = "SELECT path FROM links WHERE (first > :low AND first <= :high) OR (last >= :low AND last < :high)"
STORED = "SELECT 1 FROM present WHERE path = ? AND kind = 'file' AND why = ''"
REMOVE = (
    "DELETE FROM links WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE number BETWEEN links.first AND coalesce(links.last, number))"
)


def write(snapshots: "Snapshots", number: int, groups: "Iterable[list[bytes]]") -> None:
    """Write which paths are names of one file in snapshot `number`, as part of the transaction that runs."""
    snapshots.query(TABLE)
    now: dict[bytes, bytes] = {}
    for group in groups:
        names = sorted(path for path in group if snapshots.query(STORED, (path,)))
        if len(names) > 1:
            now.update(dict.fromkeys(names, blake2b(b"\0".join(names), digest_size=DIGEST_BYTES).digest()))
    before = dict(snapshots.query(NOW))
    for path in [path for path in before if before[path] != now.get(path)]:
        snapshots.query("UPDATE links SET last = ? WHERE path = ? AND last IS NULL", (number - 1, path))
    for path in [path for path in now if now[path] != before.get(path)]:
        snapshots.query("INSERT INTO links VALUES (?, ?, NULL, ?)", (path, number, now[path]))


def write_wanted(snapshots: "Snapshots", number: int, wanted: "Mapping[bytes, Entry | None]") -> None:
    """Write which paths are names of one file once these are as is wanted, as part of the transaction that runs."""
    groups: dict[bytes, list[bytes]] = {}
    for path, twins in snapshots.query(NOW) if snapshots.query(IS_THERE) else ():
        entry = wanted.get(path)
        if path not in wanted or (entry and entry.twins):
            groups.setdefault(twins, []).append(path)
    write(snapshots, number, groups.values())


def of(snapshots: "Snapshots", number: int) -> "dict[bytes, bytes]":
    """Return what tells the names of a file from those of others, for each path of a snapshot that shares one."""
    return dict(snapshots.query(AT, {"at": number})) if snapshots.query(IS_THERE) else {}


def touched(snapshots: "Snapshots", low: int, high: int) -> "list[bytes]":
    """Return the paths that shared a file with others in one of two snapshots, or between them, and not in all."""
    return [row[0] for row in snapshots.query(TOUCHED, {"low": low, "high": high})] if snapshots.query(IS_THERE) else []


def sweep(snapshots: "Snapshots") -> None:
    """Delete the rows of snapshots that are gone, as part of the transaction that runs."""
    if snapshots.query(IS_THERE):
        snapshots.query(REMOVE)
