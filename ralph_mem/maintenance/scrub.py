"""Redact anew what is stored, by today's rules, the long list, the user's patterns and known values.

It counts what it finds by kind, and never tells what it was.
"""

import os
import time

from ralph_mem.core import fast
from ralph_mem.core import project as projects
from ralph_mem.core.redaction import gate, stored
from ralph_mem.core.redaction.whole import protector
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, undoing
from ralph_mem.memory.rows import deletion, items, kinds, rewrite
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.redaction.whole import Protect
    from ralph_mem.memory.rows.row import Kind

# So many in one transaction: a tool event of a session waits at most 150 ms, and a row takes some milliseconds.
TOGETHER = 15
STATE = "scrubbed"  # the property of a database that says, as JSON, how far the worker has come by which rules
ALONE = ("client_session", "event_id")  # no two rows of a table have the same
BELOW = "redaction_version < ? OR scan_level < ?"


class Report:
    """What was found: how many rows were looked at, how many of each table change, how many secrets of each kind.

    `touched` says whether anything was written, `owed` whether the file still held what an undo, an edit or a forget took away.
    """

    __slots__ = ("changed", "counts", "owed", "rows", "touched")

    def __init__(self) -> None:
        self.rows = 0
        self.touched = self.owed = False
        self.changed: dict[str, int] = {}
        self.counts: dict[str, int] = {}

    def add(self, table: str, counts: "dict[str, int]") -> None:
        """Count a row that holds secrets of its own."""
        if counts:
            self.changed[table] = self.changed.get(table, 0) + 1
            _sum_up(self.counts, counts)


def protector_of(opened: "connection.Store") -> "Protect":
    """Return the protector for an open memory, by the settings of its project or of the one of all projects."""
    place = projects.everywhere() if access.is_global(opened) else None
    place = place or projects.Project(opened.folder.rpartition("/")[0])
    return protector(place, effective.load(place))


def total(opened: "connection.Store") -> int:
    """Return how many rows a scrub looks at."""
    return sum([opened.one(f"SELECT count(*) FROM {kind.table}")[0] for kind in _kinds(opened)])


def _kinds(opened: "connection.Store") -> "list[Kind]":
    """Return the kinds of rows with texts: what is made of others after these, so that a secret is met where it came from."""
    return [kind for kind in reversed(kinds.there(opened)) if kinds.redacted(kind)]


def _of_memory(opened: "connection.Store") -> "list[Kind]":
    return [kind for kind in _kinds(opened) if kind.indexed]


def preview(opened: "connection.Store", protect: "Protect", tell: "Callable[[int], Any]" = bool) -> Report:
    """Look at every row and say what a scrub would change; `tell` hears how many rows more have been looked at."""
    report = Report()
    report.owed = undoing.owes(opened)
    for kind in _kinds(opened):
        last = 0
        while numbers := _numbers(opened, kind, last):
            last = numbers[-1]
            for each in _rows(opened, kind, numbers):
                report.add(kind.table, _redacted(opened, kind, each, protect)[1])
            report.rows += len(numbers)
            tell(len(numbers))
    return report


def scrub(opened: "connection.Store", protect: "Protect", tell: "Callable[[int], Any]" = bool) -> "tuple[Report, bool]":
    """Redact every row anew, with its index entry and what quotes it, and write the whole file without what went.

    Returns what was changed, and whether the log is empty too: another process that reads may hold it.
    """
    report = Report()
    report.owed = undoing.owes(opened)
    opened.execute("PRAGMA secure_delete = ON").fetchone()
    for kind in _kinds(opened):
        last = 0
        while numbers := _numbers(opened, kind, last):
            last = numbers[-1]
            _scrub_together(opened, kind, numbers, protect, report)
            tell(len(numbers))
    if report.owed:
        with access.Change(opened):
            undoing.let_go_of_text(opened)
    return report, access.rewrite(opened) if report.touched or report.owed else True


def scrub_some(opened: "connection.Store", protect: "Protect", budget_ms: int, most_bytes: float = float("inf")) -> int:
    """Go on with the rows that no long pass has seen, for about so long but with a handful at least; returns how many were
    looked at, 0 at the end.

    For a process that nobody waits for. Where something was taken, a file of at most so many bytes is written anew at the end.
    """
    end, report = time.monotonic() + budget_ms / 1000, Report()
    state = _state(opened)
    opened.execute("PRAGMA secure_delete = ON").fetchone()
    at = state["at"]
    for kind in _of_memory(opened):
        while (not report.rows or time.monotonic() < end) and (numbers := _numbers(opened, kind, at[kind.table], is_whole=True)):
            at[kind.table] = numbers[-1]
            _scrub_together(opened, kind, numbers, protect, report, state)
    if report.touched:  # or the next session start would not know of it where this process is killed
        opened.set_property(connection.FORGETTING, 1)
    is_small = os.path.getsize(f"{opened.folder}/memory.db") <= most_bytes
    if not report.rows and is_small and opened.property(connection.FORGETTING):
        access.rewrite(opened)
    return report.rows


def _state(opened: "connection.Store") -> "dict[str, Any]":
    """Return how far the worker is; other rules begin anew."""
    rules = [gate.RULES_VERSION, stored.LONG_LIST]
    try:
        state = fast.loads(opened.property(STATE) or "{}")
    except ValueError:  # somebody wrote there
        state = {}
    tables = [kind.table for kind in _of_memory(opened)]
    is_known = isinstance(state, dict) and state.get("rules") == rules
    at = state.get("at", state) if is_known else {}  # an older release has the tables beside the rules
    is_known = is_known and isinstance(at, dict) and all([isinstance(at.get(table), int) for table in tables])
    return {"rules": rules, "at": {table: at[table] if is_known else 0 for table in tables}}


