"""Gather what a turn ran and how it ended, also where its client tells that late."""

from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

LINES_CHARACTERS = 1200
# The session of a turn by the client's id; and of what it ran what is not tainted.
OF_TURN = "SELECT s.client_session FROM turns AS t JOIN sessions AS s ON s.id = t.session_id WHERE t.id = ?"
RAN = """
SELECT o.id, o.title FROM observations AS o JOIN turns AS t ON t.id = ? AND o.session_id = t.session_id AND o.seq >= t.seq
WHERE o.turn_id = t.id AND NOT o.tainted"""
UNKNOWN = "tool_use"  # the type of a command of which nobody said how it ended
SETTLED = ("type", "content", "lines", "metadata", "redactions", "redaction_version")
UNSETTLED = "SELECT id FROM observations WHERE event_id = ? AND type = ? AND edited_at IS NULL AND emptied_at IS NULL"
# The last turns of the last sessions; a person who asks on has seen the answers to the earlier ones.
UNANSWERED = """
SELECT s.client_session, t.event_id, t.created_at, t.ended_at FROM sessions AS s JOIN turns AS t
    ON t.id = (SELECT max(id) FROM turns WHERE session_id = s.id AND status = 'stopped')
WHERE s.id IN (SELECT id FROM sessions WHERE agent = ? ORDER BY id DESC LIMIT 3) AND t.response = '' AND t.kind = 'prompt'"""
FIRST_UNHEARD = (
    "SELECT count(*) FROM turns AS t JOIN sessions AS s ON s.id = t.session_id WHERE s.client_session = ? AND s.source = ?"
)


def finish(store: "Store", number: int, status: str, at: "int | None") -> None:
    """Gather what a turn ran, write its last form and make it findable."""
    if row.has_heard(store):
        _taint_commands(store, number)
    row.remove_entry(store, row.TURN, number)
    store.execute(
        "UPDATE turns SET lines = ?, status = ?, ended_at = ? WHERE id = ?", (lines_of(store, number), status, at, number)
    )
    if any(row.weigh(store, row.TURN, number)):
        row.remember(store, row.TURN, number)
    else:  # a turn whose answer was taken back, and that has nothing else
        store.execute("DELETE FROM memories WHERE turn_id = ?", (number,))


def _taint_commands(store: "Store", number: int) -> None:
    """Taint what a turn ran whose command repeats what came in from outside, such as a message of a commit."""
    from ralph_mem.memory.rows import shingles  # lazy: only where something came in from outside

    (session,) = store.one(OF_TURN, (number,))
    for command, title in store.execute(RAN, (number,)).fetchall():
        if len(title) >= shingles.FEWEST_BYTES and shingles.repeats(store, session, title):
            store.execute("UPDATE observations SET tainted = 1 WHERE id = ?", (command,))


def settle(store: "Store", record: "dict[str, Any]") -> None:
    """Write type, output and exit code of a command's observation, whose client tells late how it ended; what is known stays.

    One that is not stored, or was emptied or edited, stays as it is. The caller holds the transaction.
    """
    found = store.one(UNSETTLED, (record["event_id"], UNKNOWN)) if record["type"] != UNKNOWN else None
    if found:
        row.replace(store, row.OBSERVATION, found[0], {name: record[name] for name in SETTLED})


def lines_of(store: "Store", number: int) -> str:
    """Return the commands of a turn with their outcome and error lines, each once, the last ones if they are many."""
    rows = store.execute(
        "SELECT o.type, o.title, o.lines FROM observations AS o JOIN turns AS t ON t.id = ? AND o.session_id = t.session_id"
        " AND o.seq >= t.seq WHERE o.turn_id = t.id AND o.tool_name = ? AND NOT o.tainted ORDER BY o.seq DESC, o.id DESC",
        (number, row.COMMAND),
    ).fetchall()
    kept: list[str] = []
    room = LINES_CHARACTERS
    for kind, title, lines in rows:
        line = _outcome(kind, title, lines)
        room -= len(line) + 1
        if room < 0:
            break
        if line not in kept:
            kept.append(line)
    return "\n".join(reversed(kept))


def _outcome(kind: str, title: str, lines: str) -> str:
    failed, passed, ran = row.OUTCOMES
    if kind == "error":
        said = "\n".join(["| " * line.startswith(row.OUTCOMES) + line for line in lines[:400].split("\n")])  # no output of its own
        return f"{failed}{title}\n{said}".rstrip()
    return f"{passed if kind == 'success' else ran}{title}"


def unanswered(store: "Store", host: str) -> "list[tuple[str, str, int, int]]":
    """Return the last turns of a client's last sessions that have no answer: session, the turn's event, begin and end in ms."""
    return list(store.execute(UNANSWERED, (host,)).fetchall())


def is_first_unheard(store: "Store", session: str, source: str) -> bool:
    """Say whether a session, by the client's id, is in its first turn, and began in a way that nobody heard, the `source`."""
    found = store.one(FIRST_UNHEARD, (session, source))
    return bool(found and found[0] == 1)
