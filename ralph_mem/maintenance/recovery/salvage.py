"""Read what can be read from a damaged database into a new one.

Rows around a damaged page are read from both sides and then in halves; altered ones, told by their checksum, stay behind.
"""

import time

from ralph_mem.core.errors import StoreError
from ralph_mem.maintenance.recovery import lost_facts
from ralph_mem.maintenance.recovery.damage import FAILURES
from ralph_mem.memory.rows import existing, facts, kinds, row
from ralph_mem.memory.store import connection, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


# What the new database knows better.
OWN_PROPERTIES = ("checked_schema", connection.FORGETTING, connection.STANDING)
# A leaf that is lost holds some dozens of rows; where an inner page is lost with all below it, so many tries are a second.
MOST_PROBES = 20_000
FURTHEST = 2**20
STEP_OPERATIONS = 100_000
BY_THEMSELVES = ("note", "decision", "summary")  # types of observations that are memories
# So are the values of programs that are found by their words and go with no session.
ITEMS = """ OR (type = 'item' AND title <> '' AND tool_name NOT LIKE '["session"%')"""
LOST_SESSIONS = """
SELECT session_id, min(created_at), max(created_at) FROM ({rows})
WHERE session_id NOT NULL AND session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id"""
STAND_IN = """
INSERT INTO sessions (id, public_id, client_session, project_path, source, agent, fence, context_since, started_at, ended_at,
    end_reason)
VALUES (?, ?, ?, ?, 'unknown', 'claude-code', lower(hex(randomblob(12))), 0, ?, ?, 'lost')"""


class Rescue:
    """What was brought over, in sessions and rows of memory.

    `altered` holds those that are left out. After `finish`, `lost` is how many at most could not be read; None where nobody knows;
    `made_again` is how many facts were made of their statements alone.
    """

    def __init__(self, target: "connection.Store", seconds: float) -> None:
        self.target = target
        self.end = time.monotonic() + seconds
        self.rows = 0
        self.from_backup = 0
        self.lost: int | None = 0
        self.made_again = 0
        self.gaps: dict[str, list[range]] = {}  # table -> the numbers of rows that could not be read, if there were such rows
        self.is_all_named = True  # by their numbers: of a table whose end was not found, nobody knows how many there were
        self.kinds = {kind.table: kind for kind in kinds.of_memory(target)}
        self.counted = (kinds.SESSION.table, *self.kinds)
        self.altered: list[tuple[str, Any]] = []  # table and number, which tells a row even where its name was altered

    def bring_over(self, db: "Any", is_backup: bool = False) -> None:
        """Copy every row that can be read, but those that are there already. The caller holds the transaction."""
        db.set_progress_handler(lambda: time.monotonic() > self.end, STEP_OPERATIONS)
        there = _names(db, kinds.TABLES)
        for table in schema.ON_DEMAND:
            if table in there:
                schema.make(self.target, table)
        for table in _names(self.target.db, kinds.TABLES):
            if not there or table in there:
                self._bring_table(db, table, is_backup)
            elif table in self.counted and not is_backup:
                self.is_all_named = False
        if time.monotonic() > self.end:
            raise StoreError("to save what can be read takes longer than a session may wait", "ralph-mem doctor --repair --confirm")

    def _bring_table(self, db: "Any", table: str, is_backup: bool) -> None:
        wanted, there = _columns(self.target.db, table), _columns(db, table)
        columns = [name for name in wanted if name in there]
        rows: list[tuple[Any, ...]] = []
        gaps: list[range] | None = None
        if columns and "id" in wanted:
            rows, gaps = around_damage(db, table, columns, self.end)
        elif columns:
            rows = _from_both_ends(db, table, columns)
        if table in self.counted and not is_backup:
            self.is_all_named = self.is_all_named and gaps is not None
            self.gaps[table] = gaps or []
        whole = [values for values in rows if self._is_whole(table, columns, values, is_backup)]
        before = self.target.db.total_changes
        self._insert(table, columns, whole)
        if table in self.counted:
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
        if table not in self.kinds:
            return True
        named = dict(zip(columns, values))
        if is_unaltered(self.kinds[table], named):
            return True
        if not is_backup:
            self.altered.append((table, named.get("id")))
        return False

    def finish(self, root: str) -> None:
        """Give every row what it hangs on, and write both indexes anew. The caller holds the transaction."""
        self.lost = self._count_lost() if self.is_all_named else None  # before a session that is lost gets a stand-in
        rows = [kinds.reading(kind, "session_id created_at") for kind in self.kinds.values() if kind.has("session_id")]
        for number, first, last in self.target.execute(LOST_SESSIONS.format(rows=" UNION ALL ".join(rows))).fetchall():
            self.target.execute(STAND_IN, (number, row.public_id("sess"), f"lost-{number}", root, first, last))
        _take_off_strays(self.target)
        back = {(table, number) for table in self.kinds for number in _names(self.target.db, f"SELECT id FROM {table}")}
        self.altered = [each for each in self.altered if each not in back]
        self.made_again = lost_facts.make(self.target)
        write_indexes(self.target)
        facts.show_all(self.target)

    def _count_lost(self) -> int:
        """Return how many of the rows that could not be read did not come from a backup either."""
        there = {table: {number for (number,) in self.target.execute(f"SELECT id FROM {table}")} for table in self.gaps}
        return sum([number not in there[table] for table, gaps in self.gaps.items() for gap in gaps for number in gap])


