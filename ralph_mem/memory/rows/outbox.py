"""Keep what a person gave to a team until its server has it, and what it had of it last. Nothing here talks to anybody."""

from ralph_mem.memory.rows import row
from ralph_mem.memory.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
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
