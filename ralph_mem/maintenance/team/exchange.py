"""Bring what a person shares to a team's server, and what was accepted back; each step can be repeated."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import whole
from ralph_mem.maintenance.team import approvals, item_files, kept_answers, meaning, server, shared_item
from ralph_mem.maintenance.team.shared_item import Refused, Shared
from ralph_mem.memory import access
from ralph_mem.memory.rows import kinds, outbox, team_servers
from ralph_mem.memory.rows.outbox import Entry
from ralph_mem.memory.store.connection import Store

PAGE, MOST_ITEMS = 1_000, 50_000  # in one answer; in a local copy, as the setting `team.max_items` has it by itself
PUT = "INSERT INTO ralph_mem.item (team, id, body) VALUES (%s, %s, %s) ON CONFLICT (team, id) DO NOTHING RETURNING rev"
THERE = "SELECT rev, body FROM ralph_mem.item WHERE team = %s AND id = %s"
EDIT = "UPDATE ralph_mem.item SET body = %s, state = 'proposed' WHERE team = %s AND id = %s AND rev = %s RETURNING rev"
MARK = "INSERT INTO ralph_mem.tombstone (team, id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
DELETE = "DELETE FROM ralph_mem.item WHERE team = %s AND id = %s"
BURIED = "SELECT 1 FROM ralph_mem.tombstone WHERE team = %s AND id = %s"
# When the oldest was accepted of as many as a local copy holds: what is older stays at the server alone.
FIRST = "SELECT updated FROM ralph_mem.item WHERE team = %s AND state = 'accepted' ORDER BY updated DESC OFFSET %s LIMIT 1"
ACCEPTED = """
SELECT id, body FROM ralph_mem.item WHERE team = %s AND state = 'accepted' AND id > %s
AND (%s::timestamptz IS NULL OR updated >= %s) ORDER BY id LIMIT 1000"""
PROPOSED = (
    "SELECT id, body, author::text, rev FROM ralph_mem.item WHERE team = %s AND state = 'proposed' ORDER BY updated, id LIMIT 1000"
)
DECIDE = "UPDATE ralph_mem.item SET state = %s WHERE team = %s AND id = %s AND rev = %s RETURNING rev"
PULLED = "UPDATE ralph_mem.pull SET at = now() WHERE team = %s AND login = current_user"
BEHIND = """
SELECT p.login::text FROM ralph_mem.pull AS p WHERE p.team = %(team)s AND (p.at IS NULL OR p.at < (
    SELECT max(t.at) FROM ralph_mem.tombstone AS t WHERE t.team = %(team)s)) ORDER BY 1"""
FOUND = """
SELECT i.id, i.body FROM ralph_mem.found(%s, %s, %s) AS f JOIN ralph_mem.item AS i ON i.team = %s AND i.id = f.id
ORDER BY f.rank DESC, i.id"""
QUERY_CHARACTERS = 1_000
FOUND_SINCE = "it holds what looks like a secret now: share it anew"


class Accepted(NamedTuple):
    """What a team has accepted: the items, what was refused and why, and whether more may be there than a local copy holds."""

    items: list[Shared]
    refused: list[tuple[str, str]]
    is_full: bool


class Pushed(NamedTuple):
    """What became of what waited, by ids: sent, in conflict, refused and why, forgotten there; who has not pulled since."""

    sent: list[str]
    conflicts: list[str]
    refused: list[tuple[str, str]]
    forgotten: list[str]
    behind: list[str]


class Found(NamedTuple):
    """What a server found: the items, when it said so in ms since 1970, and why it was not asked now, empty where it was."""

    items: list[Shared]
    at: int
    gone: str


class Proposal(NamedTuple):
    """An item that waits for a reviewer: what it says, which login wrote it, and the revision that was shown."""

    item: Shared
    login: str
    rev: int


def address_of(project: Project, team: str) -> str:
    """Return the address of a team's server. Raises RalphMemError for a team that was not joined."""
    address = approvals.stores(project).get(team)
    if not address:
        raise RalphMemError(f"this project has not joined {team[:40]!a}", "ralph-mem team join NAME ADDRESS")
    return address


def role_of(address: str, team: str) -> str:
    """Return what the login of an address is in a team. Raises ServerError where it is no member."""
    with server.opened(address) as connection:
        row = connection.execute("SELECT role FROM ralph_mem.member WHERE team = %s", (team,)).fetchone()
    if row is None:
        raise server.ServerError(f"this login is no member of {team}", "who runs the server adds it: ralph-mem team init")
    return str(row[0])


@contextmanager
def noted(store: Store, team: str, synced: bool = False) -> Iterator[None]:
    """Note in the memory whether a server has answered, and whether it and the memory are `synced` now, for `status` to say."""
    try:
        yield
    except server.ServerError:
        with access.Change(store):
            team_servers.heard(store, team, now_ms(), answered=False)
        raise
    with access.Change(store):
        team_servers.heard(store, team, now_ms(), answered=True, synced=synced)


