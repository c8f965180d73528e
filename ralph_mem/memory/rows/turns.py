"""Open a turn with its prompt, and close it by its answer or by whatever comes instead."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import existing, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# What the neighbours of a turn lend it for finding it: measured on conversations, +0.17 recall at ten.
CONTEXT_TURNS = 2
LAST = 2**62
CONTEXT_CHARACTERS = 80  # of the prompt and of the answer each
LEAST_CHARACTERS = 12  # of an answer to a notification: less is a nod

# Those of a record that bear the names of their columns.
COLUMNS = ("kind", "origin", "prompt", "branch", "commit_id", "redactions", "redaction_version")
# What is looked up with the session `s`: the next place in its order.
LOOKED_UP = {
    "session_id": "s.id",
    "seq": """max(?, 1 + coalesce((SELECT max(seq) FROM turns WHERE session_id = s.id), 0),
           1 + coalesce((SELECT max(seq) FROM observations WHERE session_id = s.id), 0))""",
}
# Of the last turns in a context window: the numbers of their memories, and what they changed. Older ones are far away.
LAST_TURNS = 40
IN_WINDOW = """
SELECT group_concat(number), group_concat(files, '') FROM (SELECT m.id AS number, t.files AS files
FROM turns AS t JOIN memories AS m ON m.turn_id = t.id WHERE t.session_id = ? AND t.seq > ? ORDER BY t.seq DESC LIMIT ?)"""
MADE_AT = "SELECT created_at FROM turns WHERE event_id = ?"
MADE_SINCE = "SELECT 1 FROM turns WHERE session_id = (SELECT id FROM sessions WHERE client_session = ?) AND created_at > ? LIMIT 1"
LINES_CHARACTERS = 1200

# The property of a database with the numbers of the last turns whose prompts may take back what was said before: when something is
# told they are looked at (`recall/retractions.py`). And what such a prompt has among its first characters, in small letters.
TAKING_BACK, MOST_TAKING_BACK, READ_CHARACTERS = "taking_back", 64, 300
TAKES_BACK = (
    *(
        " scrap ",
        " drop ",
        " ditch ",
        " forget ",
        " remove ",
        " delete ",
        "no longer",
        "any longer",
        "any more",
        "anymore",
        "stopped ",
        "got rid",
    ),
    *("gave up", "given up", "moved away", "never mind", "nicht mehr", "keine ", "vergiss", " plus ", "oubli", "ya no ", "olvid"),
    *(" mais ", "esque", "dimentic", "lascia perdere"),
)

# A path a line, each once, and not so many that a search-and-replace over a whole tree fills the row.
NOTE_FILES = """
UPDATE turns SET {column} = {column} || ?1 || char(10)
WHERE id = ?2 AND length({column}) < 8000 AND instr(char(10) || {column}, char(10) || ?1 || char(10)) = 0"""
# Of a turn: its number, whether it is tainted, its session by the client's id; and of what it ran what is not.
OF_EVENT = "SELECT id, tainted FROM turns WHERE event_id = ?"
OF_TURN = "SELECT s.client_session FROM turns AS t JOIN sessions AS s ON s.id = t.session_id WHERE t.id = ?"
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
RAN = """
SELECT o.id, o.title FROM observations AS o JOIN turns AS t ON t.id = ? AND o.session_id = t.session_id AND o.seq >= t.seq
WHERE o.turn_id = t.id AND NOT o.tainted"""


def start(store: "Store", record: "dict[str, Any]") -> int:
    """Open a turn and close the open one; returns its row number, 0 where it is there, in a transaction. Raises UnknownSession."""
    session = store.one(
        "SELECT id, ended_at, EXISTS (SELECT 1 FROM turns WHERE event_id = ?),"
        " EXISTS (SELECT 1 FROM turns AS t WHERE t.session_id = s.id AND t.status = 'open') FROM sessions AS s"
        " WHERE client_session = ?",
        (record["turn"], record["session"]),
    )
    if session is None:
        raise fast.errors().UnknownSession(f"unknown session: {record['session']}")
    if session[2]:
        return 0
    if session[3]:
        close_abandoned(store, session[0], record["at"])
    if session[1] is not None:
        store.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", session[:1])
    values = {name: record[name] for name in COLUMNS}
    values.update(event_id=record["turn"], created_at=record["at"], scan_level=1, context=context_of(store, session[0]))
    values.update(status="open", response="", files="", files_read="", lines="")
    number = row.put(store, row.TURN, values, LOOKED_UP, row.OF_SESSION, (record["at"] * 1000, record["session"]))
    if number and record["kind"] == "prompt":
        note_what_takes_back(store, number, record["prompt"])
    return number


def note_what_takes_back(store: "Store", number: int, prompt: str) -> None:
    """Keep the number of a turn whose prompt may take back what was said before. The caller holds the transaction."""
    low = f" {prompt[:READ_CHARACTERS].lower()} "
    if any([sign in low for sign in TAKES_BACK]):
        kept = store.property(TAKING_BACK)
        numbers = [*(kept.split(",") if kept else ()), str(number)]
        store.set_property(TAKING_BACK, ",".join(numbers[-MOST_TAKING_BACK:]))


def window(store: "Store", session: str) -> "tuple[int, int, str, int]":
    """Return of a session, by the client's id: its number, since when its window holds everything, its tag, its last turn."""
    found: tuple[int, int, str, int] = store.one(
        "SELECT id, context_since, fence, (SELECT max(id) FROM turns WHERE session_id = s.id) FROM sessions AS s"
        " WHERE client_session = ?",
        (session,),
    )
    return found


