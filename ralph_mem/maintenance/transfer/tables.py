"""Lay what an export holds out as a database that any tool reads and searches.

Times are text, rows refer to each other by the ids that people see, and the index of words holds the words.
"""

import csv
import io
import sqlite3
from datetime import datetime, timezone
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.maintenance.transfer import document
from ralph_mem.maintenance.transfer.document import DERIVED
from ralph_mem.maintenance.transfer.fact_rows import FACT, LINK, RELATION
from ralph_mem.maintenance.transfer.outgoing import Parcel
from ralph_mem.memory.store.connection import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite_utils import Database

Row = dict[str, Any]
# The table of each row of an export. What belongs to no session of the file, or to no turn, refers to none.
TABLE_OF = {
    "session": "sessions", "turn": "turns", "observation": "observations", FACT: "facts", LINK: "fact_links",
    RELATION: "relations", DERIVED: "made_from",
}  # fmt: skip
LOOPS, TOLD = "loops", "told"
LOOP = ("id", "session", "goal", "status", "stop_reason", "iterations", "started_at", "ended_at")
TELLING = ("session", "event", "at", "memory", "outcome", "tokens", "score")
TIMES = ("at", "valid_from", "valid_until")  # beside all that end in `_at`
OURS_ALONE = ("row", "public_id", "event_id", "found", "redactions")
KEYS = {"sessions": "id", "turns": "id", "observations": "id", "facts": "id", "relations": "id", LOOPS: "id"}
FOREIGN = {
    "turns": [("session", "sessions")],
    "observations": [("session", "sessions"), ("turn", "turns")],
    "facts": [("id", "observations")],
    "fact_links": [("a", "facts"), ("b", "facts")],
    "relations": [("fact", "facts")],
    LOOPS: [("session", "sessions")],
    TOLD: [("session", "sessions")],
}
SEARCHED = {
    "turns": ("prompt", "response", "files", "lines"),
    "observations": ("title", "content", "files", "lines"),
    "facts": ("text",),
}
# All that is remembered, turns and observations alike: what a CSV file has.
MEMORIES = f"""
SELECT id, 'turn' AS type, created_at, session, id AS turn, origin, tainted, prompt AS title, response AS content, files, lines
FROM {TABLE_OF["turn"]} UNION ALL
SELECT id, type, created_at, session, turn, origin, tainted, title, content, files, lines FROM {TABLE_OF["observation"]}
ORDER BY created_at, id"""
OF_LOOPS = """
SELECT l.public_id, s.public_id, l.goal, l.status, l.stop_reason, l.iterations, l.started_at, l.ended_at
FROM loop_runs AS l LEFT JOIN sessions AS s ON s.id = l.session_id ORDER BY l.id"""
OF_TOLD = """
SELECT s.public_id, r.event, r.created_at, i.memory, i.outcome, i.tokens, i.score
FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id LEFT JOIN sessions AS s ON s.id = r.session_id
ORDER BY r.id, i.position"""


def database(parcel: Parcel, beside: dict[str, list[Row]]) -> "Database":
    """Return a database in the main memory with the rows of an export, and those of other tables beside them."""
    from sqlite_utils import Database  # lazy: a package that costs a second, needed for this alone

    # a connection of our own: the package would take another SQLite where there is one
    made, rows = Database(sqlite3.connect(":memory:")), {**_tables(parcel.records), **beside}
    for table, columns in _columns().items():
        types = {name: _type(rows[table], name) for name in columns}
        keys = [(name, other, "id") for name, other in FOREIGN.get(table, ())]
        made.table(table).create(types, pk=KEYS.get(table), foreign_keys=keys)
    for table, held in rows.items():
        made.table(table).insert_all(held)
    for table, texts in SEARCHED.items():
        made.table(table).enable_fts(texts, tokenize="porter")
    made.create_view("memories", MEMORIES)
    return made


def _columns() -> dict[str, list[str]]:
    """Return the columns of each table, those that are referred to first."""
    found = {}
    for kind, table in TABLE_OF.items():
        found[table] = list(_row({"row": kind, **dict.fromkeys(document.checks(kind))}, {}, {}, {}))
    return {**found, LOOPS: list(LOOP), TOLD: list(TELLING)}


def _type(rows: list[Row], name: str) -> type:
    """Return the type of a column: that of its first value, a text without any."""
    value = next((row[name] for row in rows if row[name] is not None), "")
    return type(value)


def _tables(records: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of each table, which name each other by the ids that people see."""
    sessions = {record["client_session"]: record["public_id"] for record in records if record["row"] == "session"}
    turns = {record["event_id"]: record["public_id"] for record in records if record["row"] == "turn"}
    texts = {record["public_id"]: record["title"] for record in records if record["row"] == "observation"}
    found: dict[str, list[Row]] = {table: [] for table in TABLE_OF.values()}
    for record in records:
        found[TABLE_OF[record["row"]]].append(_row(record, sessions, turns, texts))
    return found


def _row(record: Row, sessions: dict[str, str], turns: dict[str, str], texts: dict[str, str]) -> Row:
    row = {"id": record["public_id"]} if "public_id" in record else {}
    row |= {name: _value(name, value) for name, value in record.items() if name not in OURS_ALONE}
    for name, names in (("session", sessions), ("turn", turns)):
        if name in row:
            row[name] = names.get(row[name])
    if record["row"] == FACT:
        return {"id": row.pop("observation"), "text": texts.get(record["observation"]), **row}
    if record["row"] == RELATION:
        row["fact"] = row.pop("observation")
    return row


def _value(name: str, value: Any) -> Any:
    return moment(value) if name.endswith("_at") or name in TIMES else value


def moment(at: int | None) -> str | None:
    """Return a time in milliseconds as ISO 8601 in UTC, such as 2026-01-31T09:30:00.000+00:00; nothing for none."""
    if at is None:
        return None
    try:
        return datetime.fromtimestamp(at / 1000, timezone.utc).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


def beside(opened: Store, parcel: Parcel, project: Project, settings: dict[str, Any]) -> dict[str, list[Row]]:
    """Return what no archive holds, redacted: the runs of loops, and which exported memories were told when."""
    names = {record["public_id"] for record in parcel.records if "public_id" in record}
    loops = []
    for number, session, goal, status, why, passes, started, ended in opened.execute(OF_LOOPS):
        if session in names and not path_rules.names_excluded(goal, settings):
            (said, reason), _ = privacy.protect([goal, why or ""], project, settings)
            loops.append((number, session, said, status, reason, passes, moment(started), moment(ended)))
    told = [(*each[:2], moment(each[2]), *each[3:]) for each in opened.execute(OF_TOLD) if {each[0], each[3]} <= names]
    return {
        LOOPS: [dict(zip(LOOP, each, strict=True)) for each in loops],
        TOLD: [dict(zip(TELLING, each, strict=True)) for each in told],
    }


def as_bytes(made: "Database") -> bytes:
    """Return a database as the file that it would be; nothing of it touches the disk. Raises RalphMemError for an old Python."""
    if not hasattr(made.conn, "serialize"):  # came with 3.11
        raise RalphMemError("--format sqlite needs Python 3.11 or newer", "jsonl and csv need no more than this one")
    made.vacuum()
    return bytes(made.conn.serialize())


def as_csv(made: "Database") -> bytes:
    """Return the turns and observations of a database as lines of CSV, in UTF-8, the columns named in the first."""
    text = io.StringIO()
    found = made.execute(MEMORIES)
    lines = csv.writer(text)
    lines.writerow([column for column, *_ in found.description])
    lines.writerows(found)
    return text.getvalue().encode("utf-8", "replace")
