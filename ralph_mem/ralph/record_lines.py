"""Write the lines of a run's record durably, one JSON object each, and read them again."""

import json
import os
import re

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.redaction.whole import Protect

DAMAGED = "damaged"


def append(path: str, entry: "dict[str, Any]") -> None:
    """Add an entry, whole and durably, or raise LoopError and leave the record as it was.

    What it says of outputs, goals and messages has to be redacted already. A line that a crash cut off, which no reader
    has ever been told of, is taken away first.
    """
    line = json.dumps(entry, separators=(",", ":"), default=str).encode() + b"\n"
    try:
        _append(path, line)
    except OSError as error:
        message = f"the record of the loop cannot be written: {error.strerror or error}"
        raise LoopError(message, f"make room for {path}, then `ralph-mem ralph resume`") from error


def _append(path: str, line: bytes) -> None:
    new = not os.path.exists(path)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        paths.lock(file, wait_s=paths.FOR_EVER)  # `stop` and `rollback` write from other processes
        end = _end_of_lines(file)
        try:
            _write(file, line, end)
            os.ftruncate(file, end + len(line))
            os.fsync(file)
        except OSError:
            os.ftruncate(file, end)
            raise
    finally:
        os.close(file)
    if new:
        _sync_folder(path)


def _write(file: int, line: bytes, at: int) -> None:
    while line:
        written = os.pwrite(file, line, at)
        line, at = line[written:], at + written


def _end_of_lines(file: int) -> int:
    """Return where the last whole line ends."""
    end = os.fstat(file).st_size
    while end:
        start = max(0, end - 65_536)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _sync_folder(path: str) -> None:
    """Make the name of a new file last too."""
    folder = os.open(path.rpartition("/")[0] or "/", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: str) -> "list[dict[str, Any]]":
    """Return the entries in order, none for a file that is not there. Raises LoopError for one that cannot be read.

    A last line without an end was never finished and does not count. A damaged line becomes an entry `damaged` that
    tells its number, so that whoever shows the run can say so.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LoopError(f"the record of the loop cannot be read: {error.strerror}", f"look at {path}") from error
    with os.fdopen(file, "rb") as opened:
        lines = opened.read().split(b"\n")[:-1]
    return [_entry(line, number) for number, line in enumerate(lines, 1)]


def _entry(line: bytes, number: int) -> "dict[str, Any]":
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if isinstance(entry, dict) and isinstance(entry.get("what"), str):
        return entry
    return {"what": DAMAGED, "line": number}


FILES = (".jsonl", ".transcript", ".json")  # what of the files of loops is made of lines of JSON
SILENT = ("id", "nonce", "folder", "room", "owner", "marks", "tree", "start_tree")  # what nobody said or printed
REDACTED, SHORT = "[REDACTED:", "[redacted]"


def scrub(files: "list[str]", protect: "Protect", writes: bool) -> "list[str]":
    """Return which records of loops, and what lies beside them, hold a secret; it is cut out where `writes` says so.

    A run whose own commands held one cannot go on. Raises LoopError for a record that cannot be written.
    """
    found = []
    for path in [each for each in files if each.endswith(FILES)]:
        try:
            found += [path] * _scrub(path, protect, writes)
        except OSError as error:
            raise LoopError(f"cannot look through {path}: {error.strerror}", "is it yours?") from error
    return found


def _scrub(path: str, protect: "Protect", writes: bool) -> bool:
    """Overwrite each line that holds a secret in its place, so that a kill leaves whole lines: old ones or new ones."""
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        paths.lock(file, wait_s=paths.FOR_EVER)  # whoever adds a line waits, and finds the same file
        at, is_found = 0, False
        for line in os.pread(file, os.fstat(file).st_size, 0).split(b"\n"):
            safe = _scrubbed(line, protect)
            if safe != line:
                is_found = True
                os.pwrite(file, safe.ljust(len(line)), at) if writes else None
            at += len(line) + 1
        os.fsync(file)
        return is_found
    finally:
        os.close(file)


def _scrubbed(line: bytes, protect: "Protect") -> bytes:
    """Return a line without secrets, never longer than before; of a damaged one that holds any nothing stays."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return b"" if protect(line.decode("utf-8", "replace"))[1] else line
    safe = _without_secrets(entry, protect)
    if safe == entry:
        return line
    written = json.dumps(safe, separators=(",", ":"), ensure_ascii=line.isascii()).encode("utf-8", "surrogatepass")
    return written if len(written) <= len(line) else b"{}"


def _without_secrets(value: "Any", protect: "Protect") -> "Any":
    if isinstance(value, str):
        safe, found = protect(value) if value.strip("0123456789abcdef") else (value, {})  # a digest is none
        return _short(safe)[: len(value)] if found else value
    if isinstance(value, dict):
        return {key: each if key in SILENT else _without_secrets(each, protect) for key, each in value.items()}
    return [_without_secrets(each, protect) for each in value] if isinstance(value, list) else value


def _short(text: str) -> str:
    """Return a text with a short word for what was cut out: a line must not grow."""
    first, *rest = text.split(REDACTED)
    return SHORT.join([first, *[part.partition("]")[2] for part in rest]])


NAMED, OTHERS = 50, " more)"  # files that earlier releases named of an iteration, and how their last entry ended


def named(changed: "list[list[Any]]") -> "tuple[list[list[Any]], int]":
    """Return the changes that a record names, and how many more there were: earlier releases have that as a last one."""
    told = str(changed[-1][0]) if len(changed) == NAMED + 1 else ""
    number = told[1 : -len(OTHERS)]
    if told == f"({number}{OTHERS}" and number.isdecimal():
        return changed[:-1], int(number)
    return changed, 0


WITH_PATHS = ("folder", "criteria", "plan", "options", "roots", "marks")  # what of an entry names places in the project


def placed(entries: "list[dict[str, Any]]", top: str) -> "list[dict[str, Any]]":
    """Return entries with the paths of their project as it lies now: it may have moved since, and another be in its place."""
    there, found = "", []
    for entry in entries:
        there = str(entry.get("folder") or there)  # each start, and each time that it goes on
        found.append(entry if there in ("", top) or not top else {**entry, **_of_another(entry, there, top)})
    return found


def place_of(entries: "list[dict[str, Any]]") -> str:
    """Return where the tree of a run lay when that began, or went on, last."""
    return next((str(entry["folder"]) for entry in reversed(entries) if entry.get("folder")), "")


def _of_another(entry: "dict[str, Any]", there: str, top: str) -> "dict[str, Any]":
    return {name: led(entry[name], there, top) for name in WITH_PATHS if name in entry}


def led(value: "Any", there: str, top: str) -> "Any":
    """Return what a record says, or a text, with the paths into one folder as paths into another."""
    if there == top:
        return value
    if isinstance(value, dict):
        return {led(str(name), there, top): led(each, there, top) for name, each in value.items()}
    if isinstance(value, list):
        return [led(each, there, top) for each in value]
    return re.sub(re.escape(there) + r"(?![\w.-])", lambda _: top, value) if isinstance(value, str) else value
