"""Erasure: what a forget would take is shown first, then it is taken: rows, index entries, what was derived from them,
lines of receipts, backups. Afterwards the raw files are read, to say what is left and where.

Standard library only: the skill uses it.
"""

from ralph_mem import access, layers, residue
from ralph_mem.core import memories, paths, rewriting
from ralph_mem.core.errors import RalphMemError
from ralph_mem.recall import OBSERVATION, OF_TURN, TURN, Row, check_types, find, transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.core.store import Store
    from ralph_mem.recall import Reader

MOST_SHOWN = 50
MOST_NAMED = 5
ALL_TEXT = {
    TURN: "t.prompt || char(10) || t.response || char(10) || t.files || char(10) || t.files_read || char(10) || t.lines",
    OBSERVATION: "t.title || char(10) || t.content || char(10) || t.files || char(10) || t.lines || coalesce(t.metadata, '')",
}

# A row that goes is looked for in the tables that name it; they have no index for that in everyday life.
NAMED_BY = {"observations_of_turn": "observations (turn_id)", "receipts_of_turn": "receipts (turn_id)"}


class Selection:
    """What is meant to go: ids, and filters that all have to hold; times in milliseconds."""

    __slots__ = ("ids", "query", "session", "since", "types", "until")

    def __init__(
        self,
        ids: "Sequence[str]" = (),
        query: str = "",
        session: str = "",
        since: int = 0,
        until: int = 0,
        types: "Sequence[str]" = (),
    ) -> None:
        check_types(types)
        self.ids, self.query, self.session, self.since, self.until, self.types = ids, query, session, since, until, types

    def has_filters(self) -> bool:
        """Say whether anything is selected in another way than by its id."""
        return bool(self.query or self.session or self.since or self.until or self.types)


class Plan:
    """What would go from one memory: rows named by the selection, rows that go with them, whole sessions."""

    __slots__ = ("meant", "sessions", "store", "with_them")

    def __init__(self, store: "Store", meant: "list[Row]", with_them: "list[Row]", sessions: "list[int]") -> None:
        self.store = store
        self.meant = meant
        self.with_them = with_them
        self.sessions = sessions

    def rows(self) -> "list[Row]":
        """Return all rows that would go."""
        return self.meant + self.with_them


def plan(reader: "Reader", selection: Selection) -> "list[Plan]":
    """Return what a selection would take from each memory, nothing changed yet.

    Raises RalphMemError for a selection without anything in it, an id that no memory has, and where nothing matches.
    """
    if not selection.ids and not selection.has_filters():
        raise RalphMemError("what should be forgotten?", "give an id, or --query, --session, --type, --since, --until")
    for text in (selection.query, selection.session):
        if text.encode("utf-8", "ignore").decode() != text:  # half a character, which no row can hold
            raise RalphMemError("nothing that is remembered fits", "look with a search first")
    names = [name if name.isascii() else ascii(name) for name in selection.ids]
    selection.ids = names
    plans = [_plan_of(store, selection) for store in reader.stores]
    found = {row.public_id for plan in plans for row in plan.meant} | {_name(plan, n) for plan in plans for n in plan.sessions}
    unknown = [name for name in names if name not in found]
    if unknown:
        raise RalphMemError(f"no memory has the id {unknown[0][:40]}", "ids are printed by a search; this one may be forgotten")
    kept = [plan for plan in plans if plan.meant or plan.sessions]
    if not kept:
        raise RalphMemError("nothing that is remembered fits", "look with a search first")
    return kept


def _name(plan: Plan, session: int) -> str:
    return str(plan.store.one("SELECT public_id FROM sessions WHERE id = ?", (session,))[0])


def _plan_of(store: "Store", selection: Selection) -> Plan:
    sessions = _sessions(store, selection)
    meant = _by_id(store, selection.ids) + [row for number in sessions for row in _rows(store, "t.session_id = ?", (number,))]
    if selection.has_filters():
        meant += _by_filters(store, selection)
    meant = list({row.public_id: row for row in meant}.values())
    return Plan(store, meant, _going_along(store, meant), sessions)


def _sessions(store: "Store", selection: Selection) -> "list[int]":
    """Return the sessions that go as a whole: named by their id, and not narrowed by anything else."""
    alone = not (selection.query or selection.since or selection.until or selection.types)
    names = [*selection.ids, *([selection.session] if selection.session and alone else [])]
    return [number for name in names for (number,) in store.execute("SELECT id FROM sessions WHERE public_id = ?", (name,))]