# What goes out


def keep(store: Store, team: str, items: list[Shared], at: int) -> None:
    """Let items wait for a team's server. Raises RalphMemError where enough wait."""
    with access.Change(store) as opened:
        if len(outbox.entries(opened, state=outbox.WAITING)) + len(items) > outbox.MOST_WAITING:
            raise RalphMemError(f"{outbox.MOST_WAITING:,} items wait for their server already", "ralph-mem team push")
        for item in items:
            outbox.put(opened, team, item.id, shared_item.text_of(item), at)


def push(store: Store, project: Project, settings: dict[str, Any], team: str) -> Pushed:
    """Send what waits, and tell the server what was forgotten here. What was done before a kill is found done."""
    waiting, gone = _sorted(store, team)
    done = Pushed([], [], [], [], [])
    if not waiting and not gone:
        return done
    protect = whole.protector(project, settings)
    safe = [entry for entry in waiting if not protect(entry.text)[1]]  # a rule may have come since it was shared
    done.refused.extend([(entry.id, FOUND_SINCE) for entry in waiting if entry not in safe])
    vectors = _Vectors(safe)
    with server.opened(address_of(project, team)) as connection:
        for entry in gone:
            _forget(store, connection, entry, done)
        for entry in safe:
            _send(store, connection, entry, done, vectors)
        if done.forgotten:
            done.behind.extend(str(login) for (login,) in connection.execute(BEHIND, {"team": team}).fetchall())
    return done


def _sorted(store: Store, team: str) -> tuple[list[Entry], list[Entry]]:
    """Return what waits for the server, and what it may have of rows that are forgotten here."""
    entries = outbox.entries(store, team)
    gone = [entry for entry in entries if not _is_there(store, entry)]
    return [entry for entry in entries if entry.state == outbox.WAITING and entry not in gone], gone


def _is_there(store: Store, entry: Entry) -> bool:
    """Say whether the row is still there that an item was made of; a forget leaves none of its text in the outbox either."""
    try:
        shared_item.read(entry.text, 2**62)
    except Refused:
        return False
    return store.one(kinds.reading(kinds.OBSERVATION, "id") + " WHERE t.public_id = ?", (entry.id,)) is not None


class _Vectors:
    """What items mean that are about to be sent: made before the server is asked, which waits for nobody."""

    def __init__(self, entries: list[Entry]) -> None:
        self.model: Any = meaning.embedder() if entries else None
        texts = meaning.texts_of(self.model, [shared_item.read(entry.text, 2**62).body for entry in entries])
        self.by_id = dict(zip([entry.id for entry in entries], texts, strict=True))

    def put(self, connection: server.Connection, entry: Entry, rev: int) -> None:
        """Send the vector of an item, where it has one and the server keeps any."""
        where = meaning.place(connection) if self.by_id[entry.id] else ""
        if where:
            meaning.put(connection, where, self.model.name, (entry.team, entry.id, rev), self.by_id[entry.id])


def _send(store: Store, connection: server.Connection, entry: Entry, done: Pushed, vectors: _Vectors) -> None:
    """Bring one item to the server, each in a transaction of its own, and write down here what became of it."""
    with connection.transaction():
        if connection.execute(BURIED, (entry.team, entry.id)).fetchone():
            done.refused.append((entry.id, "it was forgotten there"))
            return
        row = connection.execute(PUT, (entry.team, entry.id, entry.text)).fetchone()
        if row is None:
            rev, body = connection.execute(THERE, (entry.team, entry.id)).fetchone() or (0, None)
            row = (rev,) if body == entry.text else None
            row = row or connection.execute(EDIT, (entry.text, entry.team, entry.id, entry.rev)).fetchone()
            state = (outbox.SENT, row[0]) if row else (outbox.CONFLICT, rev)
        else:
            state = (outbox.SENT, row[0])
        if row:
            vectors.put(connection, entry, row[0])
    connection.commit()
    with access.Change(store) as opened:
        outbox.mark(opened, entry, *state)
    (done.sent if row else done.conflicts).append(entry.id)


def _forget(store: Store, connection: server.Connection, entry: Entry, done: Pushed) -> None:
    """Leave a tombstone for an item, and delete it; only then the entry here goes."""
    with connection.transaction():
        if connection.execute(THERE, (entry.team, entry.id)).fetchone():
            connection.execute(MARK, (entry.team, entry.id))
            connection.execute(DELETE, (entry.team, entry.id))
            done.forgotten.append(entry.id)
    connection.commit()
    with access.Change(store) as opened:
        outbox.remove(opened, entry.team, entry.id)


# What comes in


