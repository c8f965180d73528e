"""Delete rows by their ids, with index entries, receipts, what was derived and what quotes them.

It is a verb of a record, too: after a kill the next event of the project finds it in the spool and goes on.
"""

import posix

from ralph_mem.core.errors import StoreError
from ralph_mem.memory.rows import existing, kinds, notes, rewrite
from ralph_mem.memory.rows.row import Kind, has_heard
from ralph_mem.memory.store import connection, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


VERB = "forget"
UNDO = connection.UNDO
FACTS = "facts"  # the property of a database that has some
VECTORS = "vectors"  # a table of `schema.ON_DEMAND`, and the property by which a worker sees that it has changed
# The property of a database with a forget that is not finished; a session start has read the properties anyway.
NOT_DONE = "backups and other copies may hold the text still"
FINISH = "`ralph-mem forget` finishes it, and so does the next session start"
# What the forget is about is only a draft until its intent is in the spool.
DRAFT = ".draft"
# The log of another memory is not worth more of an event's time.
WAIT_MS = 500

# An import of the client's transcripts must not bring it back.
NEVER_AGAIN = """
INSERT OR REPLACE INTO imports (transcript, position, bytes, changed_at, until)
SELECT client_session, -1, 0, 0, 0 FROM sessions WHERE public_id = ?"""


class Gone:
    """A row on its way out: its kind and type, its number, its place in a session, the number of its turn, its paths, its id."""

    __slots__ = ("files", "kind", "number", "public_id", "seq", "session", "turn", "type")

    def __init__(self, kind: "Kind", values: "tuple[Any, ...]") -> None:
        self.kind = kind
        self.type, self.number, self.session, self.seq, self.turn, self.files, self.public_id = values


def take(opened: "connection.Store", record: "dict[str, Any]") -> None:
    """Do what a record of the spool says, here by `ids` and `sessions`, globally by `shared`; `job` is the file to go on from."""
    begin(record["job"])
    opened.set_property(connection.UNFINISHED, 1)
    delete(opened, record["ids"], record["sessions"], record["shared"])
    if record["shared"]:
        try:
            everywhere = connection.connect_global(WAIT_MS)
        except StoreError:  # busy: whoever resumes the forget does it
            return
        if everywhere:
            _delete_there(everywhere, record["shared"], record["shared_sessions"])


def begin(job: str) -> None:
    """Make a draft of a job the job, if it is there."""
    try:
        posix.rename(job + DRAFT, job)
    except OSError:  # it was done before, or there is no home to keep it in
        pass


def _delete_there(everywhere: "connection.Store", ids: "list[str]", sessions: "list[str]") -> None:
    everywhere.begin(durable=True)
    try:
        delete(everywhere, ids, sessions)
        everywhere.commit()
    finally:
        everywhere.roll_back()
        everywhere.close()


def delete(
    opened: "connection.Store", ids: "Iterable[str]", sessions: "Iterable[str]" = (), elsewhere: "Iterable[str]" = ()
) -> int:
    """Delete rows and whole sessions by their ids; returns how many rows went. Those that are gone already are passed over.

    `elsewhere` are ids of another memory, which only receipts name. The caller holds the transaction.
    """
    opened.execute("PRAGMA secure_delete = ON").fetchone()
    gone = _found(opened, dict.fromkeys(ids))
    _drop_receipts(opened, {row.public_id for row in gone} | set(elsewhere))
    opened.drop(UNDO, connection.PASSED_OVER, connection.STANDING, connection.FOLDERS)
    if not gone and not sessions:
        return 0
    # a turn that goes is looked for in the tables that name it; they have no index for that in everyday life
    naming = [kind.table for kind in kinds.there(opened) if "turn_id" in kind.owners]
    for table in naming:
        opened.execute(f"CREATE INDEX {table}_of_turn ON {table} (turn_id)")
    if has_heard(opened):
        _drop_hashes(opened, gone, sessions)
    if opened.property(FACTS):
        _have_learned_anew(opened, [row.public_id for row in gone])
    for row in gone:
        existing.delete(opened, row.kind, row.number)
        opened.execute("DELETE FROM derived_from WHERE child = ?1 OR parent = ?1", (row.public_id,))
    left = {row.session for row in gone} - _end_sessions(opened, sessions)
    for table in naming:
        opened.execute(f"DROP INDEX {table}_of_turn")
    _read_anew(opened, gone, left)
    if opened.one("SELECT 1 FROM sqlite_master WHERE name = ?", (VECTORS,)):  # a worker has to read again what went with the rows
        opened.set_property(VECTORS, 1 + int(opened.property(VECTORS) or 0))
    opened.set_property(connection.FORGETTING, 1)
    return len(gone)