def _numbers(opened: "connection.Store", kind: "Kind", after: int, is_whole: bool = False) -> "list[int]":
    """Return the numbers of the next rows; `is_whole` leaves out what follows a turn that is still open, and that turn."""
    sql = f"SELECT rowid FROM {kind.table} WHERE rowid > ?1"
    if is_whole and kind is kinds.TURN:
        sql += f" AND id < coalesce((SELECT min(id) FROM {kind.table} WHERE status = 'open' AND id > ?1), id + 1)"
    return [number for (number,) in opened.execute(f"{sql} ORDER BY rowid LIMIT ?2", (after, TOGETHER))]


def _rows(opened: "connection.Store", kind: "Kind", numbers: "list[int]") -> "list[Any]":
    columns, listed = ", ".join(kinds.redacted(kind)), ", ".join(map(str, numbers))
    is_said = f"type <> '{items.TYPE}'" if kind is kinds.OBSERVATION else "1"  # a program wants back what it keeps
    return list(opened.execute(f"SELECT rowid, {is_said}, {columns} FROM {kind.table} WHERE rowid IN ({listed})"))


def _redacted(
    opened: "connection.Store", kind: "Kind", values: "Any", protect: "Protect"
) -> "tuple[dict[str, str | None], dict[str, int]]":
    """Return the texts of a row that change, by column, and what goes of them, counted by kind."""
    counts: dict[str, int] = {}
    texts: dict[str, str | None] = {}
    for name, text in zip(kinds.redacted(kind), values[2:]):
        is_json = name in kind.json and text is not None
        safe, more = _inside(text, protect) if is_json else protect(text, bool(values[1])) if text else (text, {})
        if more and name in kind.derived:
            safe, more = _made_anew(opened, kind, values[0], name, more)
        if more:  # nothing but a secret is worth a change
            texts[name] = f"{safe}-{values[0]}" if name in ALONE else safe
            _sum_up(counts, more)
    return texts, counts


def _made_anew(
    opened: "connection.Store", kind: "Kind", number: int, name: str, found: "dict[str, int]"
) -> "tuple[str, dict[str, int]]":
    """Return a derived text, and what goes of it where what it quotes no longer says it.

    The rest goes where it came from; or it looks like a secret only where it is cut off, which is none.
    """
    fresh = rewrite.derived(opened, kind, number, name)
    (now,) = opened.one(f"SELECT {name} FROM {kind.table} WHERE rowid = ?", (number,))
    return fresh, {} if now == fresh else found


def _inside(text: str, protect: "Protect") -> "tuple[str, dict[str, int]]":
    """Redact the strings in JSON, each alone, so that it stays JSON."""
    counts: dict[str, int] = {}

    def walk(value: "Any") -> "Any":
        if isinstance(value, str):
            safe, more = protect(value)
            _sum_up(counts, more)
            return safe if more else value
        if isinstance(value, dict):
            return {walk(key): walk(each) for key, each in value.items()}
        return [walk(each) for each in value] if isinstance(value, list) else value

    try:
        return fast.dumps(walk(fast.loads(text))), counts
    except ValueError:
        return protect(text)


def _sum_up(counts: "dict[str, int]", more: "dict[str, int]") -> None:
    for kind, number in more.items():
        counts[kind] = counts.get(kind, 0) + number


def _scrub_together(
    opened: "connection.Store",
    kind: "Kind",
    numbers: "list[int]",
    protect: "Protect",
    report: Report,
    state: "dict[str, Any] | None" = None,
) -> None:
    """Redact rows in one transaction, with how far the worker is, which lets others in afterwards."""
    with access.Change(opened) if state is None else access.BackgroundChange(opened):
        for each in _rows(opened, kind, numbers):
            texts, counts = _redacted(opened, kind, each, protect)
            if texts:
                rewrite.texts_of(opened, kind, each[0], texts)
                _note(opened, kind, each[0], counts)
                report.touched = True
            report.add(kind.table, counts)
        if kind.indexed:
            _mark(opened, kind, numbers)
        if state is not None:
            opened.set_property(STATE, fast.dumps(state))
    report.rows += len(numbers)


def _mark(opened: "connection.Store", kind: "Kind", numbers: "list[int]") -> None:
    rules = (gate.RULES_VERSION, stored.LONG_LIST)
    still_grows = " AND status <> 'open'" if kind is kinds.TURN else ""
    where = f"id IN ({', '.join(map(str, numbers))}) AND ({BELOW}){still_grows}"
    opened.execute(f"UPDATE {kind.table} SET redaction_version = ?, scan_level = ? WHERE {where}", rules + rules)


def _note(opened: "connection.Store", kind: "Kind", number: int, counts: "dict[str, int]") -> None:
    """Add to what a row says was cut out of it."""
    if not kind.indexed or not counts:
        return
    if opened.property(deletion.UNDO):  # it may hold the same secret
        opened.set_property(deletion.UNDO, None)
    (told,) = opened.one(f"SELECT redactions FROM {kind.table} WHERE id = ?", (number,))
    known = fast.loads(told) if told else {}
    _sum_up(known, counts)
    opened.execute(f"UPDATE {kind.table} SET redactions = ? WHERE id = ?", (fast.dumps(known), number))
