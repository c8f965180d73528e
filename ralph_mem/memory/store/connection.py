"""The connection to a project's database, opened for one short transaction and left without closing.

To close the last connection costs four fsyncs; a hook leaves by `_exit`, and Stop and SessionStart checkpoint.
"""

import posix
import zlib

from ralph_mem.core import fast, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

sqlite = fast.load_sqlite()

SCHEMA_VERSION = 3
# A tool event may cost the user this much when another session writes; a prompt is worth more.
TOOL_WAIT_MS = 150
PROMPT_WAIT_MS = 2000
# Above this the next event pays for reading the log; 8 MB are some 200 tool events without a Stop between them.
LARGE_LOG_BYTES = 8_388_608
SMALL_LOG_BYTES = 262_144
# What a session start empties: to read a megabyte costs each event 0.3 ms, to empty it costs a start, which somebody waits for,
# three fsyncs; the next Stop empties a smaller one unseen.
LEFT_LOG_BYTES = 1_048_576
# Properties that hold words of rows, and go with the first of these that changes or goes: how a row was before a person changed
# it last (memory/undoing.py), and what holds, in lines that are ready for a session's start (memory/facts/prepared.py).
UNDO, STANDING = "undo", "facts_standing"
# The property of a database in which a fact or a relation was changed last: an undo takes nothing older for it. Not `undo` itself:
# a start that finds that reads more modules.
PASSED_OVER = "passed_over"
# How many items of a team nobody has approved; by the names of teams what is known of their servers.
TEAM_WAITING, TEAM_SERVERS = "team_waiting", "team_servers"
NOTES_INDEXED = "notes_indexed"  # the property of a database that has the index `schema.NOTES`
# To count 100,000 takes a millisecond, which each start and each status line would cost; the status counts them all.
MOST_COUNTED = 1000
LEARNED_AT = "learner_woken"  # the property of a database that says when the process that learns was last started
OTHER_HOSTS = "other_hosts"  # the property of a database in which another client than Claude Code was ever heard
# The property that says in which folder of the project the last sessions were, by the client's ids, that were not at its top.
FOLDERS = "folders"
STOPPED_AT = "stopped_at"  # the property of a database that says when the last turn in it ended, in milliseconds
# What looks through an index reads most pages once: a buffer that is used again costs a third of one whose memory the system has
# to hand out first (measured 1.2 and 3.7 microseconds); with 32 pages few are read a second time.
FEW_PAGES = "PRAGMA cache_size = 32"
FORGETTING = "forgetting"  # the property of a database whose log may still hold what was deleted
UNFINISHED = "unfinished"  # the property of a database with a forget that was cut off


def counted(db: "Any") -> int:
    """Return how many memories an open database has; of more than MOST_COUNTED one more than that."""
    if db.execute(f"SELECT 1 FROM memories LIMIT 1 OFFSET {MOST_COUNTED}").fetchone():
        return MOST_COUNTED + 1
    return int(db.execute("SELECT count(*) FROM memories").fetchone()[0])


