"""Find what came in as a stranger's before the person said that it is theirs, and let it give way."""

from collections import defaultdict
from typing import Any, NamedTuple

from ralph_mem.maintenance.transfer import document
from ralph_mem.memory.rows import deletion, facts, kinds, rewrite, row
from ralph_mem.memory.store.connection import Store

ANY = f"SELECT 1 FROM sessions WHERE client_session GLOB '{document.STRANGE}*' LIMIT 1"
SESSION = "SELECT id, public_id FROM sessions WHERE client_session = ?"
TWIN = " WHERE t.event_id = ? AND t.tainted = 2"


class Twins(NamedTuple):
    """The ids of the rows that give way, and of those that stay as they are, by their ids in the file."""

    going: frozenset[str]
    kept: dict[str, str]


def twins(opened: Store, records: list[dict[str, Any]]) -> Twins:
    """Return which rows are here as a stranger's.

    What a person has changed stays, with its session if that has turns: these quote each other.
    """
    if not opened.one(ANY):
        return Twins(frozenset(), {})
    sizes = rewrite.sizes(opened)
    units: dict[int | str, dict[str, str]] = defaultdict(dict)  # what gives way or stays as a whole: sessions, single rows
    stays: set[int | str] = set()
    for record in records:
        found = _twin(opened, record)
        if found:
            name, session, is_changed = found
            unit = session if session in sizes else name
            units[unit][record["public_id"]] = name
            stays |= {unit} if is_changed else set()
    stays |= {unit for unit, names in units.items() if isinstance(unit, int) and len(names) < sizes[unit]}
    going = [name for unit, names in units.items() if unit not in stays for name in names.values()]
    kept = {theirs: name for unit in stays for theirs, name in units[unit].items()}
    return Twins(frozenset(going), kept | _sessions(opened, records, stays))


def _sessions(opened: Store, records: list[dict[str, Any]], stays: set[int | str]) -> dict[str, str]:
    """Return the ids of the sessions that stay, by their ids in the file."""
    here = {
        record["public_id"]: opened.one(SESSION, (document.STRANGE + record["client_session"],))
        for record in records if record["row"] == "session"
    }  # fmt: skip
    return {theirs: found[1] for theirs, found in here.items() if found and found[0] in stays}


def _twin(opened: Store, record: dict[str, Any]) -> tuple[str, int, bool] | None:
    """Return the id of the row that is here as a stranger's, the number of its session, and whether a person has changed it."""
    if record["row"] in document.BESIDE_ROWS or not record.get("event_id"):
        return None
    kind = document.of_name(record["row"])
    sql = kinds.reading(kind, "public_id session_id pinned misled edited_at") + TWIN
    found = opened.one(sql, (document.STRANGE + record["event_id"],))
    if not found:
        return None
    name, session, pinned, misled, edited = found
    fact = facts.of_id(opened, name) if record.get("type") == row.FACT else None
    is_decided = fact is not None and fact.status != facts.CANDIDATE
    return name, session, bool(pinned or misled or is_decided or edited != record.get("edited_at"))


def give_way(opened: Store, going: frozenset[str]) -> int:
    """Delete rows that give way, and the sessions of which nothing is left; returns how many rows went. In a transaction."""
    if not going:
        return 0
    gone = deletion.delete(opened, going)
    rewrite.drop_empty_sessions(opened, document.STRANGE)
    return gone
