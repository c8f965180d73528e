"""Read the files of other tools as rows, by their tables, and run nothing that is in them."""

import csv
import gzip
import io
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.transfer import document, home, query
from ralph_mem.memory.store import connection

Row = dict[str, Any]
Tables = dict[str, list[Row]]
# Where a file is one list of rows it has no name.
ROWS = "rows"
SQLITE, GZIP = b"SQLite format 3\0", b"\x1f\x8b"
SUFFIXES = (".json", ".jsonl", ".ndjson", ".gz", ".csv", ".tsv", ".md", ".db", ".sqlite", ".sqlite3")
MARKDOWN, DELIMITERS = ".md", {".csv": ",", ".tsv": "\t"}
# A project of notes has some thousand; a folder with more is another one than was meant.
MOST_FILES = 20_000
HINT = "a file of JSON, JSON lines (.gz too), CSV, TSV, Markdown or SQLite, or a folder of some"
FENCE = "---"


def read(path: Path) -> Tables:
    """Return what a file holds, or all readable ones below a folder together. Raises RalphMemError where there is nothing."""
    files = _below(path) if path.is_dir() else [path]
    found: Tables = {}
    for file in files:
        for table, rows in _of_file(file, path if path.is_dir() else path.parent).items():
            found.setdefault(table, []).extend(rows)
    return found


def _below(folder: Path) -> list[Path]:
    """Return the readable files below a folder, but for hidden folders. Raises RalphMemError where there are none or too many."""
    found, seen = [], 0
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        seen += len(names) + len(folders)
        if seen > MOST_FILES:
            raise RalphMemError(f"{folder} has more than {MOST_FILES:,} files", "name the folder of the notes itself")
        found += [Path(parent, name) for name in names if Path(name).suffix in SUFFIXES]
    if not found:
        raise RalphMemError(f"{folder} has no files that can be read", HINT)
    return sorted(each for each in found if each.is_file())


def _of_file(file: Path, top: Path) -> Tables:
    data = home.read(file, document.MOST_BYTES)
    if data.startswith(SQLITE):
        return _of_database(file)
    if data.startswith(GZIP):
        data = _unpacked(data)
    text = data.decode("utf-8-sig", "replace")
    if file.suffix == MARKDOWN:
        return {MARKDOWN: [_of_note(text, file, top)]}
    if file.suffix in DELIMITERS:
        csv.field_size_limit(document.MOST_LINE_BYTES)
        return {ROWS: list(csv.DictReader(io.StringIO(text, newline=""), delimiter=DELIMITERS[file.suffix]))}
    return _of_json(text, file)


def _unpacked(data: bytes) -> bytes:
    """Return what was compressed, as long as it is no more than a file may have: a few bytes can stand for all memory."""
    try:
        with gzip.open(io.BytesIO(data)) as opened:
            found = opened.read(document.MOST_BYTES + 1)
    except (OSError, EOFError) as error:
        raise document.damaged(f"it cannot be unpacked: {error}") from error
    if len(found) > document.MOST_BYTES:
        raise RalphMemError("the file is larger than an export may be once it is unpacked", "is it the right file?")
    return found


def _of_json(text: str, file: Path) -> Tables:
    """Return the rows of one JSON value, or of one in each line, which engram calls by their kind."""
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError):
        values = [_value(line, file) for line in text.splitlines() if line.strip()]
    found: Tables = {}
    for value in values:
        for table, rows in _tables_of(value).items():
            found.setdefault(table, []).extend(row for row in rows if isinstance(row, dict))
    return found


def _value(line: str, file: Path) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise RalphMemError(f"{file.name} is no export of ralph-mem, and nothing else that can be taken in", HINT) from None


def _tables_of(value: Any) -> dict[str, list[Any]]:
    if isinstance(value, list):
        return {ROWS: value}
    lists = {name: each for name, each in value.items() if isinstance(each, list)} if isinstance(value, dict) else {}
    is_row = not any(isinstance(row, dict) for rows in lists.values() for row in rows)
    return {ROWS: [value]} if is_row else lists


def _of_database(file: Path) -> Tables:
    """Return the rows of the tables of a database; its views, triggers and functions are left alone."""
    try:
        with closing(sqlite3.connect(connection.address_of(str(file.absolute()), "mode=ro"), uri=True)) as db:
            db.row_factory = sqlite3.Row
            db.execute("PRAGMA trusted_schema = OFF")
            db.set_authorizer(query.allowed)
            sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
            names = [name for (name,) in db.execute(sql) if '"' not in name]
            return {name: [dict(row) for row in db.execute(f'SELECT * FROM "{name}"')] for name in names}
    except sqlite3.Error as error:
        raise RalphMemError(f"cannot read {file}: {error}", "is another program at work on it?") from error


def _of_note(text: str, file: Path, top: Path) -> Row:
    """Return a note of Markdown with the lines of its front matter as columns; lists and nested values stay text."""
    found: Row = {"path": str(file.relative_to(top)), "modified_at": file.stat().st_mtime, "body": text}
    lines = text.split("\n")
    if lines[0].strip() != FENCE or FENCE not in [line.strip() for line in lines[1:]]:
        return found
    end = 1 + [line.strip() for line in lines[1:]].index(FENCE)
    for line in lines[1:end]:
        name, is_named, value = line.partition(":")
        if is_named and name.strip() == name:
            found.setdefault(name, value.strip().strip("\"'"))
    return {**found, "body": "\n".join(lines[end + 1 :]).strip("\n")}
