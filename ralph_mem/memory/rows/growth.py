"""Count by days what a memory took in, what it told, and what that cost."""

import time

from ralph_mem.memory.rows import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

DAY_MS = 86_400_000
ROWS = "SELECT created_at / {day}, count(*) FROM {table} WHERE created_at >= ?1 GROUP BY 1"
TOLD = f"SELECT created_at / {DAY_MS}, count(*), sum(tokens) FROM receipts WHERE created_at >= ?1 AND tokens > 0 GROUP BY 1"
SESSIONS = f"SELECT started_at / {DAY_MS}, count(*) FROM sessions WHERE started_at >= ?1 AND agent <> 'ralph-mem' GROUP BY 1"
MISLED = "SELECT count(DISTINCT memory) FROM receipt_items WHERE misled_at IS NOT NULL"
DAYS, MOST_DAYS = 30, 366


def _by_day(store: "Store", now: int, days: int) -> "list[dict[str, int]]":
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


def _day_of(now: int, days: int, at: int) -> str:
    """Return the name of a day by its place, as 2026-01-31 in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime((now // DAY_MS - days + 1 + at) * DAY_MS / 1000))


def of(stores: "list[Store]", now: int, days: int = DAYS) -> "dict[str, Any]":
    """Return the last days (UTC), the oldest first, and their sums: rows, sessions, how often something was told, its tokens.

    `misled` counts the memories that were told and marked wrong. The time is in ms.
    """
    by_day: list[dict[str, Any]] = []
    for store in stores:
        found = _by_day(store, now, days)
        by_day = [{name: old[name] + new[name] for name in new} for old, new in zip(by_day, found)] if by_day else found
    told = [{**each, "day": _day_of(now, days, at)} for at, each in enumerate(by_day)]
    sums = {name: sum([each[name] for each in told]) for name in ("rows", "sessions", "told", "tokens")}
    return {"days": told, **sums, "misled": sum([store.one(MISLED)[0] for store in stores])}
