"""Rescue: reads what can be read from a damaged database into a new one. Rows around a damaged page are found by reading
from both sides and then in halves; rows that were altered are told by their checksum and stay behind.
"""

import time

from ralph_mem import census
from ralph_mem.core import index_text, memories, row, schema, store
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_mem.core.store import Store

FAILURES = census.FAILURES
NUMBERED = "sessions turns observations loop_runs iterations receipts jobs memories"
# What the new database knows better.
OWN_PROPERTIES = ("checked_schema", store.FORGETTING)
# A leaf that is lost holds some dozens of rows; where an inner page is lost with all below it, so many tries are a second.
MOST_PROBES = 20_000
FURTHEST = 2**20
STEP_OPERATIONS = 100_000
TEXTS = {"turns": ("prompt", "response", "files", "lines"), "observations": ("title", "content", "files", "lines")}
COUNTED = ("sessions", *TEXTS)
BY_THEMSELVES = ("note", "decision", "summary")  # types of observations that are memories
TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%_fts%' ORDER BY rowid"""

# A row whose session, turn or loop could not be read is kept without it, or goes where it means nothing alone.
STRAYS = (
    "UPDATE observations SET turn_id = NULL WHERE turn_id NOT NULL AND turn_id NOT IN (SELECT id FROM turns)",
    "UPDATE receipts SET turn_id = NULL WHERE turn_id NOT NULL AND turn_id NOT IN (SELECT id FROM turns)",
    "UPDATE loop_runs SET session_id = NULL WHERE session_id NOT NULL AND session_id NOT IN (SELECT id FROM sessions)",
    "DELETE FROM iterations WHERE loop_run_id NOT IN (SELECT id FROM loop_runs)",
    "DELETE FROM receipts WHERE session_id NOT IN (SELECT id FROM sessions)",
    "DELETE FROM receipt_items WHERE receipt_id NOT IN (SELECT id FROM receipts)",
    """
    DELETE FROM memories WHERE coalesce(turn_id NOT IN (SELECT id FROM turns), 0)
        OR coalesce(observation_id NOT IN (SELECT id FROM observations), 0) OR (turn_id IS NULL) = (observation_id IS NULL)""",
)
LOST_SESSIONS = """
SELECT session_id, min(created_at), max(created_at) FROM
    (SELECT session_id, created_at FROM turns UNION ALL SELECT session_id, created_at FROM observations)
WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id"""
STAND_IN = """
INSERT INTO sessions (id, public_id, client_session, project_path, source, agent, fence, context_since, started_at, ended_at,
    end_reason)
VALUES (?, ?, ?, ?, 'unknown', 'claude-code', lower(hex(randomblob(12))), 0, ?, ?, 'lost')"""


