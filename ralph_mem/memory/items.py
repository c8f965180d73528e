"""Keep values for programs by namespace and key, with the redaction, the limits and the pauses that hold everywhere."""

import json
import time

from ralph_mem.core.errors import RalphMemError, StoreError
from ralph_mem.core.redaction import gate, privacy, whole
from ralph_mem.memory import access
from ralph_mem.memory.namespaces import PROJECT, SESSION, scopes
from ralph_mem.memory.recall import lookup, meaning
from ralph_mem.memory.rows import items as rows
from ralph_mem.memory.rows import query_text
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.memory.namespaces import Place
    from ralph_mem.memory.rows.items import Namespace, Stored
    from ralph_mem.memory.store.connection import Store

# Earlier values that are kept of a key: enough to see what changed, and at most ten times what the value itself may take.
MOST_EARLIER = 10
# What speaks for a value in a search, where its keeper names no fields. The rest of a value is mostly ids and numbers.
FIELDS = ("title", "name", "strategy", "text", "content", "description", "summary")
WHOLE = "$"  # the name of a field that stands for the value as a whole, as JSON in the order of its keys
INJECTED = "injected"  # what was cut out of a value because ralph-mem had told it
DAY_MS = 86_400_000
# Several programs that write at the same time take turns; each waits for one transaction of the others at a time.
PATIENCE_S, PAUSE_S = 60.0, 0.02


def put(
    place: "Place", namespace: "Namespace", key: str, value: "Any", index: "bool | list[str]", expires_at: int = 0,
    outside: bool = False,
) -> "Stored":  # fmt: skip
    """Keep a value of JSON under a key, in place of an earlier one, which stays in its history; returns the item.

    `index` says what of it a search finds: True its telling fields, names their own, False nothing. `expires_at` is in
    milliseconds, 0 for never. `outside` marks text from the web and the like, which is told to no model unasked.
    Raises RalphMemError for a key that holds a secret.
    """
    if namespace in ((), (PROJECT,), (SESSION,)):
        raise RalphMemError(f"{namespace!a} names no place", "such as Memory().project, or ('session', ID), or a name of your own")
    safe, redactions = _protected(place, namespace, key, value)
    now = time.time_ns() // 1_000_000
    texts = text_of(safe, index)
    record = {
        "namespace": namespace, "key": key, "at": now, "tainted": int(outside), "redactions": redactions,
        "title": key if index is not False else "", "content": gate.clean(texts[: privacy.MOST_CHARACTERS]),
    }  # fmt: skip

    def write(opened: "Store") -> "Stored":
        purge(opened, now)
        there = rows.find(opened, namespace, key)
        was = [*there.was, {"value": there.value, "updated_at": there.updated_at}][-MOST_EARLIER:] if there else []
        known = {"key": key, "value": safe, "index": index, "updated_at": now, "expires_at": expires_at, "was": was}
        rows.set_due(opened, min(rows.due(opened), _leaves_at(opened, namespace, now, expires_at, now)))
        return rows.put(opened, there, {**record, "session": _session(opened, namespace)}, known)

    kept_item: Stored = _changed(place, namespace, write)
    return kept_item


def _session(opened: "Store", namespace: "Namespace") -> str:
    """Return the client's id of the session that an item goes with, of which a memory may never have heard."""
    known = rows.session_of(opened, namespace[1]) if namespace[0] == SESSION and namespace[1:] else None
    return known[0] if known else rows.SESSION


def _changed(place: "Place", namespace: "Namespace", change: "Callable[[Store], Any]") -> "Any":
    """Do something in a transaction of the memory of a namespace, once the others are done with theirs."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            with access.Change(place.write(namespace), closes=True) as opened:
                return change(opened)
        except (StoreError, connection.sqlite.OperationalError) as error:
            if time.monotonic() > end or not _is_busy(error):
                raise
            time.sleep(PAUSE_S)


def _is_busy(error: Exception) -> bool:
    return any([sign in str(error) for sign in ("locked", "another session is")])


def _protected(place: "Place", namespace: "Namespace", key: str, value: "Any") -> "tuple[Any, str | None]":
    """Return a value as it may be stored, and what was cut out of it."""
    protect, counts = whole.protector(place.project, place.settings), dict[str, int]()

    def protected(text: str) -> "tuple[str, dict[str, int]]":
        safe, found = protect(privacy.without_injected(text))
        return safe, found or ({INJECTED: 1} if privacy.INJECTED in text else {})

    if any([protected(name)[1] for name in (key, *namespace)]):
        raise RalphMemError("the name of this item holds what looks like a secret", "keep it under another key or namespace")
    safe = whole.of_json(value, protected, counts)
    return safe, json.dumps(counts) if counts else None


def text_of(value: "Any", index: "bool | Sequence[str]" = True) -> str:
    """Return the text by which a value is found: of its telling fields, of those that are named, or of all that it says."""
    if index is False:
        return ""
    if isinstance(value, dict) and not isinstance(index, bool):
        return "\n".join([_of_field(value, name) for name in index if name == WHOLE or name in value])
    told = [value[name] for name in FIELDS if isinstance(value.get(name), str)] if isinstance(value, dict) else []
    return "\n".join(told or _texts(value))


def _of_field(value: "dict[str, Any]", name: str) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if name == WHOLE else "\n".join(_texts(value[name]))


def _texts(value: "Any") -> "list[str]":
    """Return all texts in a value, those of a dict in the order of its keys."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key in sorted(value) for text in _texts(value[key])]
    return [text for each in value for text in _texts(each)] if isinstance(value, (list, tuple)) else []


