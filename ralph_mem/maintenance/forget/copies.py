"""Rewrite the copies of a memory without what was forgotten or is secret.

A copy that cannot be rewritten goes; what was set aside is the person's to delete.
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
from ralph_mem.memory.rows import kinds, tombstones
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_mem.core.project import Project
    from ralph_mem.core.redaction.whole import Protect

WAIT_MS = 1000
DRAFT = ".rewriting"
# Besides the file itself: what SQLite leaves next to one that was not closed.
BESIDE = ("-wal", "-shm", "-journal")
# Paths of copies: those that hold a secret, or were written anew without it; those that go; those into which nobody looks.
Scrubbed = namedtuple("Scrubbed", "scrubbed removed unread")


def clear(
    places: "list[str]", needles: "verify.Needles", scope: str, stores: "list[connection.Store]"
) -> "tuple[list[str], list[str]]":
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


def clear_aside(
    places: "list[str]", needles: "verify.Needles", scope: str, stores: "list[connection.Store]"
) -> "tuple[list[str], list[str]]":
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


def holding(places: "list[str]", needles: "verify.Needles", words: bool = False) -> "list[str]":
    """Return the copies that hold the text, or with `words` only words of it.

    The middle of a word may belong to another one: in a copy that was written anew, that proves nothing.
    """
    groups = {verify.PIECES: needles.pieces, verify.NAMES: needles.names, **({verify.WORDS: needles.words} if words else {})}
    held = verify.holding(places, groups)
    return [path for path in places if held.get(path)]


def _without(path: str, needles: "verify.Needles", scope: str, stores: "list[connection.Store]") -> bool:
    """Write a copy anew without what is marked as forgotten; says whether nothing of it is left there.

    A line that a row says which stays, such as a command that was run twice, is no reason to lose a backup.
    """

    def sweep(opened: "connection.Store") -> bool:
        opened.begin(durable=True)
        tombstones.sweep(opened, scope)
        inventory.redact_tables(opened, needles)
        opened.commit()
        return True

    return bool(rewrite(path, sweep)) and not _left_in([path, *[path + end for end in BESIDE]], needles, stores)


def _left_in(places: "list[str]", needles: "verify.Needles", stores: "list[connection.Store]") -> bool:
    """Say whether files hold one of the texts that no row says any more."""
    held = verify.holding(places, {verify.PIECES: needles.pieces, verify.NAMES: needles.names})
    return any([not verify.rows_that_say(stores, text) for text in set().union(*held.values())])


def rewrite(path: str, change: "Callable[[connection.Store], bool]") -> "bool | None":
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


def _changed(folder: str, change: "Callable[[connection.Store], bool]") -> "bool | None":
    opened = connection.connect(folder, WAIT_MS)
    try:
        if opened.one("PRAGMA user_version")[0] != connection.SCHEMA_VERSION:  # its functions cannot read what an older one wrote
            return False
        if not change(opened):
            return None
        for name in (connection.FORGETTING, connection.UNFINISHED):
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

    def once(text: str, is_said: bool = False) -> "tuple[str, dict[str, int]]":
        if hash((text, is_said)) in clean:
            return text, {}
        safe, counts = protect(text, is_said)
        if safe == text and not counts:
            clean.add(hash((text, is_said)))
        return safe, counts

    return once


def find_secrets(
    project: "Project", stores: "list[connection.Store]", protect: "Protect", tell: "Callable[[str], object]" = len
) -> Scrubbed:
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

    def is_changed(opened: "connection.Store") -> bool:
        held.append(bool(scrubbing.preview(opened, protect).counts))
        return False

    if rewrite(path, is_changed) is None:
        told.scrubbed.extend([path] if held[0] else [])
    else:
        (told.removed if path.startswith(f"{paths.data_home()}/{paths.BACKUPS}/") else told.unread).append(path)


def scrub(
    project: "Project", stores: "list[connection.Store]", protect: "Protect", tell: "Callable[[str], object]" = len
) -> Scrubbed:
    """Scrub the copies of memories, after these themselves. Raises OSError or StoreError where no new backup can be made.

    A forget writes the same copies anew, and each would undo what the other does: one waits, or raises RalphMemError.
    """
    from ralph_mem.maintenance import scrub as scrubbing  # lazy: a forget scrubs nothing

    with pending.Lock():
        told = find_secrets(project, stores, protect, tell)
        for path in list(told.scrubbed):
            tell(f"scrubbing {Path(path).name}")
            if not rewrite(path, lambda opened: scrubbing.scrub(opened, protect)[0].touched):
                told.scrubbed.remove(path)
                told.unread.append(path)
        for store in stores if told.removed else []:
            backups.make(store, time.time_ns() // 1_000_000)
        for path in told.removed:
            remove(path)
        return told
