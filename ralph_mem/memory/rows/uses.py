"""Read from receipts which facts were told when, and from the rest what happened with them then. Nothing here is for a hook."""

from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

OBSERVATION, TURN = row.OBSERVATION.table, row.TURN.table
FACTS = f"SELECT o.public_id FROM facts AS f JOIN {OBSERVATION} AS o ON o.id = f.id"
ACCESSES = f"""
SELECT DISTINCT r.id, r.created_at FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) ORDER BY r.created_at"""
# A fact in the receipt of an iteration, with what is remembered of the iteration, and when that began and ended.
IN_LOOPS = f"""
SELECT i.memory, r.session_id, o.title, o.content, o.files, n.started_at, n.ended_at
FROM receipt_items AS i JOIN receipts AS r ON r.id = i.receipt_id JOIN loop_runs AS l ON l.session_id = r.session_id
JOIN iterations AS n ON n.loop_run_id = l.id AND r.event = 'ralph loop, iteration ' || n.number
JOIN {OBSERVATION} AS o ON o.event_id = 'loop:' || l.public_id || ':' || n.number || ':iteration'
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) AND r.created_at BETWEEN l.started_at AND coalesce(n.ended_at, r.created_at)
ORDER BY n.started_at"""
RAN_BETWEEN = f"""
SELECT title, type FROM {OBSERVATION} WHERE tool_name = ? AND agent_id IS NULL AND created_at BETWEEN ? AND ? ORDER BY created_at"""
# What a session ran after it had been told a fact.
RAN_AFTER = f"""
SELECT o.title, o.type, o.created_at FROM {OBSERVATION} AS o
WHERE o.session_id = ? AND o.tool_name = ? AND o.created_at >= ? ORDER BY o.seq"""
# What the tools of a session did since then, as its client names it.
TOOLS_OF = f"""
SELECT o.title, o.files, o.metadata, o.created_at FROM {OBSERVATION} AS o JOIN sessions AS s ON s.id = o.session_id
WHERE s.client_session = ? AND o.created_at >= ? AND o.tool_name IS NOT NULL ORDER BY o.seq"""
PROMPTED = f"""
SELECT min(t.created_at) FROM {TURN} AS t JOIN sessions AS s ON s.id = t.session_id
WHERE s.client_session = ? AND t.kind = 'prompt' AND t.created_at >= ?"""
FIRST_TOLD = f"""
SELECT i.memory, r.session_id, min(r.created_at) FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) GROUP BY i.memory, r.session_id"""
SAID_AGAIN = f"""
SELECT d.child, t.session_id, max(t.created_at) FROM derived_from AS d JOIN {TURN} AS t ON t.public_id = d.parent
WHERE d.child IN ({FACTS}) GROUP BY d.child, t.session_id"""


def accesses(store: "Store") -> "list[int]":
    """Return when facts were told, in ms, once for each receipt that tells any, in order."""
    return [at for _, at in store.execute(ACCESSES)]


def in_loops(store: "Store") -> "list[tuple[str, int, str, str, str, int, int | None]]":
    """Return the facts that iterations were told: id, session, the iteration's title, text and files, its begin and end in ms."""
    found: list[tuple[str, int, str, str, str, int, int | None]] = store.execute(IN_LOOPS).fetchall()
    return found


def ran_between(store: "Store", tool: str, since: int, until: int) -> "list[tuple[str, str]]":
    """Return the commands that ran in a span, in ms, in any session, with what type of observation each left."""
    found: list[tuple[str, str]] = store.execute(RAN_BETWEEN, (tool, since, until)).fetchall()
    return found


def ran_after(store: "Store", tool: str, session: int, at: int) -> "list[tuple[str, str, int]]":
    """Return the commands that a session ran from a time on, in order, with type and time in ms."""
    found: list[tuple[str, str, int]] = store.execute(RAN_AFTER, (session, tool, at)).fetchall()
    return found


def tools_of(store: "Store", session: str, since: int) -> "list[tuple[str, str, str | None, int]]":
    """Return what a session's tools did from a time on: command or path, the file changed, metadata, when in ms."""
    found: list[tuple[str, str, str | None, int]] = store.execute(TOOLS_OF, (session, since)).fetchall()
    return found


def prompted(store: "Store", session: str, since: int) -> "int | None":
    """Return when a person first had words of their own for a session from a time on, in ms, None where they had none."""
    found: tuple[int | None] = store.one(PROMPTED, (session, since))
    return found[0]


def first_told(store: "Store") -> "dict[tuple[str, int], int]":
    """Return when each fact was first told in each session, in ms, by its id and the session's number."""
    return {(memory, session): at for memory, session, at in store.execute(FIRST_TOLD)}


def said_again(store: "Store") -> "dict[tuple[str, int], int]":
    """Return when each fact was last said in each session, in ms, by its id and the session's number."""
    return {(memory, session): at for memory, session, at in store.execute(SAID_AGAIN)}


LOADED = """
SELECT r.id, r.created_at, count(CASE WHEN i.outcome <> 'missed' THEN 1 END)
FROM receipts AS r LEFT JOIN receipt_items AS i ON i.receipt_id = r.id GROUP BY r.id ORDER BY r.id"""
INJECTED = f"""
SELECT r.id, r.created_at, i.memory FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id
WHERE i.outcome <> 'missed' AND i.memory IN ({FACTS}) ORDER BY r.id, i.position"""


def loaded(store: "Store") -> "list[tuple[int, int, int]]":
    """Return the receipts, oldest first: number, time in ms, how many memories were told."""
    found: list[tuple[int, int, int]] = store.execute(LOADED).fetchall()
    return found


def injected(store: "Store") -> "list[tuple[int, int, str]]":
    """Return the facts that were told, oldest first: number of the receipt, time in ms, id."""
    found: list[tuple[int, int, str]] = store.execute(INJECTED).fetchall()
    return found