class Rescue:
    """What was brought over, in rows of sessions, turns and observations.

    `altered` holds those that are left out, `losses` counts those that could not be read, after `finish`.
    """

    def __init__(self, target: "Store", seconds: float) -> None:
        self.target = target
        self.end = time.monotonic() + seconds
        self.rows = 0
        self.from_backup = 0
        self.losses = census.Losses()
        self.altered: list[tuple[str, Any]] = []  # table and number, which tells a row even where its name was altered

    def bring_over(self, db: "Any", is_backup: bool = False) -> None:
        """Copy every row that can be read, but those that are there already. The caller holds the transaction."""
        db.set_progress_handler(lambda: time.monotonic() > self.end, STEP_OPERATIONS)
        there = _names(db, TABLES)
        for table in schema.ON_DEMAND:
            if table in there:
                schema.make(self.target, table)
        for table in _names(self.target.db, TABLES):
            if not there or table in there:
                self._bring_table(db, table, is_backup)
            elif table in COUNTED and not is_backup:
                self.losses.most = None
        if time.monotonic() > self.end:
            raise StoreError("to save what can be read takes longer than a session may wait", "ralph-mem doctor --repair --confirm")

    def _bring_table(self, db: "Any", table: str, is_backup: bool) -> None:
        wanted, there = _columns(self.target.db, table), _columns(db, table)
        columns = [name for name in wanted if name in there]
        rows: list[tuple[Any, ...]] = []
        gaps: list[range] | None = None
        if columns and table in NUMBERED.split():
            rows, gaps = around_damage(db, table, columns, self.end)
        elif columns:
            rows = _from_both_ends(db, table, columns)
        if table in COUNTED and not is_backup:
            self.losses.look(db, table, {values[columns.index("id")] for values in rows}, gaps)
        whole = [values for values in rows if self._is_whole(table, columns, values, is_backup)]
        before = self.target.db.total_changes
        self._insert(table, columns, whole)
        if table in COUNTED:
            added = self.target.db.total_changes - before
            self.rows += added
            self.from_backup += added if is_backup else 0

    def _insert(self, table: str, columns: "list[str]", rows: "list[tuple[Any, ...]]") -> None:
        if table == "properties":
            rows = [values for values in rows if values[columns.index("key")] not in OWN_PROPERTIES]
        sql = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        for values in rows:
            try:
                self.target.execute(sql, values)
            except FAILURES:  # a value that no such column can have: what is left of a damaged page
                continue

    def _is_whole(self, table: str, columns: "list[str]", values: "tuple[Any, ...]", is_backup: bool) -> bool:
        if table not in TEXTS:
            return True
        named = dict(zip(columns, values))
        if is_unaltered(table, named):
            return True
        if not is_backup:
            self.altered.append((table, named.get("id")))
        return False

    def finish(self, root: str) -> None:
        """Give every row what it hangs on, and write both indexes anew. The caller holds the transaction."""
        self.losses.count(self.target, self.altered)  # before a session that is lost gets a stand-in
        for number, first, last in self.target.execute(LOST_SESSIONS).fetchall():
            self.target.execute(STAND_IN, (number, row.public_id("sess"), f"lost-{number}", root, first, last))
        for sql in STRAYS:
            self.target.execute(sql)
        back = {(table, number) for table in TEXTS for number in _names(self.target.db, f"SELECT id FROM {table}")}
        self.altered = [each for each in self.altered if each not in back]
        write_indexes(self.target)


def is_unaltered(table: str, named: "dict[str, Any]") -> bool:
    """Hold the texts of a row, by column, against its checksum."""
    texts: list[Any] = [named.get(name) for name in TEXTS[table]]
    if not all([isinstance(text, str) for text in texts]):
        return False
    if named["checksum"] == row.checksum(*texts):
        return True
    # a turn that goes on has a list of files that grows, and is weighed again when it is closed
    return table == "turns" and not named["index_version"] and named["checksum"] in (
        row.checksum(texts[0], texts[1], "", texts[3]), row.checksum(texts[0], "", "", ""),
    )  # fmt: skip


def around_damage(
    db: "Any", table: str, columns: "list[str]", end: float = float("inf")
) -> "tuple[list[tuple[Any, ...]], list[range] | None]":
    """Return the rows of a table that can be read, and the numbers of those that cannot; None where its end was not found."""
    sql = f"SELECT rowid, {', '.join(columns)} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    found, whole = _probe(db, sql, 1, 2**62)
    rows, gaps, probes = found, [], 0
    first = found[-1][0] + 1 if found else 1
    last, is_known = (first - 1, True) if whole else _last(db, table, first)
    pending = [(first, last)] if first <= last else []
    while pending and time.monotonic() < end:
        low, high = pending.pop()
        probes += 2
        up, whole = _probe(db, sql, low, high)
        rows += up
        low = up[-1][0] + 1 if up else low
        if whole or low > high:
            continue
        down, _ = _probe(db, sql + " DESC", low, high)
        rows += down
        high = down[-1][0] - 1 if down else high
        if low == high or probes > MOST_PROBES:
            gaps.append(range(low, high + 1))
        elif low < high:
            middle = (low + high) // 2
            pending += [(low, middle), (middle + 1, high)]
    return [values[1:] for values in rows], gaps if is_known else None


