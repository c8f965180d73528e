"""Bring a session's transcripts into the memory of its project, through the functions of the hooks, and nothing twice.

Of a session that hooks know, only what came before them is added: what was forgotten, or said while off, stays so.
"""

import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from ralph_mem.core.project import Activity, Project
from ralph_mem.core.redaction import privacy
from ralph_mem.hosts import kept as others
from ralph_mem.hosts.claude_code.archive import Kept
from ralph_mem.hosts.claude_code.event import activity
from ralph_mem.hosts.claude_code.transcripts import Source, Step, Transcript, merged, own_start
from ralph_mem.memory import access, activities, opening
from ralph_mem.memory.rows import kinds, records, sessions, tombstones, turns
from ralph_mem.memory.store import connection, schema
from ralph_mem.memory.store.connection import Store

# Some 20 ms with the database locked: a hook waits at most 150, and gets in while the next ones are made ready.
RECORDS_AT_ONCE = 96
WAIT_MS = 10_000
# Merging after so many transactions keeps the indexes from ever merging by themselves, which would take longer than a hook waits.
TRANSACTIONS_BETWEEN_MERGES = 12
MERGE_PAGES = 256
EARLIER = "earlier:"  # before the id of a session, while what came before its hooks is imported
KNOWN, FORGOTTEN, BESIDE = "known already", "forgotten", "another import is at work on it"

SEEN = "SELECT transcript, position, bytes, changed_at, until FROM imports WHERE transcript IN ({})"
UNTIL = "SELECT until FROM imports WHERE transcript = ?"
MODEL = "UPDATE sessions SET model = coalesce(model, ?) WHERE client_session = ?"
READ = "INSERT OR REPLACE INTO imports (transcript, position, bytes, changed_at, until) VALUES (?, ?, ?, ?, ?)"

# What became of one session. `unreadable` lines were no JSON; `cut` says that the last one had no end.
Outcome = namedtuple("Outcome", "turns observations unreadable cut")
# A row of `imports`, and one of a session that is known: `first` is the time of the first that is known of it.
_Seen = namedtuple("_Seen", "position bytes changed_at until")
_Row = namedtuple("_Row", "pid ended_at first")


class PassedOver(Exception):
    """A session that is left as it is; says why."""


class Session:
    """One session on its way in, under the name that its rows bear.

    `until` is the time up to which an earlier import has come, `before` the time from which hooks have recorded the session,
    0 for never; `began` says whether its row is there, `open` whether it still has to be ended, `strange` which turns are not
    ours.
    """

    def __init__(self, kept: Kept, name: str, until: int, before: int, row: "_Row | None") -> None:
        self.kept = kept
        self.name = name
        self.until = until
        self.before = before
        self.began = row is not None
        self.open = row is not None and row.ended_at is None
        self.source = "startup"
        self.strange: dict[str, bool] = {}
        self.last = until
        self.mark: int | None = None  # what the memory has for `until`, as long as nobody else imports the same


