"""Say what is wrong with the file of a memory, open a damaged one, and keep it as found.

Nothing that is kept is deleted by us, but for the copy of a repair that was given up.
"""

import posix
import time

from ralph_mem.core import paths
from ralph_mem.memory import inspect
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection, schema, schema_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FOLDER = paths.DAMAGED
UNFINISHED = ".unfinished"
BLOCK = 1_048_576


def copy(folder: str) -> str:
    """Copy the database of a `.ralph-mem` with its log; returns the folder, which is called unfinished until `finish`.

    Whoever calls holds the memory alone and has no connection to it. Raises OSError.
    """
    logged = _log_of(folder)
    name = time.strftime("%Y-%m-%dT%H%M%S", time.gmtime())
    drafts = [f"{folder}/{FOLDER}/{name}{number or ''}{UNFINISHED}" for number in range(100)]
    target = next(path for path in drafts if not paths.exists(path) and not paths.exists(finished(path)))
    paths.make_folder(target)
    try:
        copy_file(folder + "/memory.db", target + "/memory.db")
        if logged:
            copy_file(logged, target + "/memory.db-wal")
    except OSError:
        give_up(target)
        raise
    return target


def _log_of(folder: str) -> str:
    """Return the log to copy: where a repair was killed after it had moved the log away, that of its copy."""
    if paths.exists(folder + "/memory.db-wal"):
        return folder + "/memory.db-wal"
    for name in kept(folder):
        begun = f"{folder}/{FOLDER}/{name}"
        has_log = name.endswith(UNFINISHED) and paths.exists(begun + "/memory.db-wal")
        if has_log and _same(folder + "/memory.db", begun + "/memory.db"):
            return begun + "/memory.db-wal"
    return ""


def _same(one: str, other: str) -> bool:
    from filecmp import cmp  # lazy: only where a repair was killed

    try:
        return cmp(one, other, shallow=False)
    except OSError:
        return False


def finish(target: str) -> None:
    """Give a copy its final name: from now on it is all that is left of what was damaged. Raises OSError."""
    posix.rename(target, finished(target))


def finished(target: str) -> str:
    """Return the final name of a copy."""
    return target.removesuffix(UNFINISHED)


def give_up(target: str) -> None:
    """Remove a copy whose original is still in its place."""
    for folder in (target + "/new", target):
        try:
            for name in posix.listdir(folder):
                paths.remove(f"{folder}/{name}")
            posix.rmdir(folder)
        except OSError:
            pass


def kept(folder: str) -> "list[str]":
    """Return the names of what is kept for a memory, oldest first."""
    return paths.names(f"{folder}/{FOLDER}")


def remove_log(folder: str) -> None:
    """Remove the log of a database that is about to be replaced: SQLite would replay it into the new one."""
    for suffix in ("-wal", "-shm"):
        paths.remove(f"{folder}/memory.db{suffix}")


def copy_file(path: str, target: str) -> None:
    """Copy a file into a new one for its owner alone, down to the disk. Raises OSError."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC
    with open(path, "rb") as source, open(posix.open(target, flags, 0o600), "wb") as copied:
        while block := source.read(BLOCK):
            copied.write(block)
        copied.flush()
        posix.fsync(copied.fileno())


STEP_OPERATIONS = 100_000
LAST_NUMBER = 2**62
MAGIC = b"SQLite format 3\0"
HEADER = 100
# Page size, write and read version, reserved bytes, and three fractions that must have these values: 64 KiB are written as 1.
PAGE_SIZES = {256 << power: (256 << power) % 65536 or 1 for power in range(1, 9)}
DEFAULT_PAGE = 4096
FRACTIONS = bytes((0, 64, 32, 32))
COUNTER, PAGES, FREE, VALID_FOR = slice(24, 28), slice(28, 32), slice(32, 40), slice(92, 96)
FORMAT, AUTOVACUUM, ENCODING = slice(44, 48), slice(52, 56), slice(56, 60)
# A declared length that is further off is not believed.
MOST_PADDING = 16
FAILURES = (connection.sqlite.Error, MemoryError, OverflowError, ValueError)
BROKEN_OFF = "as a migration leaves it that was broken off"
OUR_ROWS = "SELECT count(*), total(public_id GLOB 'sess-*') FROM (SELECT public_id FROM sessions LIMIT 20)"


def of(folder: str, seconds: float = 3600) -> str:
    """Return what is wrong with the memory in a `.ralph-mem`, nothing where it is whole or cannot be looked at now.

    A database of a newer release, or of another program, is not damaged. Nobody else may write meanwhile.
    """
    path = folder + "/memory.db"
    try:
        size = posix.stat(path).st_size
    except OSError:
        return ""
    if not size:
        return "it is empty, but its log is not" if _bytes_of(path + "-wal") else ""
    try:
        return _with(path, "ro", seconds, _fault) or _with(path, "rw", seconds, _fault_of_indexes)
    except (connection.sqlite.Error, MemoryError) as error:
        return (str(error) or type(error).__name__) if inspect.why(error) == inspect.BROKEN else ""


def _with(path: str, mode: str, seconds: float, look: "Callable[[Any], str]") -> str:
    db = connection.sqlite.connect(connection.address_of(path, f"mode={mode}"), uri=True, timeout=0.5, isolation_level=None)
    try:
        end = time.monotonic() + seconds
        db.set_progress_handler(lambda: time.monotonic() > end, STEP_OPERATIONS)
        return look(db)
    finally:
        db.close()


def _fault(db: "Any") -> str:
    version = _version(db)
    if not version:
        return ""
    (fault,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if fault != "ok":
        return " ".join(fault.split())
    gone = schema_check.missing(db, version)
    if gone:
        broken_off = "" if gone[0] in schema.ON_DEMAND else f", {BROKEN_OFF}, or a development version"
        return f"schema {version} without {gone[0]}{broken_off}"
    ahead = _ahead(db, version)
    return f"schema {version} with {ahead} of a later one, {BROKEN_OFF}" if ahead else ""


def _version(db: "Any") -> int:
    """Return the schema version of a database of ours; 0 for a newer one, somebody else's, and one that is being made."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    return version if version <= schema.VERSION and application == schema.APPLICATION_ID else 0


