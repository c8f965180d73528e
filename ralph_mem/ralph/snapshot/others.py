"""Keep which paths of a run its agent did not change, and which a person had not committed."""

import json
import os

from ralph_mem.ralph.snapshot import FOLDER, blobs, ignoring
from ralph_mem.ralph.snapshot.listing import GIT, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.room.merging import Merged
    from ralph_mem.ralph.snapshot.store import Snapshots

# Overwritten is what a person wrote and the agent then took away, in one iteration: that it did so is its doing.
PERSON, CHECKS, OVERWRITTEN = "person", "checks", "overwritten"
TABLE = "CREATE TABLE IF NOT EXISTS others (run TEXT NOT NULL, number INTEGER NOT NULL, who TEXT NOT NULL, path BLOB NOT NULL)"
IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'others'"
SINCE = f"SELECT path, max(number) FROM others WHERE run = ? AND who IN ('{PERSON}', '{OVERWRITTEN}') AND number > ? GROUP BY path"
BETWEEN = (
    f"SELECT path, max(number) FROM others WHERE run = ? AND who != '{OVERWRITTEN}' AND number > ? AND number <= ? GROUP BY path"
)
UNCOMMITTED = "uncommitted "  # begins the property of a run
TRACKED = [*GIT, "ls-files", "-z"]
CHANGED = [*GIT, "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"]
COMMITTED = [*GIT, "--no-replace-objects", "cat-file", "--filters"]  # links as the person committed them
# Each asks git once, which takes some milliseconds; of more only a deletion is noticed.
MOST_ASKED = 300

DELETED = "not committed by you, and deleted by the loop"
REVERTED = "your changes are not committed, and the loop put back what is"


def note(snapshots: "Snapshots", run: str, number: int, who: str, paths: "Iterable[bytes]") -> None:
    """Write down what differs in a snapshot from the one before it without the agent's doing. Raises SnapshotError."""
    rows = [(run, number, who, path) for path in paths]
    if rows:
        with snapshots.transaction() as db:
            db.execute(TABLE)
            db.executemany("INSERT INTO others VALUES (?, ?, ?, ?)", rows)


def since(snapshots: "Snapshots", run: str, target: int) -> "dict[bytes, int]":
    """Return the paths that a person changed after a snapshot, while a run was at work, each with the snapshot that has it last."""
    return _paths(snapshots, SINCE, (run, target))


def between(snapshots: "Snapshots", run: str, older: int, newer: int) -> "set[bytes]":
    """Return the paths that others than the agent changed after one snapshot and up to another, and the agent not after them."""
    found = _paths(snapshots, BETWEEN, (run, older, newer))
    earlier = {number: [path for path, at in found.items() if at == number] for number in {*found.values()} - {newer}}
    again = {path for number, paths in earlier.items() for path in _differing(snapshots, paths, number, newer)}
    return {*found} - again


def _differing(snapshots: "Snapshots", paths: "list[bytes]", older: int, newer: int) -> "list[bytes]":
    then, now = snapshots.some(older, paths), snapshots.some(newer, paths)
    return [path for path in paths if then.get(path) != now.get(path)]


def _paths(snapshots: "Snapshots", sql: str, values: "tuple[str | int, ...]") -> "dict[bytes, int]":
    return dict(snapshots.query(sql, values)) if snapshots.query(IS_THERE) else {}


def forget(snapshots: "Snapshots", run: str) -> None:
    """Let go of what was kept for a run, as part of the transaction that runs."""
    if snapshots.query(IS_THERE):
        snapshots.query("DELETE FROM others WHERE run = ?", (run,))
    snapshots.query("DELETE FROM properties WHERE key = ?", (UNCOMMITTED + run,))


def note_uncommitted(snapshots: "Snapshots", run_id: str, place: str, number: int) -> None:
    """Keep which paths of a snapshot are not as committed in a work tree, with the digest of what is; nothing without git."""
    prefixes = json.loads(snapshots.property(ignoring.AT_START + run_id) or "{}")
    inside: dict[str, set[bytes]] = {prefix: set() for prefix in prefixes}
    for path in [path for path, entry in snapshots.entries(number).items() if entry.kind != FOLDER]:
        near = max([prefix for prefix in prefixes if path.startswith(os.fsencode(prefix))], key=len, default=None)
        if near is not None:
            inside[near].add(path[len(os.fsencode(near)) :])
    found = [(prefix, _of_repository(f"{place}/{prefix}".rstrip("/"), held)) for prefix, held in inside.items()]
    told = {prefix + os.fsdecode(path): digest for prefix, each in found for path, digest in each.items()}
    snapshots.set_property(UNCOMMITTED + run_id, json.dumps(told))


def _of_repository(place: str, held: "set[bytes]") -> "dict[bytes, str]":
    """Return what of some paths is not as committed in a repository, all where git cannot tell, and the digests."""
    tracked = run_git(TRACKED, place)[1].split(b"\0")
    changed = [entry[3:] for entry in run_git(CHANGED, place)[1].split(b"\0") if len(entry) > 3]
    found = dict.fromkeys([*held.difference(tracked), *changed], "")
    for path in changed[:MOST_ASKED]:
        code, content = run_git([*COMMITTED, "HEAD:" + os.fsdecode(path)], place)
        found[path] = "" if code else blobs.digest_of(content).hex()
    return found


def uncommitted(snapshots: "Snapshots", run_id: str) -> "set[bytes]":
    """Return the paths that were not as committed when a run began."""
    return {os.fsencode(name) for name in json.loads(snapshots.property(UNCOMMITTED + run_id) or "{}")}


def hold_back(snapshots: "Snapshots", run_id: str, merged: "Merged") -> None:
    """Make conflicts of what would throw away a person's work that no commit has: it was deleted, or put back as committed."""
    kept = json.loads(snapshots.property(UNCOMMITTED + run_id) or "{}")
    for name, committed in kept.items():
        path = os.fsencode(name)
        if path not in merged.wanted:
            continue
        entry = merged.wanted[path]
        if entry is None or (committed and entry.digest.hex() == committed):
            del merged.wanted[path]
            merged.conflicts[path] = REVERTED if entry else DELETED
