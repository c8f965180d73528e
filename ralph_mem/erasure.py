"""Erasure: what a forget would take is shown first, then it is taken: rows, index entries, what was derived from them,
lines of receipts, backups. Afterwards the raw files are read, to say what is left and where.

Standard library only: the skill uses it.
"""

from ralph_mem import access, layers, residue
from ralph_mem.core import memories, paths, rewriting, schema
from ralph_mem.core.errors import RalphMemError
from ralph_mem.recall import find, transcript
from ralph_mem.selection import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.store import Store
    from ralph_mem.recall import Reader, Row
    from ralph_mem.selection import Plan

MOST_SHOWN = 50
MOST_NAMED = 5

# A row that goes is looked for in the tables that name it; they have no index for that in everyday life.
NAMED_BY = {"observations_of_turn": "observations (turn_id)", "receipts_of_turn": "receipts (turn_id)"}

# An import of the client's transcripts must not bring it back.
FORGOTTEN = """
INSERT OR REPLACE INTO imports (transcript, position, bytes, changed_at, until)
SELECT client_session, -1, 0, 0, 0 FROM sessions WHERE id = ?"""
# Types of which others in the session quote the beginning.
QUOTED = ("turn", "note", "decision", "summary")


class Report:
    """What a forget did: how many rows went, what `residue` found, transcripts of the client that are out of our reach."""

    __slots__ = ("log_is_empty", "removed", "residue", "transcripts")

    def __init__(self, removed: int, log_is_empty: bool, left: "residue.Residue", transcripts: "list[str]") -> None:
        self.removed = removed
        self.log_is_empty = log_is_empty
        self.residue = left
        self.transcripts = transcripts

    def is_clean(self) -> bool:
        """Say whether no file of ours holds the text any more, but for rows that say it too."""
        return self.log_is_empty and not self.residue.files


def preview(reader: "Reader", plans: "list[Plan]", most: int = MOST_SHOWN) -> "list[str]":
    """Return in lines what would go, the first rows of each kind."""
    lines = _shown(reader, [row for plan in plans for row in plan.meant], most)
    along = _shown(reader, [row for plan in plans for row in plan.with_them], most)
    lines += ["with it, since it tells of the same:", *along] if along else []
    sessions = [name_of(plan, number) for plan in plans for number in plan.sessions]
    return lines + [f"{name}  the session itself" for name in sessions]


def _shown(reader: "Reader", rows: "list[Row]", most: int) -> "list[str]":
    lines = []
    for row in rows[:most]:
        try:  # read again, the way a search shows it: a preview withholds what a search withholds
            lines.append(layers.index(find(reader, row.public_id)))
        except RalphMemError:
            lines.append(f"{row.public_id}  {row.type}  (about a path that the config excludes)")
    return lines + ([f"and {len(rows) - most} more"] if len(rows) > most else [])


def told(report: Report) -> "list[str]":
    """Return in lines what a forget did, and what it could not reach."""
    lines = [f"{report.removed} {'row' if report.removed == 1 else 'rows'} deleted, with index entries and lines of receipts."]
    lines += [f"A backup that held the text is deleted: {path}" for path in report.residue.backups]
    if report.residue.rows:
        named, more = report.residue.rows[:MOST_NAMED], len(report.residue.rows) - MOST_NAMED
        others = ", ".join(named) + (f" and {more} more" if more > 0 else "")
        lines.append(f"A line of it is said elsewhere too: {others}. Forget these as well if you mean it.")
    if not report.log_is_empty:
        lines.append("Another process reads the database: its log holds the text until that ends and the next session starts.")
    elif report.residue.files:
        lines.append(f"Still in the raw bytes of: {', '.join(report.residue.files)}")
    else:
        rest = "but for these, none holds it any more." if report.residue.rows else "no file of ralph-mem holds the text any more."
        lines.append(f"Checked by reading the raw files: {rest}")
    lines += [f"Claude Code's own transcript is out of reach: {path}" for path in report.transcripts]
    return lines


def forget(reader: "Reader", plans: "list[Plan]", tell: "Callable[[str], Any]" = len) -> Report:
    """Delete what plans name, with index entries, receipts and what was made from it, and look whether it is gone.

    `tell` hears what is being done. The rows of a memory go in one transaction or none does.
    """
    gone = [row for plan in plans for row in plan.rows()]
    transcripts = sorted({path for path, _ in map(transcript, gone) if paths.exists(path)})
    for plan in plans:
        _carry_out(plan, tell)
    for store in reader.stores:  # a receipt of the project may name a note for all projects
        with access.Change(store):
            store.db.executemany("DELETE FROM receipt_items WHERE memory = ?", [(row.public_id,) for row in gone])
    tell("rewriting the files")
    empty = all([access.rewrite(store) for store in reader.stores])
    tell("reading the files")
    return Report(len(gone), empty, residue.look(reader.project, reader.stores, gone), transcripts)


def _carry_out(plan: "Plan", tell: "Callable[[str], Any]") -> None:
    store = plan.store
    store.execute("PRAGMA secure_delete = ON").fetchone()
    with access.Change(store):
        tell("deleting rows")
        _delete_all(store, plan)
        tell("reading neighbours anew")
        _read_anew(store, plan)


def _delete_all(store: "Store", plan: "Plan") -> None:
    for name, columns in NAMED_BY.items():
        store.execute(f"CREATE INDEX {name} ON {columns}")
    for row in plan.rows():
        _delete(store, row)
    schema.make(store, "imports")
    for number in plan.sessions:
        store.execute(FORGOTTEN, (number,))
        store.execute("DELETE FROM sessions WHERE id = ?", (number,))
    for name in NAMED_BY:
        store.execute(f"DROP INDEX {name}")


def _delete(store: "Store", row: "Row") -> None:
    if row.type == "turn":
        memories.forget_turn(store, row.number)
        store.execute("DELETE FROM turns WHERE id = ?", (row.number,))
    else:
        rewriting.delete(store, row.public_id)
    store.execute("DELETE FROM derived_from WHERE child = ?1 OR parent = ?1", (row.public_id,))


def _read_anew(store: "Store", plan: "Plan") -> None:
    """Rebuild the turns that quote what went, and those of which a part went."""
    gone = {row.number for row in plan.rows() if row.type == "turn"}
    for row in plan.rows():
        if row.type in QUOTED and row.session not in plan.sessions:
            rewriting.quote_again(store, row.session, row.seq)
    parts = {row.turn for row in plan.rows() if row.type != "turn" and row.turn and row.turn not in gone}
    for number in sorted(parts):
        paths_gone = [path for row in plan.rows() if row.turn == number for path in row.files.splitlines()]
        rewriting.rebuild(store, number, paths_gone)
