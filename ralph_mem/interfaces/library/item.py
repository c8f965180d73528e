"""What a program gets back of a value that it kept, and of what was known at an earlier moment."""

from ralph_mem.interfaces.library import arguments, edge
from ralph_mem.memory import items
from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.memory.namespaces import Place
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.rows.items import Namespace, Stored

# What was recorded by then and not yet retired; what nobody decided was never known, and what was rejected is not.
KNOWN = """
WHERE f.recorded_at <= ?1 AND (f.retired_at IS NULL OR f.retired_at > ?1) AND f.status NOT IN ('candidate', 'proposed', 'rejected')
ORDER BY f.said_at DESC, o.id DESC"""


class Item:
    """A value under its namespace and key, as it was when it was read: to change it changes nothing that is kept.

    `created_at`, `updated_at` and `expires_at` are milliseconds since 1970; `expires_at` is None for what stays. `score` is 0.0
    but for what a search found. `outside` says that the value came from the web or the like. `id` is what `forget` takes.
    """

    __slots__ = ("created_at", "expires_at", "id", "key", "namespace", "outside", "score", "updated_at", "value")

    def __init__(self, found: "Stored", score: float = 0.0) -> None:
        self.id: str = found.public_id
        self.namespace: tuple[str, ...] = found.namespace
        self.key: str = found.key
        self.value: Any = found.value
        self.created_at: int = found.created_at
        self.updated_at: int = found.updated_at
        self.expires_at: int | None = found.expires_at or None
        self.outside: bool = bool(found.tainted)
        self.score: float = score

    def __repr__(self) -> str:
        return f"Item({'/'.join(self.namespace)!a}, {self.key!a}, {self.value!r:.60})"


@edge.explained
class Past:
    """A view of a memory as it was; what has been deleted or forgotten since then is not in it."""

    def __init__(self, place: "Place", seen: "Callable[[Sequence[str]], Namespace]", at: int) -> None:
        self._place, self._seen, self._at = place, seen, at

    def facts(self) -> "list[dict[str, Any]]":
        """Return the facts that were known, newest first, also those that something else has replaced since then."""
        opened = self._place.read(())
        if opened is None:
            return []
        try:
            return [told(fact) for fact in facts.read(opened, KNOWN, (self._at,))]
        finally:
            opened.close()

    def get(self, namespace: "Sequence[str]", key: str) -> "Item | None":
        """Return what a key held, or None where it held nothing yet, or its value of then is kept no more."""
        found = items.get(self._place, self._seen(namespace), arguments.key(key))
        return next((each for each in reversed(self.versions(found) if found else []) if each.updated_at <= self._at), None)

    @staticmethod
    def versions(found: "Stored") -> "list[Item]":
        """Return the values of an item, oldest first, each with the time at which it was written."""
        values = [*found.was, {"value": found.value, "updated_at": found.updated_at}]
        told_of = [Item(found) for _ in values]
        for item, known in zip(told_of, values):
            item.value, item.updated_at = known["value"], known["updated_at"]
        return told_of


def told(fact: "Fact") -> "dict[str, Any]":
    """Return a fact for a program; times are milliseconds since 1970, or None."""
    return {
        "id": fact.public_id, "text": fact.text, "kind": fact.kind, "status": fact.status, "source": fact.source,
        "said_at": fact.said_at, "valid_from": fact.valid_from, "valid_until": fact.valid_until, "recorded_at": fact.recorded_at,
        "pinned": bool(fact.pinned), "sightings": fact.sightings, "helpful": fact.helpful, "harmful": fact.harmful,
    }  # fmt: skip
