"""What a program gets back of a value that it kept."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.rows.items import Stored


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