def _fault_of_indexes(db: "Any") -> str:
    if _version(db):
        db.execute("BEGIN IMMEDIATE")
        for index in kinds.indexes(db):
            # FTS5's own check passes over a lost list of segments, into which nothing can be written any more
            db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            (column, *_) = db.execute("SELECT name FROM pragma_table_info(?)", (index,)).fetchone()
            db.execute(f"INSERT INTO {index} (rowid, {column}) VALUES (?, 'trial')", (LAST_NUMBER,))
        db.execute("SAVEPOINT written")  # FTS5 holds back what is inserted until here
        db.execute("ROLLBACK")
    return ""


def _ahead(db: "Any", version: int) -> str:
    """Return something of this release's schema that an older one has already: to migrate it would fail."""
    if version == schema.VERSION:
        return ""
    wanted, still = set(schema_check.added_since(version)), set(schema_check.missing(db, schema.VERSION))
    return next(iter(sorted(wanted - still)), "")


def _bytes_of(path: str) -> int:
    return posix.stat(path).st_size if paths.exists(path) else 0


# A damaged copy


def open_copy(path: str) -> "Any":
    """Open a copy of a damaged database for reading, its header mended as far as that needs; None where that does not help.

    The copy is changed, also its length.
    """
    _mend_header(path)
    db = connection.sqlite.connect(connection.address_of(path), uri=True, timeout=1.0, isolation_level=None)
    # bytes that are no text any more are read all the same, and their checksum tells
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "writable_schema = ON"):
        db.execute("PRAGMA " + pragma)
    for _ in range(2):  # with a schema that may be written, SQLite passes over what of it makes no sense, but for the first query
        try:
            count, ours = db.execute(OUR_ROWS).fetchone()
        except FAILURES as error:
            if _names_sessions(db) and "malformed" in str(error):  # only that table is damaged: the others are read
                return db
        else:
            if count == 0 or ours:
                return db
    db.close()
    return None


def _names_sessions(db: "Any") -> bool:
    try:
        return bool(db.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('sessions', 'turns')").fetchone()[0] == 2)
    except FAILURES:
        return False


def _mend_header(path: str) -> None:
    """Restore the magic and what has only one possible value, and pad the file to the length that it declares."""
    with open(path, "r+b") as file:
        header = bytearray(file.read(HEADER).ljust(HEADER, b"\0"))
        size = posix.stat(path).st_size
        page = int.from_bytes(header[16:18], "big")
        if page not in PAGE_SIZES.values():
            page = DEFAULT_PAGE
        page_bytes = 65536 if page == 1 else page
        declared = int.from_bytes(header[PAGES], "big")
        if not size // page_bytes <= declared <= MOST_PADDING * max(1, size // page_bytes):
            declared = -(-size // page_bytes)
            header[PAGES], header[VALID_FOR], header[FREE] = declared.to_bytes(4, "big"), header[COUNTER], bytes(8)
        logged = paths.exists(path + "-wal")
        version = header[18] if header[18] in (1, 2) and header[18] == header[19] else 1 + logged
        header[:24] = MAGIC + page.to_bytes(2, "big") + bytes((version, version)) + FRACTIONS
        for place, usual, most in ((FORMAT, 4, 4), (ENCODING, 1, 1)):
            if not 0 < int.from_bytes(header[place], "big") <= most:
                header[place] = usual.to_bytes(4, "big")
        header[AUTOVACUUM] = bytes(4)
        file.seek(0)
        file.write(header)
        file.truncate(declared * page_bytes)
