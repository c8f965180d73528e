"""Turn what other tools remember into an export of ours, by a map of each format's columns."""

import hashlib
import json
from collections import namedtuple
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.transfer import document, foreign_files, outgoing
from ralph_mem.maintenance.transfer.document import Document
from ralph_mem.maintenance.transfer.foreign_files import MARKDOWN, ROWS, Row, Tables
from ralph_mem.memory.rows import row as rows

# Which columns of a table hold what: a title or none, the texts in their order, the time, the id, the session, changed files.
Columns = namedtuple("Columns", "title texts at id session files", defaults=("", (), "", "", "", ""))
# A format: its name, its tables with their columns, and the columns by which one of these is known.
Format = namedtuple("Format", "name tables known_by")

FORMATS = (
    # thedotmack/claude-mem, ~/.claude-mem/claude-mem.db: its src/services/sqlite/schema.sql as of migration 35
    Format(
        "claude-mem",
        {
            "observations": Columns(
                "title", ("text", "subtitle", "narrative", "facts"), "created_at_epoch", "id", "memory_session_id", "files_modified"
            ),
            "session_summaries": Columns(
                "request",
                ("investigated", "learned", "completed", "next_steps", "notes"),
                "created_at_epoch",
                "id",
                "memory_session_id",
                "files_edited",
            ),
            "user_prompts": Columns("", ("prompt_text",), "created_at_epoch", "id", "content_session_id"),
        },
        ("observations", {"memory_session_id", "narrative", "created_at_epoch"}),
    ),
    # Gentleman-Programming/engram, .engram/chunks/*.jsonl.gz, manifest version 1: ChunkData in its internal/sync/sync.go
    Format(
        "engram",
        {
            "observations": Columns("title", ("content",), "created_at", "sync_id", "session_id"),
            "prompts": Columns("", ("content",), "created_at", "sync_id", "session_id"),
        },
        ("observations", {"session_id", "scope", "content"}),
    ),
    # doobidoo/mcp-memory-service, its JSON export, importer 4.5.0: its src/mcp_memory_service/sync/importer.py
    Format(
        "doobidoo", {"memories": Columns("", ("content",), "created_at", "content_hash")}, ("memories", {"content_hash", "content"})
    ),
    # mem0, what version 1 of its interface returns for `get_all` and `get`, saved as JSON: its reference, "Get memory"
    *[
        Format("mem0", {name: Columns("", ("memory",), "created_at", "id")}, (name, {"memory", "id"}))
        for name in ("results", "memories", ROWS)
    ],
    # basicmachines-co/basic-memory, the folder of a project or one note: its NOTE-FORMAT.md
    Format("basic-memory", {MARKDOWN: Columns("title", ("body",), "created", "path")}, (MARKDOWN, {"path", "body"})),
)
NAMES = tuple(dict.fromkeys(each.name for each in FORMATS))
OURS = {"id", "session", "origin", "tainted"}  # columns of the memories in an export of ours as CSV or SQLite
MOST_COLUMNS = 12  # that a hint names
FIELDS = ("title", "text", "at", "id", "session", "files")
# What stands for the time where a note says none: when its file was changed.
OTHERWISE = "modified_at"
# A number above this is milliseconds: as seconds it would be the year 5138.
MILLISECONDS = 100_000_000_000

Read = namedtuple("Read", "name document left_out")


def read(path: Path, given: dict[str, str], at: int, root: str) -> Read:
    """Return a file of another tool as an export of ours, and how many rows have no text or no time.

    `given` maps our fields to columns where no format is known; `at` is now, in ms. Raises RalphMemError where no map fits.
    """
    tables = foreign_files.read(path)
    known = _given(given, tables) if given else _known(tables)
    records, left_out = _records(known, tables, at, root)
    lines = [json.dumps(record).encode() for record in records]
    return Read(known.name, Document(lines, ours=False), left_out)


def _known(tables: Tables) -> Format:
    is_ours = any(str(row.get("body")).startswith(outgoing.HEADING) for row in tables.get(MARKDOWN, []))
    for each in FORMATS if not is_ours else ():
        table, columns = each.known_by
        if any(columns <= row.keys() for row in tables.get(table, [])[:1]):
            return each
    if is_ours or any(row.keys() >= OURS for held in tables.values() for row in held[:1]):
        what = "this is an export of ralph-mem for other tools, which has not all that would have to be taken in"
        raise RalphMemError(what, "`ralph-mem export --format jsonl` writes what can be taken in")
    held = _columns(tables)
    hint = "say which column is which: --map text=COLUMN --map at=COLUMN" + (f"; it has {held}" if held else "")
    raise RalphMemError(f"this is no export of ralph-mem, and no file of {', '.join(NAMES)}", hint)


