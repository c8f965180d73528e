"""Store what programs keep by a namespace and a key, each value as an observation of its own.

The namespace stands in the column of the tool as a JSON list, so that a name may hold any character; the value, its times and
what it was before in the metadata; what it is found by in title and content.
"""

import posix

from ralph_mem.core import fast, hashing
from ralph_mem.memory.rows import existing, facts, kinds, records, row, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

    Namespace = tuple[str, ...]

TYPE = "item"
# What belongs to no session of a client. Apart from what a person notes: notes quote what was noted beside them.
SESSION = "ralph-mem-items"
TEAM, STRANGERS = "team", 2  # the namespaces of what a team shares; how tainted it is before somebody has approved it
SHORT_TERM = "session"  # the first part of the namespaces that go with a session
# How the namespace of the project begins, in which `HERE` stands for its id: a copy of a memory has another one.
OWN, HERE = "project", "here"
# The property of a database that says when some item has to go at the earliest, in milliseconds.
DUE = "items_due"
NEVER = 2**62
HASH_DIGITS = 24  # 96 bits: two names meet by chance never
READ = kinds.reading(kinds.OBSERVATION, "id public_id tool_name metadata created_at tainted") + " WHERE t.type = 'item'"
# Two machines may have kept the same key: the one that was written last counts.
OF_EVENT = " AND t.event_id >= ? AND t.event_id < ? ORDER BY t.id"


class Stored:
    """An item as it is stored: its row's number and id, where it is kept, its value, its times in ms since 1970.

    `was` holds earlier values with the times at which they were written, oldest first; `expires_at` is 0 where it stays.
    """

    def __init__(self, store: "Store", values: "tuple[Any, ...]") -> None:
        self.number, self.public_id, namespace, metadata, self.created_at, self.tainted = values
        known = fast.loads(metadata or "{}")
        self.namespace: Namespace = _read(store, namespace)
        self.key: str = known.get("key", "")
        self.value: Any = known.get("value")
        self.index: bool | list[str] = known.get("index", True)
        self.updated_at: int = known.get("updated_at", self.created_at)
        self.expires_at: int = known.get("expires_at", 0)
        self.was: list[dict[str, Any]] = known.get("was", [])

    def is_unapproved(self) -> bool:
        """Say whether it is what others of a team share and nobody here has approved."""
        return self.namespace[:1] == (TEAM,) and self.tainted == STRANGERS


def text_of(store: "Store", namespace: "Namespace") -> str:
    """Return a namespace as it is stored; no two namespaces have the same text, whatever their parts hold."""
    is_own = namespace[:2] == (OWN, store.property("project_id"))
    return fast.dumps([OWN, HERE, *namespace[2:]] if is_own else list(namespace))


def _read(store: "Store", text: "str | None") -> "Namespace":
    parts = tuple(fast.loads(text or "[]"))
    return (OWN, str(store.property("project_id")), *parts[2:]) if parts[:2] == (OWN, HERE) else parts


def beginning_of(store: "Store", prefix: "Namespace") -> str:
    """Return how the texts of a namespace and of all below it begin, and of no other one."""
    return text_of(store, prefix)[:-1]


def _event(store: "Store", namespace: "Namespace", key: str = "") -> str:
    """Return how the events of a namespace begin, or of one key in it."""
    name = f"item:{hashing.of(text_of(store, namespace))[:HASH_DIGITS]}:"
    return f"{name}{hashing.of(key)[:HASH_DIGITS]}:" if key else name


def find(store: "Store", namespace: "Namespace", key: str) -> "Stored | None":
    """Return the item of a key, or None."""
    found = [each for each in _between(store, _event(store, namespace, key)) if (each.namespace, each.key) == (namespace, key)]
    return max(found, key=lambda each: each.updated_at, default=None)


def of_id(store: "Store", public_id: str) -> "Stored | None":
    """Return the item of an id, or None."""
    found = store.one(READ + " AND t.public_id = ?", (public_id,))
    return Stored(store, found) if found else None


def within(store: "Store", namespace: "Namespace") -> "list[Stored]":
    """Return the items of exactly one namespace, in the order in which they were made."""
    return [each for each in _between(store, _event(store, namespace)) if each.namespace == namespace]