def at_hand(store: "Store", session: int, since: int) -> "tuple[list[str], frozenset[str]]":
    """Return of a context window the numbers of its last turns' memories, and what they changed, in lower case."""
    numbers, files = store.one(IN_WINDOW, (session, since, LAST_TURNS))
    return (numbers.split(","), frozenset(files.lower().split("\n"))) if numbers else ([], frozenset())


def unanswered(store: "Store", host: str) -> "list[tuple[str, str, int, int]]":
    """Return the last turns of a client's last sessions that have no answer: session, the turn's event, begin and end in ms."""
    return list(store.execute(UNANSWERED, (host,)).fetchall())


def is_first_unheard(store: "Store", session: str, source: str) -> bool:
    """Say whether a session, by the client's id, is in its first turn, and began in a way that nobody heard, the `source`."""
    found = store.one(FIRST_UNHEARD, (session, source))
    return bool(found and found[0] == 1)


def branch_of(store: "Store", public_id: str) -> str:
    """Return the branch that was checked out when a turn began, nothing where that is not known."""
    found = store.one("SELECT branch FROM turns WHERE public_id = ?", (public_id,))
    return (found and found[0]) or ""


def kind_stored(store: "Store", event_id: str) -> str:
    """Return the kind of the turn of an event, nothing for one that is not stored."""
    found = store.one("SELECT kind FROM turns WHERE event_id = ?", (event_id,))
    return str(found[0]) if found else ""


def write_context(store: "Store", number: int) -> None:
    """Write the beginnings of the turns just before a turn into its row, which has no index entry yet."""
    session, seq = store.one("SELECT session_id, seq FROM turns WHERE id = ?", (number,))
    store.execute("UPDATE turns SET context = ? WHERE id = ?", (context_of(store, session, seq), number))


def context_of(store: "Store", session: int, seq: int = LAST) -> str:
    """Return the beginnings of the turns just before a place in the order."""
    before = store.execute(
        "SELECT prompt, response FROM turns WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        (session, seq, CONTEXT_TURNS),
    ).fetchall()
    return "\n".join([f"{prompt[:CONTEXT_CHARACTERS]} {response[:CONTEXT_CHARACTERS]}".strip() for prompt, response in before])


def close(store: "Store", record: "dict[str, Any]") -> None:
    """Close a turn, again or for the first time, with the last message, and make it findable; one never opened is opened first."""
    turn = row.turn_of(store, record) or f"stop:{record['session']}"
    start(store, {**record, "turn": turn})
    number, is_tainted = store.one(OF_EVENT, (turn,))
    if not is_tainted and row.has_heard(store):
        from ralph_mem.memory.rows import shingles  # lazy: only where something came in from outside

        if shingles.repeats(store, record["session"], record["response"]):
            store.execute("UPDATE turns SET tainted = 1 WHERE id = ?", (number,))
    existing.remove_entry(store, row.TURN, number)
    # The answer to one of our commands quotes memories, which would come back as a memory of themselves; and a "Done." to the
    # client's word that a subagent has ended says nothing: what that reported is stored beside it.
    empty = "kind = 'command' OR (kind = 'notification' AND length(?1) <= ?2)"
    store.execute(
        f"UPDATE turns SET response = CASE WHEN {empty} THEN '' ELSE ?1 END, redactions = ?3 WHERE id = ?4",
        (record["response"], LEAST_CHARACTERS, _all_redactions(store, number, record["redactions"]), number),
    )
    finish(store, number, record["status"], record["at"])


def _all_redactions(store: "Store", number: int, more: "str | None") -> "str | None":
    """Add up what was cut out of the prompt and of the answer."""
    before = store.one("SELECT redactions FROM turns WHERE id = ?", (number,))[0]
    if not before or not more:
        return before or more
    counts = fast.loads(before)
    for kind, count in fast.loads(more).items():
        counts[kind] = counts.get(kind, 0) + count
    return fast.dumps(counts)


def note_files(store: "Store", record: "dict[str, Any]") -> None:
    """Note paths, one a line, on the turn that changed or read them; without a turn they are not kept."""
    found = store.one("SELECT id, index_version FROM turns WHERE event_id = ?", (row.turn_of(store, record),))
    if found is None:
        return
    number, indexed = found
    if indexed:  # a compaction or a stop came before: the index entry goes with the texts that it was made from
        existing.remove_entry(store, row.TURN, number)
    for path in record["files"].splitlines():
        store.execute(NOTE_FILES.format(column="files_read" if record["read"] else "files"), (path, number))
    if indexed:
        existing.weigh(store, row.TURN, number)
        existing.add_entry(store, row.TURN, number)


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
    if row.has_heard(store):
        _taint_commands(store, number)
    existing.remove_entry(store, row.TURN, number)
    store.execute(
        "UPDATE turns SET lines = ?, status = ?, ended_at = ? WHERE id = ?", (lines_of(store, number), status, at, number)
    )
    if any(existing.weigh(store, row.TURN, number)):
        existing.remember(store, row.TURN, number)
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
        existing.replace(store, row.OBSERVATION, found[0], {name: record[name] for name in SETTLED})


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
