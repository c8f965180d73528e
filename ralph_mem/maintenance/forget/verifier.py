"""Search raw files for pieces of text, whatever they are wrapped in, as a process with locks of its own.

Started as a script by path, as `python3 -I -S verifier.py`; it reads one JSON object on stdin and answers with one.
"""

import base64
import json
import mmap
import os
import re
import sqlite3
import subprocess
import sys
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# Read in parts; what lies across two of them is in both.
PART, OVERLAP = 16_777_216, 65_536
# What one compressed place may unpack to: the largest file of a snapshot that lies in a row, and sixteen times as much.
MOST_UNPACKED = 16_777_216
STEP = 64  # bytes of a stream that ends amid something else
# The first two bytes of what zlib writes, by its levels: with a window of 32 KiB, and of 16 (`snapshot.blobs.WINDOW_BITS`).
ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x68[\x05\x43\x81\xde]")
# 24 characters are 18 bytes: more than the shortest piece that is looked for.
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}")
WRAPPED = re.compile(rb"(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]+")
ESCAPE = re.compile(rb"(?:\\+u[0-9a-fA-F]{4})+")  # with more than one backslash in JSON that is a value of JSON
WIDE = re.compile(rb"\x00[\x20-\x7e]\x00[\x20-\x7e]\x00[\x20-\x7e]\x00[\x20-\x7e]\x00")
COLUMNS = """
SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%'"""
URL_SAFE = bytes.maketrans(b"-_", b"+/")
DEADLINE_S = 600


class Unverified(Exception):
    """The process that verifies gave no answer; says what it said."""