def is_unaltered(kind: "row.Kind", named: "dict[str, Any]") -> bool:
    """Hold the texts of a row, by column, against its checksum."""
    texts: list[Any] = ["" if named.get(name) is None else named[name] for name in kind.hashed]
    if not all([isinstance(text, str) for text in texts]):
        return False
    if named["checksum"] == row.checksum(*texts):
        return True
    # a turn that goes on has a list of files that grows, and is weighed again when it is closed
    return kind is kinds.TURN and not named["index_version"] and named["checksum"] in (
        row.checksum(texts[0], texts[1], "", texts[3]), row.checksum(texts[0], "", "", ""),
    )  # fmt: skip


def _take_off_strays(target: "connection.Store") -> None:
    """Keep a row whose session, turn or loop could not be read without it, or let it go where it means nothing alone."""
    for table in _names(target.db, kinds.TABLES):
        needed = {name for _, name, _, needed, _, key in target.execute(f"PRAGMA table_info({table})") if needed or key}
        for _, _, owner, column, *_ in target.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            stray = f"{column} NOT NULL AND {column} NOT IN (SELECT id FROM {owner})"
            alone = column in needed or table == "memories"
            target.execute(f"DELETE FROM {table} WHERE {stray}" if alone else f"UPDATE {table} SET {column} = NULL WHERE {stray}")
    named = " + ".join([f"({kind.memory} NOT NULL)" for kind in kinds.of_memory(target) if kind.memory])
    target.execute(f"DELETE FROM memories WHERE {named} <> 1")


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


def write_indexes(opened: "connection.Store") -> None:
    """Write both indexes anew from the rows, and find again which rows are memories. They must be empty."""
    for kind in kinds.of_memory(opened):
        if kind.memory:
            _find_memories(opened, kind)
        found = "1" if kind.index else "index_version > 0"
        for (number,) in opened.execute(f"SELECT id FROM {kind.table} WHERE {found} ORDER BY id").fetchall():
            existing.add_entry(opened, kind, number)


def _find_memories(opened: "connection.Store", kind: "row.Kind") -> None:
    """Find again which rows are memories: what has no other index, if it had an entry, and of the rest those of some types."""
    listed = ", ".join([f"'{name}'" for name in BY_THEMSELVES])
    items = ITEMS if kind is row.OBSERVATION else ""
    found = f"(type IN ({listed}){items})" if kind.index and kind.has("type") else "0" if kind.index else "index_version > 0"
    opened.execute(
        f"INSERT INTO memories ({kind.memory}, created_at) SELECT id, created_at FROM {kind.table} WHERE {found}"
        f" AND id NOT IN (SELECT {kind.memory} FROM memories WHERE {kind.memory} NOT NULL)"
    )
    if not kind.index:
        opened.execute(f"DELETE FROM memories WHERE {kind.memory} IN (SELECT id FROM {kind.table} WHERE index_version = 0)")
