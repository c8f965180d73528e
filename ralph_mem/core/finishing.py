"""Finishing: what a turn changed, read and ran is gathered, its last form written, and the turn made findable."""

from ralph_mem.core import memories, observations, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

LINES_CHARACTERS = 1200

# A path a line, each once, and not so many that a search-and-replace over a whole tree fills the row.
NOTE_FILES = """
UPDATE turns SET {column} = {column} || ?1 || char(10)
WHERE id = ?2 AND length({column}) < 8000 AND instr(char(10) || {column}, char(10) || ?1 || char(10)) = 0"""


def note_files(store: "Store", record: "dict[str, Any]") -> None:
    """Note paths, one a line, on the turn that changed or read them; without a turn they are not kept."""
    found = store.one("SELECT id, index_version FROM turns WHERE event_id = ?", (observations.turn_of(store, record),))
    if found is None:
        return
    number, indexed = found
    if indexed:  # a compaction or a stop came before: the index entry goes with the texts that it was made from
        memories.forget_turn(store, number)
    for path in record["files"].splitlines():
        store.execute(NOTE_FILES.format(column="files_read" if record["read"] else "files"), (path, number))
    if indexed:
        weigh(store, number)
        memories.index_turn(store, number)


def close_abandoned(store: "Store", session: int, at: int) -> None:
    """Close the turns of a session that never stopped, and mark them so: Esc, a crash, a kill."""
    for (number,) in store.execute("SELECT id FROM turns WHERE session_id = ? AND status = 'open'", (session,)).fetchall():
        finish(store, number, "interrupted", at)


def keep(store: "Store", record: "dict[str, Any]") -> None:
    """Make the open turns of a session findable as they stand, and leave them open."""
    rows = store.execute(
        "SELECT t.id FROM turns AS t JOIN sessions AS s ON s.id = t.session_id WHERE s.client_session = ? AND t.status = 'open'",
        (record["session"],),
    ).fetchall()
    for (number,) in rows:
        finish(store, number, "open", None)


def finish(store: "Store", number: int, status: str, at: "int | None") -> None:
    """Gather what a turn ran, write its last form and make it findable."""
    memories.forget_turn(store, number)
    store.execute(
        "UPDATE turns SET lines = ?, status = ?, ended_at = ? WHERE id = ?", (lines_of(store, number), status, at, number)
    )
    if any(weigh(store, number)):
        memories.index_turn(store, number)
    else:  # a turn whose answer was taken back, and that has nothing else
        store.execute("DELETE FROM memories WHERE turn_id = ?", (number,))


def weigh(store: "Store", number: int) -> "tuple[str, ...]":
    """Write what a turn's texts cost and their checksum; returns the texts."""
    texts: tuple[str, ...] = store.one("SELECT prompt, response, files, lines FROM turns WHERE id = ?", (number,))
    weight = (row.tokens(*texts), row.checksum(*texts), number)
    store.execute("UPDATE turns SET tokens = ?, counted_by = NULL, checksum = ? WHERE id = ?", weight)
    return texts


def lines_of(store: "Store", number: int) -> str:
    """Return the commands of a turn with their outcome and error lines, each once, the last ones if they are many."""
    rows = store.execute(
        "SELECT o.type, o.title, o.lines FROM observations AS o JOIN turns AS t ON t.id = ? AND o.session_id = t.session_id"
        " AND o.seq >= t.seq WHERE o.turn_id = t.id AND o.tool_name = 'Bash' AND NOT o.tainted ORDER BY o.seq DESC, o.id DESC",
        (number,),
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
        return f"{failed}{title}\n{lines[:400]}".rstrip()
    return f"{passed if kind == 'success' else ran}{title}"
