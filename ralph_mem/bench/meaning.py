"""Meaning: the model of the embeddings extra, in this process, as each mode may use it."""

from collections.abc import Callable
from typing import Any

from ralph_mem import semantic
from ralph_mem.bench.throwaway import Throwaway

LEXICAL, STATIC, FULL = MODES = ("lexical", "static", "full")
NUMBERED = """
SELECT m.id, coalesce(t.public_id, o.public_id) FROM memories AS m
LEFT JOIN turns AS t ON t.id = m.turn_id LEFT JOIN observations AS o ON o.id = m.observation_id"""


class Table:
    """A sense with the small table alone: what a hook has while no worker answers."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole

    def near(self, _store: object, _query: str) -> dict[int, float]:
        """Know nothing: that takes the model."""
        return {}

    def alike(self, store: object, query: str, numbers: list[int]) -> dict[int, float]:
        """Return what the table says."""
        return dict(self.whole.alike(store, query, numbers))


class Meaning:
    """The prepared model, loaded. Raises MissingExtra without its packages, RalphMemError where none is set up."""

    def __init__(self) -> None:
        with semantic.needed():
            from ralph_mem.semantic import local, vectors
        self.sense = local.LocalSense()
        self.vectors = vectors

    def of_mode(self, mode: str) -> Any:
        """Return the sense that a mode has."""
        return {LEXICAL: None, STATIC: Table(self.sense), FULL: self.sense}[mode]

    def embed(self, throwaway: Throwaway, progress: Callable[[int, int], object]) -> None:
        """Embed what is not embedded yet; `progress` hears how many are done, and of how many."""
        self.vectors.embed_missing(throwaway.store, self.sense.embedder, progress)

    def nearest(self, throwaway: Throwaway, query: str) -> list[str]:
        """Return the ids of the memories nearest to a query, by the model alone."""
        near = self.sense.near(throwaway.store, query)
        names = dict(throwaway.store.execute(NUMBERED).fetchall())
        return [throwaway.names[names[number]] for number in sorted(near, key=lambda number: (-near[number], number))]
