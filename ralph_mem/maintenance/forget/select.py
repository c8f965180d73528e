"""Find what a person means to forget, and plan what that takes along; nothing is changed here."""

from ralph_mem.core import places
from ralph_mem.core.errors import RalphMemError, SnapshotError
from ralph_mem.core.format import digits_of
from ralph_mem.maintenance.forget import inventory, loop_snapshots, verify
from ralph_mem.memory import access, undoing
from ralph_mem.memory.recall import layers
from ralph_mem.memory.recall.lookup import COLUMNS, OBSERVATION, OF_TURN, Reader, Row, check_types, find
from ralph_mem.memory.rows import facts, index_text, kinds, learnt
from ralph_mem.memory.rows.kinds import reading
from ralph_mem.memory.rows.row import is_public_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.core.project import Project
    from ralph_mem.memory.rows.row import Kind
    from ralph_mem.memory.store.connection import Store

ORIGINS = ("user", "agent", "tool", "test", "outside")
PROJECT, GLOBAL, BOTH = "project", "global", "both"
SCOPES = (PROJECT, GLOBAL, BOTH)
WITH_SNAPSHOTS = "with --snapshots what loops left goes too"
NOTHING, LOOK = "nothing that is remembered fits", "a text is looked for exactly as it is given; a search prints ids"


class NothingFits(RalphMemError):
    """Nothing that is remembered is selected, or it is forgotten already."""


class Selection:
    """What is meant to go: ids, and filters that all have to hold, or everything; times in milliseconds.

    An `origin` of `outside` means all that web and MCP tools brought in, and what was made from it.
    """

    __slots__ = ("everything", "ids", "origin", "query", "session", "since", "types", "until")

    def __init__(  # noqa: PLR0913, PLR0917 - a selection has as many filters as a person may name
        self, ids: "Sequence[str]" = (), query: str = "", session: str = "", since: int = 0, until: int = 0,
        types: "Sequence[str]" = (), origin: str = "", everything: bool = False,
    ) -> None:  # fmt: skip
        check_types(types)
        if origin and origin not in ORIGINS:
            raise RalphMemError(f"there is no origin {origin[:40]}", "one of " + ", ".join(ORIGINS))
        self.ids = [name if name.isascii() else ascii(name) for name in ids]
        self.query, self.session, self.since, self.until, self.types = query, session, since, until, types
        self.origin, self.everything = origin, everything

    def has_filters(self) -> bool:
        """Say whether anything is selected in another way than by its id."""
        return bool(self.query or self.is_narrowed())

    def is_narrowed(self) -> bool:
        """Say whether a filter tells rows apart by something else than their text."""
        return bool(self.session or self.since or self.until or self.types or self.origin)


def told_apart(words: "Sequence[str]", query: str = "") -> "tuple[list[str], str]":
    """Return the ids among words, and the text that the rest of them and the query make: words alone mean what holds them.

    Raises RalphMemError for ids and words, of which one cannot say which are meant.
    """
    ids = [word for word in words if is_public_id(word)]
    text = " ".join([each for each in (query, *[word for word in words if word not in ids]) if each]).strip()
    if ids and text and not query:
        raise RalphMemError(f"{text[:40]} is no id", "ids alone, or words alone; to forget all that holds a text: --query TEXT")
    return ids, text


class Plan:
    """What would go from one memory: rows named by the selection, rows that go with them, whole sessions.

    Without a `store` it stands for what lies outside of a project's memory.
    """

    __slots__ = ("meant", "selection", "sessions", "store", "with_them")

    def __init__(
        self, store: "Store | None", meant: "list[Row]", with_them: "list[Row]", sessions: "list[int]", selection: Selection
    ) -> None:
        self.store, self.selection = store, selection
        self.meant, self.with_them, self.sessions = meant, with_them, sessions

    def rows(self) -> "list[Row]":
        """Return all rows that would go."""
        return self.meant + self.with_them


def memories(project: "Project") -> "list[Store]":
    """Open the memories of a project to change them; none where there is none yet and something else was kept, as of a loop.

    Raises StoreError.
    """
    try:
        return access.to_change(project)
    except access.NothingYet:
        if not inventory.of_kind(inventory.of(project, []), places.WAITING, places.LOOP, places.SNAPSHOT):
            raise
        return []


