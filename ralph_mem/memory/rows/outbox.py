"""Keep what a person gave to a team until its server has it, and when that was heard last. Nothing here talks to anybody."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import row
from ralph_mem.memory.store import connection, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

TABLE = "outbox"
STATES = WAITING, SENT, CONFLICT = ("waiting", "sent", "conflict")
MOST_WAITING = 1_000  # more than a person shares one by one while a server is away
TO_BE_SENT = f"""
SELECT x.team, count(*) FROM outbox AS x
WHERE x.state = 'waiting' OR NOT EXISTS (SELECT 1 FROM {row.OBSERVATION.table} AS o WHERE o.public_id = x.id) GROUP BY x.team"""
COLUMNS = "id, team, text, rev, state, at"


class Entry:
    """An item on its way: its id, the team, the text that stands for it, the revision that the server had last or 0, its state."""

    __slots__ = ("at", "id", "rev", "state", "team", "text")

    def __init__(self, values: "tuple[str, str, str, int, str, int]") -> None:
        self.id, self.team, self.text, self.rev, self.state, self.at = values


def entries(store: "Store", team: str = "", state: str = "") -> "list[Entry]":
    """Return what is on its way to a team, or to all, of one state or any, oldest first."""
    if not store.one("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)):
        return []
    sql = f"SELECT {COLUMNS} FROM outbox WHERE (?1 = '' OR team = ?1) AND (?2 = '' OR state = ?2) ORDER BY at, id"
    return [Entry(values) for values in store.execute(sql, (team, state)).fetchall()]


def to_be_sent(store: "Store") -> "dict[str, int]":
    """Return how much is to be sent to each team's server: items that wait, and tombstones of what was forgotten here."""
    if not store.one("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)):
        return {}
    return dict(store.execute(TO_BE_SENT).fetchall())


def put(store: "Store", team: str, name: str, text: str, at: int) -> None:
    """Let an item wait; one that the server has keeps the revision that it is based on. In the caller's transaction."""
    schema.make(store, TABLE)
    store.execute(
        "INSERT INTO outbox (id, team, text, rev, state, at) VALUES (?, ?, ?, 0, 'waiting', ?)"
        " ON CONFLICT (team, id) DO UPDATE SET text = excluded.text, state = 'waiting', at = excluded.at",
        (name, team, text, at),
    )


def mark(store: "Store", entry: Entry, state: str, rev: int) -> None:
    """Write what became of an item at the server, unless it was shared anew meanwhile. In the caller's transaction."""
    sql = "UPDATE outbox SET state = ?, rev = ? WHERE team = ? AND id = ? AND text = ?"
    store.execute(sql, (state, rev, entry.team, entry.id, entry.text))


def remove(store: "Store", team: str, name: str = "") -> None:
    """Let go of an item, or of all of a team. In the caller's transaction."""
    if entries(store, team):
        store.execute("DELETE FROM outbox WHERE team = ?1 AND (?2 = '' OR id = ?2)", (team, name))


def leave(store: "Store", team: str) -> int:
    """Let go of what a team's server does not have, and return how much it has: who joins again may take that from there.

    In the caller's transaction.
    """
    found = entries(store, team)
    for entry in found:
        if not entry.rev:
            remove(store, team, entry.id)
    return len([entry for entry in found if entry.rev])


# When each server was heard last, for a status that asks none of them.

LAST_SYNC, GONE_SINCE = "last_sync", "gone_since"  # in ms since 1970, 0 for never


def known_servers(store: "Store") -> "dict[str, dict[str, int]]":
    """Return what is known of the servers that were joined, by the names of their teams."""
    found: dict[str, dict[str, int]] = fast.loads(store.property(connection.TEAM_SERVERS) or "{}")
    return found


def server_heard(store: "Store", team: str, at: int, answered: bool, synced: bool = False) -> None:
    """Note whether a server has answered, and whether all was brought up to date. In the caller's transaction."""
    before = known_servers(store).get(team, {LAST_SYNC: 0, GONE_SINCE: 0})
    last = at if answered and synced else before[LAST_SYNC]
    _write_servers(
        store, {**known_servers(store), team: {LAST_SYNC: last, GONE_SINCE: 0 if answered else before[GONE_SINCE] or at}}
    )


def server_left(store: "Store", team: str) -> None:
    """Forget about a server. In the caller's transaction."""
    _write_servers(store, {name: each for name, each in known_servers(store).items() if name != team})


def _write_servers(store: "Store", servers: "dict[str, dict[str, int]]") -> None:
    store.set_property(connection.TEAM_SERVERS, fast.dumps(servers) if servers else None)


def standing(store: "Store") -> "list[dict[str, Any]]":
    """Return how it stands with each server: its team, the last sync, since when it is gone, what is to be sent or forgotten."""
    waits = to_be_sent(store)
    return [{"team": team, **each, "to_send": waits.get(team, 0)} for team, each in sorted(known_servers(store).items())]
