"""Say how a memory grows and what telling costs, by days."""

from ralph_mem.memory.rows import growth as rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

DAYS, MOST_DAYS = 30, 366


def of(stores: "list[Store]", now: int, days: int = DAYS) -> "dict[str, Any]":
    """Return the last days (UTC), the oldest first, and their sums: rows, sessions, how often something was told, its tokens.

    `misled` counts the memories that were told and marked wrong. The time is in ms.
    """
    by_day: list[dict[str, Any]] = []
    for store in stores:
        found = rows.by_day(store, now, days)
        by_day = [{name: old[name] + new[name] for name in new} for old, new in zip(by_day, found)] if by_day else found
    told = [{**each, "day": rows.day_of(now, days, at)} for at, each in enumerate(by_day)]
    sums = {name: sum([each[name] for each in told]) for name in ("rows", "sessions", "told", "tokens")}
    return {"days": told, **sums, "misled": sum([store.one(rows.MISLED)[0] for store in stores])}