def _columns(tables: Tables) -> str:
    """Name the first columns that the tables of a file have."""
    return ", ".join(sorted({str(name) for held in tables.values() for row in held[:1] for name in row})[:MOST_COLUMNS])


def _given(given: dict[str, str], tables: Tables) -> Format:
    """Return the format that somebody says a file has: the largest table that has their column of the text."""
    wrong = next((name for name in given if name not in FIELDS), "" if "text" in given else "text")
    if wrong:
        raise RalphMemError(f"--map {wrong[:40]}=COLUMN " + ("is needed" if wrong == "text" else "is none"), ", ".join(FIELDS))
    fitting = {name: held for name, held in tables.items() if held and given["text"] in held[0]}
    if not fitting:
        held = _columns(tables)
        raise RalphMemError(f"there is no column {given['text'][:40]!a}", f"it has {held}" if held else foreign_files.HINT)
    table = max(fitting, key=lambda name: len(fitting[name]))
    columns = Columns(texts=(given["text"],), **{name: column for name, column in given.items() if name != "text"})
    return Format("mapped", {table: columns}, (table, set()))


def _records(known: Format, tables: Tables, at: int, root: str) -> tuple[list[Row], int]:
    """Return the sessions and observations of a file, each under the same name whenever it is read."""
    sessions: dict[str, Row] = {}
    observed, left_out = [], 0
    for table, columns in known.tables.items():
        for row in tables.get(table, []):
            record = _observation(known.name, table, columns, row, at)
            if record is None or row.get("deleted_at"):
                left_out += 1
                continue
            name = f"{known.name}:{row.get(columns.session) or 'memories'}"
            session = sessions.setdefault(name, _session(name, known.name, record["created_at"], root))
            session["started_at"] = min(session["started_at"], record["created_at"])
            session["ended_at"] = max(session["ended_at"], record["created_at"])
            observed.append({**record, "session": name, "seq": record["created_at"] * 1000})
    return [*sessions.values(), *sorted(observed, key=lambda record: record["created_at"])], left_out


def _session(name: str, agent: str, at: int, root: str) -> Row:
    blank = dict.fromkeys(document.checks("session"))
    own = {"client_session": name[: document.NAME_CHARACTERS], "source": "startup", "agent": agent, "project_path": root}
    return {**blank, "row": "session", "public_id": rows.public_id("sess"), **own, "started_at": at, "ended_at": at}


def _observation(name: str, table: str, columns: Columns, row: Row, now: int) -> Row | None:
    """Return a row as an observation of what an agent once noted, or None for one without text, without time or too long."""
    texts = [text for text in (_text(row.get(column)) for column in columns.texts) if text]
    title = _text(row.get(columns.title)) or (texts.pop(0) if texts else "")
    at = moment(row.get(columns.at), row.get(OTHERWISE), now if not columns.at else None)
    content = "\n\n".join(texts)
    if not title.strip() or at is None or len(title) + len(content) > document.MOST_CHARACTERS:
        return None
    number = str(row.get(columns.id) or hashlib.sha256(f"{title}\0{content}\0{at}".encode("utf-8", "replace")).hexdigest())
    event = f"{name}:{table}:{number}"
    blank = {**dict.fromkeys(document.checks("observation")), "tainted": 0, "pinned": 0, "misled": 0, "found": 1}
    own = {"public_id": rows.public_id("obs"), "event_id": event if event.isprintable() else repr(event), "created_at": at}
    said = {"title": title, "content": content, "files": _text(row.get(columns.files)), "lines": ""}
    return {**blank, "row": "observation", **own, **said, "type": "summary", "origin": "agent"}


def _text(value: Any) -> str:
    """Return a value as text: a list, also one that is written as JSON, an entry a line; nothing for none."""
    if isinstance(value, str) and value[:1] == "[":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    if isinstance(value, list):
        return "\n".join([each if isinstance(each, str) else json.dumps(each) for each in value])
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def moment(*values: Any) -> int | None:
    """Return the first of some values that is a time, in milliseconds: ISO 8601, seconds or milliseconds; UTC unless it says."""
    for value in values:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = _of_words(value) if isinstance(value, str) else -1.0
        else:
            number = number if number > MILLISECONDS else number * 1000
        if 0 < number < document.HIGHEST:
            return round(number)
    return None


def _of_words(text: str) -> float:
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return -1.0
    return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp() * 1000