def _drop_hashes(opened: "connection.Store", gone: "list[Gone]", sessions: "Iterable[str]") -> None:
    """Drop the hashes of what came in from outside with an event that goes, during a turn, or in a session."""
    from ralph_mem.memory.rows import shingles  # lazy: only where something came in from outside

    found: dict[str, list[tuple[str, int, int]]] = {}
    for row in gone:
        columns = kinds.reading(row.kind, "session_id event_id created_at ended_at")
        number, event, since, until = opened.one(f"{columns} WHERE t.id = ?", (row.number,))
        for (name,) in opened.execute("SELECT client_session FROM sessions WHERE id = ?", (number,)).fetchall():
            found.setdefault(name, []).append((event or "", since if row.type == "turn" else 0, until or since or 0))
    for name, events in found.items():
        shingles.forget(opened, name, events)
    for name in sessions:
        for (whole,) in opened.execute("SELECT client_session FROM sessions WHERE public_id = ?", (name,)).fetchall():
            shingles.forget(opened, whole, [])


def _have_learned_anew(opened: "connection.Store", names: "list[str]") -> None:
    """Let the turns that stay be learned from again, where a fact goes with another turn: they said it in other words.

    A fact that was itself chosen to go is not to come back.
    """
    from ralph_mem.memory.rows import facts, prompts  # lazy: only for a memory that has some

    going = set(names)
    for name in facts.among(opened, names):
        parents = set(facts.sources(opened, name))
        if parents & going:
            prompts.learn_again(opened, sorted(parents - going))
        facts.unlink_all(opened, name)


def _found(opened: "connection.Store", names: "Iterable[str]") -> "list[Gone]":
    rows = [(kind, kinds.reading(kind, "type id session_id seq turn_id all_files public_id")) for kind in kinds.of_memory(opened)]
    return [
        Gone(kind, values)
        for name in names
        for kind, sql in rows
        for values in opened.execute(f"{sql} WHERE t.public_id = ?", (name,)).fetchall()
    ]


def _drop_receipts(opened: "connection.Store", names: "set[str]") -> None:
    """Delete the lines of receipts that name a row; there is no index of these names, so all are read once."""
    lines = opened.execute("SELECT memory, receipt_id, position FROM receipt_items").fetchall()
    named = [line[1:] for line in lines if line[0] in names]
    opened.db.executemany("DELETE FROM receipt_items WHERE receipt_id = ? AND position = ?", named)


def _end_sessions(opened: "connection.Store", names: "Iterable[str]") -> "set[int]":
    """Delete sessions, with their loops; returns their numbers."""
    numbers = set()
    for name in names:
        schema.make(opened, "imports")
        opened.execute(NEVER_AGAIN, (name,))
        numbers |= {number for (number,) in opened.execute("SELECT id FROM sessions WHERE public_id = ?", (name,))}
        opened.execute("DELETE FROM sessions WHERE public_id = ?", (name,))
    return numbers


def _read_anew(opened: "connection.Store", gone: "list[Gone]", left: "set[int]") -> None:
    """Rebuild what quotes what went, and the turns of which a part went, in the sessions that are left."""
    turns = {row.number for row in gone if row.type == "turn"}
    paths: dict[int, list[str]] = {}
    for row in gone:
        if row.session in left and row.type == "turn":
            rewrite.quote_again(opened, row.session, row.seq)
        if row.session in left and row.type != "turn" and row.turn and row.turn not in turns:
            paths.setdefault(row.turn, []).extend(row.files.splitlines())
    for number in sorted(paths):
        rewrite.rebuild(opened, number, paths[number])
    for session in left:
        notes.write_contexts(opened, session)
