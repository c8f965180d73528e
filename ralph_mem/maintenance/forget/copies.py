"""Rewrite the copies of a memory without what was forgotten or is secret, and delete snapshots that hold it.

Where a copy cannot be rewritten it goes. What was set aside is nobody's but the person's to delete. The snapshots of a run are
deleted as a whole or not at all.
"""

import os
import shutil
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths, places
from ralph_mem.core.errors import StoreError
from ralph_mem.maintenance.forget import inventory, pending, verify
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory import adopt_foreign
from ralph_mem.memory.rows import deletion, kinds, tombstones
from ralph_mem.memory.store import connection
from ralph_mem.ralph import runs
from ralph_mem.ralph.snapshot import FILE, Entry, blobs, store, taking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.maintenance.forget.verify import Needles
    from ralph_mem.maintenance.scrub import Protect
    from ralph_mem.memory.store.connection import Store
    from ralph_mem.ralph.snapshot.store import Snapshots

# Of a run that is at work, and whether it was deleted; `partly` says that only shorter lines of it are there, which files have
# for reasons of their own.
Held = namedtuple("Held", "run busy deleted partly")
UNDECIDED = "undecided_snapshots"  # the property with the runs that were found to hold what is forgotten, and were not deleted
RUNS = """
SELECT DISTINCT s.run FROM entries AS e JOIN snapshots AS s ON s.number >= e.first AND (e.last IS NULL OR s.number <= e.last)
WHERE {}"""


def runs_that_hold(project: "Project", needles: "Needles", named: "Sequence[str]" = (), everything: bool = False) -> "list[Held]":
    """Return the runs of which a snapshot holds one of the pieces, or what was typed, in a file or in its name; also those that
    are named, or all.

    Raises SnapshotError for snapshots that are damaged.
    """
    opened = store.open_to_read(project)
    if opened is None:
        return []
    with opened:
        telling = [*needles.long_pieces(), *needles.typed()]
        there = [run for (run,) in opened.query("SELECT DISTINCT run FROM snapshots ORDER BY number")]
        found = there if everything else [*_runs(opened, telling), *[run for run in there if run in named]]
        partly = _runs(opened, [piece for piece in needles.pieces if piece not in telling])
    live = runs.live(project)
    at_work = live.run if live and runs.is_alive(project, live) else ""
    return [Held(run, run == at_work, False, run not in found) for run in dict.fromkeys([*found, *partly])]


def undecided(opened: "Store") -> "list[str]":
    """Return the runs that hold what a forget took from a memory, and of which nobody has decided yet."""
    return str(opened.property(UNDECIDED) or "").split()


def note_undecided(opened: "Store", held: "list[Held]") -> None:
    """Keep which runs hold what is forgotten: their names only, since the text is gone by then."""
    before = undecided(opened)
    left = dict.fromkeys([*before, *[each.run for each in held if not each.partly]])
    for each in held:
        if each.deleted:
            left.pop(each.run, None)
    if list(left) != before:
        opened.set_property(UNDECIDED, " ".join(left) or None)


def delete_runs(project: "Project", held: "list[Held]") -> "list[Held]":
    """Delete the snapshots of runs, but for one that is at work; returns all, with whether they were deleted.

    Raises SnapshotError; then some may be deleted, and the next forget goes on.
    """
    doomed = [each.run for each in held if not each.busy]
    if not doomed:
        return held
    with store.open_store(project) as opened:
        opened.query("PRAGMA secure_delete = ON")
        for run in doomed:
            taking.delete_run(opened, run)
        # rows that moved within a page leave their bytes behind
        opened.query("VACUUM")
        opened.query("PRAGMA wal_checkpoint(TRUNCATE)")
    return [each._replace(deleted=each.run in doomed) for each in held]


def _runs(opened: "Snapshots", texts: "list[str]") -> "list[str]":
    pieces = [text.encode() for text in texts]
    found: dict[str, None] = {}
    for digest in _blobs_that_hold(opened, pieces) if pieces else ():
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("e.digest = ?"), (digest,))]))
    names = b"\0".join([bytes(path) for (path,) in opened.query("SELECT DISTINCT path FROM entries")]).lower()
    for piece in [piece for piece in pieces if piece in names]:
        found.update(dict.fromkeys([row[0] for row in opened.query(RUNS.format("instr(lower(e.path), ?)"), (piece,))]))
    return list(found)


