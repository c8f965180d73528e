"""Learn from the log of a memory what nobody said, in short steps and as far as the time goes."""

import time

from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.facts import commands, mining, places, relations, renames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# The property that holds when all was counted last, in ms: once a day is enough, as what it finds takes days to come about.
MINED = "mined_at"
DAY_MS = 86_400_000


def learn(store: "Store", root: str, end: float, settings: "dict[str, Any] | None" = None) -> int:
    """Take in the commands that ran since the last time, and once a day count all that comes again and again.

    It leaves off when `end` on the monotonic clock has passed, and goes on there another time; returns how many commands were
    looked at. `root` is the project's folder, and without `settings` those count that nobody changed. The caller holds no
    transaction.
    """
    looked_at = 0
    while time.monotonic() < end:
        step = _changed(store, lambda: commands.learn(store, _now()))
        looked_at += step
        if step < commands.MOST_AT_ONCE:
            break
    if time.monotonic() < end and _is_due(store):
        count(store, root, settings or effective.DEFAULTS)
    return looked_at


def _is_due(store: "Store") -> bool:
    """Say whether a day has gone since the last time; a clock that was set back does not put it off for ever."""
    return not 0 <= _now() - int(store.property(MINED) or 0) < DAY_MS


def count(store: "Store", root: str, settings: "dict[str, Any]") -> None:
    """Count all that comes again and again, whenever that was done last, and that the settings want.

    The log is read before anything is locked.
    """
    at = _now()
    found = mining.patterns(store, at) if settings["memory.mining"] else []
    pairs = mining.tested(store, at) if settings["memory.relations"] else []
    together = places.found(store, at)

    def write() -> int:
        places.write(store, together, at)
        mining.write(store, found, pairs, at)
        store.set_property(MINED, at)
        return 0

    _changed(store, write)
    _changed(store, lambda: relations.learn(store) if settings["memory.relations"] else 0)
    _changed(store, lambda: renames.follow(store, root))


def _changed(store: "Store", what: "Callable[[], int]") -> int:
    with access.BackgroundChange(store):
        store.properties.clear()  # another process may have gone on meanwhile
        return what()


def _now() -> int:
    return time.time_ns() // 1_000_000
