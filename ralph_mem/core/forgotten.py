"""Forgotten: rows go by their ids, with index entries, receipts, what was made from them and what quotes them.

It is a verb of a record, too: what is to be forgotten waits in the spool from before the first row goes until the last one has
gone, so that after a kill the next event of the project does it before anything is told.
"""

import posix

from ralph_mem.core import memories, rewriting, schema, store
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.core.store import Store

VERB = "forget"
# A row that goes is looked for in the tables that name it; they have no index for that in everyday life.
NAMED_BY = {"observations_of_turn": "observations (turn_id)", "receipts_of_turn": "receipts (turn_id)"}
# Types of which others in the session quote the beginning.
QUOTED = ("turn", "note", "decision", "summary")
VECTORS = "vectors"  # a table of `schema.ON_DEMAND`, and the property by which a worker sees that it has changed
# The property of a database with a forget that is not finished; a session start has read the properties anyway.
UNFINISHED = "unfinished"
# What the forget is about is only a draft until its intent is in the spool.
DRAFT = ".draft"
# The log of another memory is not worth more of an event's time.
WAIT_MS = 500

FIND = """
SELECT 'turn', id, session_id, seq, id, files || files_read, public_id FROM turns WHERE public_id = ?1
UNION ALL SELECT type, id, session_id, seq, turn_id, files, public_id FROM observations WHERE public_id = ?1"""
# An import of the client's transcripts must not bring it back.
NEVER_AGAIN = """
INSERT OR REPLACE INTO imports (transcript, position, bytes, changed_at, until)
SELECT client_session, -1, 0, 0, 0 FROM sessions WHERE public_id = ?"""


class Gone:
    """A row on its way out: its type and number, its place in a session, the number of its turn, its paths, its id."""

    __slots__ = ("files", "number", "public_id", "seq", "session", "turn", "type")

    def __init__(self, values: "tuple[Any, ...]") -> None:
        self.type, self.number, self.session, self.seq, self.turn, self.files, self.public_id = values


def take(opened: "Store", record: "dict[str, Any]") -> None:
    """Do what a record of the spool says: `ids` and `sessions` go from this memory, `shared` from that of all projects.

    `job` is the file from which a session start goes on.
    """
    begin(record["job"])
    opened.set_property(UNFINISHED, 1)
    delete(opened, record["ids"], record["sessions"], record["shared"])
    if record["shared"]:
        try:
            everywhere = store.connect_global(WAIT_MS)
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


def _delete_there(everywhere: "Store", ids: "list[str]", sessions: "list[str]") -> None:
    everywhere.begin(durable=True)
    try:
        delete(everywhere, ids, sessions)
        everywhere.commit()
    finally:
        everywhere.roll_back()
        everywhere.close()


def delete(opened: "Store", ids: "Iterable[str]", sessions: "Iterable[str]" = (), elsewhere: "Iterable[str]" = ()) -> int:
    """Delete rows and whole sessions by their ids; returns how many rows went. Those that are gone already are passed over.

    `elsewhere` are ids of another memory, which only receipts name. The caller holds the transaction.
    """
    opened.execute("PRAGMA secure_delete = ON").fetchone()
    gone = [Gone(values) for name in dict.fromkeys(ids) for values in opened.execute(FIND, (name,)).fetchall()]
    _drop_receipts(opened, {row.public_id for row in gone} | set(elsewhere))
    if not gone and not sessions:
        return 0
    for name, columns in NAMED_BY.items():
        opened.execute(f"CREATE INDEX {name} ON {columns}")
    for row in gone:
        _delete(opened, row)
    left = {row.session for row in gone} - _end_sessions(opened, sessions)
    for name in NAMED_BY:
        opened.execute(f"DROP INDEX {name}")
    _read_anew(opened, gone, left)
    _tell_worker(opened)
    opened.set_property(store.FORGETTING, 1)
    return len(gone)


def _drop_receipts(opened: "Store", names: "set[str]") -> None:
    """Delete the lines of receipts that name a row; there is no index of these names, so all are read once."""
    lines = opened.execute("SELECT memory, receipt_id, position FROM receipt_items").fetchall()
    named = [line[1:] for line in lines if line[0] in names]
    opened.db.executemany("DELETE FROM receipt_items WHERE receipt_id = ? AND position = ?", named)


def _delete(opened: "Store", row: Gone) -> None:
    if row.type == "turn":
        memories.forget_turn(opened, row.number)
        opened.execute("DELETE FROM turns WHERE id = ?", (row.number,))
    else:
        rewriting.delete(opened, row.public_id)
    opened.execute("DELETE FROM derived_from WHERE child = ?1 OR parent = ?1", (row.public_id,))


def _end_sessions(opened: "Store", names: "Iterable[str]") -> "set[int]":
    """Delete sessions, with their loops; returns their numbers."""
    numbers = set()
    for name in names:
        schema.make(opened, "imports")
        opened.execute(NEVER_AGAIN, (name,))
        numbers |= {number for (number,) in opened.execute("SELECT id FROM sessions WHERE public_id = ?", (name,))}
        opened.execute("DELETE FROM sessions WHERE public_id = ?", (name,))
    return numbers


def _read_anew(opened: "Store", gone: "list[Gone]", left: "set[int]") -> None:
    """Rebuild the turns that quote what went, and those of which a part went, in the sessions that are left."""
    turns = {row.number for row in gone if row.type == "turn"}
    paths: dict[int, list[str]] = {}
    for row in gone:
        if row.session in left and row.type in QUOTED:
            rewriting.quote_again(opened, row.session, row.seq)
        if row.session in left and row.type != "turn" and row.turn and row.turn not in turns:
            paths.setdefault(row.turn, []).extend(row.files.splitlines())
    for number in sorted(paths):
        rewriting.rebuild(opened, number, paths[number])


def _tell_worker(opened: "Store") -> None:
    """Have a worker read the vectors again, where there are any: those of the rows went with them."""
    if opened.one("SELECT 1 FROM sqlite_master WHERE name = ?", (VECTORS,)):
        opened.set_property(VECTORS, 1 + int(opened.property(VECTORS) or 0))