def _rows(store: "Store", where: str, values: "Sequence[object]", tables: "Sequence[str]" = (TURN, OBSERVATION)) -> "list[Row]":
    """Return rows as they are stored, nothing withheld: what goes must be known."""
    return [
        Row(store, found, outside=True)
        for table in tables
        for found in store.execute(f"{table} WHERE {where.replace('ALL_TEXT', ALL_TEXT[table])} ORDER BY t.seq", values)
    ]


def _by_id(store: "Store", ids: "Sequence[str]") -> "list[Row]":
    return [row for name in ids for row in _rows(store, "t.public_id = ?", (name,))]


def _by_filters(store: "Store", selection: Selection) -> "list[Row]":
    """Return the rows that fit every filter; a query means rows that hold exactly this text, in whatever case."""
    store.db.create_function("folded", 1, str.casefold)  # SQLite's own `lower` knows ASCII only
    conditions, values = ["1"], []
    for condition, value in (
        ("instr(folded(ALL_TEXT), ?) > 0", selection.query.casefold()),
        ("t.session_id = (SELECT id FROM sessions WHERE public_id = ?)", selection.session),
        ("t.created_at >= ?", selection.since),
        ("t.created_at < ?", selection.until),
    ):
        if value:
            conditions.append(condition)
            values.append(value)
    tables = [TURN] if not selection.types or "turn" in selection.types else []
    found = _rows(store, " AND ".join(conditions), values, tables)
    kinds = [name for name in selection.types if name != "turn"]
    if kinds or not selection.types:
        conditions += [f"t.type IN ({', '.join('?' * len(kinds))})"] if kinds else []
        found += _rows(store, " AND ".join(conditions), [*values, *kinds], [OBSERVATION])
    return found


def _of_turn(store: "Store", turn: Row) -> "list[Row]":
    """Return what a turn left, but for notes: those a person typed meanwhile, about whatever."""
    rows = store.execute(OBSERVATION + OF_TURN, (turn.session, turn.seq, turn.number)).fetchall()
    return [Row(store, found, outside=True) for found in rows if found[2] != "note"]


def _going_along(store: "Store", meant: "list[Row]") -> "list[Row]":
    """Return the rows that would still tell of what goes: what a turn ran, and summaries that were made from it."""
    known = {row.public_id for row in meant}
    along = [row for turn in meant if turn.type == "turn" for row in _of_turn(store, turn)]
    waiting = [*meant, *along]
    while waiting:
        row = waiting.pop()
        turn = store.one("SELECT public_id FROM turns WHERE id = ?", (row.turn,)) if row.turn else None
        for parent in {row.public_id, turn[0] if turn else row.public_id}:
            names = [name for (name,) in store.execute("SELECT child FROM derived_from WHERE parent = ?", (parent,))]
            more = [child for child in _by_id(store, names) if child.public_id not in known | {one.public_id for one in along}]
            along += more
            waiting += more
    return list({row.public_id: row for row in along if row.public_id not in known}.values())


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
    sessions = [_name(plan, number) for plan in plans for number in plan.sessions]
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


def _carry_out(plan: Plan, tell: "Callable[[str], Any]") -> None:
    store = plan.store
    store.execute("PRAGMA secure_delete = ON").fetchone()
    with access.Change(store):
        tell("deleting rows")
        _delete_all(store, plan)
        tell("reading neighbours anew")
        _read_anew(store, plan)


def _delete_all(store: "Store", plan: Plan) -> None:
    for name, columns in NAMED_BY.items():
        store.execute(f"CREATE INDEX {name} ON {columns}")
    for row in plan.rows():
        _delete(store, row)
    for number in plan.sessions:
        store.execute("DELETE FROM sessions WHERE id = ?", (number,))
    for name in NAMED_BY:
        store.execute(f"DROP INDEX {name}")


def _delete(store: "Store", row: Row) -> None:
    if row.type == "turn":
        memories.forget_turn(store, row.number)
        store.execute("DELETE FROM turns WHERE id = ?", (row.number,))
    else:
        rewriting.delete(store, row.public_id)
    store.execute("DELETE FROM derived_from WHERE child = ?1 OR parent = ?1", (row.public_id,))


def _read_anew(store: "Store", plan: Plan) -> None:
    """Rebuild the turns that quote what went, and those of which a part went."""
    gone = {row.number for row in plan.rows() if row.type == "turn"}
    for row in plan.rows():
        if row.type == "turn" and row.session not in plan.sessions:
            rewriting.quote_again(store, row.session, row.seq)
    parts = {row.turn for row in plan.rows() if row.type != "turn" and row.turn and row.turn not in gone}
    for number in sorted(parts):
        paths_gone = [path for row in plan.rows() if row.turn == number for path in row.files.splitlines()]
        rewriting.rebuild(store, number, paths_gone)