def plan(reader: "Reader", selection: Selection, scope: str = BOTH) -> "list[Plan]":
    """Return what a selection would take from each memory of a scope, nothing changed yet.

    Raises RalphMemError for a selection without anything in it or with too much, an id that no memory has, and an unknown scope;
    NothingFits where nothing is selected.
    """
    if selection.everything and (selection.ids or selection.has_filters()):
        raise RalphMemError("--all means everything, and something else was named too", "give the one or the other")
    if not (selection.everything or selection.ids or selection.has_filters()):
        hint = "give an id, or --query, --session, --type, --origin, --since, --until; --all for everything"
        raise RalphMemError("what should be forgotten?", hint)
    if any([text.encode("utf-8", "ignore").decode() != text for text in (selection.query, selection.session)]):
        raise NothingFits(NOTHING, LOOK)  # half a character, which no row can hold
    plans = [_plan_of(store, selection) for store in within(reader, scope)]
    found = {row.public_id for plan in plans for row in plan.meant} | {name_of(plan, n) for plan in plans for n in plan.sessions}
    unknown = [name for name in selection.ids if name not in found]
    if unknown:
        error = RalphMemError if found else NothingFits
        raise error(f"no memory has the id {unknown[0][:40]}", "ids are printed by a search; this one may be forgotten")
    kept = [plan for plan in plans if plan.meant or plan.sessions]
    if not kept:
        raise NothingFits(NOTHING, LOOK)
    return kept


def within(reader: "Reader", scope: str) -> "list[Store]":
    """Return the memories of a scope. Raises RalphMemError for an unknown one."""
    if scope not in SCOPES:
        raise RalphMemError(f"there is no scope {scope[:40]}", "one of " + ", ".join(SCOPES))
    return [store for store in reader.stores if scope == BOTH or access.is_global(store) == (scope == GLOBAL)]


def name_of(plan: Plan, session: int) -> str:
    """Return the id of a session that would go."""
    return str(plan.store.one("SELECT public_id FROM sessions WHERE id = ?", (session,))[0]) if plan.store else ""


def _plan_of(store: "Store", selection: Selection) -> Plan:
    sessions = _sessions(store, selection)
    meant = _by_id(store, selection.ids) + _of_sessions(store, sessions)
    if selection.everything:
        meant = [row for kind in kinds.of_memory(store) for row in _rows(store, kind, "1", ())]
    if selection.has_filters():
        meant += _by_filters(store, selection)
    meant = list({row.public_id: row for row in meant}.values())
    return Plan(store, meant, _going_along(store, meant), sessions, selection)


def _sessions(store: "Store", selection: Selection) -> "list[int]":
    """Return the sessions that go as a whole: named by their id, and not narrowed by anything else."""
    if selection.everything:
        return [number for (number,) in store.execute("SELECT id FROM sessions ORDER BY id")]
    alone = not (selection.query or selection.since or selection.until or selection.types or selection.origin)
    names = [*selection.ids, *([selection.session] if selection.session and alone else [])]
    return [number for name in names for (number,) in store.execute("SELECT id FROM sessions WHERE public_id = ?", (name,))]


def _rows(store: "Store", kind: "Kind", where: str, values: "Sequence[object]") -> "list[Row]":
    """Return rows as they are stored, nothing withheld: what goes must be known."""
    sql = f"{reading(kind, COLUMNS)} WHERE {where} ORDER BY {kind.column('seq', 't.id')}"
    return [Row(store, found, outside=True) for found in store.execute(sql, values)]


def _by_id(store: "Store", ids: "Sequence[str]") -> "list[Row]":
    found = kinds.of_memory(store)
    return [row for name in ids for kind in found for row in _rows(store, kind, "t.public_id = ?", (name,))]


def _by_filters(store: "Store", selection: Selection) -> "list[Row]":
    """Return the rows that fit every filter; a query means rows that hold exactly this text, in whatever case."""
    store.db.create_function("folded", 1, _folded)  # SQLite's own `lower` knows ASCII only
    return [row for kind in kinds.of_memory(store) for row in _fitting(store, kind, selection)]