def ask(files: "Sequence[str]", needles: "dict[str, list[str]]", databases: "dict[str, str] | None" = None) -> "dict[str, Any]":
    """Have a separate process look into files; returns `held` (path -> group -> the needles it holds), `bytes` and `unread`.

    `needles` are texts in groups: those of `names` are looked for as they are, all others in whatever wrapping. `databases` are the
    files that are opened by SQLite as well, each with its address. Raises Unverified.
    """
    request = json.dumps({"files": list(files), "needles": needles, "databases": databases or {}}).encode("utf-8", "surrogatepass")
    order = [sys.executable, "-I", "-S", os.path.abspath(__file__)]
    try:
        ran = subprocess.run(order, input=request, capture_output=True, timeout=DEADLINE_S, check=False)
        answer: dict[str, Any] = json.loads(ran.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise Unverified(str(error)[:200]) from error
    return answer


def look(request: "dict[str, Any]") -> "dict[str, Any]":
    """Look into every file of a request; a file that cannot be read is named."""
    forms = {group: {needle: _forms(needle) for needle in found} for group, found in request["needles"].items()}
    held, unread, size, databases = {}, [], 0, request.get("databases", {})
    for path in request["files"]:
        try:
            found = _look_into(path, databases.get(path, ""), forms)
            size += os.stat(path).st_size
        except FileNotFoundError:
            continue
        except OSError:
            unread.append(path)
            continue
        if any(found.values()):
            held[path] = found
    return {"held": held, "unread": unread, "bytes": size, "process": os.getpid()}


def packed(path: str, needles: "Sequence[str]") -> "list[str]":
    """Return which needles a file holds as it is or compressed, as git has texts; in all wrappings that would take minutes."""
    forms = {needle: _forms(needle) for needle in needles}
    found: dict[str, None] = {}
    for part in _parts(path):
        for text in [part.lower(), *[unpacked.lower() for unpacked in _joined(_packed_in(part))]]:
            found.update({needle: None for needle, written in forms.items() if any([form in text for form in written])})
    return list(found)


def _forms(needle: str) -> "list[bytes]":
    """Return a needle in small letters as it stands in a row, and as JSON of two kinds writes it.

    As UTF-16, too, where it is not ASCII: what narrows a file looks for letters that every text has.
    """
    escaped = [json.dumps(needle, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)]
    forms = [text.encode("utf-8", "surrogatepass") for text in (needle, *escaped)]
    wide = [] if needle.isascii() else [needle.encode(order, "surrogatepass") for order in ("utf-16-le", "utf-16-be")]
    return list(dict.fromkeys([form.lower() for form in (*forms, *wide)]))


def _look_into(path: str, address: str, forms: "dict[str, dict[str, list[bytes]]]") -> "dict[str, list[str]]":
    found: dict[str, dict[str, None]] = {group: {} for group in forms}
    for texts in _texts(path, address):
        for group, needles in forms.items():
            for needle, written in needles.items():
                if needle not in found[group] and any([form in text for text in texts for form in written]):
                    found[group][needle] = None
    return {group: list(needles) for group, needles in found.items()}


def _texts(path: str, address: str) -> "Iterator[list[bytes]]":
    for part in _parts(path):
        yield [text.lower() for text in _unwrapped(part)]
    if address and _is_database(path):
        yield [text.lower() for text in _joined(_packed_values(address))]


def _is_database(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _packed_values(address: str) -> "Iterator[bytes]":
    """Unpack the values of a database that are packed: one that goes over several pages is in pieces in the raw file."""
    try:
        db = sqlite3.connect(address, uri=True, timeout=1)
        try:
            for table, column in db.execute(COLUMNS).fetchall():
                for (value,) in db.execute(f'SELECT "{column}" FROM "{table}" WHERE substr("{column}", 1, 1) = x\'78\''):
                    yield from _packed_in(bytes(value))
        finally:
            db.close()
    except sqlite3.Error:  # damaged or locked: its raw bytes are read all the same
        return


def _parts(path: str) -> "Iterator[bytes]":
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        if not size:
            return
        with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as whole:
            for at in range(0, size, PART):
                yield whole[max(0, at - OVERLAP) : at + PART]
    finally:
        os.close(file)


def _unwrapped(data: bytes, depth: int = 2) -> "list[bytes]":
    """Return bytes as they are, and what can be made of them: escapes resolved, UTF-16 narrowed, base64 and zlib undone."""
    texts = [data]
    if b"\\u" in data:
        texts.append(ESCAPE.sub(_resolved, data))
    if WIDE.search(data):
        texts += _narrowed(data)
    if depth:
        inner = [*_base64_in(data), *_packed_in(data)]
        # many short ones are one text to look through
        texts += [text for joined in _joined(inner) for text in _unwrapped(joined, depth - 1)]
    return texts


def _resolved(match: "re.Match[bytes]") -> bytes:
    units = bytes.fromhex(match[0].replace(b"\\", b"").replace(b"u", b"").decode())
    return units.decode("utf-16-be", "replace").encode("utf-8", "replace")


def _narrowed(data: bytes) -> "Iterator[bytes]":
    """Read bytes as UTF-16, either way round and from either of the first two."""
    for order in ("utf-16-le", "utf-16-be"):
        for start in (0, 1):
            yield data[start:].decode(order, "replace").encode("utf-8", "replace")


def _base64_in(data: bytes) -> "Iterator[bytes]":
    runs = [match[0] for match in BASE64.finditer(data)]
    runs += [match[0].replace(b"\r", b"").replace(b"\n", b"") for match in WRAPPED.finditer(data)]
    for run in runs:
        for start in range(4):  # where it begins cannot be known: a letter before it may look like a part of it
            kept = run[start:].translate(URL_SAFE)
            yield base64.b64decode(kept[: len(kept) // 4 * 4])


def _packed_in(data: bytes) -> "Iterator[bytes]":
    for match in ZLIB.finditer(data):
        try:
            yield _unpacked(data, match.start())
        except zlib.error:  # most places that look like it are none; of one that is cut off its beginning is read
            yield from _as_far_as_it_goes(data, match.start())


def _unpacked(data: bytes, start: int) -> bytes:
    """Unpack a stream in parts: a pack of git has thousands, and what follows one would be copied with each."""
    unpacker, found, left = zlib.decompressobj(), [], MOST_UNPACKED
    for at in range(start, min(len(data), start + PART), OVERLAP):
        found.append(unpacker.decompress(data[at : at + OVERLAP], left))
        left -= len(found[-1])
        if unpacker.eof or left <= 0:
            break
    return b"".join(found)


def _as_far_as_it_goes(data: bytes, start: int) -> "Iterator[bytes]":
    """Unpack a stream that ends amid a page of something else, in small steps until it makes no sense."""
    unpacker, found = zlib.decompressobj(), []
    try:
        for at in range(start, min(len(data), start + OVERLAP), STEP):
            found += [unpacker.decompress(data[at : at + STEP], MOST_UNPACKED)]
    except zlib.error:
        pass
    if any(found):
        yield b"".join(found)


def _joined(texts: "Iterator[bytes] | list[bytes]", most: int = 1_048_576) -> "Iterator[bytes]":
    waiting: list[bytes] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size > most:
            yield b"\n".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"\n".join(waiting)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(look(json.loads(sys.stdin.buffer.read()))))