class Store:
    """One open database. `folder` is the project's `.ralph-mem`; a lock below zero is none.

    `tree` is where the files lie that facts name: the worktree of who has it open, else the folder's own project.
    """

    __slots__ = ("db", "folder", "is_awaited", "lock", "properties", "tree")

    def __init__(self, folder: str, db: "Any", lock: int) -> None:
        self.folder = folder
        self.tree = folder.rpartition("/")[0]
        self.db = db
        self.lock = lock
        self.is_awaited = False  # whether a person waits for what is done in the background otherwise
        self.properties: dict[str, Any] = {}

    def execute(self, sql: str, values: "Sequence[object]" = ()) -> "Any":
        """Run one statement; returns the cursor."""
        return self.db.execute(sql, values)

    def one(self, sql: str, values: "Sequence[object]" = ()) -> "Any":
        """Return the first row of a query as a tuple, or None."""
        return self.db.execute(sql, values).fetchone()

    def property(self, key: str) -> "Any":
        """Return a fact about this database, such as its project's id, or None; all are read with the first one."""
        if not self.properties:
            self.properties.update(self.db.execute("SELECT key, value FROM properties").fetchall())
        return self.properties.get(key)

    def set_property(self, key: str, value: object) -> None:
        """Set a fact about this database; None takes it away."""
        self.execute("INSERT OR REPLACE INTO properties (key, value) VALUES (?, ?)", (key, value))
        self.properties.clear()

    def drop(self, *keys: str) -> None:
        """Take facts about this database away, as it stands now: another process may have set them since it was opened."""
        self.execute(f"DELETE FROM properties WHERE key IN ({', '.join('?' * len(keys))})", keys)
        self.properties.clear()

    def begin(self, durable: bool = False) -> None:
        """Start the one transaction. A durable one survives a power cut, at the price of an fsync."""
        # never read before the write lock is held: a read that becomes a write fails at once under load
        self.execute("PRAGMA synchronous = " + ("FULL" if durable else "NORMAL"))
        self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit; from here on the rows are acknowledged."""
        self.execute("COMMIT")

    def roll_back(self) -> None:
        """Give up what was begun, if anything."""
        if self.db.in_transaction:
            self.execute("ROLLBACK")

    def close(self) -> None:
        """Close the database and let go of the lock. Hooks do not: they leave by `_exit`, which is quicker."""
        self.db.close()
        if self.lock >= 0:
            posix.close(self.lock)

    def log_bytes(self) -> int:
        """Return the size of the write-ahead log."""
        try:
            return posix.stat(self.folder + "/memory.db-wal").st_size
        except OSError:
            return 0

    def checkpoint(self) -> bool:
        """Move the log into the database, unless somebody is at work, then the next one does it; says whether it is empty."""
        try:
            if not paths.lock(self.lock):
                return False
        except OSError:  # a file system without locks
            return False
        try:
            return not self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            paths.lock(self.lock, paths.SHARED)

    def tidy(self) -> None:
        """Once the log is worth it, merge the indexes a little and empty it: what Stop does so that the next turn is quick."""
        if self.log_bytes() <= SMALL_LOG_BYTES:
            return
        for index in ("memory_fts", "observations_fts"):
            # 64 pages are a millisecond or two
            self.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', 64)")
        self.checkpoint()


def connect(folder: str, wait_ms: int) -> Store:
    """Open the database of a project that has one.

    Raises StoreError where there is none, it cannot be opened or is not known to be ours, NewerStore where a newer release
    wrote it.
    """
    if not paths.is_folder(folder) and not is_known(folder):  # behind a link that nobody approved, not even a lock is made
        raise fast.errors().StoreError(f"cannot write to {folder}: no folder of yours is there")
    return open_held(folder, lock(folder, wait_ms), wait_ms)


def open_held(folder: str, held: int, wait_ms: int) -> Store:
    """Open the database of a folder whose lock is held; it goes with the connection, or with a failure. Raises as `connect`."""
    # only now: who had to wait may have waited for a session of another home, which put its own memory in the place
    if not is_known(folder):
        posix.close(held)
        raise not_used(folder)
    try:
        db = sqlite.connect(address_of(folder + "/memory.db"), timeout=wait_ms / 1000, isolation_level=None, uri=True)
    except sqlite.Error as error:
        posix.close(held)
        from ralph_mem.memory.store import long_paths  # lazy: only for what cannot be opened

        long = long_paths.too_long(folder)
        what = long or f"cannot open {folder}/memory.db: {error}"
        raise fast.errors().StoreError(what, long_paths.SHORTER if long else "") from error
    opened = Store(folder, db, held)
    try:
        _set_up(opened)
    except fast.errors().StoreError:
        opened.close()
        raise
    return opened


def address_of(path: str, how: str = "mode=rw") -> str:
    """Return the address by which SQLite opens the file of an absolute path in some way."""
    return "file://" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?" + how


def connect_global(wait_ms: int) -> "Store | None":
    """Open the memory of all projects, or return None where nothing was ever kept there. Raises as `connect`."""
    folder = paths.config_home()
    return connect(folder, wait_ms) if folder and exists(folder) else None


def _set_up(opened: Store) -> None:
    try:
        version = opened.one("PRAGMA user_version")[0]
        opened.execute("PRAGMA wal_autocheckpoint = 0")
        opened.execute("PRAGMA foreign_keys = ON")
    except sqlite.Error as error:
        raise fast.errors().StoreError(f"cannot open {opened.folder}/memory.db: {error}") from error
    if version > SCHEMA_VERSION:
        raise newer(opened.folder, version)


def newer(folder: str, version: int) -> Exception:
    """Return what to raise for a memory that a newer release wrote."""
    what = f"{folder}/memory.db has schema {version}, this release knows {SCHEMA_VERSION}"
    found: Exception = fast.errors().NewerStore(what, "update the plugin")
    return found


def not_used(folder: str, why: str = "not known to be yours") -> Exception:
    """Return what to raise for a memory that no session start has found to be ours; why, where somebody has looked at it."""
    hint = "the next session start takes it up if it is yours, and sets it aside if not; `ralph-mem trust` shows it then"
    found: Exception = fast.errors().StoreError(f"{folder}/memory.db is not used ({why})", hint)
    return found


def lock(folder: str, wait_ms: int, how: int = paths.SHARED) -> int:
    """Hold the lock that keeps writers and checkpoints apart, or with `paths.ALONE` everybody else; returns the file to close.

    SQLite before 3.51.3 can lose a commit when a checkpoint runs while another connection restarts the log. The
    lock goes with the process. Raises StoreError.
    """
    try:
        file = paths.open_lock(folder)
    except OSError as error:
        raise fast.errors().StoreError(
            f"cannot write to {folder}: {error.strerror}", "is the folder yours, and the disk not full?"
        ) from error
    try:
        if paths.lock(file, how, wait_ms / 1000):
            return file
    except OSError:  # a file system without locks
        return file
    posix.close(file)
    busy = "tidying up" if how == paths.SHARED else "at work in this memory"
    raise fast.errors().BusyStore(f"another session is {busy}", "try again in a moment")


def share(held: int) -> None:
    """Let others work beside the one who kept them all waiting."""
    try:
        paths.lock(held, paths.SHARED, paths.FOR_EVER)
    except OSError:  # as above
        pass


def exists(folder: str) -> bool:
    """Say whether a project has a database."""
    return paths.exists(folder + "/memory.db")


def is_known(folder: str) -> bool:
    """Say whether the database of a project is the file that a session start found to be ours (provenance.py).

    A repository may bring another one along, or links. Where the user can have no key, nothing can be told apart.
    """
    home = paths.data_home()
    if not home or not folder.endswith("/" + paths.STATE):
        return True
    if paths.exists(folder + "/memory.db-journal"):  # we leave none; SQLite would play it back into the memory
        return False
    number = 0
    for name in ("/memory.db-shm", "/memory.db-wal", "/memory.db"):
        try:
            status = posix.lstat(folder + name)
        except OSError:
            number = 0
        else:
            number = status.st_ino
            if status.st_nlink > 1:  # what SQLite writes would also be written elsewhere
                return False
    path, verdict = verdict_of(home, folder, number)
    # a folder that is a link needs a verdict too
    return paths.read(path) == verdict or (paths.is_folder(folder) and not (number and _can_tell(home)))


def _can_tell(home: str) -> bool:
    """Say whether what is ours is noted in a data home, or could have been: a session start makes the user's key there."""
    try:
        paths.make_folder(home)
    except OSError:  # in /proc even what may be written cannot be made
        return False
    return not paths.is_out_of_use(home)


def verdict_of(home: str, folder: str, number: int) -> "tuple[str, str]":
    """Return where it is kept, outside of the project, which file is known to be a folder's database, and as which words."""
    whole = folder.encode("utf-8", "surrogateescape")
    return f"{home}/{paths.KNOWN}/{zlib.crc32(whole):08x}", f"{number} {folder!a}"
