"""Read what OpenCode kept of past sessions from three tables of its database (1.18.33).

The same file holds accounts and credentials. It is opened to be read, and an authorizer lets nothing be named but these tables.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import ended
from ralph_mem.hosts.claude_code.archive import Kept, Passed
from ralph_mem.hosts.claude_code.event import HEAD_BYTES
from ralph_mem.hosts.claude_code.transcripts import EARLIEST_MS, Step
from ralph_mem.hosts.kept import OF_AN_AGENT, PROMPT, Record, parsed
from ralph_mem.memory.store import connection

PLACES, NAMES = ("",), ("opencode*.db",)
TABLES = ("session", "message", "part")
ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION)
SESSIONS = """
SELECT id, directory, parent_id, time_created, (SELECT max(time_updated) FROM part WHERE session_id = session.id),
    (SELECT count(*) FROM message WHERE session_id = session.id)
FROM session ORDER BY time_created, id"""
MESSAGES = f"""
SELECT id, time_created, CASE WHEN length(data) <= {HEAD_BYTES} THEN data END FROM message WHERE session_id = ?
ORDER BY time_created, id LIMIT -1 OFFSET ?"""
PARTS = f"SELECT CASE WHEN length(data) <= {HEAD_BYTES} THEN data END FROM part WHERE message_id = ? ORDER BY id"
WAIT_S = 5


def place() -> str:
    """Return the folder in which OpenCode keeps its database."""
    data = paths.environment("XDG_DATA_HOME")
    return f"{data if data[:1] == '/' else (paths.environment('HOME') or '/nowhere') + '/.local/share'}/opencode"


def opened(path: Path) -> sqlite3.Connection:
    """Open a database of OpenCode to read the three tables. Raises RalphMemError."""
    # Nobody is at work on one without a log: to read it as it is leaves no files beside it.
    still = "" if path.with_name(path.name + "-wal").exists() else "&immutable=1"
    try:
        db = sqlite3.connect(connection.address_of(str(path.absolute()), f"mode=ro{still}"), uri=True, timeout=WAIT_S)
    except sqlite3.Error as error:
        raise RalphMemError(f"{error}: {path}", "name a database of OpenCode") from error
    db.set_authorizer(_may)
    return db


def _may(action: int, first: "str | None", _second: object, _third: object, _by: object) -> int:
    may = action in ALLOWED or (action == sqlite3.SQLITE_READ and first in TABLES)
    return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY


def listed(path: Path) -> "list[Kept | Passed]":
    """Return the sessions of a database; how long one is counts in messages. Raises RalphMemError for what is none."""
    with closing(opened(path)) as db:
        try:
            rows = db.execute(SESSIONS).fetchall()
        except sqlite3.Error as error:
            raise RalphMemError(str(error), "name a database of OpenCode") from error
    return [_kept(path, *row) for row in rows]


def _kept(path: Path, session: Any, folder: Any, parent: Any, first: Any, last: Any, messages: Any) -> "Kept | Passed":
    if parent or not (isinstance(session, str) and isinstance(folder, str) and isinstance(first, int) and first > EARLIEST_MS):
        return Passed(path, OF_AN_AGENT, "")
    last = max(first, last) if isinstance(last, int) else first
    return Kept(path, session, folder, first, last, messages, last, [], "opencode")


def steps(record: Record, start: int = 0) -> Iterator[Step]:
    """Yield the events of a session from its message of a number on, with the number behind the last of a turn."""
    with closing(opened(record.path)) as db:
        number = start
        for number, (name, at, data) in enumerate(db.execute(MESSAGES, (record.session, start)), start + 1):
            message = parsed(data)
            record.unreadable += message is None
            record.at = max(record.at, at if isinstance(at, int) else 0)
            parts = [parsed(part) for (part,) in db.execute(PARTS, (name,))]
            record.unreadable += parts.count(None)
            if message:
                yield from _of_message(record, name, message, [part for part in parts if part], number)
        if record.notes.get("under way"):  # what it says is not all of it yet
            record.said = None
        for event in record.closing():
            yield Step(event.at, event, number)


def _of_message(record: Record, name: str, message: dict[str, Any], parts: list[dict[str, Any]], number: int) -> Iterator[Step]:
    if message.get("role") == "user":
        told = {"message": {"id": name}, "parts": [part for part in parts if part.get("type") == "text"]}
        for event in record.asked(_event(record, PROMPT, "chat.message", {}, told)):
            yield Step(event.at, event, None if event.name == PROMPT else number - 1)
        return
    if message.get("role") != "assistant" or message.get("summary") is True:
        return
    model, times = message.get("modelID"), message.get("time")
    record.notes["under way"] = not (isinstance(times, dict) and times.get("completed"))
    record.model = record.model or (model if isinstance(model, str) else "")
    said: list[str] = []
    for part in parts:
        if part.get("type") == "tool":
            said, record.said = [], None
            event = _called(record, part)
            if event:
                yield Step(event.at, event, None)
        elif part.get("type") == "text" and not part.get("synthetic") and isinstance(part.get("text"), str):
            said.append(part["text"])
            record.at = max(record.at, _ended(part.get("time")))
            record.says("\n".join(said))


def _called(record: Record, part: dict[str, Any]) -> Any:
    """Return a call that came back; of one that threw an error no hook is told."""
    state = part.get("state")
    if not isinstance(state, dict) or state.get("status") != "completed":
        return None
    given = {"tool": part.get("tool"), "callID": part.get("callID"), "args": state.get("input")}
    out = {"output": state.get("output"), "metadata": state.get("metadata")}
    return _event(record, ended.TOOL, "tool.execute.after", given, out, _ended(state.get("time")))


def _ended(told: object) -> int:
    at = told.get("end") if isinstance(told, dict) else 0
    return at if isinstance(at, int) and not isinstance(at, bool) and EARLIEST_MS < at < 10**14 else 0


def _event(record: Record, name: str, hook: str, given: dict[str, Any], out: dict[str, Any], at: int = 0) -> Any:
    given = {"sessionID": record.session, **given}
    return record.theirs(name, at, opencode=hook, directory=record.folder, i=given, o=out)