def _blobs_that_hold(opened: "Snapshots", pieces: "list[bytes]") -> "Iterator[bytes]":
    for (digest,) in opened.query("SELECT digest FROM blobs"):
        if _holds(blobs.pieces(opened, Entry(FILE, 0, 0, digest, True)), pieces):
            yield digest


def _holds(parts: "Iterator[bytes]", pieces: "list[bytes]") -> bool:
    end, longest = b"", max(map(len, pieces))
    for part in parts:
        text = end + part.lower()
        if any([piece in text for piece in pieces]):
            return True
        end = text[-longest:]
    return False


WAIT_MS = 1000
DRAFT = ".rewriting"
# Besides the file itself: what SQLite leaves next to one that was not closed.
BESIDE = ("-wal", "-shm", "-journal")
# Paths of copies: those that hold a secret, or were written anew without it; those that go; those into which nobody looks.
Scrubbed = namedtuple("Scrubbed", "scrubbed removed unread")


def clear(places: "list[str]", needles: "Needles", scope: str, stores: "list[Store]") -> "tuple[list[str], list[str]]":
    """Take the text out of copies that hold it; returns those that were written anew, and those that are deleted.

    `scope` names the memory, as the marks know it. What a row of the open memories still says may stay in a copy.
    """
    rewritten, removed = [], []
    for path in databases(holding(places, needles, words=True)):  # an index holds words long after their rows are gone
        if _without(path, needles, scope, stores):
            rewritten.append(path)
        else:
            remove(path)
            removed.append(path)
    return rewritten, removed


def clear_aside(places: "list[str]", needles: "Needles", scope: str, stores: "list[Store]") -> "tuple[list[str], list[str]]":
    """Take the text out of databases that were set aside; returns those that were written anew, and those that hold it still.

    A stranger's is not opened, and it is nobody's but the person's to delete.
    """
    rewritten: list[str] = []
    left: list[str] = []
    held = holding(places, needles)
    for path in databases(held):
        if not os.path.lexists(path):  # a log that was set aside alone
            left += [log for log in held if _base(log) == path]
            continue
        is_like_ours = os.path.exists(path) and not adopt_foreign.foreign(path)
        (rewritten if is_like_ours and _without(path, needles, scope, stores) else left).append(path)
    return rewritten, left


def databases(places: "list[str]") -> "list[str]":
    """Return the databases that files belong to: a log alone is none, and without it the database is another."""
    return list(dict.fromkeys([_base(path) for path in places]))


def _base(path: str) -> str:
    for end in BESIDE:
        path = path.removesuffix(end)
    return path


def remove(path: str) -> None:
    """Remove a copy with what lies beside it."""
    for end in ("", *BESIDE):
        paths.remove(path + end)


def holding(places: "list[str]", needles: "Needles", words: bool = False) -> "list[str]":
    """Return the copies that hold the text, or with `words` only words of it.

    The middle of a word may belong to another one: in a copy that was written anew, that proves nothing.
    """
    groups = {verify.PIECES: needles.pieces, verify.NAMES: needles.names, **({verify.WORDS: needles.words} if words else {})}
    held = verify.holding(places, groups)
    return [path for path in places if held.get(path)]


def _without(path: str, needles: "Needles", scope: str, stores: "list[Store]") -> bool:
    """Write a copy anew without what is marked as forgotten; says whether nothing of it is left there.

    A line that a row says which stays, such as a command that was run twice, is no reason to lose a backup.
    """

    def sweep(opened: "Store") -> bool:
        opened.begin(durable=True)
        tombstones.sweep(opened, scope)
        inventory.redact_tables(opened, needles)
        opened.commit()
        return True

    return bool(rewrite(path, sweep)) and not _left_in([path, *[path + end for end in BESIDE]], needles, stores)


def _left_in(places: "list[str]", needles: "Needles", stores: "list[Store]") -> bool:
    """Say whether files hold one of the texts that no row says any more."""
    held = verify.holding(places, {verify.PIECES: needles.pieces, verify.NAMES: needles.names})
    return any([not verify.rows_that_say(stores, text) for text in set().union(*held.values())])