class Memory:
    """The memory of one project while sessions come into it, opened and made only for the first that has something in it."""

    def __init__(self, place: Project, values: dict[str, Any]) -> None:
        self.place = place
        self.settings = values
        self.opened: Store | None = None
        self.transactions = 0
        self.turns = self.observations = 0
        self.tell: Callable[[int], object] = bool
        self.marks = None if tombstones.is_empty() else tombstones.Marks()

    def take(self, kept: Kept, tell: Callable[[int], object] = bool) -> Outcome:
        """Import one session, or what is new of it. Raises what keeps it from being stored, with what came before stored.

        `tell` hears up to which byte of its transcript that is.
        """
        self.turns = self.observations = 0
        self.tell = tell
        seen = self._seen(kept)
        mark = seen[kept.session].until if kept.session in seen else None
        if mark and seen[kept.session].position > kept.bytes:
            seen = {}  # a file that became shorter is another one
        session = self._session(kept, seen)
        session.mark = mark
        own = others.Record(kept) if kept.host else Transcript(kept.path, kept.session)
        agents = {each.agent.id: Transcript(each.path, kept.session, each.agent) for each in kept.agents}
        positions = {name: seen[name].position if name in seen else 0 for name in (kept.session, *agents)}
        if kept.session not in seen and not kept.host:
            positions[kept.session] = own_start(kept.path)
            session.source = "fork" if positions[kept.session] else session.source
        sources = [Source(each.first, each.agent.id, agents[each.agent.id], positions[each.agent.id]) for each in kept.agents]
        privacy.HELD[:] = [{}]
        self._store(session, merged([Source(0, kept.session, own, positions[kept.session]), *sources]), positions)
        self._finish(session, own.model, positions)
        unreadable = sum(transcript.unreadable for transcript in (own, *agents.values()))
        return Outcome(self.turns, self.observations, unreadable, own.cut)

    def leave(self) -> None:
        """Put what has come in on the disk, merge it into the indexes, and let go of the memory."""
        privacy.HELD.clear()
        if not self.opened:
            return
        try:
            if self.transactions:
                self._settle(self.opened)
        finally:
            self.opened.close()

    def _settle(self, opened: Store) -> None:
        """Leave the store as Stop does; where somebody else is at work for long, the next Stop does it."""
        try:
            with access.Change(opened):
                opened.set_property("imported_at", time.time_ns() // 1_000_000)
            while self._merge():
                pass
            opened.checkpoint()
        except connection.sqlite.Error:
            pass

    def _open(self) -> Store:
        if not self.opened:
            self.opened = opening.open_ready(self.place, WAIT_MS)
            schema.make(self.opened, "imports")
            opening.notice(self.opened, self.place)
        return self.opened

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask the memory, which may not be there yet."""
        if not self.opened and not connection.exists(self.place.folder):
            return []
        return list(self._open().execute(sql, values))

    # What is known of a session

    def _seen(self, kept: Kept) -> dict[str, _Seen]:
        """Return what was read before of its transcripts, by their names. Raises where there is nothing new."""
        files = _files_of(kept)
        rows = self._rows(SEEN.format(",".join("?" * len(files))), *files)
        seen = {name: _Seen(*values) for name, *values in rows}
        own = seen.get(kept.session)
        if own and own.position < 0:
            raise PassedOver(FORGOTTEN)
        if all(name in seen and seen[name][1:3] == (file.bytes, file.changed_at) for name, file in files.items()):
            raise PassedOver(KNOWN)
        return seen

    def _session(self, kept: Kept, seen: dict[str, _Seen]) -> Session:
        until = max([each.until for each in seen.values()], default=0)
        rows = {name: _Row(*values) for name, *values in self._rows(sessions.FIRST_KNOWN, kept.session, EARLIER + kept.session)}
        known, earlier = rows.get(kept.session), rows.get(EARLIER + kept.session)
        if known and (earlier or not seen):
            return Session(kept, EARLIER + kept.session, until, known.first, earlier)
        if known and (known.pid or (kept.host and self._rows(turns.MADE_SINCE, kept.session, until))):
            raise PassedOver(KNOWN)  # an import came first, then hooks took over
        return Session(kept, kept.session, until, 0, known)

    # From activities to rows

    def _store(self, session: Session, steps: Iterator[tuple[str, Step]], positions: dict[str, int]) -> None:
        """Store what the steps leave, a handful in a transaction; `positions` follows what has been stored."""
        batch: list[dict[str, Any]] = []
        for name, step in steps:
            if session.before and step.at >= session.before:
                break
            seen = activity(step.event)
            if seen:
                seen.host = session.kept.host
                batch += self._records(session, seen)
            session.last = max(session.last, step.at)
            if step.position is not None:
                positions[name] = step.position
            if len(batch) >= RECORDS_AT_ONCE:
                self._write(session, batch, positions)
                self.tell(positions[session.kept.session])
                batch = []
        if batch:
            self._write(session, batch, positions)

    def _records(self, session: Session, seen: Activity) -> list[dict[str, Any]]:
        """Return what is to be stored of an activity, the session itself before the first."""
        if seen.kind == "start":
            session.source = seen.source
            return [self._start(session, seen)] if session.began and session.source == "compact" else []
        if self._is_strange(session, seen.turn):
            return []
        found = activities.records(seen, self.place, self.settings)
        found = tombstones.left(found, self.marks) if self.marks else found
        for record in found:
            record["session"] = session.name
            if record["verb"] == "turn":  # what is checked out now was not then, and a transcript names the branch alone
                record["branch"], record["commit_id"] = self._branch(seen), ""
        if found and not session.began:
            session.began = True
            return [self._start(session, seen), *found]
        return found

    def _is_strange(self, session: Session, turn: str) -> bool:
        """Say whether a turn came into the memory another way, which is looked up when it is first met."""
        if turn not in session.strange:
            rows = self._rows(turns.MADE_AT, turn) if turn else []
            session.strange[turn] = bool(rows) and rows[0][0] > session.until
        return session.strange[turn]

    def _start(self, session: Session, seen: Activity) -> dict[str, Any]:
        return records.session(
            session.name, self.place.root, seen.at, session.source, transcript=str(session.kept.path), branch=self._branch(seen),
            commit_id="", **({"agent": session.kept.host} if session.kept.host else {}),
        )  # fmt: skip

    def _branch(self, seen: Activity) -> str:
        return privacy.protect([seen.branch], self.place, self.settings)[0][0] if seen.branch else ""

    def _write(self, session: Session, batch: list[dict[str, Any]], positions: dict[str, int]) -> None:
        """Store records, and up to where they reach, in one transaction."""
        opened = self._open()
        with access.Change(opened, durable=False):
            if opened.one(UNTIL, (session.kept.session,)) != (None if session.mark is None else (session.mark,)):
                raise PassedOver(BESIDE)
            before = opened.one(kinds.NEWEST)
            for record in batch:
                records.apply(opened, record)
            opened.db.executemany(READ, [(name, position, 0, 0, session.last) for name, position in positions.items()])
            newest = opened.one(kinds.NEWEST)
        self.turns += newest[0] - before[0]
        self.observations += newest[1] - before[1]
        session.mark = session.last
        privacy.HELD[:] = [{}]  # a secret that is written into a file meanwhile is known to the next ones
        session.open = True
        self.transactions += 1
        if self.transactions % TRANSACTIONS_BETWEEN_MERGES == 0:
            self._merge()
        if opened.log_bytes() > connection.LARGE_LOG_BYTES:
            opened.checkpoint()

    def _merge(self) -> bool:
        """Merge the indexes by one step; says whether there is more to do."""
        return kinds.merge(self._open(), MERGE_PAGES)

    def _finish(self, session: Session, model: str, positions: dict[str, int]) -> None:
        """End the session with its last entry, and note that its transcripts were read as they are."""
        if not session.open and not connection.exists(self.place.folder):
            return
        with access.Change(self._open(), durable=False) as opened:
            if session.open:
                opened.execute(MODEL, (model or None, session.name))
                records.apply(opened, records.end(session.name, session.last))
            if session.before and session.began:
                _join(opened, session)
            files = _files_of(session.kept).items()
            read = [(name, positions[name], file.bytes, file.changed_at, session.last) for name, file in files]
            opened.db.executemany(READ, read)


def _files_of(kept: Kept) -> dict[str, Any]:
    return {kept.session: kept, **{each.agent.id: each for each in kept.agents}}


def _join(opened: Store, session: Session) -> None:
    """Put what came before the hooks into the row of the session that they know."""
    numbers = "(SELECT id FROM sessions WHERE client_session = ?2)", "(SELECT id FROM sessions WHERE client_session = ?1)"
    names = (session.name, session.kept.session)
    for table in ("turns", "observations"):
        opened.execute(f"UPDATE {table} SET session_id = {numbers[0]} WHERE session_id = {numbers[1]}", names)
    started = "(SELECT started_at FROM sessions WHERE client_session = ?1)"
    opened.execute(f"UPDATE sessions SET started_at = min(started_at, {started}) WHERE client_session = ?2", names)
    opened.execute("DELETE FROM sessions WHERE client_session = ?", names[:1])
