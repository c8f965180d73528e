"""Say which client a memory is from, where others than Claude Code were heard."""

from ralph_mem.memory.rows.sessions import AGENT, OURS
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

MOST_ASKED = 500  # ids in one query: an old SQLite takes 999 values
OF_HOSTS = """
SELECT m.public_id, s.agent FROM {} AS m JOIN sessions AS s ON s.id = m.session_id
WHERE m.public_id IN ({}) AND s.agent NOT IN (?, ?)"""


def by_host(store: "Store") -> "dict[str, int]":
    """Return when the last session of each client began, in ms, by the client's name."""
    return dict(store.execute("SELECT agent, max(started_at) FROM sessions WHERE agent <> ? GROUP BY agent", (OURS,)).fetchall())


def hosts_of(store: "Store", names: "list[str]") -> "dict[str, str]":
    """Return of memories, by their ids, those that another client than Claude Code recorded, with its name."""
    if not names or not store.property(connection.OTHER_HOSTS):
        return {}
    found: dict[str, str] = {}
    for first in range(0, len(names), MOST_ASKED):
        some = names[first : first + MOST_ASKED]
        for table in ("turns", "observations"):
            sql = OF_HOSTS.format(table, ", ".join("?" * len(some)))
            found.update(store.execute(sql, (*some, AGENT, OURS)).fetchall())
    return found