def below(store: "Store", prefix: "Namespace") -> "list[Stored]":
    """Return the items of a namespace and of all below it, in the order in which they were made."""
    start = beginning_of(store, prefix)
    sql = READ + " AND substr(t.tool_name, 1, ?) = ? ORDER BY t.id"
    found = [Stored(store, values) for values in store.execute(sql, (len(start), start)).fetchall()]
    return [each for each in found if each.namespace[: len(prefix)] == prefix]


def _between(store: "Store", start: str) -> "list[Stored]":
    rows = store.execute(READ + OF_EVENT, (start, start[:-1] + ";")).fetchall()
    return [Stored(store, values) for values in rows]


def put(
    store: "Store", there: "Stored | None", record: "dict[str, Any]", known: "dict[str, Any]", is_told: bool = True
) -> "Stored":  # fmt: skip
    """Write an item and return it; one that is not `is_told` is found among the raw rows alone.

    `record` are its namespace, key, title, content, at, session, tainted and redactions, of a team's also the speaker and the
    public id; `known` is its metadata.
    `there` is the item of the same key, if there is one: it keeps its id and the time when it was made. In a transaction.
    """
    is_memory = bool(record["title"]) and record["namespace"][0] != SHORT_TERM and is_told
    is_others = record["namespace"][0] == TEAM
    metadata, speaker = fast.dumps(known), record.get("speaker")
    texts = {"title": record["title"], "content": record["content"]}
    origin = "outside" if record["tainted"] else "tool"
    if there:
        existing.replace(store, row.OBSERVATION, there.number, {**texts, "metadata": metadata})
        marks = (record["tainted"], origin, record["redactions"], speaker, there.number)
        changed = "tainted = ?, origin = ?, redactions = ?, speaker = ?"
        store.execute(f"UPDATE {row.OBSERVATION.table} SET {changed} WHERE id = ?", marks)
        facts.show(store, there.number, facts.ACTIVE if is_memory else facts.RETIRED, is_others)
        return _of_number(store, there.number)
    if record["session"] == SESSION:
        sessions.own(store, SESSION, record["at"])
    event = _event(store, record["namespace"], record["key"]) + posix.urandom(4).hex()
    known_columns = {"tool_name": text_of(store, record["namespace"]), "metadata": metadata, "tainted": record["tainted"]}
    new = records.observation(
        record["session"], record["at"], event, *texts.values(), type=TYPE, origin=origin, redactions=record["redactions"],
        speaker=speaker, **known_columns,
    )  # fmt: skip
    number = row.observe(store, new)
    if is_memory:
        facts.show(store, number, facts.ACTIVE, is_others)
    if record.get("public_id"):
        store.execute(f"UPDATE {row.OBSERVATION.table} SET public_id = ? WHERE id = ?", (record["public_id"], number))
    return _of_number(store, number)


def _of_number(store: "Store", number: int) -> "Stored":
    return Stored(store, store.one(READ + " AND t.id = ?", (number,)))


def session_of(store: "Store", name: str) -> "tuple[str, int | None] | None":
    """Return of a session, named by the client's id or by ours, the client's id and when it ended; None for an unknown one."""
    sql = "SELECT client_session, ended_at FROM sessions WHERE client_session = ?1 OR public_id = ?1"
    found: tuple[str, int | None] | None = store.one(sql, (name,))
    return found


def delete(store: "Store", found: "list[Stored]") -> int:
    """Delete items with their index entries and what they were before; returns how many. In a transaction."""
    store.execute("PRAGMA secure_delete = ON").fetchone()
    for each in found:
        existing.delete(store, row.OBSERVATION, each.number)
        store.execute("DELETE FROM derived_from WHERE child = ?1 OR parent = ?1", (each.public_id,))
    return len(found)


def counts(store: "Store") -> "dict[Namespace, int]":
    """Return how many items each namespace holds."""
    sql = f"SELECT tool_name, count(*) FROM ({READ}) GROUP BY tool_name ORDER BY min(id)"
    return {_read(store, name): number for name, number in store.execute(sql).fetchall()}


def due(store: "Store") -> int:
    """Return the time in ms before which no item has to go."""
    return int(store.property(DUE) or NEVER)


def set_due(store: "Store", at: int) -> None:
    """Say when some item has to go at the earliest; `NEVER` where none has. In a transaction."""
    store.set_property(DUE, at if at < NEVER else None)
