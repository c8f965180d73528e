"""Legible: a copy of a damaged database is given what SQLite needs to open it: the magic, its declared length, the
pages on which its schema stands.
"""

import posix

from ralph_mem.core import paths, store
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"SQLite format 3\0"
HEADER = 100
# Page size, write and read version, reserved bytes, and three fractions that must have these values: 64 KiB are written as 1.
PAGE_SIZES = {256 << power: (256 << power) % 65536 or 1 for power in range(1, 9)}
DEFAULT_PAGE = 4096
FRACTIONS = bytes((0, 64, 32, 32))
COUNTER, PAGES, FREE, VALID_FOR = slice(24, 28), slice(28, 32), slice(32, 40), slice(92, 96)
INNER = 5  # the kind of a page that only names others
FORMAT, AUTOVACUUM, ENCODING = slice(44, 48), slice(52, 56), slice(56, 60)
# A declared length that is further off is not believed.
MOST_PADDING = 16
FAILURES = (store.sqlite.Error, MemoryError, OverflowError, ValueError)
OUR_ROWS = "SELECT count(*), total(public_id GLOB 'sess-*') FROM (SELECT public_id FROM sessions LIMIT 20)"


def open_copy(path: str, page_ones: "list[str]") -> "Any":
    """Open a copy of a database for reading, mended as far as that needs. The copy is changed, also its length.

    `page_ones` are files that may lend their first page, tried in this order. Raises StoreError where none helps.
    """
    _mend_header(path)
    for lender in ("", *page_ones):
        if lender and not _graft(path, lender):
            continue
        db = _opened(path)
        if db is not None:
            return db
    raise StoreError("its first page is destroyed, and no backup has one that fits")


def _opened(path: str) -> "Any":
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = store.sqlite.connect(f"file://{quoted}?mode=rw", uri=True, timeout=1.0, isolation_level=None)
    try:
        # bytes that are no text any more are read all the same, and their checksum tells
        db.text_factory = _decoded
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        db.execute("PRAGMA query_only = ON")
        count, ours = db.execute(OUR_ROWS).fetchone()
        if count == 0 or ours:
            return db
    except FAILURES as error:
        if _names_sessions(db) and "malformed" in str(error):  # only that table is damaged: the others are read
            return db
    db.close()
    return None


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


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


def _graft(path: str, lender: str) -> bool:
    """Put the schema of another database of the same layout in the place of this one's; says whether it fits."""
    with open(path, "r+b") as file, open(lender, "rb") as other:
        theirs = bytearray(other.read(HEADER))
        page = int.from_bytes(theirs[16:18], "big")
        if bytes(theirs[:16]) != MAGIC or page not in PAGE_SIZES.values():
            return False
        page_bytes = 65536 if page == 1 else page
        theirs += other.read(page_bytes - HEADER)
        pages = -(-posix.stat(path).st_size // page_bytes)
        theirs[PAGES], theirs[VALID_FOR], theirs[FREE] = pages.to_bytes(4, "big"), theirs[COUNTER], bytes(8)
        theirs[18:20] = b"\2\2" if paths.exists(path + "-wal") else b"\1\1"
        file.write(theirs)
        for number in _children(theirs):
            other.seek((number - 1) * page_bytes)
            file.seek((number - 1) * page_bytes)
            file.write(other.read(page_bytes))
        file.truncate(max(pages * page_bytes, file.tell()))
    return True


def _children(page: bytearray) -> "list[int]":
    """Return the pages on which the schema stands, where the first page only names them."""
    if page[HEADER] != INNER:
        return []
    count = int.from_bytes(page[HEADER + 3 : HEADER + 5], "big")
    pointers = [int.from_bytes(page[at : at + 2], "big") for at in range(HEADER + 12, HEADER + 12 + 2 * count, 2)]
    places = [HEADER + 8, *pointers]
    return [int.from_bytes(page[at : at + 4], "big") for at in places]