def _fitting(store: "Store", kind: "Kind", selection: Selection) -> "list[Row]":
    """Return the rows of a kind that fit; a kind has no rows of a session, an origin or a type that its table does not know."""
    conditions, values = ["1"], []
    origin, tainted = kind.column("origin"), kind.column("tainted", "0")
    for condition, value in (
        (f"instr(folded({kind.text(*kind.texts)}), ?) > 0", _folded(selection.query)),
        (f"{kind.column('session_id')} = (SELECT id FROM sessions WHERE public_id = ?)", selection.session),
        (f"({origin} = ? OR {tainted})" if selection.origin == "outside" else f"{origin} = ?", selection.origin),
        ("t.created_at >= ?", selection.since),
        ("t.created_at < ?", selection.until),
    ):
        if value:
            conditions.append(condition)
            values.append(value)
    if selection.types:
        conditions.append(f"{kind.column('type', repr(kind.name))} IN ({', '.join('?' * len(selection.types))})")
    return _rows(store, kind, " AND ".join(conditions), [*values, *selection.types])


def _folded(text: str) -> str:
    return index_text.composed(text).casefold()


def _of_sessions(store: "Store", sessions: "list[int]") -> "list[Row]":
    owned = [kind for kind in kinds.of_memory(store) if kind.has("session_id")]
    return [row for number in sessions for kind in owned for row in _rows(store, kind, "t.session_id = ?", (number,))]


def _of_turn(store: "Store", turn: Row) -> "list[Row]":
    """Return what a turn left, but for notes: those a person typed meanwhile, about whatever."""
    rows = store.execute(OBSERVATION + OF_TURN, (turn.session, turn.seq, turn.number)).fetchall()
    found = [Row(store, values, outside=True) for values in rows if values[2] != "note"]
    others = [kind for kind in kinds.of_memory(store) if "turn_id" in kind.owners and kind is not kinds.OBSERVATION]
    return found + [row for kind in others for row in _rows(store, kind, "t.turn_id = ?", (turn.number,))]


def _going_along(store: "Store", meant: "list[Row]") -> "list[Row]":
    """Return the rows that would still tell of what goes: what a turn ran, and summaries that were made from it.

    With a lesson goes what the runs said of which nothing else was made.
    """
    known = {row.public_id for row in meant}
    along = [row for turn in meant if turn.type == "turn" for row in _of_turn(store, turn)]
    along += _by_id(store, [name for row in meant if row.type == "note" for name in learnt.accounts_of_alone(store, row.public_id)])
    waiting = [*meant, *along]
    while waiting:
        row = waiting.pop()
        turn = store.one(f"SELECT public_id FROM {kinds.TURN.table} WHERE id = ?", (row.turn,)) if row.turn else None
        for parent in {row.public_id, turn[0] if turn else row.public_id}:
            names = [name for (name,) in store.execute("SELECT child FROM derived_from WHERE parent = ?", (parent,))]
            more = [child for child in _by_id(store, names) if child.public_id not in known | {one.public_id for one in along}]
            along += more
            waiting += more
    going = {row.public_id: row for row in along if row.public_id not in known}
    for name in facts.still_supported(store, list(going), known | set(going)):
        del going[name]
    return list(going.values())


MOST_SHOWN = 50


class Choice:
    """What a person chose to forget: rows and sessions by memory, `held`: runs whose snapshots go as well, `files` that hold it
    where no row does; the `digits` stand for all of it, and for what it says.
    """

    __slots__ = ("digits", "files", "held", "plans")

    def __init__(self, plans: "list[Plan]", held: "list[loop_snapshots.Held]", files: "Sequence[str]" = ()) -> None:
        self.plans = plans
        self.held = held
        self.files = files
        chosen = plans[0].selection
        told = [f"{row.public_id}\n{row.asked}\n{row.said}\n{row.files}\n{row.lines}" for row in self.rows() if _says_anything(row)]
        told += [name_of(plan, number) for plan in plans for number in plan.sessions]
        self.digits = digits_of([*told, *self.runs(), *files, f"all {chosen.everything}", f"text {chosen.query.casefold()}"])

    def rows(self) -> "list[Row]":
        """Return all rows that would go."""
        return [row for plan in self.plans for row in plan.rows()]

    def runs(self) -> "list[str]":
        """Return the runs whose snapshots would go."""
        return [each.run for each in self.held]