def accepted(project: Project, team: str, now: int, most: int = MOST_ITEMS) -> Accepted:
    """Return what a team has accepted, the last `most` of it, and what of it is no item and was refused. Raises ServerError."""
    read = item_files.Read([], [])
    after, number = "", 0
    address = address_of(project, team)
    first = _first(address, team, most)
    while True:
        rows = _page(address, team, after, first)
        for name, body in rows[: most - number]:
            _take(read, name, body, now)
        number += len(rows)
        if len(rows) < PAGE or number >= most:
            return Accepted(read.items, read.refused, first is not None)
        after = rows[-1][0]


def _first(address: str, team: str, most: int) -> datetime | None:
    """Return when the oldest item was accepted that a local copy has room for, None where it has room for all."""
    with server.opened(address) as connection:
        rows = connection.execute(FIRST, (team, most - 1)).fetchmany(1)
    if rows and not isinstance(rows[0][0], datetime):
        raise server.ServerError("the server answers what was not asked for", "nothing was taken in")
    return rows[0][0] if rows else None


def _page(address: str, team: str, after: str, first: datetime | None) -> list[tuple[str, str]]:
    """Return the next ids with their texts, in order; a server that sends more than was asked for is not listened to."""
    rows: list[tuple[str, str]] = []
    with server.opened(address) as connection:
        for name, body in connection.cursor().stream(ACCEPTED, (team, after, first, first)):
            if not isinstance(name, str) or not isinstance(body, str) or name <= after or len(rows) == PAGE:
                raise server.ServerError("the server answers what was not asked for", "nothing was taken in")
            rows.append((name, body))
            after = name
    return rows


def _take(read: item_files.Read, name: str, body: str, now: int) -> None:
    try:
        if len(body) > item_files.MOST_BYTES:
            raise Refused(f"it has {len(body):,} characters")  # noqa: TRY301 - refused as all else here
        item = shared_item.read(body, now)
        if item.id != name:
            raise Refused("its id is not that of its text")  # noqa: TRY301 - as above
    except Refused as error:
        read.refused.append((ascii(name[:40])[1:-1], str(error)))
        return
    read.items.append(item)


def note_pull(project: Project, team: str) -> None:
    """Tell the server that this member has what it has."""
    with server.opened(address_of(project, team)) as connection:
        connection.execute(PULLED, (team,))


# What a reviewer decides, and what is looked for there


def proposals(project: Project, team: str, now: int) -> list[Proposal]:
    """Return what waits for a reviewer, oldest first; what is no item is left out."""
    proposed = []
    with server.opened(address_of(project, team)) as connection:
        for name, body, login, rev in connection.execute(PROPOSED, (team,)).fetchall():
            read = item_files.Read([], [])
            _take(read, str(name), str(body), now)
            proposed += [Proposal(item, str(login), int(rev)) for item in read.items]
    return proposed


def decide(project: Project, team: str, chosen: list[Proposal], state: str) -> list[str]:
    """Accept or reject exactly what was shown; returns the ids of which somebody was faster, or that may not be decided."""
    with server.opened(address_of(project, team)) as connection:
        return [
            each.item.id for each in chosen
            if connection.execute(DECIDE, (state, team, each.item.id, each.rev)).fetchone() is None
        ]  # fmt: skip


def search(project: Project, settings: dict[str, Any], team: str, query: str, limit: int, now: int) -> Found:
    """Return what a team's server finds for a query, the best first. The query leaves as the rules of redaction leave it.

    The same question is answered anew after ten minutes, and where the server is gone by what it said within a day. Raises
    ServerError where there is no answer.
    """
    safe = whole.protector(project, settings)(query[:QUERY_CHARACTERS])[0]
    key, address = kept_answers.key_of(team, safe, limit), address_of(project, team)
    fresh = kept_answers.kept(project, key, now)
    if fresh:
        return Found(fresh[1], fresh[0], "")
    try:
        items = _asked(address, team, safe, limit, now, meaning.embedder())
    except server.ServerError as error:
        old = kept_answers.kept(project, key, now, kept_answers.KEPT_MS)
        if old is None:
            raise
        return Found(old[1], old[0], str(error))
    kept_answers.keep(project, key, now, items)
    return Found(items, now, "")


def _asked(address: str, team: str, safe: str, limit: int, now: int, model: Any) -> list[Shared]:
    """Ask a server by words and, where there is a model, by meaning."""
    read = item_files.Read([], [])
    with server.opened(address) as connection:
        lists = [connection.execute(FOUND, (team, safe, limit, team)).fetchmany(limit)]
        where = meaning.place(connection) if model else ""
        lists += [meaning.nearest(connection, where, model, team, safe, limit)] if where else []
        for name, body in meaning.fused(lists, limit):
            _take(read, str(name), str(body), now)
    return read.items


def now_ms() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000
