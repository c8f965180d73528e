"""Send to a team's server what a person shares with it, and what they forgot; each step can be repeated."""

from typing import Any, NamedTuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import whole
from ralph_mem.maintenance.team import exchange, meaning, policy, rotation, seal, server, shared_item
from ralph_mem.maintenance.team.policy import Policy
from ralph_mem.maintenance.team.seal import Seal
from ralph_mem.maintenance.team.shared_item import Refused, Shared
from ralph_mem.memory import access
from ralph_mem.memory.rows import kinds, outbox
from ralph_mem.memory.rows.outbox import Entry
from ralph_mem.memory.store.connection import Store

PUT = "INSERT INTO ralph_mem.item (team, id, body, key) VALUES (%s, %s, %s, %s) ON CONFLICT (team, id) DO NOTHING RETURNING rev"
THERE = "SELECT rev, body FROM ralph_mem.item WHERE team = %s AND id = %s"
EDIT = "UPDATE ralph_mem.item SET body = %s, key = %s, state = 'proposed' WHERE team = %s AND id = %s AND rev = %s RETURNING rev"
MARK = "INSERT INTO ralph_mem.tombstone (team, id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
DELETE = "DELETE FROM ralph_mem.item WHERE team = %s AND id = %s"
BURIED = "SELECT 1 FROM ralph_mem.tombstone WHERE team = %s AND id = %s"
FOUND_SINCE = "it holds what looks like a secret now: share it anew"


class Pushed(NamedTuple):
    """What became of what waited, by ids: sent, in conflict, refused and why, forgotten there; who has not pulled since."""

    sent: list[str]
    conflicts: list[str]
    refused: list[tuple[str, str]]
    forgotten: list[str]
    behind: list[str]


def keep(store: Store, team: str, items: list[Shared], at: int) -> None:
    """Let items wait for a team's server. Raises RalphMemError where enough wait."""
    policy.need(items, team)
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
    rules, address = policy.read(), exchange.address_of(project, team)
    rules.check_server(team, address)
    safe = [entry for entry in waiting if _may_go(entry, protect(entry.text)[1], rules, done)]
    lock = seal.of(project, team)
    vectors = _Vectors([] if lock.key else safe)
    with server.opened(address) as connection:
        if safe:
            rotation.need(connection, team, lock)
        for entry in gone:
            _forget(store, connection, entry, done)
        for entry in safe:
            _send(store, connection, _Parcel(entry, lock, vectors), done)
        if done.forgotten:
            done.behind.extend(exchange.behind(connection, team))
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


def _may_go(entry: Entry, secrets: dict[str, int], rules: Policy, done: Pushed) -> bool:
    """Say whether an item may still go: rules may have come since it was shared."""
    try:
        rules.check(shared_item.read(entry.text, 2**62), entry.team)
    except Refused as error:
        done.refused.append((entry.id, str(error)))
        return False
    if secrets:
        done.refused.append((entry.id, FOUND_SINCE))
    return not secrets


class _Vectors:
    """What items mean that are about to be sent: made before the server is asked, which waits for nobody."""

    def __init__(self, entries: list[Entry]) -> None:
        self.model: Any = meaning.embedder() if entries else None
        texts = meaning.texts_of(self.model, [shared_item.read(entry.text, 2**62).body for entry in entries])
        self.by_id = dict(zip([entry.id for entry in entries], texts, strict=True))

    def put(self, connection: server.Connection, entry: Entry, rev: int) -> None:
        """Send the vector of an item, where it has one and the server keeps any."""
        where = meaning.place(connection) if self.by_id.get(entry.id) else ""
        if where:
            meaning.put(connection, where, self.model.name, (entry.team, entry.id, rev), self.by_id[entry.id])


class _Parcel(NamedTuple):
    entry: Entry
    lock: Seal
    vectors: _Vectors


def _send(store: Store, connection: server.Connection, parcel: _Parcel, done: Pushed) -> None:
    """Bring one item to the server, each in a transaction of its own, and write down here what became of it."""
    entry, lock, vectors = parcel
    try:
        closed = lock.closed(entry.text)
    except Refused as error:
        done.refused.append((entry.id, str(error)))
        return
    with connection.transaction():
        if connection.execute(BURIED, (entry.team, entry.id)).fetchone():
            done.refused.append((entry.id, "it was forgotten there"))
            return
        row = connection.execute(PUT, (entry.team, entry.id, closed, lock.id)).fetchone()
        if row is None:
            rev, body = connection.execute(THERE, (entry.team, entry.id)).fetchone() or (0, "")
            row = (rev,) if _is_same(lock, str(body), entry.text) else None
            row = row or connection.execute(EDIT, (closed, lock.id, entry.team, entry.id, entry.rev)).fetchone()
            state = (outbox.SENT, row[0]) if row else (outbox.CONFLICT, rev)
        else:
            state = (outbox.SENT, row[0])
        if row:
            vectors.put(connection, entry, row[0])
    connection.commit()
    with access.Change(store) as opened:
        outbox.mark(opened, entry, *state)
    (done.sent if row else done.conflicts).append(entry.id)


def _is_same(lock: Seal, body: str, text: str) -> bool:
    try:
        return lock.opened(body) == text
    except Refused:
        return False


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
