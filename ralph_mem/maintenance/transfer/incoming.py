"""Turn what an export holds into rows again, all of them or none, and none twice.

Rows of a file that this home did not write count as text from outside; their names are set apart from those of the client.
"""

import posix
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from ralph_mem.core.project import Project
from ralph_mem.core.redaction import gate, privacy
from ralph_mem.maintenance.transfer import document, fact_rows, once_strange
from ralph_mem.maintenance.transfer.document import BESIDE_ROWS, DERIVED, STRANGE, Document, damaged
from ralph_mem.maintenance.transfer.outgoing import protected
from ralph_mem.memory.access import Change, rewrite
from ralph_mem.memory.rows import deletion, existing, kinds, notes, reading, row, sessions, tombstones, turns
from ralph_mem.memory.rows import rewrite as rewriting
from ralph_mem.memory.rows.row import Kind
from ralph_mem.memory.store.connection import Store, sqlite

FORGOTTEN = "SELECT transcript FROM imports WHERE position < 0"
MERGE_PAGES = 256

Counts = Counter[str]  # of "session", "turn", ...: those that come in; of "known" and "forgotten" rows


def prepared(
    given: Document, place: Project, project: Project, settings: dict[str, Any], *, mine: bool = False,
    tell: Callable[[int], object] = bool,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the rows of an export as they may be stored in a place. Raises RalphMemError for a row that cannot be one.

    `mine` is the person's word that the file is their own although another home wrote it; `tell` hears how many are done.
    """
    privacy.HELD[:] = [{}]
    try:
        found = []
        for number, record in enumerate(given.records()):
            bad = document.wrong(record)
            if bad:
                raise damaged(f"row {number + 1} has no good {bad[:40]!a}")
            safe = protected(record, project, settings)
            found.append(safe if given.ours or mine else _strange(safe, place))
            tell(number + 1)
        return [record for record in found if record]
    finally:
        privacy.HELD.clear()


def _strange(record: dict[str, Any], place: Project) -> dict[str, Any]:
    """Return a row of somebody else's file as one that is trusted with nothing, or nothing for one that cannot be marked so."""
    if record["row"] == DERIVED:
        return record
    if record["row"] in fact_rows.ROWS:
        return fact_rows.of_a_stranger(record)
    apart = {name: record[name] for name in ("client_session", "event_id", "session", "turn") if record.get(name)}
    names = {name: STRANGE + value.removeprefix(STRANGE) for name, value in apart.items()}
    if record["row"] == "session":
        ended = record["started_at"] if record["ended_at"] is None else record["ended_at"]
        root = place.root.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return {**record, **names, "project_path": root, "transcript_path": None, "summary": None, "ended_at": ended}
    if "tainted" not in record:
        return {}
    marks: dict[str, Any] = {"origin": "outside", "tainted": document.FOREIGN, "pinned": 0, "misled": 0}
    if record["row"] == kinds.TURN.name and record["status"] == "open":
        marks["status"] = "interrupted"
    if record.get("type") == row.FACT:
        marks["metadata"] = fact_rows.without_key(record["metadata"])
    return {**record, **names, **{name: mark for name, mark in marks.items() if name in record}}


def take(opened: Store, records: list[dict[str, Any]], tell: Callable[[int], object] = bool) -> Counts:
    """Store what is not known yet, in one transaction; returns what came in and what did not.

    What came in before as a stranger's, and is the person's own now, comes in anew in its place.
    Nothing that came in tells of what was forgotten here before.
    """
    with Change(opened):
        # once the memory is locked: what another process forgets until then must not come back
        arrival = Arrival(opened, records)
        swept = once_strange.give_way(opened, arrival.twins.going)
        for number, record in enumerate(records):
            arrival.add(record)
            tell(number + 1)
        arrival.make_findable()
        swept += arrival.without_forgotten()
        fact_rows.compare(opened, arrival.observations, time.time_ns() // 1_000_000)
    if swept:
        rewrite(opened)
    _merge(opened)
    return +arrival.counts


def counted(opened: Store | None, records: list[dict[str, Any]]) -> Counts:
    """Return what would come in, nothing changed; without a memory everything would."""
    arrival = Arrival(opened, records) if opened else None
    counts: Counts = Counter()
    sessions: dict[str, str] = {}
    wanted, coming = set(), set[Any]()
    for record in records:
        if record["row"] in fact_rows.ROWS:
            is_known = opened is not None and fact_rows.is_here(opened, record)
            counts[record["row"]] += not is_known and fact_rows.observations_of(record) <= coming
            continue
        why_not = arrival.why_not(record) if arrival and record["row"] not in BESIDE_ROWS else ""
        if arrival and not why_not and record.get("type") == row.FACT and arrival.fact_here(record):
            why_not = "known"
        coming |= set() if why_not else {record.get("public_id")}
        if record["row"] == "session" and _waits(record, why_not):
            sessions[record["client_session"]] = why_not
        elif record["row"] not in BESIDE_ROWS:
            counts[why_not or record["row"]] += 1
            wanted |= set() if why_not or record["row"] == "session" else {record.get("session")}
    counts["session"] += len(sessions.keys() & wanted)
    counts["forgotten"] += len([name for name, why_not in sessions.items() if why_not and name not in wanted])
    return +counts


def _waits(record: dict[str, Any], why_not: str) -> bool:
    """Say whether a session comes in only with the first of its rows: one of somebody else's file, or one that was forgotten."""
    return why_not == "forgotten" or (not why_not and record["client_session"].startswith(STRANGE))


def _merge(opened: Store) -> None:
    """Merge what came into the indexes, which hooks never do; somebody who is at work meanwhile does it at the next Stop."""
    try:
        while kinds.merge(opened, MERGE_PAGES):
            pass
        opened.checkpoint()
    except sqlite.Error:
        pass


class Arrival:
    """Rows on their way into a memory."""

    def __init__(self, opened: Store, records: list[dict[str, Any]]) -> None:
        self.store = opened
        self.counts: Counts = Counter()
        self.twins = once_strange.twins(opened, records)
        self.names = dict(self.twins.kept)  # the ids in the file -> those in this memory
        self.waiting: dict[str, dict[str, Any]] = {}  # sessions that come in only with the first of their rows
        self.observations: set[str] = set()
        self.turns: list[tuple[int, bool]] = []
        self.notes: list[int] = []
        self.refused: dict[str, dict[str, Any]] = {}  # rows that were forgotten here, by their ids in the file
        self.made_of_refused: list[str] = []  # the ids of rows that were made from these
        self.forgotten = _forgotten(opened)
        self.marks = None if tombstones.is_empty() else tombstones.Marks()
        self.scope = tombstones.scope_of(opened.folder)

    def why_not(self, record: dict[str, Any]) -> str:
        """Return why a row does not come in: it is known, or was forgotten here; nothing if it does."""
        kind = document.of_name(record["row"])
        column = next((name for name in ("client_session", "event_id") if kind.has(name)), "public_id")
        name = record[column]
        # a file of one's own that came by another machine must not bring in once more what is here
        names = (name, name if record["row"] == "session" else name.removeprefix(STRANGE))
        if self.store.one(f"SELECT 1 FROM {kind.table} WHERE {column} IN (?, ?)", names):
            return "known"
        if record.get("public_id") in self.twins.kept:
            return "known"
        return "forgotten" if self._is_forgotten(record) else ""

    def _is_forgotten(self, record: dict[str, Any]) -> bool:
        if {record.get("session"), record.get("client_session")} & self.forgotten:
            return True
        if not self.marks:
            return False
        if record["row"] == "session":
            return self.marks.hold(tombstones.SESSION, record["client_session"].removeprefix(STRANGE), record["started_at"])
        kind = document.of_name(record["row"])
        event, session, turn = [(record.get(name) or "").removeprefix(STRANGE) for name in ("event_id", "session", "turn")]
        told = (record.get("type") or kind.name, record["public_id"], event, record[kind.asked] or "", kinds.said_in(kind, record))
        return self.marks.hold_row(self.scope, (*told, record["created_at"], session, turn))

    def add(self, record: dict[str, Any]) -> None:
        """Store one row, if it is new; the sessions come first, then the turns."""
        if record["row"] == DERIVED:
            self._derive(record)
            return
        if record["row"] in fact_rows.ROWS:
            self._take_fact(record)
            return
        if record.get("type") == row.FACT and self._is_known_fact(record):
            return
        why_not = self.why_not(record)
        if record["row"] == "session" and _waits(record, why_not):
            self.waiting[record["client_session"]] = record
            self.counts["forgotten"] += bool(why_not)
            return
        self.counts[why_not or record["row"]] += 1
        if why_not == "forgotten":
            self.refused[record.get("public_id", "")] = record
        if not why_not:
            self._session(record) if record["row"] == "session" else self._row(document.of_name(record["row"]), record)

    def _is_known_fact(self, record: dict[str, Any]) -> bool:
        """Say whether a fact is here in the same words, which then has the sightings of both, but none of a stranger."""
        here = "" if self.why_not(record) else self.fact_here(record)
        if here:
            self.counts["known"] += 1
            if record["tainted"] != document.FOREIGN:
                self.names[record["public_id"]] = here
        return bool(here)

    def fact_here(self, record: dict[str, Any]) -> str:
        """Return the id of the fact that says the same here, unless that gives way; nothing where none does."""
        return fact_rows.known_here(self.store, record, self.twins.going)

    def _take_fact(self, record: dict[str, Any]) -> None:
        names = {self.names.get(name, "") for name in fact_rows.observations_of(record)}
        is_new = names <= self.observations
        self.counts[record["row"]] += is_new and not fact_rows.is_here(self.store, record)
        if is_new or (record["row"] != fact_rows.FACT and "" not in names):  # it may be said of what was here
            fact_rows.take(self.store, record, self.names)

    def make_findable(self) -> None:
        """Give rows what they quote of their neighbours, now that all are there, and write their index entries."""
        for number, is_found in self.turns:
            turns.write_context(self.store, number)
            if is_found:
                existing.remember(self.store, kinds.TURN, number)
        for number in self.notes:
            notes.put_into_context(self.store, number)
        pinned = [kind for kind in kinds.of_memory(self.store) if kind.has("pinned")]
        if any(self.store.one(f"SELECT 1 FROM {kind.table} WHERE pinned LIMIT 1") for kind in pinned):
            self.store.set_property(reading.WAS_PINNED, 1)

    def without_forgotten(self) -> int:
        """Take out what tells of rows that were refused: what was made from them, what quotes them; returns how many rows went.

        What is marked all the same goes as from any memory that comes back.
        """
        if not self.marks:
            return 0
        made = [*self.made_of_refused, *tombstones.made_from(self.store, self.made_of_refused)]
        for name in set(made):
            self.counts[kinds.of_id(name).name] -= 1
        self.counts["forgotten"] += len(set(made))
        gone = deletion.delete(self.store, made) + tombstones.sweep(self.store, self.scope)
        for record in self.refused.values():
            self._quote_anew(record)
        return gone

    def _quote_anew(self, record: dict[str, Any]) -> None:
        """Write the turn of a row that was refused anew, where it came in now, and the summary of its session."""
        turn = self._number("turns", "event_id", record.get("turn"))
        if turn is not None and any([number == turn for number, _ in self.turns]):
            rewriting.rebuild(self.store, turn, (record.get("files") or "").splitlines())
        session = self._number("sessions", "client_session", record.get("session"))
        if session is not None:
            sessions.sum_up_again(self.store, session)

    def _session(self, record: dict[str, Any]) -> None:
        columns = {name: record[name] for name in kinds.exported(kinds.SESSION)}
        values = {**columns, "public_id": self._name(kinds.SESSION, record), "fence": posix.urandom(12).hex(), "context_since": 0}
        values["client_born"] = 0  # it was not heard here: nothing is recorded since
        sql = f"INSERT INTO sessions ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
        self.store.execute(sql, list(values.values()))

    def _row(self, kind: Kind, record: dict[str, Any]) -> None:
        """Store a row of memory: without what it quotes of its neighbours, and a turn without its entry in the index."""
        values: dict[str, Any] = dict.fromkeys(kind.derived, "")
        values |= {name: record[name] for name in kinds.exported(kind)}
        values |= {"public_id": self._name(kind, record), "redaction_version": gate.RULES_VERSION, "scan_level": 1}
        if kind.has("session_id"):
            values["session_id"] = record["session"] and self._session_of(record)
        if kind.has("turn_id"):
            values["turn_id"] = self._number("turns", "event_id", record["turn"])
        is_found = bool(record.get("found") and any(record[name] for name in kind.hashed))
        is_memory = is_found and kind is not kinds.TURN
        number = row.put(self.store, kind, values, is_memory=is_memory)
        if is_memory:
            existing.remember(self.store, kind, number)
        if kind is kinds.OBSERVATION:
            self.observations.add(values["public_id"])
        if kind is kinds.TURN:
            self.turns.append((number, is_found))
            turns.note_what_takes_back(self.store, number, values["prompt"])
        elif kind is kinds.OBSERVATION and is_found:
            self.notes.append(number)

    def _name(self, kind: Kind, record: dict[str, Any]) -> str:
        """Return the id of a row: its own, or a new one where another row has that."""
        name = record["public_id"]
        if self.store.one(f"SELECT 1 FROM {kind.table} WHERE public_id = ?", (name,)) or not name.startswith(kind.prefix + "-"):
            name = row.public_id(kind.prefix)
        self.names[record["public_id"]] = name
        return str(name)

    def _session_of(self, record: dict[str, Any]) -> int:
        waiting = self.waiting.pop(record["session"], None)
        if waiting:
            self.counts["session"] += 1
            self.counts["forgotten"] -= not record["session"].startswith(STRANGE)
            self._session(waiting)
        number = self._number("sessions", "client_session", record["session"])
        if number is None:  # it stays as it is
            number = self._number("sessions", "client_session", STRANGE + record["session"])
        if number is None:
            raise damaged("a row belongs to a session that the file does not have")
        return number

    def _number(self, table: str, column: str, name: str | None) -> int | None:
        found = self.store.one(f"SELECT id FROM {table} WHERE {column} = ?", (name,))
        return int(found[0]) if found else None

    def _derive(self, record: dict[str, Any]) -> None:
        if record["parent"] in self.refused and record["child"] in self.names:
            self.made_of_refused.append(self.names[record["child"]])
        if record["child"] in self.names and record["parent"] in self.names:
            names = (self.names[record["child"]], self.names[record["parent"]])
            self.store.execute("INSERT OR IGNORE INTO derived_from (child, parent) VALUES (?, ?)", names)


def _forgotten(opened: Store) -> set[str | None]:
    """Return the client's ids of the sessions that were forgotten here, also as somebody else's file names them."""
    if not opened.one("SELECT 1 FROM sqlite_master WHERE name = 'imports'"):
        return set()
    names = [name for (name,) in opened.execute(FORGOTTEN)]
    return {each for name in names for each in (name, STRANGE + name)}
