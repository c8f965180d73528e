"""Copies: backups of a memory and what was put in quarantine or salvaged. One that holds what was forgotten is written anew
without it, and where that cannot be done it goes.

Standard library only: the skill uses it.
"""

import os
import shutil

from ralph_mem import artefacts, reclaiming, residue
from ralph_mem.core import forgotten, paths, store, tombstones
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_mem.core.store import Store
    from ralph_mem.needles import Needles

WAIT_MS = 1000
DRAFT = ".rewriting"
INDEXES = ("memory_fts", "observations_fts")
# Besides the file itself: what SQLite leaves next to one that was not closed.
BESIDE = ("-wal", "-shm", "-journal")


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
        is_like_ours = os.path.exists(path) and not reclaiming.foreign(path)
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
    groups = {residue.PIECES: needles.pieces, residue.NAMES: needles.names, **({residue.WORDS: needles.words} if words else {})}
    held = residue.holding(places, groups)
    return [path for path in places if held.get(path)]


def _without(path: str, needles: "Needles", scope: str, stores: "list[Store]") -> bool:
    """Write a copy anew without what is marked as forgotten; says whether nothing of it is left there.

    A line that a row says which stays, such as a command that was run twice, is no reason to lose a backup.
    """

    def sweep(opened: "Store") -> bool:
        opened.begin(durable=True)
        tombstones.sweep(opened, scope)
        artefacts.redact_tables(opened, needles)
        opened.commit()
        return True

    return bool(rewrite(path, sweep)) and not _left_in([path, *[path + end for end in BESIDE]], needles, stores)


def _left_in(places: "list[str]", needles: "Needles", stores: "list[Store]") -> bool:
    """Say whether files hold one of the texts that no row says any more."""
    held = residue.holding(places, {residue.PIECES: needles.pieces, residue.NAMES: needles.names})
    return any([not residue.rows_that_say(stores, text) for text in set().union(*held.values())])


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
    except (OSError, StoreError, store.sqlite.Error):
        return False
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return True


def _changed(folder: str, change: "Callable[[Store], bool]") -> "bool | None":
    opened = store.connect(folder, WAIT_MS)
    try:
        if opened.one("PRAGMA user_version")[0] != store.SCHEMA_VERSION:  # what an older release wrote, its functions cannot read
            return False
        if not change(opened):
            return None
        for name in (store.FORGETTING, forgotten.UNFINISHED):
            opened.set_property(name, None)
        for index in INDEXES:
            opened.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        opened.execute("VACUUM")
        # one file, as a backup is
        return str(opened.one("PRAGMA journal_mode = DELETE")[0]) == "delete"
    finally:
        opened.roll_back()
        opened.close()