# What is there


def get(place: "Place", namespace: "Namespace", key: str) -> "Stored | None":
    """Return the item of a key, or None, also for one that has expired or waits for an approval. Raises StoreError."""
    found = _read(place, namespace, lambda opened: rows.find(opened, namespace, key))
    return found if found and not is_hidden(found) else None


def listed(place: "Place", namespace: "Namespace", exactly: bool = True) -> "list[Stored]":
    """Return the items of a namespace, and of those below it unless `exactly`, in the order in which they were made."""
    reader = rows.within if exactly else rows.below
    return [each for each in _read(place, namespace, lambda opened: reader(opened, namespace)) or [] if not is_hidden(each)]


def namespaces(place: "Place", prefix: "Namespace") -> "dict[Namespace, int]":
    """Return the namespaces that begin so, with how many items each holds, in the order in which they were made."""
    found: dict[Namespace, int] = {}
    for beginning in scopes(prefix):
        counts = _read(place, beginning, rows.counts) or {}
        found.update({name: number for name, number in counts.items() if name[: len(prefix)] == prefix})
    return found


def _read(place: "Place", namespace: "Namespace", read: "Callable[[Store], Any]") -> "Any":
    opened = place.read(namespace)
    if opened is None:
        return None
    try:
        return read(opened)
    finally:
        opened.close()


def is_hidden(item: "Stored") -> bool:
    """Say whether an item is shown to no program: it has expired, or others of a team share it and nobody has approved it."""
    return item.is_unapproved() or (bool(item.expires_at) and item.expires_at <= time.time_ns() // 1_000_000)


def search(place: "Place", prefix: "Namespace", query: str, limit: int) -> "list[tuple[float, Stored]]":
    """Return the items that answer a query, the best first, each with its score in the product's own search.

    They lie in a namespace that begins so; what goes with a session is found only where its namespace is named.
    """
    if not query_text.words(query) or limit < 1:
        return []
    found = [each for scope in scopes(prefix) for each in _search(place, scope, prefix, query, limit)]
    return sorted(found, key=lambda each: -each[0])[:limit]


def _search(place: "Place", scope: "Namespace", prefix: "Namespace", query: str, limit: int) -> "list[tuple[float, Stored]]":
    def read(opened: "Store") -> "list[tuple[float, Stored]]":
        reader = lookup.Reader([opened], place.project, place.settings)
        wanted = lookup.Wanted(2 * limit, types=(rows.TYPE,), tool=rows.beginning_of(opened, prefix))  # some may have expired
        found = lookup.search(reader, query, time.time_ns() // 1_000_000, wanted, meaning.sense())
        items = [(each.score, rows.of_id(opened, each.public_id)) for each in found]
        return [(score, item) for score, item in items if item and not is_hidden(item)]

    return _read(place, scope, read) or []


# What goes


def delete(place: "Place", namespace: "Namespace", key: str) -> bool:
    """Delete the item of a key, with its history; says whether it was there."""
    return _gone(place, namespace, lambda opened: [each for each in rows.within(opened, namespace) if each.key == key]) > 0


def clear(place: "Place", namespace: "Namespace") -> int:
    """Delete all items of exactly one namespace; returns how many."""
    return _gone(place, namespace, lambda opened: rows.within(opened, namespace))


def _gone(place: "Place", namespace: "Namespace", chosen: "Callable[[Store], list[Stored]]") -> int:
    if not access.is_there(place.of(namespace)):
        return 0
    return int(_changed(place, namespace, lambda opened: rows.delete(opened, chosen(opened))))


def purge(opened: "Store", now: int) -> int:
    """Delete what has expired, and what went with a session a day after it ended; returns how many. In a transaction.

    It looks at nothing before the time when something can be due. A session that the memory has never heard of counts as ended
    when its item was written last.
    """
    if now < rows.due(opened):
        return 0
    all_of_them = rows.below(opened, ())
    leaving = {each.number: _leaves_at(opened, each.namespace, each.updated_at, each.expires_at, now) for each in all_of_them}
    number = rows.delete(opened, [each for each in all_of_them if leaving[each.number] <= now])
    # an open session is looked at again a day later
    rows.set_due(opened, min([at for at in leaving.values() if at > now], default=rows.NEVER))
    return number


def _leaves_at(opened: "Store", namespace: "Namespace", updated_at: int, expires_at: int, now: int) -> int:
    """Return when an item has to go, as far as one can know; an open session lasts for another day at least."""
    limits = [expires_at] if expires_at else []
    if namespace[0] == SESSION:
        known = rows.session_of(opened, namespace[1]) if namespace[1:] else None
        ended = updated_at if known is None else known[1] or now
        limits.append(ended + DAY_MS)
    return min(limits, default=rows.NEVER)
