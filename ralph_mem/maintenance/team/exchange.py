"""Take in what a team has accepted at its server, and decide about what is proposed there."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.maintenance.team import approvals, item_files, rotation, seal, server, shared_item
from ralph_mem.maintenance.team.seal import Seal
from ralph_mem.maintenance.team.shared_item import Refused, Shared
from ralph_mem.memory import access
from ralph_mem.memory.rows import outbox
from ralph_mem.memory.store.connection import Store

PAGE, MOST_ITEMS = 1_000, 50_000  # in one answer; in a local copy, as the setting `team.max_items` has it by itself
# When the oldest was accepted of as many as a local copy holds: what is older stays at the server alone.
FIRST = "SELECT updated FROM ralph_mem.item WHERE team = %s AND state = 'accepted' ORDER BY updated DESC OFFSET %s LIMIT 1"
ACCEPTED = """
SELECT id, body FROM ralph_mem.item WHERE team = %s AND state = 'accepted' AND id > %s
AND (%s::timestamptz IS NULL OR updated >= %s) ORDER BY id LIMIT 1000"""
PROPOSED = (
    "SELECT id, body, author::text, rev FROM ralph_mem.item WHERE team = %s AND state = 'proposed' ORDER BY updated, id LIMIT 1000"
)
DECIDE = "UPDATE ralph_mem.item SET state = %s WHERE team = %s AND id = %s AND rev = %s RETURNING rev"
# Who forgot it holds it no more, pulled or not.
BEHIND = """
SELECT p.login::text FROM ralph_mem.pull AS p WHERE p.team = %(team)s AND p.login <> current_user AND EXISTS (
    SELECT 1 FROM ralph_mem.tombstone AS t WHERE t.team = p.team AND t.login <> p.login AND t.at > coalesce(p.at, '-infinity')
) ORDER BY 1"""
PULLED = "UPDATE ralph_mem.pull SET at = now() WHERE team = %s AND login = current_user"


class Accepted(NamedTuple):
    """What a team has accepted: the items, what was refused and why, and whether more may be there than a local copy holds."""

    items: list[Shared]
    refused: list[tuple[str, str]]
    is_full: bool


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


def behind(connection: server.Connection, team: str) -> list[str]:
    """Return the logins that have not pulled since something was forgotten last, and may hold it."""
    return [str(login) for (login,) in connection.execute(BEHIND, {"team": team}).fetchall()]


def who_is_behind(address: str, team: str) -> list[str]:
    """Return as `behind`, of a server to be opened. Raises ServerError."""
    with server.opened(address) as connection:
        return behind(connection, team)


@contextmanager
def noted(store: Store, team: str, synced: bool = False) -> Iterator[None]:
    """Note in the memory whether a server has answered, and whether it and the memory are `synced` now, for `status` to say."""
    try:
        yield
    except server.ServerError:
        with access.Change(store):
            outbox.server_heard(store, team, now_ms(), answered=False)
        raise
    with access.Change(store):
        outbox.server_heard(store, team, now_ms(), answered=True, synced=synced)


# What comes in


def accepted(project: Project, team: str, now: int, most: int = MOST_ITEMS) -> Accepted:
    """Return what a team has accepted, the last `most` of it, and what of it is no item and was refused. Raises ServerError."""
    read = item_files.Read([], [])
    after, number = "", 0
    address, lock = address_of(project, team), seal.of(project, team)
    first = _first(address, team, most, lock)
    while True:
        rows = _page(address, team, after, first)
        for name, body in rows[: most - number]:
            add(read, lock, (name, body), now)
        number += len(rows)
        if len(rows) < PAGE or number >= most:
            return Accepted(read.items, read.refused, first is not None)
        after = rows[-1][0]


def _first(address: str, team: str, most: int, lock: Seal) -> datetime | None:
    """Return when the oldest item was accepted that a local copy has room for, None where it has room for all."""
    with server.opened(address) as connection:
        rotation.need(connection, team, lock)
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


def add(read: item_files.Read, lock: Seal, row: tuple[str, str], now: int) -> None:
    """Add the item of a row, its id and its text, to what was read, or say there why it is refused."""
    name, body = row
    try:
        if len(body) > seal.MOST_BYTES:
            raise Refused(f"it has {len(body):,} characters")  # noqa: TRY301 - refused as all else here
        item = shared_item.read(lock.opened(body), now)
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


# What a reviewer decides


def proposals(project: Project, team: str, now: int) -> list[Proposal]:
    """Return what waits for a reviewer, oldest first; what is no item is left out."""
    proposed, lock = [], seal.of(project, team)
    with server.opened(address_of(project, team)) as connection:
        rotation.need(connection, team, lock)
        for name, body, login, rev in connection.execute(PROPOSED, (team,)).fetchall():
            read = item_files.Read([], [])
            add(read, lock, (str(name), str(body)), now)
            proposed += [Proposal(item, str(login), int(rev)) for item in read.items]
    return proposed


def decide(project: Project, team: str, chosen: list[Proposal], state: str) -> list[str]:
    """Accept or reject exactly what was shown; returns the ids of which somebody was faster, or that may not be decided."""
    with server.opened(address_of(project, team)) as connection:
        return [
            each.item.id for each in chosen
            if connection.execute(DECIDE, (state, team, each.item.id, each.rev)).fetchone() is None
        ]  # fmt: skip


def now_ms() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000