def _probe(db: "Any", sql: str, low: int, high: int) -> "tuple[list[tuple[Any, ...]], bool]":
    """Return the rows of a range up to the first that cannot be read, and whether that was all."""
    rows: list[tuple[Any, ...]] = []
    falling = sql.endswith("DESC")
    try:
        for values in db.execute(sql, (low, high)):
            number = values[0]
            if not low <= number <= high or (rows and (number >= rows[-1][0] if falling else number <= rows[-1][0])):
                return rows, False  # out of order: a page that belongs elsewhere
            rows.append(values)
    except FAILURES:
        return rows, False
    return rows, True


def _last(db: "Any", table: str, first: int) -> "tuple[int, bool]":
    """Return the last row number of a table, and whether it is known; otherwise of the last row that leaps hit upon."""
    try:
        (last,) = db.execute(f"SELECT max(rowid) FROM {table}").fetchone()
        if isinstance(last, int) and last - first < FURTHEST:
            return last, True
    except FAILURES:
        pass
    last, leap = first - 1, 1
    while leap < FURTHEST:
        rows, _ = _probe(db, f"SELECT rowid FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid", last + leap, 2**62)
        last, leap = (rows[-1][0], 1) if rows else (last, 2 * leap)
    return last, False


def _from_both_ends(db: "Any", table: str, columns: "list[str]") -> "list[tuple[Any, ...]]":
    """Return the rows of a table that has no row numbers, from its first up to what is damaged, and from its last."""
    found: dict[tuple[Any, ...], None] = {}
    key = [name for name, place in _keys(db, table) if place] or columns[:1]
    for order in (", ".join(key), ", ".join([f"{name} DESC" for name in key])):
        try:
            for values in db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"):
                found[values] = None
        except FAILURES:
            continue
        break
    return list(found)


def _keys(db: "Any", table: str) -> "Iterator[tuple[str, int]]":
    try:
        for values in db.execute(f"PRAGMA table_info({table})").fetchall():
            yield values[1], values[5]
    except FAILURES:
        return


def _columns(db: "Any", table: str) -> "list[str]":
    return [name for name, _ in _keys(db, table)]


def _names(db: "Any", sql: str) -> "list[str]":
    try:
        return [name for (name,) in db.execute(sql).fetchall()]
    except FAILURES:
        return []


def write_indexes(opened: "Store") -> None:
    """Write both indexes anew from the rows, and find again which rows are memories. They must be empty."""
    listed = ", ".join([f"'{kind}'" for kind in BY_THEMSELVES])
    opened.execute(
        "INSERT INTO memories (turn_id, created_at) SELECT id, created_at FROM turns WHERE index_version > 0"
        " AND id NOT IN (SELECT turn_id FROM memories WHERE turn_id NOT NULL)"
    )
    opened.execute(
        f"INSERT INTO memories (observation_id, created_at) SELECT id, created_at FROM observations WHERE type IN ({listed})"
        " AND id NOT IN (SELECT observation_id FROM memories WHERE observation_id NOT NULL)"
    )
    opened.execute("DELETE FROM memories WHERE turn_id IN (SELECT id FROM turns WHERE index_version = 0)")
    for kind in ("turn_id", "observation_id"):
        for (number,) in opened.execute(f"SELECT {kind} FROM memories WHERE {kind} NOT NULL ORDER BY id").fetchall():
            memories.index(opened, kind, number)
    opened.execute("UPDATE turns SET index_version = ? WHERE index_version > 0", (index_text.INDEX_VERSION,))
    raw = "SELECT id, title, content, files, lines FROM observations WHERE id NOT IN"
    for number, *texts in opened.execute(f"{raw} (SELECT observation_id FROM memories WHERE observation_id NOT NULL)").fetchall():
        indexed = [index_text.of(text) for text in texts]
        opened.execute("INSERT INTO observations_fts (rowid, title, body, files, lines) VALUES (?, ?, ?, ?, ?)", (number, *indexed))
    opened.execute("UPDATE observations SET index_version = ?", (index_text.INDEX_VERSION,))
