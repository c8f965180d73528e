"""Count by days what a memory took in and what it told."""

import time

from ralph_mem.memory.rows import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

DAY_MS = 86_400_000
ROWS = "SELECT created_at / {day}, count(*) FROM {table} WHERE created_at >= ?1 GROUP BY 1"
TOLD = f"SELECT created_at / {DAY_MS}, count(*), sum(tokens) FROM receipts WHERE created_at >= ?1 AND tokens > 0 GROUP BY 1"
SESSIONS = f"SELECT started_at / {DAY_MS}, count(*) FROM sessions WHERE started_at >= ?1 AND agent <> 'ralph-mem' GROUP BY 1"
MISLED = "SELECT count(DISTINCT memory) FROM receipt_items WHERE misled_at IS NOT NULL"


def by_day(store: "Store", now: int, days: int) -> "list[dict[str, int]]":
    """Return the last days, the oldest first, each with `day` in days since 1970 (UTC), `rows`, `sessions`, `told`, `tokens`."""
    last = now // DAY_MS
    since = (last - days + 1) * DAY_MS
    found = {day: {"day": day, "rows": 0, "sessions": 0, "told": 0, "tokens": 0} for day in range(last - days + 1, last + 1)}
    for kind in kinds.of_memory(store):
        for day, number in store.execute(ROWS.format(day=DAY_MS, table=kind.table), (since,)):
            found.get(day, {"rows": 0})["rows"] += number
    for day, number in store.execute(SESSIONS, (since,)):
        found.get(day, {})["sessions"] = number
    for day, number, tokens in store.execute(TOLD, (since,)):
        found.get(day, {}).update({"told": number, "tokens": tokens})
    return list(found.values())


def day_of(now: int, days: int, at: int) -> str:
    """Return the name of a day of `by_day` by its place, as 2026-01-31 in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime((now // DAY_MS - days + 1 + at) * DAY_MS / 1000))
