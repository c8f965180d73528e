"""Turns: one prompt and what followed, opened by the prompt, closed by Stop or by whatever comes instead."""

from ralph_mem.core import memories, observations, quick, row
from ralph_mem.core.errors import UnknownSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

# What the neighbours of a turn lend it for finding it: measured on conversations, +0.17 recall at ten.
CONTEXT_TURNS = 2
LAST = 2**62
CONTEXT_CHARACTERS = 80  # of the prompt and of the answer each
LINES_CHARACTERS = 1200
NOTIFICATION = "<task-notification>"

# A path a line, each once, and not so many that a search-and-replace over a whole tree fills the row.
NOTE_FILES = """
UPDATE turns SET {column} = {column} || ?1 || char(10)
WHERE id = ?2 AND length({column}) < 8000 AND instr(char(10) || {column}, char(10) || ?1 || char(10)) = 0"""

OPEN = """
INSERT INTO turns (
    public_id, event_id, session_id, seq, kind, status, origin, prompt, response, context, files, files_read, lines,
    branch, commit_id, tokens, checksum, redactions, redaction_version, scan_level, index_version, created_at)
SELECT ?, ?, s.id,
    max(?, 1 + coalesce((SELECT max(seq) FROM turns WHERE session_id = s.id), 0),
           1 + coalesce((SELECT max(seq) FROM observations WHERE session_id = s.id), 0)),
    ?, 'open', ?, ?, '', ?, '', '', '', ?, ?, ?, ?, ?, ?, 1, 0, ?
FROM sessions AS s WHERE s.client_session = ?
ON CONFLICT (event_id) DO NOTHING"""


def kind_of(prompt: str) -> str:
    """Return the kind of turn that a prompt opens: the user's own words, a command of ours, a notification of the client."""
    text = prompt.lstrip()
    if text.startswith(NOTIFICATION):
        return "notification"
    name = text[1:].split(None, 1)[0] if text[:1] == "/" and text[1:2].strip() else ""
    name = name.removeprefix("ralph-mem:")
    if name.startswith("mem-"):
        return "command"
    return "loop" if name == "ralph" or name.startswith("ralph-") else "prompt"


def start(store: "Store", record: "dict[str, Any]") -> int:
    """Open a turn and close what its session left open; returns its row number, 0 where it is already there.

    Raises UnknownSession. The caller holds the transaction.
    """
    session = store.one(
        "SELECT id, ended_at, EXISTS (SELECT 1 FROM turns WHERE event_id = ?) FROM sessions WHERE client_session = ?",
        (record["turn"], record["session"]),
    )
    if session is None:
        raise UnknownSession(f"unknown session: {record['session']}")
    if session[2]:
        return 0
    close_abandoned(store, session[0], record["at"])
    if session[1] is not None:
        store.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", session[:1])
    cursor = store.execute(OPEN, _values(record, context_of(store, session[0])))
    return int(cursor.lastrowid)


def _values(record: "dict[str, Any]", context: str) -> "tuple[Any, ...]":
    prompt = record["prompt"]
    return (
        row.public_id("turn"), record["turn"], record["at"] * 1000, record["kind"], record["origin"], prompt, context,
        record["branch"], record["commit_id"], row.tokens(prompt), row.checksum(prompt, "", "", ""),
        record["redactions"], record["redaction_version"], record["at"], record["session"],
    )  # fmt: skip


def context_of(store: "Store", session: int, seq: int = LAST) -> str:
    """Return the beginnings of the turns just before a place in the order."""
    before = store.execute(
        "SELECT prompt, response FROM turns WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        (session, seq, CONTEXT_TURNS),
    ).fetchall()
    return "\n".join([f"{prompt[:CONTEXT_CHARACTERS]} {response[:CONTEXT_CHARACTERS]}".strip() for prompt, response in before])


def close(store: "Store", record: "dict[str, Any]") -> None:
    """Close a turn with the agent's last message and make it findable; a turn may be closed again with a newer one.

    A turn that was never opened, because its prompt was not seen, is opened first.
    """
    turn = observations.turn_of(store, record) or f"stop:{record['session']}"
    start(store, {**record, "turn": turn})
    number = store.one("SELECT id FROM turns WHERE event_id = ?", (turn,))[0]
    memories.forget_turn(store, number)
    # the answer to one of our commands quotes memories, which would come back as a memory of themselves
    store.execute(
        "UPDATE turns SET response = CASE kind WHEN 'command' THEN '' ELSE ? END, redactions = ? WHERE id = ?",
        (record["response"], _all_redactions(store, number, record["redactions"]), number),
    )
    _finish(store, number, record["status"], record["at"])


def _all_redactions(store: "Store", number: int, more: "str | None") -> "str | None":
    """Add up what was cut out of the prompt and of the answer."""
    before = store.one("SELECT redactions FROM turns WHERE id = ?", (number,))[0]
    if not before or not more:
        return before or more
    counts = quick.loads(before)
    for kind, count in quick.loads(more).items():
        counts[kind] = counts.get(kind, 0) + count
    return quick.dumps(counts)


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
        _finish(store, number, "interrupted", at)


def keep(store: "Store", record: "dict[str, Any]") -> None:
    """Make the open turns of a session findable as they stand, and leave them open."""
    rows = store.execute(
        "SELECT t.id FROM turns AS t JOIN sessions AS s ON s.id = t.session_id WHERE s.client_session = ? AND t.status = 'open'",
        (record["session"],),
    ).fetchall()
    for (number,) in rows:
        _finish(store, number, "open", None)


def _finish(store: "Store", number: int, status: str, at: "int | None") -> None:
    """Gather what a turn ran and write its last form."""
    memories.forget_turn(store, number)
    store.execute(
        "UPDATE turns SET lines = ?, status = ?, ended_at = ? WHERE id = ?", (lines_of(store, number), status, at, number)
    )
    if any(weigh(store, number)):
        memories.index_turn(store, number)


def weigh(store: "Store", number: int) -> "tuple[str, ...]":
    """Write what a turn's texts cost and their checksum; returns the texts."""
    texts: tuple[str, ...] = store.one("SELECT prompt, response, files, lines FROM turns WHERE id = ?", (number,))
    store.execute("UPDATE turns SET tokens = ?, checksum = ? WHERE id = ?", (row.tokens(*texts), row.checksum(*texts), number))
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
