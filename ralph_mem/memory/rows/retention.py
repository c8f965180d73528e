"""Cut the body of raw tool output that is both old and beyond the newest thousand. Nothing is deleted by age.

A clock that jumps ahead makes nothing old. A pass reads once a day what has a body, and Stop empties it in small pieces.
"""

from ralph_mem.core import fast
from ralph_mem.core.redaction import privacy
from ralph_mem.memory.rows import existing, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.memory.store.connection import Store

STATE = "keeping"  # the property of a database that says how far the present pass is, as JSON
DAY_MS = 86_400_000
# So many rows in one Stop, a quarter of what an interpreter costs, or as many as came in since the last one, so that no backlog
# grows, up to a hundred.
BATCH, LARGEST_BATCH = 3, 100
# So many in one transaction where a person waits for all of them: a tool event of a session waits at most 150 ms.
LARGE_BATCH = 200
# So many new rows begin a pass before the day is over, or a tenth of what stays whole where that is less.
MANY = 50
LINES_CHARACTERS = 800
# So much is made up for on each day that follows one without a Stop: three weeks away are believed after three days, and a
# clock that is years ahead has to be wrong for five days of work before it costs anything.
CATCH_UP_MS = 7 * DAY_MS
FOREVER = 2**62

WHOLE = "FROM observations WHERE type = 'tool_use' AND content <> '' AND NOT pinned AND edited_at IS NULL AND id > ?"
# The oldest of the newest rows, by when they happened: imported rows count by their own dates.
LAST_KEPT = f"SELECT created_at, id {WHOLE} ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?"
DUE = f"{WHOLE} AND (created_at, id) < (?, ?)"


def keep(store: "Store", settings: "dict[str, Any]", now: int) -> int:
    """Empty some of what is due by the settings at `now` in ms, in its own transaction; returns how many rows that were."""
    if not settings["memory.auto_compress"]:
        return 0
    limits = _limits(settings)
    state = _state(store)
    newest = store.one("SELECT max(id) FROM observations")[0] or 0
    if state.get("limits") != limits:
        clock = {name: state.get(name) for name in ("clock", "looked")}
        state = {**clock, "limits": limits, "below": 0, "until": None, "day": 0, "seen": newest}
    many = max(1, min(MANY, limits[1] // 10))
    if not state["until"] and state["day"] == now // DAY_MS and newest - state["seen"] < many:
        return 0
    if not state["until"]:
        state |= {"clock": _believed(state, now), "looked": now}
        state |= {"day": now // DAY_MS, "at": state["below"], "until": _until(store, limits, state["clock"], state["below"])}
    most = min(max(BATCH, newest - state["seen"]), LARGEST_BATCH)
    return _go_on(store, {**state, "seen": newest}, now, most)


def _state(store: "Store") -> "dict[str, Any]":
    try:
        state = fast.loads(store.property(STATE) or "{}")
    except ValueError:  # somebody wrote there; a pass can always begin anew
        return {}
    return state if isinstance(state, dict) else {}


def _believed(state: "dict[str, Any]", now: int) -> int:
    """Return the time by which rows are old: the clock's, or an earlier one where it has jumped ahead."""
    clock, looked = state.get("clock"), state.get("looked")
    if not (isinstance(clock, int) and isinstance(looked, int)):
        return now
    days = now // DAY_MS - looked // DAY_MS
    if days > 1:
        return min(clock, now)
    return min(now, clock + max(0, now - looked) + CATCH_UP_MS * (days == 1))


def _limits(settings: "dict[str, Any]") -> "list[int]":
    return [settings["memory.retention_days"], settings["memory.max_observations"]]


def _until(store: "Store", limits: "list[int]", now: int, below: int = 0) -> "list[int]":
    """Return the moment and the number of the first row, by age, that keeps its body: all before it are due."""
    days, most = limits
    last = store.one(LAST_KEPT, (below, most - 1)) if most else (FOREVER, 0)
    return min([now - days * DAY_MS, 0], list(last)) if last else [0, 0]


def _go_on(store: "Store", state: "dict[str, Any]", now: int, most: int) -> int:
    """Empty the next rows of a pass, and note how far it is. What is below its mark has been looked at for good."""
    store.begin()
    try:
        numbers = _empty_some(store, state["at"], state["until"], now, most)
        if len(numbers) == most:
            state["at"] = numbers[-1]
        else:
            first = store.one(f"SELECT min(id) {WHOLE}", (state["below"],))[0]
            state |= {"until": None, "below": first - 1 if first else state["seen"]}
        store.set_property(STATE, fast.dumps(state))
        store.commit()
    finally:
        store.roll_back()
    return len(numbers)


def keep_all(store: "Store", settings: "dict[str, Any]", now: int, tell: "Callable[[int], Any]" = bool) -> int:
    """Empty all that is due, whether or not that happens by itself; `tell` hears how many more are done. Returns how many."""
    until, at, done = _until(store, _limits(settings), now), 0, 0
    while True:
        store.begin()
        try:
            numbers = _empty_some(store, at, until, now, LARGE_BATCH)
            store.commit()
        finally:
            store.roll_back()
        done += len(numbers)
        tell(len(numbers))
        if len(numbers) < LARGE_BATCH:
            return done
        at = numbers[-1]


def due(store: "Store", settings: "dict[str, Any]", now: int) -> "tuple[int, int]":
    """Return how many rows are to lose their body, and of how many characters those are."""
    number, characters = store.one(f"SELECT count(*), total(length(content)) {DUE}", (0, *_until(store, _limits(settings), now)))
    return number, int(characters)


def _empty_some(store: "Store", at: int, until: "list[int]", now: int, most: int) -> "list[int]":
    rows = store.execute(f"SELECT id {DUE} ORDER BY id LIMIT ?", (at, *until, most)).fetchall()
    for (number,) in rows:
        _empty(store, number, now)
    return [number for (number,) in rows]


def _empty(store: "Store", number: int, now: int) -> None:
    """Take the body out of a row and of its index entry; of a command's output the lines that speak of an error stay."""
    content, lines, tool = store.one("SELECT content, lines, tool_name FROM observations WHERE id = ?", (number,))
    kept = lines or (privacy.error_lines(content, LINES_CHARACTERS) if tool == row.COMMAND else "")
    existing.replace(store, row.OBSERVATION, number, {"content": "", "lines": kept, "emptied_at": now})


def emptied_at(store: "Store", number: int) -> "int | None":
    """Return when an observation lost its body, in milliseconds, or None."""
    at: int | None = store.one("SELECT emptied_at FROM observations WHERE id = ?", (number,))[0]
    return at
