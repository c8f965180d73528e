"""Closing: Stop brings the agent's last message, and the turn is done. A room of its own, since every prompt loads turns.py."""

from ralph_mem.core import finishing, memories, observations, quick, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

# The turn itself is clean, and an earlier one of its session saw web or MCP text.
SEEN = """
SELECT id, tainted = 0 AND EXISTS (SELECT 1 FROM turns AS t WHERE t.session_id = turns.session_id AND t.tainted)
FROM turns WHERE event_id = ?"""


def close(store: "Store", record: "dict[str, Any]") -> None:
    """Close a turn with the agent's last message and make it findable; a turn may be closed again with a newer one.

    A turn that was never opened, because its prompt was not seen, is opened first.
    """
    turn = observations.turn_of(store, record) or f"stop:{record['session']}"
    turns.start(store, {**record, "turn": turn})
    number, was_outside = store.one(SEEN, (turn,))
    if was_outside:
        from ralph_mem.core import shingles

        if shingles.repeats(store, record["session"], record["response"]):
            store.execute("UPDATE turns SET tainted = 1 WHERE id = ?", (number,))
    memories.forget_turn(store, number)
    # the answer to one of our commands quotes memories, which would come back as a memory of themselves
    store.execute(
        "UPDATE turns SET response = CASE kind WHEN 'command' THEN '' ELSE ? END, redactions = ? WHERE id = ?",
        (record["response"], _all_redactions(store, number, record["redactions"]), number),
    )
    finishing.finish(store, number, record["status"], record["at"])


def _all_redactions(store: "Store", number: int, more: "str | None") -> "str | None":
    """Add up what was cut out of the prompt and of the answer."""
    before = store.one("SELECT redactions FROM turns WHERE id = ?", (number,))[0]
    if not before or not more:
        return before or more
    counts = quick.loads(before)
    for kind, count in quick.loads(more).items():
        counts[kind] = counts.get(kind, 0) + count
    return quick.dumps(counts)
