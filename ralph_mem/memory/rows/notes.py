"""Store observations that stand for themselves, found by their words and by what surrounded them."""

from ralph_mem.memory.rows import existing, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# What was said around a note in its session: two memories before it, one after. Measured on LoCoMo, in recall at ten: two
# before +0.13, one after +0.01 more, two after nothing more. Half an hour apart they speak of something else.
BEFORE, AFTER = 2, 1
CONTEXT_CHARACTERS = 300  # of each; 160 are a point worse there
CONTEXT_MS = 1_800_000
AROUND = """
SELECT seq, text FROM (SELECT seq, prompt || ' ' || response AS text FROM turns
    WHERE session_id = ?1 AND seq {compare} ?2 AND abs(created_at - ?3) < ?4 ORDER BY seq {order} LIMIT ?5)
UNION ALL SELECT seq, text FROM (SELECT o.seq, o.title || ' ' || o.content AS text
    FROM observations AS o JOIN memories AS m ON m.observation_id = o.id
    WHERE o.session_id = ?1 AND o.seq {compare} ?2 AND abs(o.created_at - ?3) < ?4 ORDER BY o.seq {order} LIMIT ?5)
ORDER BY seq {order} LIMIT ?5"""
BESIDE = """
SELECT o.id FROM observations AS o JOIN memories AS m ON m.observation_id = o.id
WHERE o.session_id = ? AND o.seq {compare} ? ORDER BY o.seq {order} LIMIT ?"""


def add(store: "Store", record: "dict[str, Any]") -> int:
    """Store an observation that stands for itself, tainted as the session of a summary is; returns its row number."""
    number = row.observe(store, record, is_memory=True)
    if not number:
        return 0
    existing.remember(store, row.OBSERVATION, number)
    if record["type"] == "summary":
        _derive(store, number)
    put_into_context(store, number)
    return number


def _derive(store: "Store", number: int) -> None:
    store.execute(
        "INSERT OR IGNORE INTO derived_from (child, parent) SELECT o.public_id, t.public_id"
        " FROM observations AS o JOIN turns AS t USING (session_id) WHERE o.id = ?",
        (number,),
    )
    store.execute(
        "UPDATE observations SET tainted = 1 WHERE id = ? AND EXISTS"
        " (SELECT 1 FROM turns AS t WHERE t.session_id = observations.session_id AND t.tainted)",
        (number,),
    )
    clean = row.has_heard(store) and store.one(
        "SELECT s.client_session, o.content FROM observations AS o JOIN sessions AS s ON s.id = o.session_id"
        " WHERE o.id = ? AND NOT o.tainted",
        (number,),
    )
    if clean:
        from ralph_mem.memory.rows import shingles  # lazy: only where something came in from outside

        if shingles.repeats(store, *clean):
            store.execute("UPDATE observations SET tainted = 1 WHERE id = ?", (number,))


def put_into_context(store: "Store", number: int) -> None:
    """Give a note what was said around it, and the notes around it this one."""
    session, seq = store.one("SELECT session_id, seq FROM observations WHERE id = ?", (number,))
    for note in (number, *notes_beside(store, session, seq)):
        write_context(store, note)


def notes_beside(store: "Store", session: int, seq: int) -> "list[int]":
    """Return the numbers of the notes whose context holds what stands at a place in their session."""
    found = store.execute(BESIDE.format(compare="<", order="DESC"), (session, seq, AFTER)).fetchall()
    found += store.execute(BESIDE.format(compare=">", order="ASC"), (session, seq, BEFORE)).fetchall()
    return [note for (note,) in found]


def write_context(store: "Store", number: int) -> None:
    """Write what was said around a note, as it stands now, into its row and its index entry."""
    (before,), context = store.one("SELECT context FROM observations WHERE id = ?", (number,)), context_of(store, number)
    if context != before:
        existing.replace(store, row.OBSERVATION, number, {"context": context})


def context_of(store: "Store", number: int) -> str:
    """Return what was said around a note, as it stands now."""
    place = store.one("SELECT session_id, seq, created_at FROM observations WHERE id = ?", (number,))
    around = store.execute(AROUND.format(compare="<", order="DESC"), (*place, CONTEXT_MS, BEFORE)).fetchall()
    around += store.execute(AROUND.format(compare=">", order="ASC"), (*place, CONTEXT_MS, AFTER)).fetchall()
    return "\n".join([text[:CONTEXT_CHARACTERS].strip() for _, text in sorted(around)])


def write_contexts(store: "Store", session: int) -> None:
    """Write anew what all rows of a session quote: which of them quotes a row that went is unknown, as memories come and go."""
    for (note,) in store.execute("SELECT id FROM observations WHERE session_id = ? AND context <> ''", (session,)).fetchall():
        write_context(store, note)


def known(store: "Store", title: str, content: str) -> str:
    """Return the id of the note that says this, or nothing."""
    found = store.one("SELECT public_id FROM observations WHERE type = 'note' AND title = ? AND content = ?", (title, content))
    return str(found[0]) if found else ""


def of_event(store: "Store", event_id: str) -> "tuple[str, bool] | None":
    """Return the id of the note of an event, and whether a person has said something about it; or None."""
    sql = "SELECT public_id, edited_at OR pinned OR misled FROM observations WHERE event_id = ?"
    found: tuple[str, bool] | None = store.one(sql, (event_id,))
    return found