def rewrite(path: str, change: "Callable[[Store], bool]") -> "bool | None":
    """Write a copy anew as `change` leaves it; the old one stays until then.

    Returns whether that could be done, and None where `change` says that nothing had to be.
    """
    draft = f"{path}{DRAFT}-{os.getpid()}"
    try:
        os.makedirs(draft, 0o700, exist_ok=True)
        shutil.copyfile(path, draft + "/memory.db")
        if os.path.exists(path + "-wal"):
            shutil.copyfile(path + "-wal", draft + "/memory.db-wal")
        done = _changed(draft, change)
        if not done:
            return done
        os.chmod(draft + "/memory.db", 0o600)
        os.replace(draft + "/memory.db", path)
        for end in BESIDE:  # they belong to the bytes that are gone
            paths.remove(path + end)
    except (OSError, StoreError, connection.sqlite.Error):
        return False
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return True


def _changed(folder: str, change: "Callable[[Store], bool]") -> "bool | None":
    opened = connection.connect(folder, WAIT_MS)
    try:
        if (
            opened.one("PRAGMA user_version")[0] != connection.SCHEMA_VERSION
        ):  # what an older release wrote, its functions cannot read
            return False
        if not change(opened):
            return None
        for name in (connection.FORGETTING, deletion.UNFINISHED):
            opened.set_property(name, None)
        kinds.rewrite_indexes(opened)
        opened.execute("VACUUM")
        # one file, as a backup is
        return str(opened.one("PRAGMA journal_mode = DELETE")[0]) == "delete"
    finally:
        opened.roll_back()
        opened.close()


def remembering(protect: "Protect") -> "Protect":
    """Return a protector that looks once at a text in which it finds nothing: a backup says mostly what the memory says."""
    clean: set[int] = set()

    def once(text: str) -> "tuple[str, dict[str, int]]":
        if hash(text) in clean:
            return text, {}
        safe, counts = protect(text)
        if safe == text and not counts:
            clean.add(hash(text))
        return safe, counts

    return once


def find_secrets(project: "Project", stores: "list[Store]", protect: "Protect", tell: "Callable[[str], object]" = len) -> Scrubbed:
    """Return what a scrub would do to the copies of memories, nothing changed."""
    found = inventory.of(project, stores)
    told = Scrubbed([], [], [])
    for artefact in found:
        path = artefact.path
        if artefact.kind not in (places.COPY, places.ASIDE) or path not in databases([path]):
            continue  # a log goes with its database
        tell(f"looking into {Path(path).name}")
        if artefact.kind == places.ASIDE and adopt_foreign.foreign(path):
            told.unread.append(path)
        else:
            _look_into(told, path, protect)
    return told


def _look_into(told: Scrubbed, path: str, protect: "Protect") -> None:
    from ralph_mem.maintenance import scrub as scrubbing  # lazy: a forget scrubs nothing

    held: list[bool] = []

    def is_changed(opened: "Store") -> bool:
        held.append(bool(scrubbing.preview(opened, protect).counts))
        return False

    if rewrite(path, is_changed) is None:
        told.scrubbed.extend([path] if held[0] else [])
    else:
        (told.removed if path.startswith(f"{paths.data_home()}/{paths.BACKUPS}/") else told.unread).append(path)


def scrub(project: "Project", stores: "list[Store]", protect: "Protect", tell: "Callable[[str], object]" = len) -> Scrubbed:
    """Scrub the copies of memories, after these themselves. Raises OSError or StoreError where no new backup can be made.

    A forget writes the same copies anew, and each would undo what the other does: one waits, or raises RalphMemError.
    """
    with pending.Lock():
        return _scrub_all(project, stores, protect, tell)


def _scrub_all(project: "Project", stores: "list[Store]", protect: "Protect", tell: "Callable[[str], object]") -> Scrubbed:
    from ralph_mem.maintenance import scrub as scrubbing  # lazy: a forget scrubs nothing

    told = find_secrets(project, stores, protect, tell)
    for path in list(told.scrubbed):
        tell(f"scrubbing {Path(path).name}")
        if not rewrite(path, lambda opened: scrubbing.scrub(opened, protect)[0].touched):
            told.scrubbed.remove(path)
            told.unread.append(path)
    if told.removed:
        for store in stores:
            backups.make(store, time.time_ns() // 1_000_000)
    for path in told.removed:
        remove(path)
    return told