def _says_anything(row: "Row") -> bool:
    """Say whether a row is more than a place in the order: each command of ours that is typed opens such a turn, this one, too."""
    return row.type != "turn" or bool(row.asked or row.said or row.files or row.lines)


def choose(reader: "Reader", chosen: "Selection", scope: str = BOTH, snapshots: bool = False) -> Choice:
    """Return what a selection would take, nothing changed yet; with `snapshots` those that hold it, too.

    Where its rows are gone already, that is the snapshots in which an earlier forget found it, or in which a query is found, and
    the events that wait and records of loops that hold it. Raises RalphMemError, NothingFits where that is nothing at all.
    """
    undoing.drop_what_holds(reader.stores, chosen.query)
    try:
        plans = plan(reader, chosen, scope)
    except NothingFits:
        stores = within(reader, scope)
        if scope == GLOBAL and not stores:
            raise
        plans = [Plan(stores[0] if scope == GLOBAL else None, [], [], [], chosen)]
        named = loop_snapshots.undecided(reader.stores[0]) if reader.stores else []
        held = _held(reader.project, plans, named) if snapshots else []
        files = (
            []
            if scope == GLOBAL or chosen.is_narrowed()
            else inventory.telling(reader.project, needles_of(plans), bool(all_of(plans)))
        )
        if chosen.everything and not (held or files or snapshots):
            raise NothingFits(NOTHING, WITH_SNAPSHOTS) from None
        if not (held or files):
            raise
        return Choice(plans, held, files)
    files = []
    if scope != GLOBAL and all_of(plans) == GLOBAL:
        plans.append(Plan(None, [], [], [], chosen))
        files = inventory.telling(reader.project, needles_of(plans), everything=True)
    return Choice(plans, _held(reader.project, plans, []) if snapshots else [], files)


def _held(project: "Project", plans: "list[Plan]", named: "list[str]") -> "list[loop_snapshots.Held]":
    """Return the runs whose snapshots are to go."""
    everything = all_of(plans) in (PROJECT, BOTH)
    found = []
    for tree in inventory.worktrees_of(project):
        try:
            found += loop_snapshots.runs_that_hold(tree, needles_of(plans), named, everything)
        except SnapshotError:  # told once it is tried
            continue
    return [each for each in found if not each.partly]


def all_of(plans: "list[Plan]") -> str:
    """Return the scope of which plans take everything, nothing where they were chosen otherwise."""
    if not plans[0].selection.everything:
        return ""
    kinds = {GLOBAL if plan.store and access.is_global(plan.store) else PROJECT for plan in plans}
    return kinds.pop() if len(kinds) == 1 else BOTH


def preview(reader: "Reader", choice: Choice, most: int = MOST_SHOWN) -> "list[str]":
    """Return in lines what would go, the first rows of each kind."""
    plans = choice.plans
    lines = _shown(reader, [row for plan in plans for row in plan.meant], most)
    along = _shown(reader, [row for plan in plans for row in plan.with_them], most)
    lines += ["with it, since it tells of the same:", *along] if along else []
    lines += [f"{name_of(plan, number)}  the session itself" for plan in plans for number in plan.sessions]
    lines += [f"outside of the memory: {path}" for path in choice.files]
    gone = {False: "it cannot be rolled back then", True: "kept while the loop is at work"}
    return lines + [f"{each.run}  its snapshots, copy of git and room: {gone[each.busy]}" for each in choice.held]


def _shown(reader: "Reader", rows: "list[Row]", most: int) -> "list[str]":
    lines = []
    for row in rows[:most]:
        try:  # read again, the way a search shows it: a preview withholds what a search withholds
            lines.append(layers.index(find(reader, row.public_id)))
        except RalphMemError:
            lines.append(f"{row.public_id}  {row.type}  (about a path that the config excludes)")
    return lines + ([f"and {len(rows) - most} more"] if len(rows) > most else [])


def needles_of(plans: "list[Plan]") -> "verify.Needles":
    """Return what to look for of all that plans take."""
    rows = [row for plan in plans for row in plan.rows()]
    return verify.needles_for(rows, [name_of(plan, number) for plan in plans for number in plan.sessions], plans[0].selection.query)
