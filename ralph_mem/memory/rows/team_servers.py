"""Remember when each team's server was heard last, for a status that asks none of them."""

from ralph_mem.core import fast
from ralph_mem.memory.rows import outbox
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

LAST_SYNC, GONE_SINCE = "last_sync", "gone_since"  # in ms since 1970, 0 for never


def known(store: "Store") -> "dict[str, dict[str, int]]":
    """Return what is known of the servers that were joined, by the names of their teams."""
    found: dict[str, dict[str, int]] = fast.loads(store.property(connection.TEAM_SERVERS) or "{}")
    return found


def heard(store: "Store", team: str, at: int, answered: bool, synced: bool = False) -> None:
    """Note whether a server has answered, and whether all was brought up to date. In the caller's transaction."""
    before = known(store).get(team, {LAST_SYNC: 0, GONE_SINCE: 0})
    last = at if answered and synced else before[LAST_SYNC]
    _write(store, {**known(store), team: {LAST_SYNC: last, GONE_SINCE: 0 if answered else before[GONE_SINCE] or at}})


def left(store: "Store", team: str) -> None:
    """Forget about a server. In the caller's transaction."""
    _write(store, {name: each for name, each in known(store).items() if name != team})


def _write(store: "Store", servers: "dict[str, dict[str, int]]") -> None:
    store.set_property(connection.TEAM_SERVERS, fast.dumps(servers) if servers else None)


def standing(store: "Store") -> "list[dict[str, Any]]":
    """Return how it stands with each server: its team, the last sync, since when it is gone, what is to be sent or forgotten."""
    waits = outbox.to_be_sent(store)
    return [{"team": team, **each, "to_send": waits.get(team, 0)} for team, each in sorted(known(store).items())]
